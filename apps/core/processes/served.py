"""What the front, the door and Django say to each other in a request's environment.

Without the front (in tests, under another server) nothing of it is there.
"""

# When the request came, by `perf_counter`: before its body, and before its turn.
CAME_AT = "stepback.came_at"
# A DomainError for which the front refuses the request: Django answers it.
REFUSED = "stepback.refused"
# An error with which the door failed too late to pass the request on: its view
# answers with it and does nothing.
FAILED = "stepback.failed"
# The `Allowance` that was taken for the request's key before Django saw it.
ALLOWANCE = "stepback.allowance"
# The key or the session that came with the request holds no longer, says Django, or
# nobody looked at it: the front looks it up anew.
LOST = "stepback.lost"
