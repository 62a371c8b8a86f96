"""A process that runs effects one after another, and is killed at any moment.

`python -m tests.races.effect_agent URL SECRET SESSION FILE FIRST KEYS`: each key is
begun; if it is to run, the tool adds a line to the file, and the effect is finished.
Where the server dies under a request, it is sent again: every other begin as a
repetition under an idempotency key, the others as another begin.
"""

from __future__ import annotations

import os
import sys
import time
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from uuid import uuid4

from tests.races.traffic import Answer, Line

# Past any request, also on a machine that is busy.
PATIENCE = timedelta(seconds=5)


class Agent:
    def __init__(self, url: str, secret: str, session_id: str, file: str) -> None:
        self.about = url, secret
        self.line = Line(*self.about)
        self.path = f"/v1/sessions/{session_id}/effects"
        self.file = file

    def work(self, first: int, keys: int) -> None:
        _say("ready")
        for number in range(first, keys):
            key = f"mail-{number}"
            begun = self._begun(key, is_repeated=number % 2 == 0)
            if begun.status == 201 and begun.body["run"]:
                self._call(key)
                path = f"{self.path}/{begun.body['id']}/finish"
                said = {"attempt": begun.body["attempt"], "status": "done"}
                self._answered(path, said)
        _say("over")

    def _begun(self, key: str, *, is_repeated: bool) -> Answer:
        mail = {"key": key, "tool": "send_mail", "class": "irreversible"}
        # What nobody finishes reads as unknown soon.
        mail["deadline"] = (datetime.now(UTC) + PATIENCE).isoformat()
        named = {"Idempotency_Key": uuid4().hex} if is_repeated else {}
        return self._answered(self.path, mail, **named)

    def _answered(self, path: str, body: object, **named: str) -> Answer:
        """Send it until it is answered."""
        while True:
            try:
                answer = self.line.post(path, body, **named)
            except (OSError, HTTPException):
                self.line.close()
                self.line = Line(*self.about)
            else:
                if answer.status < 500:
                    return answer
            time.sleep(0.01)

    def _call(self, key: str) -> None:
        """Be a tool that counts: whatever is killed, what was written is there."""
        descriptor = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, f"{key}\n".encode())
        os.close(descriptor)


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    Agent(*sys.argv[1:5]).work(int(sys.argv[5]), int(sys.argv[6]))
