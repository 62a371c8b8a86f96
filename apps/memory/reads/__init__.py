"""What sessions read: noted with each context that had memories, and shown since."""
