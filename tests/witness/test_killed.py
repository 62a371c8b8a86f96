"""Signers are killed as they sign and bring: nothing is lost, nothing there twice."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from apps.core.notes.auditing import audit
from apps.core.notes.folder import Folder
from apps.core.notes.index import Index
from apps.core.notes.reading import read
from apps.core.notes.roots import Kind
from apps.core.notes.signed import SigningKey
from apps.core.roles.names import Role
from tests.live import ROOT, Server, process_environment, serving
from tests.worker.processes import rows

SESSIONS, KILLS, SEED = 40, 50, 13
TOLD = "SELECT number FROM webhooks_message WHERE kind = 'root.signed' ORDER BY number"


@pytest.fixture(scope="module")
def house(worker_id: str) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEPBACK_WEBHOOKS_PRIVATE", "true")
        with serving(f"signers_{worker_id}", workers=1) as server:
            yield server


def test_signers_that_are_killed_lose_nothing_and_do_nothing_twice(
    house: Server, tmp_path: Path
) -> None:
    key = SigningKey.made("stepback/killed")
    ours, theirs = Folder(tmp_path / "roots"), Folder(tmp_path / "elsewhere")

    def signers(kills: int) -> int:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.witness.killing_signers",
                str(SEED),
                str(kills),
            ],
            cwd=ROOT,
            env=process_environment(Role.WORKER, house.dsn)
            | {
                "STEPBACK_ROOTS": str(ours.path),
                "STEPBACK_WITNESSES": str(theirs.path),
                "STEPBACK_SIGNING_KEY": key.secret(),
                "STEPBACK_VERIFIER_KEY": str(key.verifier),
            },
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        return int(done.stdout.split()[-1])

    signers(0)
    first = ours.newest()
    with house.client(house.key("signed", "--scope", "admin")) as client:
        hook = {"url": "http://127.0.0.1:9/hook", "events": ["root.signed"]}
        assert client.post("/v1/webhooks", json=hook).status_code == 201
        begun = [
            client.post("/v1/sessions", json={"agent_id": "a", "initial_state": {}})
            for _ in range(SESSIONS)
        ]

    killed = signers(KILLS)
    signers(0)

    assert killed >= KILLS // 4
    with closing(Index.temporary()) as index:
        found = audit(theirs, [key.verifier], index)
    assert (found.broken, found.problems) == (0, [])
    assert theirs.newest() == ours.newest() == found.notes
    signed: Counter[str] = Counter()
    for number in range(1, ours.newest() + 1):
        assert theirs.read(number) == ours.read(number)
        heads = read(theirs, number, [key.verifier])[0].heads
        signed.update(one.id for one in heads if one.kind is Kind.SESSION)
    assert signed == dict.fromkeys((one.json()["id"] for one in begun), 1)
    told = [number for (number,) in rows(house.dsn, TOLD)]
    assert told == list(range(first + 1, ours.newest() + 1))
