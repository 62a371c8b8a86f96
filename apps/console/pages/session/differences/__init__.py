"""Two states or texts beside each other."""
