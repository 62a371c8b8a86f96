"""The OpenAPI document as a judge of answers.

An object that the document describes is closed here: a key that it does not name is a
failure, so that the document tells all that is answered.
"""

from collections.abc import Iterator
from copy import deepcopy
from datetime import datetime
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from tests.conftest import Answer
from tests.contracts.routes import Route

FORMATS = FormatChecker(())


@FORMATS.checks("date-time", ValueError)
def is_moment(value: Any) -> bool:
    """Times are ISO 8601 in UTC, with a Z."""
    if isinstance(value, str):
        moment = datetime.fromisoformat(value)
        return value.endswith("Z") and moment.tzinfo is not None
    return True


# What is downloaded, and nothing that a schema could judge.
BINARY = {"type": "string", "format": "binary"}
FILES = {
    "application/zip": BINARY,
    "application/octet-stream": BINARY,
    "application/x-ndjson": BINARY,
    "text/csv; charset=utf-8": BINARY,
}


class Document:
    """The document, by operation."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self._components = closed(deepcopy(raw["components"]))
        self._judges: dict[tuple[str, str], Draft202012Validator] = {}

    def operations(self) -> dict[str, dict[str, Any]]:
        """Return every operation by `METHOD /path`."""
        return {
            f"{method.upper()} {path}": operation
            for path, methods in self.raw["paths"].items()
            for method, operation in methods.items()
        }

    def takes(self, route: Route, parameter: str) -> bool:
        """Whether a GET has that parameter of its query."""
        named = self.operations()[str(route)].get("parameters", [])
        return route.method == "GET" and any(
            one["in"] == "query" and one["name"] == parameter for one in named
        )

    def check(self, route: Route, answer: Answer) -> None:
        """Assert that the operation describes this status, these headers, this body."""
        about = f"{route} answered {answer.status}"
        declared = self.operations()[str(route)]["responses"]
        assert str(answer.status) in declared, f"{about}, which is not described."
        described = declared[str(answer.status)]
        absent = [name for name in described["headers"] if name not in answer.headers]
        assert not absent, f"{about} without {absent}"
        if "content" not in described:
            assert answer.content == b"", f"{about} with a body"
            return
        assert answer.headers["Content-Type"] in described["content"]
        if answer.headers["Content-Type"] in FILES:
            return
        faults = list(self._faults(str(route), answer))
        assert not faults, f"{about}: " + "\n".join(faults)

    def _faults(self, operation: str, answer: Answer) -> Iterator[str]:
        for fault in self._judge(operation, str(answer.status)).iter_errors(
            answer.body
        ):
            yield f"{fault.json_path}: {fault.message[:200]}"

    def _judge(self, operation: str, status: str) -> Draft202012Validator:
        """Made once for each answer described: thousands are judged in one run."""
        if (operation, status) not in self._judges:
            described = self.operations()[operation]["responses"][status]
            media = described["content"]["application/json"]
            schema = {**media["schema"], "components": self._components}
            self._judges[operation, status] = Draft202012Validator(
                schema, format_checker=FORMATS
            )
        return self._judges[operation, status]


def closed(node: Any) -> Any:
    """Forbid keys that are not named, in every object that names some."""
    if isinstance(node, dict):
        for child in node.values():
            closed(child)
        if isinstance(node.get("properties"), dict) and node.get("type") == "object":
            node.setdefault("additionalProperties", False)
    elif isinstance(node, list):
        for child in node:
            closed(child)
    return node
