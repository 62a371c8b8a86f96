"""The processes of one installation: supervision, memory, the front's protocol."""
