"""What is sent in the form of each kind of address: signed, or as a service asks."""
