"""The documents of memories: whose each is, and what stands under a memory's id."""
