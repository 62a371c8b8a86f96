"""What all views share about a request: decorators, refusals, the reader's zone."""
