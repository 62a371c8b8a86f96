"""Old states by meaning: why versions were made, and what they changed."""
