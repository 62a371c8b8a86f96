"""The page of metrics: its numbers, tables and charts."""
