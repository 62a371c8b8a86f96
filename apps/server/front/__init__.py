"""Admission of requests in front of Django: bodies, pools, slow clients."""
