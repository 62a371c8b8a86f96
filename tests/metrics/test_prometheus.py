"""`/metrics`: who may read it, what it tells, and that it stays small."""

import os
from datetime import timedelta
from importlib import util

import httpx
import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from apps.core.monitoring import exposition as core
from apps.metrics import exposition
from apps.metrics import operations as metrics
from apps.server import serving as serving_alone
from apps.webhooks import operations as webhooks
from tests.acts import act_in
from tests.feeding import feed_all
from tests.live import serving
from tests.metrics.make import Told, called

TOKEN = "a token of 32 or so characters"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
LABELS = ("project", "agent", "window", "state", "status")


@pytest.fixture
def scrape(settings, db):
    """`scrape()` returns what is told: `{name: {(label, …): value}}`."""
    settings.METRICS_TOKEN = TOKEN

    def read():
        answer = Client().get("/metrics", headers=BEARER)
        assert answer.status_code == 200
        assert answer["Content-Type"].startswith("text/plain; version=")
        return parsed(answer.content.decode())

    return read


def parsed(text):
    return {
        family.name: {
            tuple(
                sample.labels[name] for name in LABELS if name in sample.labels
            ): sample.value
            for sample in family.samples
        }
        for family in text_string_to_metric_families(text)
    }


@pytest.fixture
def told(project):
    """Two sessions of `travel`, one of them rolled back twice; one of `billing`."""
    now = timezone.now() - timedelta(minutes=30)
    Told(project, now).update(now, now).back(1, now).update(now).back(0, now)
    failed = called("pay", failed=True, ms=1_500)
    Told(project, now).turn(now, exchange=failed).fork(0, now)
    Told(project, now - timedelta(hours=3), agent="billing")
    return project


def test_the_numbers_are_those_of_the_definitions(told, scrape):
    found = scrape()

    travel = ("checkout", "travel", "1h")
    assert {name: found[f"stepback_{name}"][travel] for name in exposition.GAUGES} == {
        "sessions_active": 3,
        "sessions_rolled_back": 1,
        "rollback_ratio": 1 / 3,
        "rollbacks": 2,
        # Of the first session six, of the second and its fork one each.
        "versions": 8,
        "turns": 1,
        "forks": 1,
        "tool_calls": 1,
        "tool_call_errors": 1,
        "turn_latency_mean_seconds": 1.5,
    }
    billing = {
        labels[2]: value
        for labels, value in found["stepback_sessions_active"].items()
        if labels[1] == "billing"
    }
    assert billing == {"24h": 1, "7d": 1}


def test_all_other_agents_are_one(project, scrape, monkeypatch):
    monkeypatch.setattr(exposition, "MOST_AGENTS", 2)
    now = timezone.now() - timedelta(minutes=5)
    for agent, sessions in {"a": 3, "b": 2, "c": 1, "other": 1, "d": 1}.items():
        for _ in range(sessions):
            Told(project, now, agent=agent)

    found = scrape()["stepback_sessions_active"]

    assert {labels[1]: n for labels, n in found.items() if labels[2] == "24h"} == {
        "a": 3,
        "b": 2,
        "other": 3,
    }


def test_projects_are_bounded(told, other_project, scrape, monkeypatch):
    Told(other_project, timezone.now())
    assert {labels[0] for labels in scrape()["stepback_versions"]} == {
        "checkout",
        "returns",
    }

    monkeypatch.setattr(exposition, "MOST_PROJECTS", 1)

    assert {labels[0] for labels in scrape()["stepback_versions"]} == {"checkout"}


def test_a_name_of_an_agent_cannot_forge_a_line(project, scrape):
    name = 'x"} 1\nstepback_forged 7\\'
    name = name.replace("\n", "\\n")
    Told(project, timezone.now(), agent=name)

    found = scrape()

    assert ("checkout", name, "1h") in found["stepback_versions"]
    assert "stepback_forged" not in found


@pytest.mark.django_db(transaction=True)
def test_alert_rules_and_webhooks_are_counted_by_state(project, settings, scrape):
    now = timezone.now()
    rule = {"name": "r", "threshold": 0.5}
    metrics.make_rule(fields=rule, act=act_in(project, now=now))
    settings.WEBHOOKS_PRIVATE = True
    webhooks.create(
        act=act_in(project, now=now),
        url="http://127.0.0.1:9/",
        kinds=["session.created"],
    )
    Told(project, timezone.now())
    feed_all()

    found = scrape()

    assert found["stepback_alert_rules"] == {
        ("checkout", "ok"): 1,
        ("checkout", "pending"): 0,
        ("checkout", "firing"): 0,
        ("checkout", "resolved"): 0,
    }
    assert found["stepback_webhooks"] == {("checkout", "enabled"): 1}
    assert found["stepback_webhook_deliveries"] == {("checkout", "pending"): 1}


@pytest.mark.django_db
def test_without_a_token_there_is_nothing():
    assert Client().get("/metrics", headers=BEARER).status_code == 404
    assert Client().get("/metrics", {}, headers={"Authorization": "Bearer "}).json()


@pytest.mark.django_db
def test_without_the_package_there_is_nothing(settings, monkeypatch):
    settings.METRICS_TOKEN = TOKEN
    assert util.find_spec("prometheus_client")
    monkeypatch.setattr(core, "find_spec", lambda _: None)

    assert Client().get("/metrics", headers=BEARER).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        f"Basic {TOKEN}",
        TOKEN,
        "Bearer ÿ",
    ],
)
def test_a_stranger_is_refused(given, settings):
    settings.METRICS_TOKEN = TOKEN
    headers = {} if given is None else {"Authorization": given}

    answer = Client().get("/metrics", headers=headers)

    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert answer.json()["error"]["code"] == "authentication_failed"
    assert b"stepback_" not in answer.content


@pytest.mark.django_db
def test_a_key_of_a_project_is_no_token(settings, make_key):
    settings.METRICS_TOKEN = TOKEN
    secret = make_key(scope="admin")

    for headers in ({"X-API-Key": secret}, {"Authorization": f"Bearer {secret}"}):
        assert Client().get("/metrics", headers=headers).status_code == 401


def test_another_method_is_refused(scrape):
    assert Client().post("/metrics", headers=BEARER).status_code == 405


def test_up_gives_its_processes_a_folder_to_count_in(settings, monkeypatch):
    monkeypatch.delenv(core.SHARED_FOLDER, raising=False)
    with serving_alone.counting_together():
        assert core.SHARED_FOLDER not in os.environ
    settings.METRICS_TOKEN = TOKEN
    assert core.observer() is None

    with serving_alone.counting_together():
        folder = os.environ[core.SHARED_FOLDER]
        assert os.listdir(folder) == []
        assert core.counts_requests()

    assert not os.path.exists(folder)
    assert core.SHARED_FOLDER not in os.environ


def test_a_folder_that_somebody_named_is_kept(settings, monkeypatch, tmp_path):
    settings.METRICS_TOKEN = TOKEN
    monkeypatch.setenv(core.SHARED_FOLDER, str(tmp_path))

    with serving_alone.counting_together():
        assert os.environ[core.SHARED_FOLDER] == str(tmp_path)

    assert tmp_path.exists()


def test_requests_are_counted_by_all_processes_together(
    worker_id, tmp_path, monkeypatch
):
    monkeypatch.setenv("STEPBACK_METRICS_TOKEN", TOKEN)
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    with serving(f"scraped_{worker_id}", workers=2) as server:
        with server.client(server.key("seen")) as client:
            client.get("/nothing/here")
            secret = client.headers["X-API-Key"]
        # Each on a connection of its own, so that both processes get some.
        for n in range(30):
            url = f"{server.url}/v1/sessions/sess_{n:026}"
            httpx.get(url, headers={"X-API-Key": secret})
            url = f"{server.url}/v1/memories?query=aisle+seats"
            assert httpx.get(url, headers={"X-API-Key": secret}).status_code == 200
        assert len(list(tmp_path.glob("histogram_*.db"))) == 2
        text = httpx.get(f"{server.url}/metrics", headers=BEARER).text
        found = {
            family.name: family.samples
            for family in text_string_to_metric_families(text)
        }
    counted = {
        tuple(sample.labels[name] for name in ("method", "route", "status")): (
            sample.value
        )
        for sample in found["stepback_http_request_duration_seconds"]
        if sample.name.endswith("_count")
    }
    assert counted["GET", "v1/sessions/<str:session_id>", "4xx"] == 30
    assert counted["GET", "-", "4xx"] == 1
    assert not any("sess_" in str(labels) for labels in counted)
    for name in ("searches", "searches_without_result"):
        (one,) = found[f"stepback_memory_{name}"]
        assert (one.value, one.labels["scope"]) == (30, "project")
    assert "stepback_worker_heartbeat_age_seconds" in found
