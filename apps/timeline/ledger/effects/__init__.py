"""What is said of effects, and the calls of the functions that store it."""
