"""Every job of the worker: what to give it to do, where its middle is, what it does."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from tests.live import Server
from tests.webhooks.receiver import Receiver
from tests.worker.processes import rows, until, working

SETTINGS = {"STEPBACK_SWEEP_SECONDS": "2", "STEPBACK_WEBHOOKS_PRIVATE": "true"}
BEGINS = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
BEGINS -= timedelta(hours=5)
CALM = "calm"


@dataclass(frozen=True)
class Told:
    """A project in which every job has something to do."""

    house: Server
    id: str
    client: httpx.Client

    def rows(self, query: str) -> list[tuple]:
        """Ask the database; `{p}` in the query is the project's id."""
        return rows(self.house.dsn, self.about(query))

    def about(self, query: str) -> str:
        return query.replace("{p}", f"'{self.id}'")

    def column(self, query: str) -> list[Any]:
        return [value for (value,) in self.rows(query)]


@dataclass(frozen=True)
class Job:
    """What to give a job to do, where its middle is, and what comes of it."""

    prepare: Callable[[Told], object]
    found: Callable[[Told], object]
    # What is done to a table there, and to which rows.
    event: str
    rows: str
    # Found when it is done; rollups are compared with a project left in peace.
    done: object = None
    # Not due within the seconds of a test: it is asked for.
    is_hourly: bool = False


def nothing(_: Told) -> None:
    """The history is enough."""


def rolled_up(told: Told) -> object:
    """All rollups of the project, agents by their names."""
    return [
        told.rows(
            "SELECT a.external_id, to_jsonb(r) - 'agent_id' - 'project_id'"
            f" FROM {table} r JOIN agents_agent a ON a.id = r.agent_id"
            " WHERE r.project_id = {p}"
            f" AND r.hour < '{BEGINS + timedelta(hours=4)}' ORDER BY 1, 2"
        )
        for table in ("metrics_sum", "metrics_reach")
    ]


def with_a_rule(told: Told) -> None:
    """Of one active session one was rolled back: far too many."""
    made = told.client.post("/v1/sessions", json={"agent_id": "risky"})
    path = f"/v1/sessions/{made.json()['id']}/state"
    ok(told.client.patch(path, json={"state": {"n": 1}}))
    ok(told.client.post(f"{path}/rollback", json={"version": 0}))
    ok(
        told.client.post(
            "/v1/alerts",
            json={
                "name": "Any",
                "agent_id": "risky",
                "threshold": 0.01,
                "minimum_sample": 1,
                "for_minutes": 0,
                "window": "1h",
            },
        )
    )


def alerted(told: Told) -> object:
    """States of the rules, and how often each was told."""
    return told.rows(
        "SELECT r.name, r.state, r.value, r.sample,"
        " (SELECT count(*) FROM audit_event e WHERE e.resource_id = r.id"
        "   AND e.action IN ('alert.firing', 'alert.resolved'))"
        " FROM metrics_rule r WHERE project_id = {p} AND r.name = 'Any'"
    )


def with_a_week(told: Told) -> None:
    """A project that was there before the last week began."""
    told.rows(
        "UPDATE accounts_project SET created_at = created_at - interval '30 days'"
        " WHERE id = {p} RETURNING 1"
    )


def weeks(told: Told) -> object:
    """How many weeks are told, and how often."""
    return (
        told.column("SELECT count(*) FROM metrics_weektold WHERE project_id = {p}"),
        told.column(
            "SELECT count(*) FROM audit_event"
            " WHERE project_id = {p} AND action = 'summary.weekly'"
        ),
    )


def with_deliveries(told: Told) -> None:
    """Two deliveries of last month, two of today, all of them done."""
    receiver = Receiver().up()
    try:
        hook = {"url": receiver.url, "events": ["session.created"]}
        ok(told.client.post("/v1/webhooks", json=hook))
        for _ in range(4):
            ok(told.client.post("/v1/sessions", json={"agent_id": "a"}))
        with working(told.house.dsn, Path(f"{told.house.log}.worker"), **SETTINGS):
            done = f"{DELIVERIES} AND d.status = 'delivered'"
            until(lambda: told.column(f"SELECT count(*) {done}") == [4])
    finally:
        receiver.down()
    told.rows(
        "UPDATE webhooks_delivery SET created_at = created_at - interval '31 days'"
        f" WHERE id IN (SELECT d.id {DELIVERIES} ORDER BY d.id LIMIT 2) RETURNING 1"
    )


DELIVERIES = (
    "FROM webhooks_delivery d JOIN webhooks_message m ON m.id = d.message_id"
    " WHERE m.project_id = {p}"
)


def delivered(told: Told) -> object:
    messages = "SELECT count(*) FROM webhooks_message WHERE project_id = {p}"
    return told.column(f"SELECT count(*) {DELIVERIES}"), told.column(messages)


def with_a_plan(told: Told) -> None:
    """Three sessions, to be held by a plan that is confirmed."""
    begun = [told.client.post("/v1/sessions", json={"agent_id": "a"}) for _ in range(3)]
    sessions = [answer.json()["id"] for answer in begun]
    made = told.client.post("/v1/plans", json={"kind": "hold", "sessions": sessions})
    ok(made)
    ok(told.client.post(f"/v1/plans/{made.json()['id']}/confirm", json={}))


def with_a_rollback_plan(told: Told) -> None:
    """Three sessions, to be rolled back by a plan that is confirmed."""
    targets = {}
    for _ in range(3):
        begun = told.client.post("/v1/sessions", json={"agent_id": "a"})
        targets[begun.json()["id"]] = 0
        path = f"/v1/sessions/{begun.json()['id']}/state"
        ok(told.client.patch(path, json={"state": {"bad": True}}))
    asked = {"kind": "rollback", "sessions": list(targets)}
    asked["target"] = {"versions": targets}
    made = told.client.post("/v1/plans", json=asked)
    ok(made)
    seen = {"digest": made.json()["digest"]}
    ok(told.client.post(f"/v1/plans/{made.json()['id']}/confirm", json=seen))


def planned(kind: str, op: str) -> Callable[[Told], object]:
    """How far the plan is, its items, and how often it was done to each session."""

    def found(told: Told) -> object:
        mine = f"p.project_id = {{p}} AND p.kind = '{kind}'"
        items = told.rows(
            "SELECT i.position, i.state, i.result_number,"
            " (SELECT count(*) FROM timeline_version v"
            f"   WHERE v.session_id = i.session_id AND v.op = '{op}')"
            " FROM plans_item i JOIN plans_plan p ON p.id = i.plan_id"
            f" WHERE {mine} ORDER BY 1"
        )
        return told.column(f"SELECT p.status FROM plans_plan p WHERE {mine}"), items

    return found


def with_an_incident(told: Told) -> None:
    """Three sessions of an incident, whose second versions do not pass its check."""
    sessions = []
    for total in range(3):
        begun = {"agent_id": "a", "initial_state": {"total": 0}}
        answer = told.client.post("/v1/sessions", json=begun)
        sessions.append(answer.json()["id"])
        patch = {"state": {"total": total}}
        ok(told.client.patch(f"/v1/sessions/{sessions[-1]}/state", json=patch))
    wrong = {"title": "Lost", "sessions": sessions, "check": "state.total<1"}
    ok(told.client.post("/v1/incidents", json=wrong))


def with_a_survey(told: Told) -> None:
    """Three sessions of a survey, of which two have a version that does not pass."""
    for total in range(3):
        begun = {"agent_id": "surveyed", "initial_state": {"total": 0}}
        session = told.client.post("/v1/sessions", json=begun).json()["id"]
        patch = {"state": {"total": total}}
        ok(told.client.patch(f"/v1/sessions/{session}/state", json=patch))
    asked = {"check": "state.total<1", "search": "agent:surveyed"}
    ok(told.client.post("/v1/surveys", json=asked))


def surveyed(told: Told) -> object:
    """What was found of each session, and whether all were looked into."""
    found = told.rows(
        "SELECT verdict, is_placed FROM surveys_sampled WHERE project_id = {p}"
        " ORDER BY session_id"
    )
    over = "SELECT looked_at IS NOT NULL FROM surveys_survey WHERE project_id = {p}"
    return found, told.column(over)


def checked(told: Told) -> object:
    """What was found of each session, and whether all were looked into."""
    found = told.rows(
        "SELECT verdict, bad_number FROM incidents_member WHERE project_id = {p}"
        " ORDER BY session_id"
    )
    over = "SELECT checked_at IS NOT NULL FROM incidents_incident"
    return found, told.column(f"{over} WHERE project_id = {{p}}")


def with_keys(told: Told) -> None:
    """Four keys of an agent, three of which are kept for less than a second."""
    ok(told.client.post("/v1/agents", json={"name": "a", "external_id": "keeper"}))
    path = "/v1/agents/keeper"
    short = {"retention_by_prefix": {"temp:": 0.00001}}
    ok(told.client.put(f"{path}/config", json={"policies": short}))
    keys = ["keep", *(f"temp:{number}" for number in range(3))]
    entries = [{"key": key, "value": "v"} for key in keys]
    ok(told.client.post(f"{path}/data/batch", json={"entries": entries}))


def expired(told: Told) -> object:
    """What was done to each key, how many stand, how often that was recorded."""
    # The document of an agent, which has a config.
    of = (
        "JOIN timeline_session s ON s.id = k.session_id WHERE s.project_id = {p}"
        " AND EXISTS (SELECT FROM timeline_entry c"
        "  WHERE c.session_id = s.id AND c.key = '')"
    )
    return (
        told.rows(
            f"SELECT k.key, k.cause FROM timeline_entry k {of} AND k.key <> ''"
            " ORDER BY k.key, k.number"
        ),
        told.column(f"SELECT k.keys FROM timeline_tally k {of}"),
        told.column(
            "SELECT count(*) FROM audit_auditrecord"
            " WHERE project_id = {p} AND action = 'data.expire'"
        ),
    )


EXPIRED = [("keep", "set")]
EXPIRED += [(f"temp:{n}", cause) for n in range(3) for cause in ("set", "expired")]


def with_memories(told: Told) -> None:
    """Four memories of a user, imported: nobody has read, or embedded, them."""
    items = [
        {"id": f"{number}", "memory": f"Likes tea number {number}", "user_id": "ada"}
        for number in range(4)
    ]
    ok(told.client.post("/v1/memories/import", json={"results": items}))


def embedded(told: Told) -> object:
    """How many vectors each memory has of what it says."""
    return told.column(
        "SELECT count(v.item) FROM memory_memory m"
        " LEFT JOIN meaning_vector v ON v.stream_id = m.document_id"
        "  AND v.item = m.id AND v.number = m.number AND v.data IS NOT NULL"
        " WHERE m.project_id = {p} GROUP BY m.id ORDER BY m.id"
    )


def with_answers(told: Told) -> None:
    """Answers to three keys, two of them of the day before yesterday."""
    for key in ("old-1", "old-2", "young"):
        body = {"name": key, "threshold": 1}
        ok(told.client.post("/v1/alerts", json=body, headers={"Idempotency-Key": key}))
    told.rows(
        "UPDATE accounts_storedanswer SET created_at = created_at - interval '2 days'"
        " WHERE project_id = {p} AND key <> 'young' RETURNING 1"
    )


def answers(told: Told) -> object:
    return told.column("SELECT key FROM accounts_storedanswer WHERE project_id = {p}")


def with_a_stalled_job(told: Told) -> None:
    """A job of a worker that is gone, known by its argument."""
    told.rows(
        "WITH gone AS (INSERT INTO procrastinate_workers (last_heartbeat)"
        "              VALUES (now() - interval '1 hour') RETURNING id)"
        " INSERT INTO procrastinate_jobs"
        " (queue_name, task_name, args, status, worker_id)"
        " SELECT 'default', 'expire_sessions', jsonb_build_object('of', {p}), 'doing',"
        " id FROM gone RETURNING id"
    )


def stalled(told: Told) -> object:
    return told.column(
        "SELECT status FROM procrastinate_jobs WHERE args ->> 'of' = {p}"
    )


OF_NEW = "NEW.project_id = {p}"
OF_OLD = "OLD.project_id = {p}"
JOBS = {
    "roll_up: fed": Job(nothing, rolled_up, "INSERT ON metrics_due", OF_NEW),
    "roll_up: adding up": Job(nothing, rolled_up, "INSERT ON metrics_reach", OF_NEW),
    "look_at_rules": Job(
        with_a_rule,
        alerted,
        "INSERT ON audit_event",
        f"{OF_NEW} AND NEW.action = 'alert.firing'",
        done=[("Any", "firing", 1.0, 1, 1)],
    ),
    "tell_weeks": Job(
        with_a_week,
        weeks,
        "INSERT ON audit_event",
        f"{OF_NEW} AND NEW.action = 'summary.weekly'",
        done=([1], [1]),
    ),
    "run_plans": Job(
        with_a_plan,
        planned("hold", "pause"),
        "UPDATE ON plans_item",
        "NEW.position = 0 AND NEW.state = 'done'",
        done=(["finished"], [(n, "done", 1, 1) for n in range(3)]),
    ),
    "run_plans:rollback": Job(
        with_a_rollback_plan,
        planned("rollback", "rollback"),
        "INSERT ON timeline_version",
        "NEW.op = 'rollback'",
        done=(["finished"], [(n, "done", 2, 1) for n in range(3)]),
    ),
    "look_for_surveys": Job(
        with_a_survey,
        surveyed,
        "UPDATE ON surveys_sampled",
        f"{OF_NEW} AND NEW.verdict IS NOT NULL",
        done=([("good", False), ("bad", True), ("bad", True)], [True]),
    ),
    "check_incidents": Job(
        with_an_incident,
        checked,
        "UPDATE ON incidents_member",
        f"{OF_NEW} AND NEW.verdict IS NOT NULL",
        done=([("good", None), ("bad", 1), ("bad", 1)], [True]),
    ),
    "expire_data": Job(
        with_keys,
        expired,
        "INSERT ON timeline_entry",
        "NEW.cause = 'expired' AND NEW.key = 'temp:1'",
        done=(EXPIRED, [1], [1]),
    ),
    "embed_texts": Job(
        with_memories,
        embedded,
        "INSERT ON meaning_vector",
        "NEW.item LIKE 'mem\\_%'",
        done=[1, 1, 1, 1],
    ),
    "forget_deliveries": Job(
        with_deliveries,
        delivered,
        "DELETE ON webhooks_message",
        OF_OLD,
        done=([2], [2]),
        is_hourly=True,
    ),
    "forget_answers": Job(
        with_answers,
        answers,
        "DELETE ON accounts_storedanswer",
        OF_OLD,
        done=["young"],
        is_hourly=True,
    ),
    "drop_stalled": Job(
        with_a_stalled_job,
        stalled,
        "DELETE ON procrastinate_jobs",
        "OLD.args ->> 'of' = {p}",
        done=[],
    ),
}


def ok(answer: httpx.Response) -> None:
    assert answer.is_success, answer.text


def is_done(job: Job, told: Told) -> bool:
    if job.done is None:
        return is_all_rolled_up(told)
    return job.found(told) == job.done


def is_all_rolled_up(told: Told) -> bool:
    """Whether no hour waits that is over."""
    waits = "SELECT 1 FROM metrics_due WHERE project_id = {p}"
    over = " AND hour < now() - interval '62 minutes'"
    return bool(rolled_up(told)[0]) and not told.rows(waits + over)
