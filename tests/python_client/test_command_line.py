"""The command line against a real server, as a process where that matters."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from stepback import Stepback
from stepback.cli import trajectories
from stepback.cli.__main__ import main
from stepback.cli.output import value
from stepback.errors import SessionPaused
from tests.live import Server

SOURCE = Path(__file__).parents[2] / "clients" / "python" / "src"
README = SOURCE.parent / "README.md"


@pytest.fixture
def client(live: Server, secret: str) -> Any:
    with Stepback(secret, live.url) as made:
        yield made


@pytest.fixture
def trip(client: Stepback, agent_id: str) -> str:
    """A session that lost its destination in version 2."""
    made = client.sessions.create(agent_id, {"step": "start"})
    client.sessions.update_state(made.id, {"destination": "NYC"}, "User named it")
    client.sessions.update_state(made.id, {"destination": None}, "It was \x1b[31mlost")
    client.sessions.add_tool_call(made.id, "book", {"to": "NYC"}, "ok")
    return made.id


@pytest.fixture
def run(live: Server, secret: str, capsys: pytest.CaptureFixture[str]) -> Any:
    """`run("show", ...)` is what the command printed; it has to succeed."""

    def command(*arguments: str, status: int = 0) -> str:
        given = ["--url", live.url, "--key", secret, *arguments]
        assert main(given) == status, capsys.readouterr()
        printed = capsys.readouterr()
        return printed.err if status else printed.out

    return command


def told(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_search_says_how_far_it_looked(
    live: Server, secret: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--url", live.url, "--key", secret, "sessions", "state.nobody>3"]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "stepback: state.nobody>3: no index has numbers in order" in printed.err


def test_sessions_are_listed_and_searched(run: Any, trip: str, agent_id: str) -> None:
    assert trip in run("sessions", "--agent", agent_id)
    assert trip in run("sessions", f'agent:"{agent_id}" ever:state.destination=NYC')
    assert told(run("--json", "sessions", "--agent", agent_id))[0]["id"] == trip
    assert f"{agent_id[:-1]}: agent {agent_id}" in run("sessions", agent_id[:-1])


def test_a_search_drops_nothing_that_narrows_a_list(run: Any, trip: str) -> None:
    said = run("sessions", "NYC", "--external-id", "nobody", status=1)

    assert "--external-id is of a list: say it in the terms." in said


def test_a_version_is_shown_with_its_state(run: Any, trip: str) -> None:
    printed = run("show", trip, "1")

    assert "v1" in printed
    assert "User named it" in printed
    assert '"destination": "NYC"' in printed
    assert told(run("--json", "show", trip))[0]["version"] == 2


def test_what_agents_wrote_does_not_steer_the_terminal(run: Any, trip: str) -> None:
    printed = run("show", trip, "2")

    assert "\x1b" not in printed
    assert "\N{REPLACEMENT CHARACTER}[31mlost" in printed


def test_differences_and_blame(run: Any, trip: str) -> None:
    assert '~ /destination  "NYC" → null' in run("diff", trip, "1", "2")
    blamed = run("blame", trip, "/destination")
    assert blamed.index("v2") < blamed.index("v1")
    assert "User named it" in blamed
    assert told(run("--json", "diff", trip, "0"))[0]["to_version"] == 2


def test_since_when_a_check_fails(run: Any, trip: str) -> None:
    printed = run("bisect", trip, "state.destination=NYC")
    assert printed.index("v2  fails") < printed.index("v1  holds")
    assert "User named it" in printed
    part = run("bisect", trip, "state.destination=NYC", "--from", "1")
    assert "v1" not in part
    assert run("bisect", trip, "there:state") == "No version turned it.\n"
    (found,) = told(run("--json", "bisect", trip, "there:state", "--all", "--to", "1"))
    assert (found["lineage"], found["versions"]) == ("all", 2)


def test_what_was_set_aside_is_told_where_nothing_turned_a_check(
    run: Any, trip: str
) -> None:
    run("rollback", trip, "1", "--reason", "lost")

    printed = run("bisect", trip, "state.destination=NYC", "--from", "1")

    assert printed == (
        "No version turned it.\n"
        "Set aside by rollbacks and not looked into (--all does): 1.\n"
    )
    assert "v2  fails" in run("bisect", trip, "state.destination=NYC", "--all")


def test_a_dry_run_tells_what_a_rollback_does_and_does_nothing(
    run: Any, trip: str, client: Stepback
) -> None:
    printed = run("rollback", trip, "1", "--dry-run")

    assert "From v2 back to v1" in printed
    assert "book" in printed
    assert "Sets aside 1 versions" in printed
    assert "may already be part" not in printed
    assert client.sessions.get(trip).version == 2
    client.sessions.update_state(trip, {"paid": True})
    to_it = run("rollback", trip, "2", "--dry-run")
    assert "has happened already and may already be part of v2" in to_it
    client.sessions.update_state(trip, {"paid": False})
    to_later = run("rollback", trip, "3", "--dry-run")
    assert "No tool call is recorded since v3." in to_later


def test_a_dry_run_tells_onto_which_other_code_the_state_would_go(
    run: Any, trip: str, client: Stepback
) -> None:
    client.sessions.update_state(trip, {"n": 1}, release="1\x1b[31m")
    client.sessions.update_state(trip, {"n": 2}, release="2")

    printed = run("rollback", trip, "3", "--dry-run")

    assert "! Its release is 1" in printed
    assert "the agent writes with 2 by now." in printed
    assert "\x1b" not in printed


@pytest.mark.parametrize(
    ("verb", "more"), [("rollback", ["3"]), ("fork", ["3"]), ("resume", [])]
)
def test_onto_which_other_code_it_goes_is_told_before_it_is_done(
    run: Any, trip: str, client: Stepback, agent_id: str, verb: str, more: list[str]
) -> None:
    client.sessions.update_state(trip, {"n": 1}, release="1\x1b[31m")
    client.sessions.pause(trip)
    client.sessions.create(agent_id, {"n": 2}, release="2")

    said, *done = run(verb, trip, *more).splitlines()

    assert said.startswith("! Its release is 1")
    assert said.endswith("the agent writes with 2 by now.")
    assert "\x1b" not in said
    assert len(done) == 1


def test_a_rollback_and_a_fork(run: Any, trip: str, client: Stepback) -> None:
    done = run("rollback", trip, "1", "--reason", "lost", "--hold")
    fork = told(run("--json", "fork", trip, "2", "--reason", "why?"))[0]

    assert done == "v3 shows the state of v1, verified; v2 stays.\n"
    assert client.sessions.get(trip).status == "paused"
    assert fork["state"] == {"step": "start", "destination": None}


def test_a_session_is_paused_and_resumed(run: Any, trip: str, client: Stepback) -> None:
    paused = run("pause", trip, "--reason", "look into it")
    assert paused.startswith(f"v3: {trip} is paused")
    assert client.sessions.get(trip).status == "paused"
    assert client.sessions.get_version(trip, 3).reasoning == "look into it"
    with pytest.raises(SessionPaused):
        client.sessions.update_state(trip, {"step": "no"})
    assert "paused already" in run("pause", trip, status=1)

    (resumed,) = told(run("--json", "resume", trip))

    assert (resumed["version"], resumed["hold"]) == (4, "open")
    assert client.sessions.get(trip).status == "active"
    assert "Only a paused session" in run("resume", trip, status=1)


def test_a_rollback_is_taken_back(run: Any, trip: str, client: Stepback) -> None:
    run("rollback", trip, "1")

    undone = run("undo", trip, "--reason", "it was fine")

    assert undone == ("v4 undoes the rollback v3: it shows the state of v2.\n")
    version = client.sessions.get_version(trip, 4)
    assert version.state["destination"] is None
    assert (version.undo_of, version.reasoning) == (3, "it was fine")


def test_an_older_rollback_is_taken_back_by_its_number(
    run: Any, trip: str, client: Stepback
) -> None:
    run("rollback", trip, "1")
    client.sessions.update_state(trip, {"step": "later"})

    (undone,) = told(run("--json", "undo", trip, "3"))

    assert (undone["version"], undone["restored_from_version"]) == (5, 2)
    assert client.sessions.get_version(trip, 5).undo_of == 3


def test_what_is_no_rollback_is_not_taken_back(
    run: Any, trip: str, client: Stepback
) -> None:
    assert "no rollback" in run("undo", trip, status=1)
    assert "no rollback" in run("undo", trip, "1", status=1)
    assert client.sessions.get(trip).version == 2


def test_a_version_is_labelled_and_the_label_taken_away(
    run: Any, trip: str, client: Stepback
) -> None:
    assert run("label", trip, "1", "known-good") == "v1 is labelled known-good.\n"
    assert client.sessions.get_version(trip, 1).raw["labels"] == ["known-good"]

    (removed,) = told(run("--json", "label", trip, "1", "known-good", "--remove"))

    assert removed == {
        "session_id": trip,
        "version": 1,
        "label": "known-good",
        "removed": True,
    }
    assert client.sessions.get_version(trip, 1).raw["labels"] == []
    assert "does not carry" in run(
        "label", trip, "1", "known-good", "--remove", status=1
    )


def test_notes_are_written_and_listed(run: Any, trip: str, client: Stepback) -> None:
    run("note", trip, "Called the\ncustomer \x1b[31mback")
    (made,) = told(run("--json", "note", trip, "Lost it here", "--version", "2"))

    listed = run("note", trip).splitlines()

    assert (made["version"], made["text"]) == (2, "Lost it here")
    assert listed[0].endswith("on v2: Lost it here")
    assert "on the session: Called the customer" in listed[1]
    assert "\x1b" not in listed[1]
    assert run("note", trip, "--version", "2").splitlines() == listed[:1]
    assert client.sessions.list_notes(trip).data[0].text == "Lost it here"


def test_a_versions_notes_are_found_behind_newer_ones(
    run: Any, trip: str, client: Stepback
) -> None:
    client.sessions.add_note(trip, "The oldest", version=1)
    for number in range(3):
        client.sessions.add_note(trip, f"The session's {number}")

    assert run("note", trip, "--limit", "2").count("on the session") == 2
    assert "The oldest" in run("note", trip, "--version", "1", "--limit", "2")
    assert run("note", trip, "--version", "1", "--limit", "0") == ""


def test_a_session_is_reviewed_scored_and_listed_by_it(
    run: Any, trip: str, client: Stepback
) -> None:
    name = f"reward of {trip}"
    assert run("score", trip, name, "0.25") == (f"{trip} is scored: {name} is 0.25.\n")
    (reviewed,) = told(run("--json", "review", trip, "failed", "--why", "No refund."))

    listed = run("sessions", "--review", "failed", "--score", f"{name}<0.5")

    assert (reviewed["outcome"], reviewed["why"]) == ("failed", "No refund.")
    assert [line.split()[0] for line in listed.splitlines()] == [trip]
    assert client.sessions.get(trip).review == "failed"
    assert "JSON" in run("score", trip, "reward", "nan", status=1)


def test_the_rollback_rate_is_told(
    run: Any, trip: str, client: Stepback, agent_id: str
) -> None:
    client.sessions.create(agent_id, {"step": "other"})
    run("rollback", trip, "1")
    run("undo", trip)

    printed = run("metrics", "--agent", agent_id)
    (figures,) = told(run("--json", "metrics", "--agent", agent_id, "--window", "7d"))

    assert "Rollback rate 50.0 % (unknown): 1 of 2 sessions" in printed
    assert "Rollbacks 1, taken back 1, repeated 0" in printed
    assert "A rollback set 1.0 versions aside" in printed
    assert (figures["window"], figures["figures"]["rollbacks"]) == ("7d", 1)


def test_the_rollback_rate_is_told_of_each(
    run: Any, trip: str, client: Stepback, agent_id: str
) -> None:
    client.sessions.update_state(trip, {"step": "new"}, release="r7")
    client.sessions.rollback(trip, 2, reason_code="wrong_state")

    def by(name: str) -> str:
        return str(run("metrics", "--by", name, "--agent", agent_id))

    assert by("agent") == f"{agent_id}  100.0 %  1 of 1 sessions\n"
    assert "r7  100.0 %  1 of 1 sessions" in by("release")
    assert "not told  0.0 %  0 of 1 sessions" in by("release")
    assert "wrong_state  100.0 %  1 of 1 sessions" in by("reason")
    assert "key:" in by("actor")
    assert by("tool") == "book  0 of 1 calls failed\n"
    rows = told(run("--json", "metrics", "--by", "release", "--agent", agent_id))
    assert {row["value"] for row in rows} == {"r7", ""}


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        (("metrics", "--limit", "5"), "--limit"),
        (("metrics", "--window", "7d", "--from", "2026-01-01"), "--window"),
        (("metrics", "--window", "24h", "--from", "2026-01-01"), "--window"),
        (("budgets", "calls", "5", "--limit", "5"), "--limit"),
        (("note", "sess_1", "a note", "--limit", "5"), "--limit"),
        (("migrate", "sess_1", "2", "--dry-run", "--reason", "r"), "--reason"),
        (("rollback", "sess_1", "1", "--dry-run", "--reason", "r"), "--reason"),
        (("rollback", "sess_1", "1", "--dry-run", "--hold"), "--hold"),
    ],
)
def test_an_option_that_would_be_dropped_is_refused(
    run: Any, asked: tuple[str, ...], named: str
) -> None:
    assert f"stepback: {named}" in run(*asked, status=1)


def test_a_list_that_goes_on_says_so(run: Any, trip: str, client: Stepback) -> None:
    agent_id = client.sessions.get(trip).agent_id
    client.sessions.create(agent_id)

    for asked in (("--agent", agent_id), (f"agent:{agent_id}",)):
        assert "there are more" in run("sessions", *asked, "--limit", "1")
        assert "there are more" not in run("sessions", *asked)


def test_a_list_of_notes_that_goes_on_says_so(
    run: Any, trip: str, client: Stepback
) -> None:
    for number in range(2):
        client.sessions.add_note(trip, f"Note {number}", version=1)

    for asked in (("note", trip), ("note", trip, "--version", "1")):
        first, more = run(*asked, "--limit", "1").splitlines()
        assert ("Note 1" in first, more) == (True, "… there are more")
        assert "there are more" not in run(*asked)


def test_a_time_that_cannot_be_read_is_refused(run: Any) -> None:
    assert "from" in run("metrics", "--from", "yesterday", status=1)
    assert run("metrics", "--from", "2026-01-01", "--to", "2026-01-02")


def test_long_texts_are_told_where_they_differ(
    run: Any, client: Stepback, agent_id: str
) -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    text = "All rooms face the sea. " * 40
    made = client.sessions.create(agent_id, {"note": f"{text}It is open {family}."})
    client.sessions.update_state(made.id, {"note": f"{text}It is closed {family}."})

    for printed in (
        run("diff", made.id, "0"),
        run("blame", made.id, "/note"),
        run("tail", made.id, "--since", "0", "--count", "1"),
    ):
        assert f"It is open {family}." in printed
        assert f"It is closed {family}." in printed
        assert "(differs at character 967)" in printed


@pytest.mark.parametrize("length", range(190, 200))
def test_no_emoji_is_cut_in_two(length: int) -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"

    shown = value("x" * length + family + "y" * 20)

    assert "\u200d" not in shown.replace(family, "")


def test_tail_prints_what_comes_until_there_was_enough(
    run: Any, trip: str, client: Stepback
) -> None:
    versions = told(run("--json", "tail", trip, "--since", "0", "--count", "2"))

    assert [one["version"] for one in versions] == [1, 2]


def test_tail_prints_more_than_one_page_may_hold(
    run: Any, trip: str, client: Stepback
) -> None:
    steps: list[Any] = [{"op": "update", "state": {"n": n}} for n in range(49)]
    for _ in range(3):
        client.sessions.append_batch(trip, steps)

    versions = told(run("--json", "tail", trip, "--since", "0", "--count", "120"))

    assert [one["version"] for one in versions] == list(range(1, 121))


def test_tail_follows_a_session_while_it_goes_on(
    live: Server, secret: str, trip: str, client: Stepback
) -> None:
    command = [sys.executable, "-m", "stepback.cli", "--url", live.url, "--key", secret]
    command += ["--json", "tail", trip, "--count", "2", "--interval", "0.05"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": str(SOURCE)}
    ) as process:
        assert process.stdout is not None
        # It begins with the head that it finds: write until it has seen enough.
        lines: list[str] = []
        reader = threading.Thread(target=lambda: lines.extend(process.stdout or ()))
        reader.start()
        for number in range(600):
            client.sessions.update_state(trip, {"n": number})
            reader.join(timeout=0.2)
            if not reader.is_alive():
                break
        assert process.wait(timeout=60) == 0
        reader.join()
        seen = [json.loads(line)["version"] for line in lines]
    assert len(seen) == 2
    assert seen[1] == seen[0] + 1


def test_an_export_is_whole_and_says_so(
    run: Any, trip: str, client: Stepback, tmp_path: Path
) -> None:
    file = tmp_path / "trip.jsonl"

    printed = run("export", trip, str(file))

    lines = told(file.read_text())
    assert printed == f"Wrote 3 versions and 1 turns to {file}.\n"
    kinds = [one["type"] for one in lines]
    assert kinds == ["header", "version", "version", "version", "turn", "trailer"]
    assert lines[0]["session"]["id"] == trip
    assert [one["state"]["step"] for one in lines[1:4]] == ["start"] * 3
    assert lines[-1]["chain_end"] == client.sessions.verify(trip).chain_end
    assert "is whole: 3 versions, 1 turns." in run("check", str(file))
    assert told(run("export", trip))[-1] == lines[-1]
    assert "exists" in run("export", trip, str(file), status=1)


def test_a_file_is_checked_without_a_key(
    run: Any,
    trip: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("STEPBACK_API_KEY", raising=False)
    file = tmp_path / "trip.jsonl"
    run("export", trip, str(file))

    assert main(["check", str(file)]) == 0
    assert "is whole" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text.replace('"NYC"', '"LAX"'), "was changed"),
        (lambda text: text[: text.rindex('{"type":"trailer"')], "has no trailer"),
        (lambda text: text.replace("stepback-trajectory/1", "other"), "begin"),
        (lambda text: text[:-10], "no JSON"),
        (lambda text: "[]\n" + text, "no object"),
    ],
)
def test_a_damaged_export_is_told(
    run: Any, trip: str, tmp_path: Path, damage: Any, said: str
) -> None:
    file = tmp_path / "trip.jsonl"
    run("export", trip, str(file))
    file.write_text(damage(file.read_text()))

    assert said in run("check", str(file), status=1)


def test_an_export_that_fails_leaves_no_file(
    run: Any, trip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "trip.jsonl"
    assert "no such session" in run("export", "sess_nobody", str(file), status=1)
    assert not file.exists()

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(trajectories, "_turns", interrupted)
        run("export", trip, str(file), status=130)
    assert not file.exists()

    file.write_text("kept")
    assert "exists" in run("export", trip, str(file), status=1)
    assert file.read_text() == "kept"


RUN = {
    "run": "airline-7",
    "model": "m-1",
    "reward": 0.0,
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Cancel ABC123"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "cancel", "arguments": '{"id": "ABC123"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "cancelled"},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "Thanks"},
    ],
}


def test_recorded_runs_become_sessions_and_once_only(
    run: Any, client: Stepback, tmp_path: Path, agent_id: str
) -> None:
    file = tmp_path / "runs.jsonl"
    other = {"messages": [{"role": "user", "content": "Hello?"}]}
    file.write_text(json.dumps(RUN) + "\n\n" + json.dumps(other) + "\n")
    command = ("--json", "post", str(file), "--agent", agent_id, "--prefix", agent_id)

    first, again = told(run(*command)), told(run(*command))

    assert [one["outcome"] for one in first] == ["posted", "posted"]
    assert [one["outcome"] for one in again] == ["was there", "was there"]
    session = client.sessions.get(first[0]["session_id"])
    assert (session.external_id, session.version) == (f"{agent_id}airline-7", 3)
    assert session.metadata["reward"] == 0.0
    called = client.sessions.checkpoint(session.id, 1)
    assert called.state["called"] == [{"name": "cancel", "arguments": {"id": "ABC123"}}]
    assert called.tool_results == {"c1": "cancelled"}
    assert (called.reasoning, called.model) == ("Called cancel", "m-1")
    assert client.sessions.checkpoint(session.id).messages == RUN["messages"]
    assert session.title == "Cancel ABC123"
    assert client.sessions.get_state(session.id).state == {
        "step": 3,
        "asked": "Thanks",
        "said": "Done.",
        "called": [{"name": "cancel", "arguments": {"id": "ABC123"}}],
    }


def test_a_step_that_says_little_does_not_look_like_a_loss(
    run: Any, client: Stepback, tmp_path: Path, agent_id: str
) -> None:
    said = ["word " * 200, "Yes", {"type": "text", "text": "ok " * 200}]
    messages = [
        {"role": role, "content": [one] if isinstance(one, dict) else one}
        for one in said
        for role in ("user", "assistant")
    ]
    file = tmp_path / "runs.jsonl"
    file.write_text(json.dumps({"messages": messages}))

    (posted,) = told(run("--json", "post", str(file), "--agent", agent_id))

    versions = client.sessions.list_versions(posted["session_id"]).data
    assert [one.flags for one in versions] == [[]] * 4
    title = client.sessions.get(posted["session_id"]).title
    assert title is not None
    assert title.endswith("word…")
    assert len(title) <= 81


def test_a_run_that_was_cut_off_is_gone_on_with(
    run: Any, client: Stepback, tmp_path: Path, agent_id: str
) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(json.dumps(RUN))
    name, cut = f"{agent_id}airline-7", tmp_path / "cut.jsonl"
    cut.write_text(json.dumps(RUN | {"messages": RUN["messages"][:4]}))
    run("post", str(cut), "--agent", agent_id, "--prefix", agent_id)
    (begun,) = client.sessions.list(external_id=name).data
    assert begun.version == 1

    (posted,) = told(
        run("--json", "post", str(file), "--agent", agent_id, "--prefix", agent_id)
    )

    assert (posted["outcome"], posted["versions"]) == ("posted", 3)


def test_a_run_is_not_mixed_into_a_session_of_the_same_name(
    run: Any, client: Stepback, tmp_path: Path, agent_id: str
) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(json.dumps(RUN))
    name = f"{agent_id}airline-7"
    theirs = client.sessions.create(agent_id, {"seat": None}, external_id=name)
    client.sessions.update_state(theirs.id, {"seat": "12A"})

    command = ("post", str(file), "--agent", agent_id, "--prefix", agent_id)
    assert "is not of this run" in run(*command, status=1)
    assert client.sessions.get_state(theirs.id).state == {"seat": "12A"}


@pytest.mark.parametrize(
    "line",
    [
        *("no json", "[]", "{}", '{"messages": [1]}', "[" * 200_000),
        '{"messages": [{"role": "assistant", "tool_calls": 5}]}',
    ],
)
def test_a_line_that_is_no_run_is_named(run: Any, tmp_path: Path, line: str) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(line)

    assert "Line 1" in run("post", str(file), status=1)


def test_a_call_of_another_form_is_no_failure(
    run: Any, client: Stepback, tmp_path: Path, agent_id: str
) -> None:
    file = tmp_path / "runs.jsonl"
    calls = [{"function": "cancel"}, {"function": ["cancel"]}, None]
    message = {"role": "assistant", "tool_calls": calls}
    file.write_text(json.dumps({"messages": [message]}))

    (posted,) = told(run("--json", "post", str(file), "--agent", agent_id))

    state = client.sessions.get_state(posted["session_id"]).state
    assert state["called"] == [{"name": None, "arguments": None}] * 3


def test_what_the_server_refuses_is_told_in_a_line(run: Any) -> None:
    said = run("show", "sess_nobody", status=1)

    # The tests' own log may stand before it.
    assert said.splitlines()[-1].startswith("stepback: There is no such session")


def process(
    live: Server, secret: str, *arguments: str, **variables: str
) -> subprocess.Popen[bytes]:
    """Start the command as people do: what it needs stands in the environment."""
    told = {"STEPBACK_URL": live.url, "STEPBACK_API_KEY": secret}
    return subprocess.Popen(
        [sys.executable, "-m", "stepback.cli", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": str(SOURCE), **told, **variables},
    )


def test_each_command_does_its_work_as_a_process(
    live: Server, secret: str, trip: str, client: Stepback, tmp_path: Path
) -> None:
    file, runs = tmp_path / "trip.jsonl", tmp_path / "runs.jsonl"
    runs.write_text(json.dumps({"id": trip, "messages": RUN["messages"]}))

    def printed(*arguments: str) -> str:
        ended = process(live, secret, *arguments)
        out, said = ended.communicate(timeout=300)
        assert (ended.returncode, said) == (0, b""), said
        return out.decode()

    assert trip in printed("sessions", f"session:{trip}")
    assert "From v2 back to v1" in printed("rollback", trip, "1", "--dry-run")
    assert client.sessions.get(trip).version == 2
    assert "v3 shows the state of v1" in printed("rollback", trip, "1")
    assert client.sessions.get(trip).state["destination"] == "NYC"
    assert "v4 undoes the rollback v3" in printed("undo", trip)
    assert client.sessions.get(trip).state["destination"] is None
    assert "is paused" in printed("pause", trip)
    assert "is resumed" in printed("resume", trip)
    assert "is labelled" in printed("label", trip, "1", "known-good")
    assert "Seen." in printed("note", trip, "Seen.")
    assert "is reviewed: fine" in printed("review", trip, "fine")
    assert "is scored: success is 1" in printed("score", trip, "success", "1")
    assert "Rollback rate" in printed("metrics")
    assert "is a fork of" in printed("fork", trip, "2")
    assert "Wrote 7 versions" in printed("export", trip, str(file))
    assert "is whole: 7 versions" in printed("check", str(file))
    assert "posted" in printed("post", str(runs))
    assert client.sessions.list(external_id=trip).data[0].version == 3


def test_a_process_that_is_refused_says_so_and_fails(live: Server) -> None:
    ended = process(live, "sb_nobody", "sessions")

    out, said = ended.communicate(timeout=300)

    assert (ended.returncode, out) == (1, b"")
    assert said.startswith(b"stepback: ")
    assert b"Traceback" not in said


def test_who_reads_no_further_is_told_nothing(
    live: Server, secret: str, trip: str, client: Stepback
) -> None:
    for letter in "abc":
        client.sessions.update_state(trip, {"text": letter * 200_000})
    for command in (("export", trip), ("--json", "show", trip)):
        started = process(live, secret, *command)
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.read(1)
        started.stdout.close()

        assert (started.wait(timeout=300), started.stderr.read()) == (141, b"")
        started.stderr.close()


def test_an_address_that_is_none_is_told_in_a_line(live: Server) -> None:
    ended = process(live, "sb_key", "--url", "http://[::1", "sessions")

    _, said = ended.communicate(timeout=300)

    assert ended.returncode == 1
    assert said.startswith(b"stepback: 'http://[::1' is no address: ")


def on_terminal(live: Server, secret: str, *arguments: str, **variables: str) -> str:
    """Return what the command shows on a terminal of its own."""
    ours, its = pty.openpty()
    told = {"STEPBACK_URL": live.url, "STEPBACK_API_KEY": secret, **variables}
    with subprocess.Popen(
        [sys.executable, "-m", "stepback.cli", *arguments],
        stdin=its,
        stdout=its,
        stderr=its,
        env={"PYTHONPATH": str(SOURCE), **told},
    ) as started:
        os.close(its)
        shown = b""
        # Linux tells the end of a terminal as an error.
        with contextlib.suppress(OSError):
            while more := os.read(ours, 65_536):
                shown += more
        assert started.wait(timeout=300) == 0, shown
    os.close(ours)
    return shown.decode()


def test_a_terminal_gets_colours_and_progress(
    live: Server, secret: str, trip: str, tmp_path: Path
) -> None:
    shown = on_terminal(live, secret, "diff", trip, "1", "2")
    plain = on_terminal(live, secret, "diff", trip, "1", "2", NO_COLOR="1")
    as_json = on_terminal(live, secret, "--json", "diff", trip, "1", "2")
    counted = on_terminal(live, secret, "export", trip, str(tmp_path / "t.jsonl"))

    assert "\x1b[33m~ /destination\x1b[0m" in shown
    assert '\x1b[2m"NYC" → null\x1b[0m' in shown
    assert "~ /destination" in plain
    assert "\x1b" not in plain + as_json
    assert "versions: 3/3" in counted


def test_what_an_agent_wrote_does_not_steer_a_terminal_either(
    live: Server, secret: str, trip: str
) -> None:
    shown = on_terminal(live, secret, "show", trip, "2")

    assert "\x1b[1mv2\x1b[0m" in shown
    assert "\x1b[31mlost" not in shown
    assert "\N{REPLACEMENT CHARACTER}[31mlost" in shown


def test_the_readme_has_a_line_for_each_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    offered = re.findall(r"^    ([\w-]+) ", capsys.readouterr().out, re.MULTILINE)

    rows = re.findall(r"^\| (`stepback .*?) \|", README.read_text(), re.MULTILINE)
    told_of = set(re.findall(r"`stepback ([\w-]+)", "\n".join(rows)))

    assert set(offered) == told_of
    assert len(offered) == 27
