"""The OpenAPI document and the page that shows it; both need no key and no network.

Views describe what is their own; what every route of the API has in common (its
errors, its headers, where its one-line summary comes from) is added here, once.
"""

from collections.abc import Iterator
from functools import cache
from http import HTTPStatus
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.settings import spectacular_settings

from apps.core.http.openapi.schema import ANY_NAMES
from apps.core.processes.addresses import API

Operation = dict[str, Any]

# What StateBase's pages call memories; its clients have the name that is described.
OTHER_NAMES = f"/{API}/memory"
METHODS = frozenset({"get", "put", "post", "patch", "delete"})
WITH_BODY = frozenset({"put", "post", "patch"})
# What `ApiView`, the parser and the database can answer on any route.
ALWAYS = (400, 401, 403, 406, 429, 500, 503)
ON_WRITING = (408, 411, 413, 415, 422, 507)
ERROR = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
RETRIED = frozenset({"429", "503", "507"})

HEADERS: dict[str, tuple[str, str, str]] = {
    "X-Request-Id": ("RequestId", "string", "Yours, else ours; finds it in the log."),
    "X-RateLimit-Limit": ("RateLimit", "integer", "Requests a minute."),
    "X-RateLimit-Remaining": ("RateRemaining", "integer", "What is left of them."),
    "X-RateLimit-Reset": ("RateReset", "integer", "Unix time of the next minute."),
    "Retry-After": ("RetryAfter", "integer", "Seconds to wait."),
    "WWW-Authenticate": ("Authenticate", "string", "How to send a key."),
}
PATH_PARAMETERS = {
    "session_id": "The session's id.",
    "number": "A version's number; -1 is the one before the head.",
    "label": "The label as it was given.",
    "turn_id": "The turn's id.",
    "summary_id": "The summary's id.",
    "effect_id": "The effect's id.",
    "trace_id": "The id of a trace.",
    "reference": "The agent's id, or the name that your code gives it.",
}
GUIDE = """

Send your key as `X-API-Key`, or as `Authorization: Bearer`.

Every change becomes a version that nobody can alter. Name the version you built on in
`expected_version` (409 when the session has moved on) or in `If-Match` (412), or leave
both out to write onto whatever is newest. Send an `Idempotency-Key` with a write and
repeat it freely: it is done once, and answered alike.

A field or query parameter that is not described here is refused (`unknown_field`,
`unknown_parameter`), with the nearest one that is. With `Prefer: handling=lenient` the
rest is done, and `ignored` in the answer, or its header `Ignored-Input`, names it.

Lists return the newest items first, a page at a time: ask for the next page with the
`last_id` of this one as `starting_after`. Errors have one body; decide by its `code`.

What Anchor's clients call (`/v1/agents` and below, `/v1/workspaces`, `/v1/auth/me`) is
answered without `/v1` as well.
"""
IGNORED = {
    "ignored": {
        "type": "array",
        "items": {"type": "string"},
        "description": "Unknown input that was left out, where that was asked for.",
    },
    "ignored_truncated": {
        "type": "boolean",
        "description": "That there was more of it.",
    },
}
ON_EVERY_ANSWER = tuple(list(HEADERS)[:4])


class Generator(SchemaGenerator):
    """Describes the API: the views' own words and what they all have in common."""

    def get_schema(
        self, request: HttpRequest | None = None, public: bool = False
    ) -> dict[str, Any]:
        document: dict[str, Any]
        document = super().get_schema(request, public)  # type: ignore[no-untyped-call]
        document["info"]["description"] += GUIDE
        for method, operation in operations_of(document):
            _summarise(operation)
            _explain_path(operation)
            _close_body(document, operation)
            _let_name_ignored(document, operation)
            _add_errors(method, operation)
            for status, answer in operation["responses"].items():
                _describe(status, answer)
        document["components"]["headers"] = {
            name: {"description": text, "schema": {"type": kind}}
            for name, kind, text in HEADERS.values()
        }
        return document


def below_v1(endpoints: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Leave out the addresses that repeat what is below another name.

    Without /v1 what is below it, and what StateBase's pages call memories.
    """
    paths = {one[0] for one in endpoints}
    return [
        one
        for one in endpoints
        if f"/{API}{one[0]}" not in paths and not one[0].startswith(OTHER_NAMES)
    ]


def operations_of(document: dict[str, Any]) -> Iterator[tuple[str, Operation]]:
    """Return every operation of a document with its method."""
    for path in document["paths"].values():
        for method, operation in path.items():
            if method in METHODS:
                yield method, operation


@csrf_exempt  # it changes nothing: another method is refused as what it is
@login_not_required
@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    """Answer the document; what it says does not depend on who asks."""
    return HttpResponse(_document(), content_type="application/json")


@csrf_exempt
@login_not_required
@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Show the document as a page made of local files alone."""
    return render(request, "core/docs.html", {"title": spectacular_settings.TITLE})


@cache
def _document() -> bytes:
    generator = Generator()  # type: ignore[no-untyped-call]
    document = generator.get_schema(public=True)
    rendered: bytes = OpenApiJsonRenderer().render(document, renderer_context={})
    return rendered


def _summarise(operation: Operation) -> None:
    """Show the first sentence in lists; keep the description where it says more."""
    words = " ".join(operation.get("description", "").split())
    summary, _, rest = words.partition(". ")
    operation["summary"] = summary.removesuffix(".").replace("`", "")
    if not rest:
        operation.pop("description", None)


def _close_body(document: Operation, operation: Operation) -> None:
    """Say of every object that a body is made of that it takes no other names.

    Unless it says that it does (`ANY_NAMES`).
    """
    for media in operation.get("requestBody", {"content": {}})["content"].values():
        _close(document, media["schema"])


def _close(document: Operation, schema: Any) -> None:
    schema = resolved(document, schema)
    if "properties" in schema:
        takes_any = bool(ANY_NAMES.items() <= schema.items())
        schema["additionalProperties"] = {} if takes_any else False
    inside = [*schema.get("properties", {}).values(), schema.get("items")]
    for child in (*inside, schema.get("additionalProperties")):
        if isinstance(child, dict):
            _close(document, child)


def _let_name_ignored(document: Operation, operation: Operation) -> None:
    """Give the objects that are answered the names of input that was ignored."""
    for status, answer in operation["responses"].items():
        for media in answer.get("content", {}).values():
            schema = resolved(document, media["schema"])
            for one in schema.get("oneOf", [schema]):
                properties = resolved(document, one).get("properties")
                if int(status) < 300 and properties is not None:
                    properties |= IGNORED


def resolved(document: Operation, schema: Any) -> Any:
    """Return a schema itself, where it is named by a reference."""
    while "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        schema = document["components"]["schemas"][name]
    return schema


def _explain_path(operation: Operation) -> None:
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path" and parameter["name"] in PATH_PARAMETERS:
            parameter.setdefault("description", PATH_PARAMETERS[parameter["name"]])


def _add_errors(method: str, operation: Operation) -> None:
    common = ALWAYS + (ON_WRITING if method in WITH_BODY else ())
    answers = operation["responses"]
    for status in common:
        answers.setdefault(str(status), {"content": ERROR})
    operation["responses"] = dict(sorted(answers.items()))


def _describe(status: str, answer: dict[str, Any]) -> None:
    answer["description"] = answer.get("description") or HTTPStatus(int(status)).phrase
    names = [*ON_EVERY_ANSWER]
    if status in RETRIED:
        names.append("Retry-After")
    if status == "401":
        names.append("WWW-Authenticate")
    answer["headers"] = answer.get("headers", {}) | {
        name: {"$ref": f"#/components/headers/{HEADERS[name][0]}"} for name in names
    }
