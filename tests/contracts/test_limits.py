"""`docs/limits.md` names every route of the API, with what bounds it."""

import re
from collections import Counter

from apps.core.admission import gate, work
from apps.timeline.ledger.encoding import batches
from apps.timeline.queries import listing
from tests.contracts.document import Document
from tests.contracts.test_readme import ROOT

TEXT = (ROOT / "docs/limits.md").read_text()
ROWS = re.findall(r"^\| `([A-Z]+ /\S+)` \| (.+) \|$", TEXT, re.M)


def test_every_route_is_named_once_with_its_bound(document: Document) -> None:
    assert Counter(route for route, _ in ROWS) == Counter(list(document.operations()))
    assert all(bound.strip(" -") for _, bound in ROWS)


def test_a_route_that_lists_says_how_many_at_most(document: Document) -> None:
    bounds = dict(ROWS)
    for route, operation in document.operations().items():
        names = {told["name"] for told in operation.get("parameters", [])}
        if "limit" in names:
            assert "`limit` up to" in bounds[route] or "sessions" in bounds[route], (
                route
            )


def test_its_figures_are_those_of_the_program() -> None:
    assert "a million units" in TEXT
    assert work.PAGE == 1_000_000
    assert f"ends after {work.PAGE_SECONDS:.0f} s" in TEXT
    assert f"{batches.MAX_BATCH} versions and" in TEXT
    assert f"{batches.MAX_BATCH_BYTES >> 20} MiB of states" in TEXT
    assert f"{listing.PAGE_BYTES >> 20} MiB of decoded states" in TEXT
    assert gate.GATED_BYTES == 1 << 20
    assert gate.GATED_WORK * 10 == work.PAGE
    assert f"up to {gate.GATE_SECONDS:.0f} s and six at a time" in TEXT
    assert gate.PLACES == 6
