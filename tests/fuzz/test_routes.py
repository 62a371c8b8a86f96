"""Every route of the API, asked what its document allows and what it does not.

Schemathesis makes the requests from the document that the server serves: the edges of
every parameter and field, then random ones. Whatever is asked, there is no 5xx, and
each answer is one that the document describes: status, headers, content type, body.
What breaks the document is refused. Each route succeeds at least once.

`STEPBACK_FUZZ=500` asks each route so many random requests of both kinds instead of 10,
`STEPBACK_SEED=1` the same ones again.
"""

import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import requests
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import Case, GenerationMode, Response, checks
from schemathesis import openapi as documents
from schemathesis.core.failures import FailureGroup

from apps.core import json
from apps.core.http.openapi import document as openapi
from apps.core.roles.names import Role
from tests.conftest import Answer
from tests.contracts.document import Document
from tests.fuzz.world import World
from tests.live import Server, shell, work

EXAMPLES = int(os.environ.get("STEPBACK_FUZZ") or 10)
SEED = int(os.environ.get("STEPBACK_SEED") or random.SystemRandom().randrange(2**32))
RAW = json.parse(openapi._document())
DOCUMENT = Document(RAW)
SCHEMA = documents.from_dict(RAW)
OPERATIONS = {
    operation.label: operation
    for operation in (found.ok() for found in SCHEMA.get_all_operations())
}
WORDS = {part for path in RAW["paths"] for part in path.split("/")} - {""}
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
    checks.unsupported_method,
]
RANDOMLY = settings(
    max_examples=EXAMPLES,
    phases=[Phase.generate],
    deadline=None,
    database=None,
    derandomize=False,
    suppress_health_check=list(HealthCheck),
)


class Asking:
    """Asks one operation, and keeps what was answered and what was wrong with it."""

    def __init__(self, label: str, server: Server, client: httpx.Client) -> None:
        self.label = label
        self.server = server
        named = OPERATIONS[label].iter_parameters()
        self.world = World(
            client,
            label,
            {one.name for one in named},
            lambda: work(server.dsn),
            lambda lines: shell(server.dsn, Role.RETENTION, lines),
        )
        self.statuses: Counter[int] = Counter()
        self.faults: dict[tuple[str, int], str] = {}
        self.session = requests.Session()
        # Or each request reads all of the environment, for a proxy.
        self.session.trust_env = False
        self.key = {"X-API-Key": client.headers["X-API-Key"]}

    def ask(self, case: Case) -> None:
        # A word of another route leads there: a key that is called `search`.
        for name, value in (case.path_parameters or {}).items():
            if isinstance(value, str) and value in WORDS:
                case.path_parameters[name] = f"{value}-"
        self.world.lead(case)
        answer = case.call(self.server.url, self.session, self.key)
        is_ours = case.method == self.label.split()[0]
        if is_ours:
            self.statuses[answer.status_code] += 1
            self.world.told(answer.status_code)
        try:
            case.validate_response(answer, CHECKS, headers=self.key)
            if is_ours:
                DOCUMENT.check(self.label, told(answer))
        except (FailureGroup, AssertionError) as fault:
            for one in getattr(fault, "exceptions", [fault]):
                name = (type(one).__name__, answer.status_code)
                self.faults.setdefault(name, described(answer, one))

    def ask_the_edges(self, mode: GenerationMode) -> None:
        """One mode at a time: asked for both, wrong headers come with right bodies."""
        operation = OPERATIONS[self.label]
        generation = SCHEMA.config.generation_for(operation=operation, phase="coverage")
        for case in SCHEMA.iter_coverage_cases(
            operation, generation_modes=[mode], generation_config=generation
        ):
            self.ask(case)

    def ask_at_random(self, mode: GenerationMode) -> None:
        @seed(SEED)
        @RANDOMLY
        @given(case=OPERATIONS[self.label].as_strategy(generation_mode=mode))
        def asked(case: Case) -> None:
            self.ask(case)

        asked()


def told(answer: Response) -> Answer:
    headers = {name.title(): values[0] for name, values in answer.headers.items()}
    return Answer(answer.status_code, httpx.Headers(headers), answer.content)


def described(answer: Response, fault: Any) -> str:
    request = answer.request
    return (
        f"{type(fault).__name__} at {answer.status_code}: {fault}\n"
        f"  asked: {request.method} {request.url}\n"
        f"  {dict(request.headers)}\n  {(request.body or b'')[:500]!r}\n"
        f"  answered: {answer.content[:500]!r}"
    )


@pytest.fixture(scope="module")
def client(live: Server) -> Iterator[httpx.Client]:
    # Administrators' keys are let in everywhere.
    with live.client(live.key("fuzzed", "--scope", "admin")) as client:
        yield client


def test_there_are_routes_to_ask() -> None:
    assert set(OPERATIONS) == set(DOCUMENT.operations())


# This server signs nothing, so there is no note: tests/witness asks for some.
SIGNED = {"GET /v1/roots/{root_number}"}


@pytest.mark.parametrize("label", OPERATIONS)
def test_whatever_is_asked_the_answer_is_described(
    label: str, live: Server, client: httpx.Client
) -> None:
    sys.stdout.write(f"STEPBACK_SEED={SEED} asks the same again.\n")
    asking = Asking(label, live, client)

    for mode in GenerationMode:
        asking.ask_the_edges(mode)
        asking.ask_at_random(mode)

    sys.stdout.write(f"{label}: {dict(asking.statuses)}\n")
    assert not asking.faults, "\n\n".join(asking.faults.values())
    is_found = label not in SIGNED
    assert any(status < 300 for status in asking.statuses) == is_found, asking.statuses
