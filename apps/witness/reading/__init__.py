"""Reading notes for the API and the console: pages, leaves, proofs."""
