"""Two sessions beside each other: what ends up different, and where they parted."""
