"""The pages of plans, and what their buttons stand for."""
