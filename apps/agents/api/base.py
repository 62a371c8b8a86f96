"""What the views that Anchor's clients call have in common."""

from typing import cast

from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Caller
from apps.agents.scope import Scope
from apps.core.http import ApiView
from apps.core.http.problems.problem import at_top


class AnchorView(ApiView):
    """A view under /v1 and without it, whose errors are read at the top of the body."""

    def handle_exception(self, exc: Exception) -> Response:
        """Repeat code, message, param and field where Anchor's clients look."""
        response = super().handle_exception(exc)
        response.data = at_top(response.data)
        return response


def caller_of(request: Request) -> Caller:
    """Who came in by key; the permission has made sure that somebody did."""
    return cast(Caller, request.auth)


def scope_of(request: Request) -> Scope:
    """What part of the project the caller's key may touch."""
    caller = caller_of(request)
    return Scope(caller.project, caller.agents)
