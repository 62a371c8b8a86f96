"""What is to be written as rows, typed: encoded writes, batches, and their calls."""
