"""An agent's data in the console: its keys as a tree, a key, and its history."""

import html
import re
from datetime import timedelta
from functools import partial

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.audit.models import AuditRecord
from apps.data import browsing
from apps.meaning.embedding import choosing
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.agent_pages import make_store, plain, row_heads
from tests.console.make import HTML, counted_queries, signed_in
from tests.data.conftest import made
from tests.retention.aged import enabled, swept

BIDI = "\u202e"
MARKUP = "<img src=x onerror=alert(1)>"


@pytest.fixture
def store(api):
    return make_store(api())


@pytest.fixture
def agent(store):
    return Agent.objects.get(external_id=store.agent)


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


@pytest.fixture
def look(viewer, project, agent):
    """Open one of the agent's pages."""

    def opened(name="agent_data", status=200, **query):
        address = reverse(f"console:{name}", args=[project.slug, agent.id])
        answer = viewer.get(address, query, headers=HTML)
        assert answer.status_code == status, answer.content.decode()
        return answer.content.decode()

    return opened


def test_keys_are_told_by_what_they_begin_with(store, look):
    values = {"user:1:seat": "a", "user:1:meal": "b", "user:2": "c", "b/x": "d"}
    made(store.batch([{"key": k, "value": v} for k, v in values.items()]))
    made(store.batch([{"key": k, "value": "top"} for k in ("a", "user", "zz")]))

    assert row_heads(look()) == ["a", "b/ …", "user", "user: …", "zz"]
    assert "user: … 3 keys" in plain(look())
    assert row_heads(look(under="user:")) == ["user:1: …", "user:2"]
    assert row_heads(look(under="user:1:")) == ["user:1:meal", "user:1:seat"]
    assert row_heads(look(under="us")) == ["user", "user: …"]
    assert row_heads(look(under="user:1:se")) == ["user:1:seat"]


def test_a_key_that_is_all_of_a_prefix_stands_among_those_behind_it(
    store,
    look,
):
    made(store.batch([{"key": k, "value": "v"} for k in ("a:", "a::b", "a:b", "a;")]))

    assert row_heads(look()) == ["a: …", "a;"]
    assert row_heads(look(under="a:")) == ["a:", "a:: …", "a:b"]


def test_every_key_is_met_once_whatever_the_page_is(project, store, agent):
    names = [
        "a",
        "a:",
        "a:b",
        "a:b/c",
        "a/b",
        "b",
        "b:1",
        "b:2",
        "c/",
        "c/d",
        "é:x",
        "~",
    ]
    made(store.batch([{"key": k, "value": "v"} for k in names]))
    act = act_in(Scope(project), now=timezone.now())

    def walked(prefix, limit):
        found, after = [], ""
        while after is not None:
            tree = browsing.browse(
                act=act, reference=agent.id, prefix=prefix, after=after, limit=limit
            )
            for node in tree.nodes:
                if hasattr(node, "prefix"):
                    below = walked(node.prefix, limit)
                    assert len(below) == node.keys
                    found += below
                else:
                    found.append(node.value.key)
            after = tree.after
        return found

    for limit in (1, 2, 3, 50):
        assert walked("", limit) == sorted(names, key=str.encode)


def test_a_row_says_value_size_end_and_who(store, look):
    made(store.policies(retention_by_prefix={"tmp:": 2}))
    made(store.write("tmp:x", "for two days" * 20))

    page = plain(look(under="tmp:"))

    assert "for two daysfor two days" in page
    assert "for two days" * 20 not in page
    assert "240 B" in page
    assert " in 1 d " in page
    assert " sb_" in page


def test_what_has_expired_is_not_listed(project, store, agent, look):
    made(store.policies(retention_days=1))
    made(store.write("a:1"))
    later = act_in(Scope(project), now=timezone.now() + timedelta(days=2))

    assert row_heads(look()) == ["a: …"]
    tree = browsing.browse(act=later, reference=agent.id, limit=10)
    assert (tree.nodes, tree.standing.keys) == ([], 0)


def test_a_key_has_its_value_and_its_history(store, look):
    made(store.write("seat", "aisle", reasoning="She said so"))
    made(store.write("seat", "window", metadata={"by": "form"}))
    made(store.delete("seat"))
    made(store.write("seat", "aisle"))

    page = look("agent_key", key="seat")

    assert "v4 Set" in plain(page)
    assert "v3 Removed" in plain(page)
    assert "<q>She said so</q>" in page
    assert '<pre class="json" tabindex="0"><bdi>aisle</bdi></pre>' in page
    assert "Nothing stood there before; since then:" in page
    removed = look("agent_key", key="seat", version=3)
    assert "This was removed:" in removed
    assert "<bdi>window</bdi>" in removed
    second = look("agent_key", key="seat", version=2)
    assert "<del><bdi><b>aisle</b></bdi></del>" in second
    assert "<ins><bdi><b>window</b></bdi></ins>" in second
    assert "/by" in second
    assert "form" in second


def test_json_is_compared_by_its_structure(store, look):
    made(store.write("user", '{"seat": "aisle", "meal": "none"}'))
    made(store.write("user", '{ "meal": "none", "seat": "window", "n": [1] }'))
    made(store.write("user", '{"meal":"none","seat":"window","n":[1]}'))

    page = look("agent_key", key="user", version=2)

    assert 'class="change change-changed"' in page
    assert "/seat" in page
    assert "/n" in page
    assert "/meal" not in page
    assert "means the same" in look("agent_key", key="user", version=3)


@pytest.mark.parametrize(
    "value",
    ["[" * 5000, '{"a": NaN}', "9" * 1_048_576, f"[{'9' * 5000}]", '"text"'],
)
def test_what_is_no_object_is_compared_line_by_line(store, look, value):
    made(store.write("x", "{}"))
    made(store.write("x", value))

    page = look("agent_key", key="x")

    assert 'class="pairs texts blame"' in page
    assert len(page) < 2_000_000


def test_a_megabyte_is_folded(store, look):
    made(store.write("long", "z" * 1_048_576))
    made(store.write("short", "y"))

    listed, page = look(), look("agent_key", key="long")

    assert "z" * 200 not in listed
    assert "This is the beginning." in page
    assert "<details open>" not in page
    assert len(page) < 1_000_000
    raw = look("agent_key", key="long", raw="on")
    assert len(raw) == 1_048_576


def test_history_goes_on_page_by_page(store, look):
    for number in range(23):
        made(store.write("n", str(number)))

    first = look("agent_key", key="n")
    last = look("agent_key", key="n", before=4)

    assert row_heads(first) == [f"v{n}" for n in range(23, 3, -1)]
    assert "before=4" in first
    assert row_heads(last) == ["v3", "v2", "v1"]
    assert "against v1" in plain(look("agent_key", key="n", before=4, version=2))
    assert "against v3" in plain(look("agent_key", key="n", version=4))


def test_versions_that_a_policy_removed_have_a_row_and_are_compared_with_nothing(
    project, store, look
):
    for value in ("first", "second", "third"):
        made(store.write("a", value))
    made(store.write("b", "other"))
    enabled(project, prune_days=7)
    swept(now=timezone.now() + timedelta(days=400))

    page = plain(look("agent_key", key="a"))
    assert "v1 to v2 were removed by a policy" in page
    assert "The version before it was removed by a policy" in page
    assert row_heads(look("agent_key", key="a")) == ["v3"]


def test_who_looks_is_recorded(project, agent, store, look):
    made(store.write("seat:1", "aisle"))
    made(store.write("seat:1", "window"))

    look(under="seat:")
    look("agent_key", key="seat:1")
    look("agent_key", key="seat:1", raw="on")

    seen = AuditRecord.objects.for_stream(agent.id).filter(actor_label="vera")
    assert [
        (one.action, one.resource_id, one.result) for one in seen.order_by("number")
    ] == [
        ("data.list", "seat:", "success"),
        ("data.read", "seat:1", "success"),
        ("data.read", "seat:1", "success"),
    ]


def test_reads_are_not_recorded_where_the_config_says_so(
    agent,
    store,
    look,
):
    made(store.configure({"audit": {"reads": False}}))

    look()
    page = look("agent_detail")

    assert not AuditRecord.objects.filter(actor_label="vera").exists()
    assert "Reads are not recorded" in page


@pytest.mark.parametrize("key", [f"{MARKUP}\"'&{BIDI}", "=1+1", "é ü/..x", "a%zz"])
def test_hostile_keys_and_values_are_text(store, look, key):
    evil = f"=HYPERLINK(1) {MARKUP}{BIDI}</pre></script>"
    made(store.write(key, evil, metadata={key: evil}, reasoning=evil))
    made(store.write(key, f"{evil}\n{evil}", reasoning=evil))

    for whole in (look(under=key), look("agent_key", key=key)):
        # A field has what was asked for as it is, to be changed.
        page = re.sub(r'<input[^>]*name="under"[^>]*>', "", whole)
        assert MARKUP not in page
        assert BIDI not in page
        assert "⟨U+202E⟩" in page
        assert html.escape(MARKUP) in page


def test_what_is_not_there_is_said_to_be_not_there(look, store):
    assert "keeps nothing yet" in look()
    made(store.write("x"))
    made(store.delete("x"))

    assert "keeps no keys now" in look()
    assert "No key begins with “y”" in look(under="y")
    assert "Nothing stands under this key now: removed" in plain(
        look("agent_key", key="x")
    )


@pytest.mark.parametrize(
    ("name", "query", "status"),
    [
        ("agent_key", {"key": "unknown"}, 404),
        ("agent_key", {"key": ""}, 302),
        ("agent_key", {}, 302),
        ("agent_key", {"key": "x" * 513}, 400),
        ("agent_key", {"key": "x", "version": "9"}, 404),
        ("agent_key", {"key": "x", "version": "-1"}, 400),
        ("agent_key", {"key": "x", "before": "soon"}, 400),
        ("agent_data", {"under": "x" * 513}, 400),
        ("agent_data", {"under": "a\0b"}, 400),
    ],
)
def test_what_is_no_key_is_refused(store, look, name, query, status):
    made(store.write("x"))

    look(name, status, **query)


@pytest.mark.parametrize("name", ["agent_data", "agent_audit", "agent_list"])
def test_a_filter_that_there_is_not_is_never_passed_over(
    store, viewer, project, agent, name
):
    args = [project.slug] if name == "agent_list" else [project.slug, agent.id]
    address = reverse(f"console:{name}", args=args)

    refused = viewer.get(address, {"prefix": "user:"}, headers=HTML)

    assert refused.status_code == 400
    assert "There is no filter prefix." in refused.content.decode()


def test_agents_of_others_are_not_found(viewer, project, other_project, make_key, api):
    theirs = make_store(api(make_key(project=other_project)))
    made(theirs.write("x"))
    agent = Agent.objects.get(external_id=theirs.agent)

    for reference in (agent.id, "agent_" + "0" * 26, "nobody"):
        for name in ("agent_data", "agent_key", "agent_detail"):
            address = reverse(f"console:{name}", args=[project.slug, reference])
            asked = {"key": "x"} if name == "agent_key" else {}
            assert viewer.get(address, asked).status_code == 404
            assert viewer.post(address, {"key": "x"}).status_code == 405
    assert not AuditRecord.objects.filter(actor_label="vera").exists()


def test_a_full_page_takes_as_many_statements_as_a_short_one(store, look):
    made(store.batch([{"key": k, "value": "v"} for k in ("a", "b:1")]))
    look()
    with counted_queries() as few:
        look()
    entries = [{"key": f"k{n}", "value": "v"} for n in range(20)]
    entries += [{"key": f"b{n}:{m}", "value": "v"} for n in range(20) for m in (1, 2)]
    made(store.batch(entries))
    with counted_queries() as many:
        look()

    assert len(many) == len(few)


def test_keys_are_found_by_what_they_mean(store, look, monkeypatch):
    values = {"user:1": "The customer wants his money back", "user:2": "aisle seat"}
    made(store.batch([{"key": k, "value": v} for k, v in values.items()]))

    found = look(words="asks for a refund")
    assert row_heads(found) == ["user:1"]
    assert "By what key and value mean" in found
    assert "literal=on" in found
    assert "says anything like that" in look(words="quarterly tax report")

    monkeypatch.setattr("apps.meaning.nearest.WAITING", 0)
    assert "2 values just written" in plain(look(words="asks for a refund"))


def test_without_a_model_the_words_are_looked_for_and_it_says_why(
    store, look, monkeypatch
):
    made(store.write("user:1", "aisle seat"))
    monkeypatch.setattr(choosing, "missing", lambda: "Its packages are missing.")
    monkeypatch.setattr(choosing, "_loaded", {})

    found = look(words="seat")

    assert row_heads(found) == ["user:1"]
    assert "in these words alone: Its packages are missing." in plain(found)


def test_keys_are_found_by_words(store, look, agent):
    values = {"user:1": "window seat", "user:2": "aisle seat", "note:seat": "none"}
    made(store.batch([{"key": k, "value": v} for k, v in values.items()]))
    look = partial(look, literal="on")

    found = look(words="Window SEAT")
    below = look(words="seat", under="user:")

    assert row_heads(found) == ["user:1", "note:seat", "user:2"]
    assert "user:1 window seat 100" in plain(found)
    assert row_heads(below) == ["user:1", "user:2"]
    assert "has any of these words" in look(words="nothing")
    assert "It has no word to look for." in look(words="?!", status=400)
    done = AuditRecord.objects.for_stream(agent.id).filter(action="data.search")
    assert [one.resource_id for one in done.order_by("number")] == ["", "user:", ""]


def test_a_search_says_where_it_stopped(store, look, monkeypatch):
    made(store.batch([{"key": f"k{n}", "value": "seat"} for n in range(4)]))
    monkeypatch.setattr("apps.data.operations.searching.MOST_KEYS", 3)

    assert "Not everything was looked at" in look(words="seat", literal="on")
    assert "as far as was looked" in look(words="nothing", literal="on")
