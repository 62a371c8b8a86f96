"""JSON as this product reads and writes it: strictly in, value-exactly out.

`limits` says what a state may be; `parsing` is the one parser and `writing` the one
writer. Refuses rather than repairs, and never puts a body's text into an error: only
where the fault is. What others import, they import from here.
"""

from apps.core.json.alike import members_of, parse_alike
from apps.core.json.limits import MAX_DEPTH, MAX_REQUEST_DEPTH, MAX_STATE_BYTES
from apps.core.json.parsing import parse, parse_object, parse_written
from apps.core.json.patches import MOST_OPERATIONS, Operation, operations_of, patched
from apps.core.json.pointers import merged, pointer, remove, resolve, segments
from apps.core.json.projection import cleaned, items_left_out
from apps.core.json.reader import MAX_DIGITS
from apps.core.json.states import check, state_bytes
from apps.core.json.values import Json, State
from apps.core.json.writing import dumps, fingerprint, splice

__all__ = [
    "MAX_DEPTH",
    "MAX_DIGITS",
    "MAX_REQUEST_DEPTH",
    "MAX_STATE_BYTES",
    "MOST_OPERATIONS",
    "Json",
    "Operation",
    "State",
    "check",
    "cleaned",
    "dumps",
    "fingerprint",
    "items_left_out",
    "members_of",
    "merged",
    "operations_of",
    "parse",
    "parse_alike",
    "parse_object",
    "parse_written",
    "patched",
    "pointer",
    "remove",
    "resolve",
    "segments",
    "splice",
    "state_bytes",
]
