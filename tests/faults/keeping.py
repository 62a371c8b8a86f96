"""An agent's data while storing may fail: what was acknowledged is there afterwards."""

from __future__ import annotations

import secrets
from contextlib import closing
from typing import Any

from tests.faults.house import House
from tests.faults.journal import Violation
from tests.races.traffic import Line

REFUSED = (503, 507)
ATTEMPTS = 500
# Random, so that no compression finds room for it; small, so that the log has some.
HALF = 4_000


class Keeper:
    """One agent, and the values that it was told are stored.

    Its reads are not recorded: a record is a row as well.
    """

    def __init__(self, at: House, name: str) -> None:
        self.at = at
        self.path = f"/v1/agents/{name}"
        self.kept: dict[str, str] = {}
        self.refused = 0
        self._sent("POST", "/v1/agents", {"name": name, "external_id": name})
        self._sent("PUT", f"{self.path}/config", {"audit": {"reads": False}})

    def write_until_refused(self) -> None:
        """Write value after value until one is refused, as it should be.

        Raises: Violation for any other answer, and where none is refused.
        """
        for number in range(ATTEMPTS):
            body = {"key": f"{self.refused}:{number}", "value": secrets.token_hex(HALF)}
            status, told = self._asked("POST", f"{self.path}/data", body)
            if status in REFUSED:
                self.refused += 1
                return
            if status != 200:
                raise Violation(f"a write of data was answered {status}: {told!r:.300}")
            self.kept[body["key"]] = body["value"]
        raise Violation("no write of data was refused")

    def look(self) -> None:
        """Raises: Violation where something acknowledged is not there, or more is."""
        found: dict[str, str] = {}
        cursor: dict[str, str] = {}
        while True:
            query = "&".join(f"{name}={text}" for name, text in cursor.items())
            page = self._sent("GET", f"{self.path}/data?full=true&limit=50&{query}")
            found |= {one["key"]: one["value"] for one in page["data"]}
            if not page["has_more"]:
                break
            cursor = {"cursor": page["next_cursor"]}
        if found != self.kept:
            differ = {key for key, _ in found.items() ^ self.kept.items()}
            raise Violation(f"data is not as it was acknowledged: {sorted(differ)[:5]}")

    def prove(self) -> None:
        """Raises: Violation where the agent's record does not hold."""
        proof = self._sent("GET", f"{self.path}/audit/verify")
        if not proof["valid"]:
            raise Violation(f"the agent's record does not hold: {proof}")

    def _sent(self, method: str, path: str, body: Any = None) -> Any:
        status, told = self._asked(method, path, body)
        if status not in (200, 201):
            raise Violation(f"{method} {path} was answered {status}: {told!r:.300}")
        return told

    def _asked(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        with closing(Line(self.at.url, self.at.secret)) as line:
            answer = line.send(method, path, body)
            return answer.status, answer.body
