"""Guards while sessions are written to: what holds, judging, and what is done."""
