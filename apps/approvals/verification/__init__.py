"""Holds the lists of approvals against what they follow from."""
