"""The probes: they tell the truth, and they tell it quickly."""

import threading
from collections.abc import Callable, Iterator
from time import monotonic, perf_counter

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import path

from apps.core import views
from apps.core.http import handler404, handler500  # noqa: F401
from apps.core.monitoring.health import Probe, ask_database
from apps.core.roles import protection
from apps.core.roles.powers import ONE_ROLE, SEPARATE

urlpatterns = [
    path("", views.root),
    path("health", views.health),
    path("health/ready", views.ready),
    path("health/live", views.live),
]
pytestmark = pytest.mark.urls(__name__)


def refuse() -> float:
    raise OperationalError


def set_probe(monkeypatch: pytest.MonkeyPatch, ask: object) -> None:
    monkeypatch.setattr(views, "PROBE", Probe(ask, patience=0.2))  # type: ignore[arg-type]


def test_health_has_the_fields_of_both_systems(
    monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    set_probe(monkeypatch, lambda: 1.5)

    response = client.get("/health")

    body = response.json()
    assert response.status_code == 200
    assert {"status", "timestamp", "version", "uptime_seconds", "services"} <= set(body)
    assert {"ok", "backend", "memwal", "network", "seed_thread"} <= set(body)
    assert body["services"]["database"] == {"status": "healthy", "latency_ms": 1.5}
    assert body["timestamp"].endswith("Z")


@pytest.mark.parametrize("found", [SEPARATE, ONE_ROLE])
@pytest.mark.parametrize("address", ["/health", "/health/ready"])
def test_it_says_what_protects_history(
    monkeypatch: pytest.MonkeyPatch, client: Client, address: str, found: str
) -> None:
    set_probe(monkeypatch, lambda: 1.5)
    monkeypatch.setattr(protection.VERDICT, "_kept", (monotonic(), found))

    body = client.get(address).json()

    # No state of health: with one role, too, everything works.
    assert (body["protection"], body["ok"]) == (found, True)


def test_what_cannot_be_asked_is_not_made_up(
    monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    set_probe(monkeypatch, lambda: 1.5)
    monkeypatch.setattr(protection.VERDICT, "_kept", (monotonic() - 3600, SEPARATE))
    monkeypatch.setattr(views, "PROTECTION", Probe(refuse, patience=0.2))

    assert client.get("/health").json()["protection"] is None


@pytest.mark.parametrize("address", ["/health", "/health/ready"])
def test_a_database_that_refuses_is_degraded(
    monkeypatch: pytest.MonkeyPatch, client: Client, address: str
) -> None:
    set_probe(monkeypatch, refuse)

    response = client.get(address)

    assert response.status_code == 503
    assert response.json()["status"] == "degraded"


def test_a_database_that_hangs_is_degraded_at_once(
    monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    end = threading.Event()
    set_probe(monkeypatch, lambda: float(end.wait(5)))
    started = perf_counter()

    statuses = [client.get("/health/ready").status_code for _ in range(2)]

    end.set()
    assert statuses == [503, 503]
    assert perf_counter() - started < 2


def test_it_asks_one_question_at_a_time() -> None:
    asked: list[int] = []
    end = threading.Event()

    def ask() -> float:
        asked.append(1)
        end.wait(5)
        return 1.0

    probe = Probe(ask, patience=0.01)
    answers = [probe.answer() for _ in range(3)]
    end.set()

    assert (answers, len(asked)) == ([None] * 3, 1)


def test_it_recovers_by_itself() -> None:
    answers: Iterator[Callable[[], float]] = iter([refuse, lambda: 2.0])
    probe = Probe(lambda: next(answers)(), patience=1)

    assert [probe.answer(), probe.answer()] == [None, 2.0]


@pytest.mark.django_db(transaction=True)
def test_it_really_asks_the_database() -> None:
    latency = Probe(ask_database).answer()

    assert latency is not None
    assert latency > 0


def test_it_lives_without_a_database(client: Client) -> None:
    response = client.get("/health/live")

    assert response.status_code == 200


@pytest.mark.parametrize("address", ["/health", "/health/ready", "/health/live", "/"])
def test_the_probes_are_only_read(client: Client, address: str) -> None:
    assert client.post(address).status_code == 405


def test_the_root_tells_a_program_what_this_is(client: Client) -> None:
    response = client.get("/")

    assert set(response.json()) == {"name", "version", "docs", "health"}
    assert "Accept" in response["Vary"]
