"""The forms of what administrators set up."""
