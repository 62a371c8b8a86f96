"""Effects over the API: what agents do outside, begun, finished and listed."""
