"""What operators read: the log, metrics for Prometheus, health probes."""
