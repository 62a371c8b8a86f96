"""What people decide about policies: exceptions from them, and a floor."""
