"""Django's PostgreSQL engine, with a cheaper look at what the pool hands out."""
