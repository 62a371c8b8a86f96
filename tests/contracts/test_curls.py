"""What a page of the documentation has typed into a shell does what the page says."""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from tests.contracts.test_readme import ROOT

pytestmark = pytest.mark.django_db
HOST = "http://127.0.0.1:8000"
SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def typed(page: str, names: dict[str, str]) -> Iterator[tuple[str, str, Any]]:
    """Yield the method, path and body of each `curl` of a page, names filled in.

    `export ID=cp_...` takes the id of the answer before, which the reader copies.
    """
    for block in SHELL.findall((ROOT / page).read_text()):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("export "):
                continue
            filled = re.sub(r"\$(\w+)", lambda found: names[found[1]], line)
            yield read(shlex.split(filled, comments=True))


def read(words: list[str]) -> tuple[str, str, Any]:
    assert words[0] == "curl"
    body = json.loads(words[words.index("-d") + 1]) if "-d" in words else None
    (address,) = [word for word in words if word.startswith(HOST)]
    return "GET" if body is None else "POST", address.removeprefix(HOST), body


def test_the_curls_of_agents_data_run_in_their_order(api: Any) -> None:
    client, names, answers = api(), {"KEY": "given by the client", "ID": ""}, []

    for method, path, body in typed("docs/data.md", names):
        answers.append(client.send(method, path, body))
        names["ID"] = answers[-1].body.get("id", names["ID"])

    assert [answer.status for answer in answers] == [201, 200, 200, 200, 200]
    assert answers[2].body["value"] == "dark mode"
    assert answers[4].body["dry_run"] is True


def test_the_curls_of_memories_find_what_they_have_added(api: Any) -> None:
    client = api()
    session = client.post("/v1/sessions", {"agent_id": "travel-agent"}).body["id"]

    told, found = [
        client.send(*one)
        for one in typed("docs/memories.md", {"KEY": "its", "SESSION": session})
    ]

    assert (told.status, found.status) == (201, 200)
    assert [one["id"] for one in found.body["data"]] == [told.body["id"]]
