"""A process that runs effects one after another, and is killed at any moment.

`python -m tests.races.effect_agent URL SECRET SESSION FILE FIRST KEYS`: each key is
begun; if it is to run, the tool adds a line to the file, and the effect is finished.
"""

from __future__ import annotations

import os
import sys

from tests.races.traffic import Line


def work(
    url: str, secret: str, session_id: str, file: str, first: int, keys: int
) -> None:
    line = Line(url, secret)
    path = f"/v1/sessions/{session_id}/effects"
    _say("ready")
    for number in range(first, keys):
        mail = {"key": f"mail-{number}", "tool": "send_mail", "class": "irreversible"}
        begun = line.post(path, mail)
        if begun.status == 201 and begun.body["run"]:
            _call(file, mail["key"])
            effect, attempt = begun.body["id"], begun.body["attempt"]
            line.post(f"{path}/{effect}/finish", {"attempt": attempt, "status": "done"})
    _say("over")


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def _call(file: str, key: str) -> None:
    """Be a tool that counts: whatever is killed, what was written is there."""
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{key}\n".encode())
    os.close(descriptor)


if __name__ == "__main__":
    work(*sys.argv[1:5], int(sys.argv[5]), int(sys.argv[6]))
