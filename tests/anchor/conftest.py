"""A real server, a project with its keys, and each release of Anchor's client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.anchor.releases import RELEASES, Client, ClientProcess
from tests.live import Server

# Their assertions are told in full, as those of a test module are.
pytest.register_assert_rewrite("tests.anchor.calls")

PROJECT = "anchor"


@pytest.fixture(scope="session", params=RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    """The number of a release: each test runs with every one."""
    return str(request.param)


@pytest.fixture(scope="session")
def process(release: str) -> Iterator[ClientProcess]:
    """The process of a release, in which clients are opened."""
    one = ClientProcess(release)
    yield one
    one.close()


@pytest.fixture(scope="session")
def secret(live: Server) -> str:
    """A write key of the project that these tests are about."""
    return live.key(PROJECT, "--prefix", "anc_")


@pytest.fixture(scope="session")
def admin_secret(live: Server, secret: str) -> str:
    return live.key(PROJECT, "--scope", "admin", "--prefix", "anc_")


@pytest.fixture(scope="session")
def rest(live: Server, admin_secret: str) -> Iterator[httpx.Client]:
    """The API without the client, for what that cannot say or does not show."""
    with live.client(admin_secret) as client:
        yield client


@pytest.fixture
def connect(process: ClientProcess, live: Server) -> Callable[..., Client]:
    """`connect(key)` is a client as users make it; options are its constructor's."""

    def open_with(key: str, **options: Any) -> Client:
        return process.open(api_key=key, base_url=live.url, **options)

    return open_with


@pytest.fixture
def anchor(connect: Callable[..., Client], secret: str) -> Client:
    """A client that may write."""
    return connect(secret)


@pytest.fixture
def admin(connect: Callable[..., Client], admin_secret: str) -> Client:
    """A client with an administrator's key."""
    return connect(admin_secret)
