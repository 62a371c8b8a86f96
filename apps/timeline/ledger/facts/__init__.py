"""What an append notes beside the state: for lists, search, blame and what is open."""
