"""What this app tells the timeline: what goes with a session."""
