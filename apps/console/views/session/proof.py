"""The proof of a session as a file, which is checked without this server."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from apps.console import queries
from apps.console.views.requests.decorators import entered, page
from apps.console.views.requests.exports import json_file
from apps.witness.queries import proof_of
from apps.witness.shapes import proof_object


@page
def session_proof(request: HttpRequest, slug: str, session_id: str) -> HttpResponse:
    """Answer what the API answers: `stepback verify FILE --key KEY` checks it."""
    membership = entered(request, slug)
    session = queries.session(membership.project, session_id)
    found = proof_of(session.id, now=timezone.now())
    return json_file(f"proof-{session.id}", proof_object(session.id, found))
