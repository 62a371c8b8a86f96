"""A backup from before an erasure: restored and opened, the person is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.core.notes.signed import SigningKey
from apps.core.roles.names import Role
from tests.databases import database
from tests.erasures.leaving import begun_erasure, done, leave
from tests.erasures.served import Caller, canaries
from tests.live import Server, feed, serving
from tests.server.test_backup import folder, manage

__all__ = ["folder"]


@pytest.fixture(scope="module")
def house(worker_id: str, folder: Path) -> Iterator[Server]:
    key = SigningKey.made("stepback/test")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEPBACK_ERASURES", str(folder / "erasures"))
        patch.setenv("STEPBACK_ROOTS", str(folder / "roots"))
        patch.setenv("STEPBACK_SIGNING_KEY", key.secret())
        patch.setenv("STEPBACK_VERIFIER_KEY", str(key.verifier))
        with serving(f"forgotten_{worker_id}", workers=1) as server:
            yield server


@pytest.fixture(scope="module")
def saved(house: Server, folder: Path) -> Path:
    """A backup of when ann and ben were there; ann was erased since."""
    file = folder / "before.backup"
    with house.client(house.key("checkout", "--scope", "admin")) as client:
        admin = Caller(client)
        leave(admin, user="ann").fork()
        leave(admin, user="ben", canary="otherbird")
        feed(house.dsn)
        code, _, err = manage("backup", file, dsn=house.dsn)
        assert code == 0, err
        erasure = begun_erasure(admin, user_id="ann")
        code, _, err = manage("retention", "--once", dsn=house.dsn, role=Role.RETENTION)
        assert code == 0, err
        assert done(admin.get(f"/v1/erasures/{erasure['id']}"))["state"] == "done"
    assert canaries(house.dsn, "canarybird") == {}
    return file


def test_whoever_was_erased_is_gone_before_anybody_is_served(
    saved: Path, worker_id: str
) -> None:
    with database(f"without_ann_{worker_id}") as dsn:
        code, out, err = manage("restore", saved, dsn=dsn)

        assert code == 0, err
        assert "Applied from the journal: 1 erasures that are newer." in out
        assert "All of it holds" in out
        assert canaries(dsn, "canarybird") == {}
        assert len(canaries(dsn, "otherbird")) > 10


def test_without_the_journal_it_stops_before_anything_is_restored(
    saved: Path, worker_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database(f"with_ann_{worker_id}") as dsn:
        monkeypatch.setenv("STEPBACK_ERASURES", str(tmp_path / "elsewhere"))
        code, _, err = manage("restore", saved, dsn=dsn)

        assert code != 0
        assert "There is no journal of erasures here" in err
        assert canaries(dsn, "canarybird") == {}

        code, _, err = manage("restore", "--without-journal", saved, dsn=dsn)
        assert code == 0, err
        # Whoever says so has the person back: the test would prove nothing otherwise.
        assert len(canaries(dsn, "canarybird")) > 10
        monkeypatch.undo()
        # Put back otherwise than by restore: the journal is applied before `up`.
        code, out, err = manage("erase", dsn=dsn, role=Role.RETENTION)
        assert code == 0, err
        assert "Applied from the journal: 1." in out
        assert canaries(dsn, "canarybird") == {}
