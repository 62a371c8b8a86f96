"""The pages of alerts: where rules are, and what they told."""
