"""What somebody typed into a form, for the page that says that nothing was done."""

from django.http import HttpRequest

# What a page makes anew, and what only says by which page it was sent.
NOT_TYPED = frozenset({"csrfmiddlewaretoken", "key", "expected", "seen", "other_seen"})


def typed_fields(request: HttpRequest) -> dict[str, str]:
    """Return what the form of a POST said, but for what its page had filled in."""
    return {
        name: value
        for name, value in request.POST.items()
        if name not in NOT_TYPED and isinstance(value, str)
    }
