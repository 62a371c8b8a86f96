"""The routes of blobs."""
