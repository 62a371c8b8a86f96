"""What a route takes: its fields and parameters, and how unknown input is treated."""
