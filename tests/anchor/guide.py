"""Anchor's guide on checkpoints, run out of its text, line by line as it stands there.

STEPBACK_GUIDES names a folder of guides as text. What the text has lost is said here:
how far lines were indented, and which heading is run on to the end of the last line.
Names that the guide leaves open are filled in, and attributes that no release has are
read from the raw answer, where the server has them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

GUIDES = os.environ.get("STEPBACK_GUIDES")
needed = pytest.mark.skipif(
    not GUIDES, reason="STEPBACK_GUIDES names no folder of guides"
)


class Piece(NamedTuple):
    """One program of the guide: its first line, each line's indent, what follows it."""

    begins: str
    indents: str
    heading: str


PIECES = (
    Piece("from anchor import Anchor", "0000110000", "When to Checkpoint"),
    Piece("# Before batch operations", "0001201100000", "Rolling Back"),
    Piece(
        "# Roll back to a specific checkpoint", "00110000", "Safe Operations Pattern"
    ),
    Piece(
        "def safe_batch_operation(agent_id: str, items: list):",
        "01112232231222",
        "Comparing Checkpoints",
    ),
    Piece("# List checkpoints", "000100", "Best Practices"),
)
AROUND = '''
import os
from datetime import date
from functools import partial
from types import SimpleNamespace

import anchor as package
import requests
from anchor.namespaces import checkpoints

URL, KEY = os.environ["URL"], os.environ["KEY"]
headers = {"X-API-Key": KEY}
known = {"name": "Guided", "external_id": "agent-123"}
requests.post(f"{URL}/v1/agents", json=known, headers=headers)
made = package.Anchor(api_key=KEY, base_url=URL)
package.Anchor = lambda api_key: made


def with_raw(kind):
    """Let what no release has be read from the answer itself."""
    read = kind.from_dict

    def from_dict(data):
        found = read(data)
        found.raw = data
        return found

    kind.from_dict = from_dict
    kind.__getattr__ = lambda self, name: vars(self)["raw"][name]


with_raw(checkpoints.Checkpoint)
with_raw(checkpoints.RestoreResult)
agent = made.agents.get("agent-123")
made.data.delete_prefix(agent.id, "guide:")
made.data.write(agent.id, "guide:kept", "v")
items = [SimpleNamespace(key=f"guide:{n}", value=str(n)) for n in range(3)]
restore = checkpoints.CheckpointsNamespace.restore


def restore_known(self, agent_id, checkpoint_id, **more):
    """The guide's checkpoint has an id that is nobody's: the newest is meant."""
    if checkpoint_id == "chk_abc123":
        checkpoint_id = self.list(agent_id)[0].id
    return restore(self, agent_id, checkpoint_id, **more)


checkpoints.CheckpointsNamespace.restore = restore_known
deployed = []
names = {
    "agent": agent,
    "date": date,
    "large_dataset": items,
    "deploy_new_agent_version": lambda: deployed.append(True),
    "verify_data_integrity": lambda agent_id: True,
}


def keys():
    return made.data.list(agent.id, prefix="guide:")


def broken():
    yield items[0]
    raise OSError("the file ends here")


def runs(piece, **others):
    exec(compile(piece, "guide", "exec"), names | others)


def does(piece):
    exec(compile(piece, "guide", "exec"), names)


create, batch, roll_back, pattern, compare = PROGRAMS
does(create)
assert keys() == ["guide:kept"]
try:
    runs(batch, large_dataset=broken())
except OSError:
    assert keys() == ["guide:kept"]
else:
    raise AssertionError("what failed was swallowed")
assert not deployed
does(batch)
assert deployed == [True]
assert names["checkpoint"].label == f"daily-{date.today()}"
assert len(keys()) == 4
made.data.write(agent.id, "guide:late", "v")
does(roll_back)
assert names["result"].checkpoint_id == names["checkpoint"].id
assert names["result"].entries_removed == 1
does(pattern)
more = [SimpleNamespace(key="guide:more", value="v")]
names["verify_data_integrity"] = lambda agent_id: False
try:
    names["safe_batch_operation"](agent.id, more)
except RuntimeError as failed:
    assert "rolled back: Data integrity check failed" in str(failed)
assert len(keys()) == 4
names["verify_data_integrity"] = lambda agent_id: True
names["safe_batch_operation"](agent.id, more)
assert len(keys()) == 5
does(compare)
assert names["details"].id == names["cp"].id
print("the guide ran")
'''


def program() -> str:
    """Return all programs of the guide, and what runs them one after another."""
    lines = _text().splitlines()
    return f"PROGRAMS = {[_source(lines, piece) for piece in PIECES]!r}\n{AROUND}"


def _text() -> str:
    texts = (file.read_text() for file in sorted(Path(str(GUIDES)).glob("*.txt")))
    (found,) = (text for text in texts if "anchor.checkpoints.create(" in text)
    return found


def _source(lines: list[str], piece: Piece) -> str:
    at = lines.index(piece.begins)
    taken = lines[at : at + len(piece.indents)]
    assert taken[-1].endswith(piece.heading), taken[-1]
    taken[-1] = taken[-1].removesuffix(piece.heading)
    indented = zip(piece.indents, taken, strict=True)
    return "".join(f"{'    ' * int(by)}{line}\n" for by, line in indented)
