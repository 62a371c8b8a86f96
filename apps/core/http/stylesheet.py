"""The console's one stylesheet: its layers in order, without what only people read.

The files below `static/css` stay as they are written; a page asks for one file where it
would wait for four, a fifth smaller, and a third of that again where it is compressed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import condition, require_safe
from lightningcss import process_stylesheet

# Beside its sources, so that what these name by `../` is found from it as well.
ADDRESS = "/static/css/console.css"
FOLDER = settings.BASE_DIR / "static" / "css"
LAYERS = ("tokens", "base", "components", "pages")
YEAR = 365 * 24 * 60 * 60
MINUTE = 60


class StylesheetMiddleware:
    """Answers the stylesheet before anything asks who is there, as files are."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info == ADDRESS:
            return answer_stylesheet(request)
        return self.get_response(request)


def stylesheet() -> tuple[str, str]:
    """Return the text of all layers, and a name for just this text."""
    files = [FOLDER / f"{layer}.css" for layer in LAYERS]
    # Read again when one was edited: whoever works on them does not start anew.
    return _made(tuple(file.stat().st_mtime_ns for file in files))


def stylesheet_address() -> str:
    """Return where this very text is, to be kept by browsers for good."""
    return f"{ADDRESS}?v={stylesheet()[1]}"


def _tag(request: HttpRequest) -> str:
    return f'"{stylesheet()[1]}"'


@require_safe
@gzip_page
@condition(etag_func=_tag)
def answer_stylesheet(request: HttpRequest) -> HttpResponse:
    text, name = stylesheet()
    response = HttpResponse(text, content_type="text/css; charset=utf-8")
    if request.GET.get("v") == name:
        patch_cache_control(response, public=True, max_age=YEAR, immutable=True)
    else:
        patch_cache_control(response, public=True, max_age=MINUTE)
    return response


@lru_cache(maxsize=1)
def _made(_written_at: tuple[int, ...]) -> tuple[str, str]:
    texts = [(FOLDER / f"{layer}.css").read_text(encoding="utf-8") for layer in LAYERS]
    text = str(process_stylesheet("".join(texts), minify=True))
    return text, sha256(text.encode()).hexdigest()[:16]
