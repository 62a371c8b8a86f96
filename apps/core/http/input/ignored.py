"""How an answer names the input that was ignored, and the preference that was met.

`ignored` stands in the body where that is an object, and always in a header: lists,
files and empty answers have no place for it.
"""

import json as ascii_json
from collections.abc import Sequence
from typing import Any

from django.http.response import HttpResponseBase
from orjson import Fragment
from rest_framework.response import Response

from apps.core import json
from apps.core.handling import Handling

IGNORED = "Ignored-Input"
APPLIED = "Preference-Applied"
LONGEST_HEADER = 2_000


def name_ignored(
    response: HttpResponseBase, names: Sequence[str], *, are_all: bool = True
) -> None:
    """Say in an answer what was ignored; with `are_all` false, that there is more."""
    response[IGNORED] = _header(names)
    members: dict[str, Any] = {"ignored": names}
    if not are_all:
        members["ignored_truncated"] = True
    if not isinstance(response, Response):
        return
    if isinstance(response.data, dict):
        response.data = {**response.data, **members}
    elif isinstance(response.data, Fragment):
        response.data = _with_members(response.data, members)


def _header(names: Sequence[str]) -> str:
    """Write names in ASCII, as many as every proxy lets through in a header."""
    fitting: list[str] = []
    size = 0
    for name in names:
        size += len(ascii_json.dumps(name))
        if size > LONGEST_HEADER:
            return ascii_json.dumps([*fitting, "…"])
        fitting.append(name)
    return ascii_json.dumps(fitting)


def say_applied(response: HttpResponseBase, handling: Handling) -> None:
    """Add the preference to those that the answer says were met."""
    met = f"handling={handling.value}"
    response[APPLIED] = ", ".join(filter(None, (response.get(APPLIED), met)))


def _with_members(written: Fragment, members: dict[str, Any]) -> Fragment:
    """Add members to an object that is written already; another value stays."""
    data = json.dumps(written)
    if not data.startswith(b"{") or data == b"{}":
        return written
    return Fragment(data[:-1] + b"," + json.dumps(members)[1:])
