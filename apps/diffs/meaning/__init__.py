"""What of a state means something to people: first words, and what is noise."""
