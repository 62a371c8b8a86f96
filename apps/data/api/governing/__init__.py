"""What people decide about policies, over REST: exceptions, and a floor."""
