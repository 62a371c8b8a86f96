"""What agents did outside, as pages show it."""
