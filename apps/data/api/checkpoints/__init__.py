"""Routes of checkpoints: what they take, what they answer."""
