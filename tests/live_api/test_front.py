"""What the server's front passes on to Django, seen from outside."""

from __future__ import annotations

import re

import httpx
import psycopg
import pytest

from tests.live import Server

FILE = "static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
ATTEMPT = "SELECT host(ip_address) FROM axes_accessattempt WHERE username = %s"


@pytest.mark.parametrize("claims", [[], ["198.51.100.1", "203.0.113.2"]], ids=len)
def test_tries_at_passwords_count_for_the_address_they_come_from(
    live: Server, claims: list[str]
) -> None:
    """Whatever the client claims: no proxy is trusted here."""
    name = f"nobody-{len(claims)}"
    come_from = httpx.HTTPTransport(local_address="127.0.0.9")
    with live.client(transport=come_from) as browser:
        token = TOKEN.findall(browser.get("/signin").text)[0]
        form = {"username": name, "password": "no", "csrfmiddlewaretoken": token}
        # Each claim is a header of its own, as one proxy after the other would add it.
        forwarded = [("X-Forwarded-For", claim) for claim in claims]
        answer = browser.post("/signin", data=form, headers=forwarded)

    assert answer.status_code == 422
    with psycopg.connect(live.dsn) as connection:
        assert connection.execute(ATTEMPT, [name]).fetchall() == [("127.0.0.9",)]


def test_a_file_is_sent_whole_and_in_part(live: Server) -> None:
    with live.client() as browser:
        whole = browser.get(f"/{FILE}", headers={"Accept-Encoding": "identity"})
        part = browser.get(
            f"/{FILE}",
            headers={"Accept-Encoding": "identity", "Range": "bytes=1000-200999"},
        )
        unchanged = browser.get(
            f"/{FILE}", headers={"If-Modified-Since": whole.headers["Last-Modified"]}
        )

    assert len(whole.content) == int(whole.headers["Content-Length"]) > 1_000_000
    assert (part.status_code, part.content) == (206, whole.content[1_000:201_000])
    assert (unchanged.status_code, unchanged.content) == (304, b"")


def test_a_probe_and_a_refusal_answer_head_without_a_body(live: Server) -> None:
    with live.client() as client:
        for path, status in (("/health/live", 200), ("/v1/sessions", 401)):
            head, whole = client.head(path), client.get(path)
            assert (head.status_code, head.content) == (status, b"")
            assert whole.status_code == status
            assert whole.content
