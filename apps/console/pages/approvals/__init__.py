"""What the pages of approvals are made of."""
