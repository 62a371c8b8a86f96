"""Hostile states, names and texts on every page of the console: told as text, whole.

The pages come from the URL resolver, so a new one is among them at once.
"""

import csv
import html
import io
import json
import re
import zipfile
from hashlib import sha256
from typing import Any
from urllib.parse import quote

import pytest
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.models import Membership, Role, Scope
from apps.core.roles.names import Role as DatabaseRole
from apps.meaning.past import sweeping
from apps.metrics import alerting
from apps.metrics import operations as metrics
from apps.retention.models import Removal
from apps.webhooks import operations as webhooks
from tests.accounts.make import make_member
from tests.acting import acting_as
from tests.acts import act_by, act_in
from tests.console.hostile_keeping import evil_keeping
from tests.console.make import signed_in
from tests.contracts.routes import page_routes
from tests.contracts.world import made

MARKUP = "<img src=x onerror=alert(1)>"
BIDI, ZERO_WIDTH = "\u202e", "\u200b"
EVIL = f"=1+1 {MARKUP}\"'&{BIDI}{ZERO_WIDTH}</title></script>"
# As `evil` asks for it; what hides or reorders text may be in keys too.
KEY = f"=1+1 {MARKUP}"
PAGES = [page for page in page_routes() if page[0].startswith("/console/{slug}")]
# What a route shows besides its plain page.
QUERIES = {
    "/console/{slug}/sessions": ["q=", "q=ever%3A%22{evil}%22", "q={evil}"],
    "/console/{slug}/sessions/export": ["q=", "q={evil}"],
    "/console/{slug}/audit": ["", "show=all"],
    "/console/{slug}/memories": ["", "session={evil}", "scope=user&owner={evil}"],
    "/console/{slug}/memories/back": ["session={session_id}"],
    "/console/{slug}/audit/export": ["", "show=all", "show=all&format=json"],
    "/console/{slug}/agents/{agent_id}/data": ["", "under={evil}", "words={evil}"],
    "/console/{slug}/agents/{agent_id}/data/key": ["key={evil}"],
    "/console/{slug}/agents/{agent_id}/checkpoints": ["", "first={checkpoint_id}"],
    "/console/{slug}/agents/{agent_id}/checkpoints/compare": [
        "first={checkpoint_id}&second={checkpoint_id}"
    ],
    "/console/{slug}/approvals/{approval_id}": ["", "do=approve", "do=edit"],
    "/console/{slug}/compare": ["right={fork_id}"],
    "/console/{slug}/meaning": ["", "q={evil}"],
    "/console/{slug}/incidents/open": ["", "q={evil}"],
    "/console/{slug}/sessions/{session_id}": ["", "path=/{evil}", "label={evil}"],
    "/console/{slug}/sessions/{session_id}/conversation": [
        "",
        "source=turns",
        "source=messages",
        "whole=1.0",
        "source=messages&whole=0.0",
    ],
    "/console/{slug}/sessions/{session_id}/jump": ["", "go={evil}"],
    "/console/{slug}/sessions/{session_id}/versions/{number}": [
        "",
        "view=side",
        "against=0&view=side",
        "tab=state&find={evil}",
        "tab=turns",
        "tab=checkpoint",
        "tab=proof",
    ],
    "/console/{slug}/sessions/{session_id}/versions/{number}/value": [
        "pointer=",
        "pointer=/{evil}",
        "pointer=/deep",
        "pointer=/long",
        "pointer=/many&start=9900",
    ],
    "/console/{slug}/sessions/{session_id}/bisect": [
        "check=there:state",
        "check={evil}",
        "check=size:state>2&every=1",
        "check=state.deep=null&after=e30=",
        "check=state.long=null",
        "check={evil}&by=eye",
        "by=eye&every=1&tried={evil}",
        "by=eye&good=0&bad=1",
    ],
    "/console/{slug}/sessions/{session_id}/merge": [
        "",
        "verb={evil}",
        "verb=promote&fork={fork_id}",
        "verb=revert&first=1&last=1",
        "verb=reapply&first=1&last=1&k.value=theirs&k.removed=ours",
        "verb=restore&version=1&pointer=/{evil}&pointer=/list",
        "verb=restore&version=1&pointer={evil}",
        "verb=revert&first=1&last=1&c.{evil}=ours",
    ],
    "/console/{slug}/sessions/{session_id}/versions/{number}/blame": [
        "pointer=/{evil}",
        "pointer=/many",
    ],
}
# A state is handed out as it is: a file that no browser runs. So are an agent's files.
EXACT, FILES = "/state.json", "/versions/1/files/"


def declare(administrator, agent):
    """Declare schemas of hostile names and a migration between them."""
    for name in (MARKUP, f"{MARKUP} 2"):
        body = {"version": name[:100], "schema": {"description": EVIL}}
        schema = made(administrator.post(f"{agent}/schemas", body))
    steps = [{"op": "default", "at": "/a", "value": EVIL}]
    way = {"from": MARKUP[:100], "to": schema["version"], "steps": steps}
    migration = made(administrator.post(f"{agent}/migrations", way))
    return {"schema_id": schema["id"], "migration_id": migration["id"]}


def deep(levels):
    value = EVIL
    for level in range(levels):
        value = [value] if level % 2 else {EVIL: value}
    return value


@pytest.fixture(autouse=True)
def journal(tmp_path, settings):
    settings.ERASURES = tmp_path / "erasures"
    settings.OBJECTS = str(tmp_path / "objects")


@pytest.fixture
def samples(project, api, make_key):
    """Whatever an agent may say, it says it with markup, and much of it."""
    client = api()
    made(client.post("/v1/agents", {"external_id": "evil", "name": EVIL}))
    begun = {
        "agent_id": EVIL,
        "user_id": EVIL,
        "metadata": {EVIL: EVIL},
        "initial_state": {EVIL: "before", "deep": deep(100), "long": EVIL},
        "messages": [{"role": EVIL, "content": EVIL}],
        "tool_results": {EVIL: {"tool": EVIL}},
        "model_params": {EVIL: EVIL},
        "tasks": [{"title": EVIL, "status": EVIL}],
    }
    session_id = made(client.post("/v1/sessions", begun))["id"]
    at = f"/v1/sessions/{session_id}"
    changed = {
        EVIL: EVIL,
        "long": EVIL * 4_000,
        "many": {f"{EVIL}{n}": EVIL for n in range(10_000)},
        "list": [{"id": EVIL, EVIL: n} for n in range(40)],
        "facts": [{"key": EVIL, "value": EVIL, "source": EVIL, "max_age": 1}],
    }
    step = {"reasoning": EVIL, "model": EVIL, "release": EVIL, "objective_status": EVIL}
    step |= {"artifacts": [file_of(client)]}
    made(client.patch(f"{at}/state", {"state": changed, **step}))
    call = {"name": EVIL, "arguments": {EVIL: EVIL}, "id": EVIL}
    turn = {
        "input": {"type": "tool_call", "tool_metadata": call, "content": EVIL},
        "output": EVIL,
        "reasoning": EVIL,
        "metadata": {EVIL: EVIL},
    }
    made(client.post(f"{at}/turns", turn))
    made(client.post(f"{at}/versions/1/labels", {"label": MARKUP}))
    made(client.post(f"{at}/notes", {"text": EVIL, "version": 1}))
    made(client.post(f"{at}/notes", {"text": EVIL}))
    made(client.post(f"{at}/rollback", {"version": 0, "reason": EVIL}))
    made(client.post(f"{at}/turns", turn))
    for first in (1, 2):
        told = {"first_turn": first, "last_turn": 2, "text": EVIL}
        made(client.post(f"{at}/summaries", told))
    acts = acting(client, at)
    fork = made(client.post(f"{at}/fork", {"version": 1}))["id"]
    asking = {"state": {}, "objective_status": f"WAITING_FOR{EVIL}"}
    made(client.patch(f"/v1/sessions/{fork}/state", asking))
    many = {"kind": "label", "sessions": [session_id, fork], "label": MARKUP}
    plan = made(client.post("/v1/plans", many))["id"]
    made(client.post(f"/v1/plans/{plan}/confirm", {"reason": EVIL}))
    wrong = {
        "title": EVIL[:200],
        "sessions": [session_id, fork],
        "check": "there:state.x",
    }
    incident = made(client.post("/v1/incidents", wrong))["id"]
    made(client.post(f"/v1/incidents/{incident}/notes", {"text": f"{EVIL}\n{EVIL}"}))
    memory = {"content": EVIL, "type": EVIL[:60], "tags": [EVIL[:90]]}
    memory |= {"session_id": session_id, "reasoning": EVIL}
    memory_id = made(client.post("/v1/memories", memory))["id"]
    made(client.post("/v1/memories", memory | {"content": f"{EVIL} again"}))
    agents = made(client.get("/v1/agents"))["data"]
    agent_id = next(one["id"] for one in agents if one["name"] == EVIL)
    accounts.set_search_by_meaning(act=act_in(project), project=project, is_on=True)
    sweeping.sweep(now=timezone.now())
    checkpoint_id = keep(client, f"/v1/agents/{agent_id}")
    administrator = api(make_key(Scope.ADMIN))
    two = {"tool": MARKUP, "votes": 2}
    rules = f"/v1/agents/{agent_id}/approval-rules"
    schemas = declare(administrator, f"/v1/agents/{agent_id}")
    return {
        **acts,
        "approval_rule_id": made(administrator.post(rules, two))["id"],
        **schemas,
        "budget_id": evil_budget(administrator, agent_id, session_id),
        "checkpoint_id": checkpoint_id,
        "memory_id": memory_id,
        **except_one(administrator, f"/v1/agents/{agent_id}"),
        **retain(administrator, session_id),
        **evil_looking(administrator, agent_id, session_id),
        "plan_id": plan,
        "incident_id": incident,
        "slug": project.slug,
        "kind": "waiting",
        "session_id": session_id,
        "fork_id": fork,
        "number": "1",
        "agent_id": agent_id,
        "view_id": evil_view(project).id,
        "user_id": "user_" + "0" * 26,
        "key_id": "key_" + "0" * 26,
        "invitation_id": "inv_" + "0" * 26,
        **evil_webhook(project),
        "rule_id": evil_rule(project),
        **evil_keeping(project, EVIL),
        "path": quote(EVIL),
        "name": evil_shared(client),
        "evil": "%3D1%2B1+%3Cimg+src%3Dx+onerror%3Dalert(1)%3E",
    }


def evil_budget(administrator: Any, agent_id: str, session_id: str) -> str:
    """Return a budget of a release of that name, and have the session use something."""
    tokens = {"measure": "tokens", "limit": 100_000}
    made(administrator.post("/v1/budgets", {"session_id": session_id, **tokens}))
    spent = {"input": "Hi", "output": "Hello", "model": EVIL[:200]}
    spent |= {"usage": {"input_tokens": 5, "output_tokens": 1}}
    made(administrator.post(f"/v1/sessions/{session_id}/turns", spent))
    said = {"agent_id": agent_id, "release": EVIL[:200], **tokens}
    return str(made(administrator.post("/v1/budgets", said))["id"])


def evil_shared(client: Any) -> str:
    """Return the name of a document, as an address has it, that somebody holds."""
    # A name has no slash but its first.
    name = quote(f"public/{EVIL.partition('</')[0]}")
    written = {"state": {EVIL: EVIL}, "reasoning": EVIL}
    made(client.patch(f"/v1/shared/{name}", written))
    held = {"holder": EVIL[:200], "seconds": 3_600}
    made(client.post(f"/v1/shared/{name}/lease", held))
    return name


def evil_looking(administrator: Any, agent_id: str, session_id: str) -> dict[str, str]:
    """Have a guard, a survey and an experiment ask for markup, and be called so."""
    check = f"NOT state.x={json.dumps(MARKUP)}"
    guard = {"agent_id": agent_id, "name": MARKUP, "kind": "check"}
    guard |= {"rule": {"check": check}}
    guard_id = made(administrator.post("/v1/guards", guard))["id"]
    made(administrator.post(f"/v1/guards/{guard_id}/try"))
    asked = {"check": check, "search": f"session:{session_id}"}
    path = f"/v1/sessions/{session_id}/fork"
    forks = [made(administrator.post(path, {"version": 1}))["id"] for _ in range(2)]
    said = {"name": MARKUP, "sessions": forks, "checks": [check]}
    return {
        "guard_id": guard_id,
        "survey_id": made(administrator.post("/v1/surveys", asked))["id"],
        "experiment_id": made(administrator.post("/v1/experiments", said))["id"],
    }


def file_of(client):
    """Upload a file that is called something hostile; return what names it."""
    data = EVIL.encode()
    digest = sha256(data).hexdigest()
    assert client.put(f"/v1/blobs/{digest}", data).status == 201
    chunks = [{"sha256": digest, "size": len(data)}]
    return {"path": EVIL, "caption": EVIL, "media_type": "text/html", "chunks": chunks}


def acting(client, session):
    """Act and ask to act with hostile words; nobody knows what became of the effect."""
    called = {"tool": MARKUP, "arguments": {EVIL: EVIL, "long": EVIL * 100}}
    begin = called | {"key": EVIL, "class": "compensable", "undo": {"tool": MARKUP}}
    effect = made(client.post(f"{session}/effects", begin))
    unknown = {
        "attempt": effect["attempt"],
        "status": "unknown",
        "result": {EVIL: EVIL},
    }
    made(client.post(f"{session}/effects/{effect['id']}/finish", unknown))
    asked = called | {"reason": EVIL, "depends_on": [f"/{MARKUP}"]}
    approval = made(client.post(f"{session}/approvals", asked))
    return {"effect_id": effect["id"], "approval_id": approval["id"]}


def keep(client, agent):
    """Have the agent keep hostile texts under a key that is one, by such a config.

    Returns the id of a checkpoint that is called so, made before.
    """
    said = {"label": EVIL, "description": EVIL}
    checkpoint_id = made(client.post(f"{agent}/checkpoints", said))["id"]
    policies = {"denied_key_prefixes": [EVIL], "retention_by_prefix": {EVIL: 1}}
    pattern = {"name": MARKUP, "regex": "blocked"}
    for more in ({}, {"custom_blocked_patterns": [pattern]}):
        config = {EVIL: [EVIL], "policies": policies | more}
        made(client.put(f"{agent}/config", config))
    made(client.post(f"{agent}/data", {"key": KEY, "value": "blocked"}))
    for value in (EVIL, f"{EVIL}\n{EVIL * 1_000}"):
        told = {"metadata": {EVIL: EVIL}, "reasoning": EVIL}
        made(client.post(f"{agent}/data", {"key": KEY, "value": value, **told}))
    made(client.post(f"{agent}/checkpoints", said))
    return checkpoint_id


def except_one(admin, agent):
    """Let pass what a policy blocked, and say hostile things about it."""
    records = made(admin.get(f"{agent}/audit"))["events"]
    blocked = next(one for one in records if one["result"] == "blocked")
    for where in ({"prefix": KEY}, {}):
        said = {"audit_id": blocked["id"], "reason": EVIL, **where}
        exception = made(admin.post(f"{agent}/exceptions", said))["id"]
    return {"blocked": str(blocked["number"]), "exception_id": exception}


def retain(admin, session_id):
    """Hold by reasons, and have a policy of an agent, that say it with markup."""
    at = "/v1/retention"
    policy = made(admin.post(f"{at}/policies", {"agent_id": EVIL, "empty_days": 1}))
    made(admin.post(f"{at}/previews", {"policy_id": policy["id"]}))
    for kind, value in (("session", session_id), ("user", EVIL), ("agent", EVIL)):
        said = {"kind": kind, "value": value, "reason": EVIL}
        hold = made(admin.post(f"{at}/legal-holds", said))
    made(admin.post(f"{at}/legal-holds/{hold['id']}/end", {"reason": EVIL}))
    with acting_as(DatabaseRole.RETENTION):
        counts = {"steps": {}, "pinned": {EVIL: 2}, "seen": 1, "held": 1}
        Removal.objects.update(state="ready", counts=counts)
    return {"policy_id": policy["id"], "hold_id": hold["id"]}


def evil_webhook(project):
    webhook, _ = webhooks.create(
        url="https://receiver.example/?q=<img/src=x/onerror=alert(1)>",
        kinds=["version.created"],
        description="<b>&\"'",
        act=act_in(project),
    )
    sent = webhooks.test(webhook_id=webhook.id, act=act_in(project))
    return {"webhook_id": webhook.id, "delivery_id": sent.id}


def evil_rule(project):
    fields = {"name": MARKUP, "threshold": 0.01, "agent": EVIL, "for_minutes": 0}
    made = metrics.make_rule(fields=fields | {"minimum_sample": 1}, act=act_in(project))
    alerting.evaluate(made.id, looks=alerting.Looks(timezone.now()))
    made.refresh_from_db()
    assert made.state == "firing"
    return made.id


def evil_view(project):
    owner = make_member(project, "owner", Role.ADMIN)
    return accounts.save_view(
        membership=Membership.objects.of_user(owner.id).get(project=project),
        name=MARKUP,
        query=f'"{MARKUP}"',
        sort="",
        is_shared=True,
        act=act_by(),
    )


@pytest.fixture
def admin(client, project):
    return signed_in(client, make_member(project, "alice", Role.ADMIN))


def test_it_is_text_on_every_page_and_in_every_export(admin, samples):
    shown = 0
    for pattern, names in PAGES:
        missing = [name for name in names if name not in samples]
        assert not missing, f"{pattern} has parameters without a sample: {missing}"
        for query in QUERIES.get(pattern, [""]):
            where = f"{pattern}?{query}".format(**samples)
            answer = admin.get(where, headers={"Accept": "text/html"}, follow=True)
            assert answer.status_code < 500, where
            if answer.status_code == 200:
                shown += 1
                assert_harmless(where, answer)

    assert shown > 30


def assert_harmless(where, answer):
    kind = answer["Content-Type"].partition(";")[0]
    if kind == "application/zip":
        assert "sandbox" in answer["Content-Security-Policy"]
        assert answer["Content-Disposition"].startswith("attachment")
        assert_entries_are_lines(b"".join(answer.streaming_content))
        return
    content = answer.content.decode()
    if FILES in where:
        # Whatever it says it is, a browser shows it as text.
        assert (kind, answer["X-Content-Type-Options"]) == ("text/plain", "nosniff")
        assert "sandbox" in answer["Content-Security-Policy"]
    elif where.partition("?")[0].endswith(EXACT):
        assert kind == "application/json"
        assert "sandbox" in answer["Content-Security-Policy"]
        assert answer["Content-Disposition"].startswith("attachment")
    elif kind == "text/html":
        assert "<img" not in content, where
        assert content.count("</title>") == len(re.findall(r"<title[ >]", content)), (
            where
        )
        hidden = [one for one in (BIDI, ZERO_WIDTH) if one in content]
        assert hidden == [], where
        assert len(content) < 1_000_000, where
    elif kind == "text/markdown":
        assert "sandbox" in answer["Content-Security-Policy"]
        assert answer["Content-Disposition"].startswith("attachment")
        # A sign that Markdown would read is behind a backslash.
        assert not re.search(r"(?<!\\)<(?:img|b)", content), where
    elif kind == "text/csv":
        for row in csv.reader(io.StringIO(content)):
            assert not [cell for cell in row if cell[:1] in "=+-@\t\r" and cell], where
    else:
        assert kind == "application/json"
        assert answer["Content-Disposition"].startswith("attachment")


def assert_entries_are_lines(data):
    """Names in an archive are ours; what others wrote is JSON in its lines."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            assert re.fullmatch(r"[A-Za-z0-9_./-]+", name), name
            assert all(map(json.loads, archive.read(name).splitlines())), name


def test_the_pages_say_what_is_hidden(admin, samples):
    at = "/console/{slug}/sessions/{session_id}/versions/1".format(**samples)

    page = admin.get(at).content.decode()

    title = html.unescape(re.search(r"<title>(.*?)</title>", page, re.DOTALL)[1])
    assert title.startswith("v1 · =1+1 <img src=x")
    assert "⟨U+202E⟩" in page
    assert "⟨U+200B⟩" in page
