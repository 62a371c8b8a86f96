"""Views for administrators: members, keys, webhooks, alert rules."""
