"""Which search, order and view of sessions is asked for."""

from django.http import HttpRequest, QueryDict

from apps.accounts.models import Membership, SavedView
from apps.console.forms.project import SessionsForm
from apps.core.errors import InvalidRequest, NotFound


def asked(
    membership: Membership, form: SessionsForm
) -> tuple[str, str, SavedView | None]:
    """Return the search and the order: what was typed, or a saved view's."""
    data = form.cleaned_data
    if not data["view"]:
        return data["q"], data["sort"], None
    views = SavedView.objects.in_project(membership.project_id)
    view = views.visible_to(membership.user_id).filter(id=data["view"]).first()
    if view is None:
        raise NotFound("There is no such saved view.")
    return view.query, view.sort, view


def views_of(membership: Membership) -> list[SavedView]:
    """Return the views that a member may open, by name."""
    views = SavedView.objects.in_project(membership.project_id)
    return list(views.visible_to(membership.user_id).for_sessions_page())


def understood(request: HttpRequest) -> SessionsForm:
    """Return which search, order and view are asked for.

    Raises: InvalidRequest for the first field that is not understood.
    """
    form = SessionsForm(request.GET)
    if not form.is_valid():
        raise first_error(form)
    return form


def first_error(form: SessionsForm) -> InvalidRequest:
    field, errors = next(iter(form.errors.items()))
    return InvalidRequest(f"{field}: {errors[0]}", param=field)


def written_query(text: str, sort: str, *, after: str | None = None) -> str:
    found = QueryDict(mutable=True)
    found["q"] = text
    if sort:
        found["sort"] = sort
    if after:
        found["after"] = after
    return "?" + found.urlencode()
