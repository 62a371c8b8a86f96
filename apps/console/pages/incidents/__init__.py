"""What the pages of incidents show."""
