"""What the worker and `manage.py embed` do: keep vectors up with what is written."""
