"""People who decide: signed in by a link, and voting with the console's own forms."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx

from tests.live import Server, manage

TOKEN = re.compile(r'csrfmiddlewaretoken" value="(\w+)"')
VOTED = 303


class Person:
    """An operator of a project, in the console.

    The server is shared with other modules: each has people of its own name.
    """

    def __init__(self, server: Server, project: str, name: str) -> None:
        self._where = f"/console/{project}/approvals"
        self._http = httpx.Client(base_url=server.url, timeout=60)
        about = ("--project", project)
        manage(server.dsn, "create_user", name, *about, "--role", "operator")
        asked = ("signin_link", *about, "--user", name, "--base-url", server.url)
        printed = manage(server.dsn, *asked)
        link = next(word for word in printed.split() if "/signin/" in word)
        self._posted(link, link)

    def approves(self, approval_id: str, comment: str = "") -> None:
        self._votes(approval_id, "approve", comment=comment)

    def rejects(self, approval_id: str, comment: str = "") -> None:
        self._votes(approval_id, "reject", comment=comment)

    def edits(self, approval_id: str, arguments: Any, comment: str = "") -> None:
        """Approve it with other arguments."""
        spelled = json.dumps(arguments)
        self._votes(approval_id, "edit", comment=comment, arguments=spelled)

    def close(self) -> None:
        self._http.close()

    def _votes(self, approval_id: str, verdict: str, **typed: str) -> None:
        page = f"{self._where}/{approval_id}"
        form = f"{page}?do={verdict}"
        answer = self._posted(form, f"{page}/vote", verdict=verdict, **typed)
        assert answer.status_code == VOTED, answer.text

    def _posted(self, page: str, to: str, **typed: str) -> httpx.Response:
        (token, *_) = TOKEN.findall(self._http.get(page).text)
        data = {"csrfmiddlewaretoken": token, **typed}
        return self._http.post(to, data=data, headers={"Referer": to})
