"""No logger repeats what lets somebody in, whatever goes wrong with a request.

Every path that holds a secret, times every way in which its request can fail, at
DEBUG; and every logger of the process, told the path by hand.
"""

import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import include, path

from apps.core.http import handler400, handler404, handler500  # noqa: F401
from apps.core.monitoring.log import logging_config, redacted

TOKEN = "c4Nary_tok-en7f3a91c4Nary_tok-en7f3a91c4Nary"
KEY = f"sb_{'7f3a91c0' * 8}"
PATHS = [
    f"/signin/{TOKEN}",
    f"/password/{TOKEN}",
    f"/invitation/{TOKEN}",
    f"/signin?next=/invitation/{TOKEN}",
    f"/signin?next=%2Fpassword%2F{TOKEN}",
    f"/nobody/signin/{TOKEN}",
    f"/crash/signin/{TOKEN}",
]


@login_not_required
def crash(request: HttpRequest, token: str) -> HttpResponse:
    logging.getLogger("some.library").debug("looking at %s", request.path)
    logging.getLogger("some.library").error("at %r", request, extra={"a": request.path})
    raise ImportError(f"cannot look at {request.get_full_path()}")


urlpatterns = [
    path("crash/signin/<str:token>", crash),
    path("", include("config.urls")),
]
pytestmark = [pytest.mark.urls(__name__), pytest.mark.django_db]

FORM = {"username": "alice", "password": KEY, "again": KEY}
MANY = {f"field{number}": "x" for number in range(2_000)}
FAILURES: dict[str, Callable[[Client, str], Any]] = {
    "it is looked at": lambda client, url: client.get(url),
    "no CSRF cookie": lambda client, url: client.post(url, FORM),
    "another origin": lambda client, url: client.post(
        url, FORM, headers={"Origin": f"https://evil.example/signin/{TOKEN}"}
    ),
    "another referrer": lambda client, url: client.post(
        url, FORM, secure=True, headers={"Referer": f"https://x.test/signin/{TOKEN}"}
    ),
    "a method that is not allowed": lambda client, url: client.put(url, b"x"),
    "a method that is made up": lambda client, url: client.generic("GRAB", url),
    "a host that is not ours": lambda client, url: client.get(
        url, headers={"Host": f"evil/signin/{TOKEN}"}
    ),
    "nothing there": lambda client, url: client.get(url.replace("?", "/x?") + "/x"),
    "a character that is none": lambda client, url: client.get(url + "%00"),
    "bytes that are no text": lambda client, url: client.get(url + "%ff"),
    "too many fields": lambda client, url: lenient(client).post(url, MANY),
    "a form cut short": lambda client, url: lenient(client).generic(
        "POST", url, b"--x\r\nbroken", "multipart/form-data; boundary=x"
    ),
    "a boundary that is none": lambda client, url: lenient(client).generic(
        "POST", url, b"x", "multipart/form-data; boundary=" + "=" * 300
    ),
    "a wrong form": lambda client, url: lenient(client).post(url, FORM),
    "a key in the path": lambda client, url: client.get(f"/{KEY}{url}"),
}


def lenient(client: Client) -> Client:
    """The same browser with the token of our own page."""
    client.handler.enforce_csrf_checks = False
    return client


@pytest.fixture(autouse=True)
def _at_debug() -> Iterator[None]:
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    logging_config("DEBUG", json_lines=True)
    yield
    logging_config(logging.getLevelName(level), json_lines=True)
    root.handlers[:] = handlers


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("url", PATHS)
def test_a_request_that_fails_leaves_no_secret_in_the_log(
    capsys: pytest.CaptureFixture[str], url: str, failure: str
) -> None:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)

    answer = FAILURES[failure](client, url)

    said = capsys.readouterr()
    assert answer.status_code
    assert '"event":"request"' in said.err
    assert TOKEN not in said.err + said.out
    assert KEY not in said.err + said.out


@pytest.mark.parametrize("url", [PATHS[0], PATHS[-1]])
def test_nor_does_it_in_debug_mode(
    capsys: pytest.CaptureFixture[str], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "DEBUG", True)
    for failure in FAILURES.values():
        client = Client(enforce_csrf_checks=True, raise_request_exception=False)
        failure(client, url)

    said = capsys.readouterr()
    assert TOKEN not in said.err + said.out


def every_logger() -> list[str]:
    """Return the name of every logger that something in the process has made."""
    known = [
        name
        for name, one in logging.root.manager.loggerDict.items()
        if isinstance(one, logging.Logger)
    ]
    return sorted(
        {*known, "", "django.security.csrf", "django.security.DisallowedHost"}
    )


def test_every_logger_ends_in_the_one_that_redacts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = every_logger()
    assert len(names) > 50
    for name in names:
        logger = logging.getLogger(name)
        error = ImportError(f"no /invitation/{TOKEN}")
        logger.critical(
            "at /signin/%s with %s", TOKEN, KEY, exc_info=error, extra={"p": PATHS}
        )

    said = capsys.readouterr()
    lines = [json.loads(line) for line in said.err.splitlines()]
    told = {line["logger"] for line in lines}
    assert not [name for name in names if name and name not in told]
    assert TOKEN not in said.err + said.out
    assert KEY not in said.err + said.out


def test_plain_lines_are_redacted_too(capsys: pytest.CaptureFixture[str]) -> None:
    logging_config("DEBUG", json_lines=False)

    logging.getLogger("a").warning("at /password/%s", TOKEN)

    assert "at /password/(redacted)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"GET /signin/{TOKEN} HTTP", "GET /signin/(redacted) HTTP"),
        (f'{{"p":"/signin/{TOKEN}/x?y"}}', '{"p":"/signin/(redacted)?y"}'),
        (f"next=%2Finvitation%2F{TOKEN}&a", "next=%2Finvitation%2F(redacted)&a"),
        (f"key {KEY}.", "key sb_(redacted)."),
        (f"key {KEY.replace('sb_', 'anc_')}.", "key anc_(redacted)."),
        ("/signin and /password", "/signin and /password"),
        ('"route":"signin/<str:token>"', '"route":"signin/<str:token>"'),
    ],
)
def test_only_what_opens_something_is_taken_out(text: str, left: str) -> None:
    assert redacted(text) == left


@pytest.mark.parametrize("host", ["evil.example", "a b", "x" * 300, f"{TOKEN}/"])
def test_a_host_that_is_not_ours_is_two_short_lines(
    capsys: pytest.CaptureFixture[str], host: str
) -> None:
    answer = Client(raise_request_exception=False).get(
        "/signin", headers={"Host": host}
    )

    refused, request = map(json.loads, capsys.readouterr().err.splitlines())
    assert answer.status_code == request["status"] == 400
    assert (refused["event"], refused["level"]) == ("refused request", "warning")
    assert refused["logger"] == "django.security.DisallowedHost"
    assert "exception" not in refused
    assert host not in json.dumps([refused, request])
