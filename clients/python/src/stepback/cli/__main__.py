"""`stepback`: look at sessions, step them back, and carry them out and in."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from stepback._sync.client import Stepback
from stepback.cli import (
    acting,
    bundling,
    commands,
    continuing,
    exporting,
    figures,
    options,
    posting,
    proving,
    trajectories,
)
from stepback.cli.output import Output
from stepback.errors import StepbackError

STOPPED = 130
# As of a command that the pipe's end has stopped.
UNHEARD = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status: 1 where the server or a file refused."""
    asked = _parser().parse_args(arguments)
    is_terminal = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    output = Output(sys.stdout, as_json=asked.json, colours=is_terminal)
    try:
        if asked.offline:
            asked.run(asked, output)
            return 0
        with Stepback(asked.key, asked.url) as client:
            asked.run(client, asked, output)
    except BrokenPipeError:
        # Nobody reads on, as behind `head`: what is buffered is for nobody, too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNHEARD
    except (StepbackError, ValueError, OSError) as error:
        print(f"stepback: {error}", file=sys.stderr)  # noqa: T201 - it is a command
        return 1
    except KeyboardInterrupt:
        return STOPPED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="stepback", description=__doc__)
    parser.add_argument("--url", help="the server (STEPBACK_URL)")
    parser.add_argument("--key", help="the API key (STEPBACK_API_KEY)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(offline=False)
    verbs = parser.add_subparsers(required=True, metavar="COMMAND")
    _looking(verbs)
    _acting(verbs)
    _holding(verbs)
    _writing(verbs)
    _counting(verbs)
    _carrying(verbs)
    _taking_out(verbs)
    _proving(verbs)
    _continuing(verbs)
    options.add_declaring(verbs)
    return parser


def _looking(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    listed = verbs.add_parser("sessions", help="list or search sessions")
    listed.add_argument("query", nargs="?", help="terms of the search, all to be met")
    for name in ("agent", "user", "status", "external-id"):
        listed.add_argument(f"--{name}")
    listed.add_argument("--review", choices=("fine", "failed", "none"))
    listed.add_argument("--score", help="a comparison, such as 'reward<0.5'")
    listed.add_argument("--limit", type=int, default=20)
    listed.set_defaults(run=commands.sessions)

    show = verbs.add_parser("show", help="one version, with its state")
    show.add_argument("session")
    show.add_argument("version", nargs="?", type=int, help="the head if left out")
    show.set_defaults(run=commands.show)

    diff = verbs.add_parser("diff", help="what differs between two versions")
    diff.add_argument("session")
    diff.add_argument("from_version", type=int, metavar="FROM")
    diff.add_argument("to_version", type=int, nargs="?", metavar="TO")
    diff.add_argument("--other", help="the session that TO is a version of")
    diff.set_defaults(run=commands.diff)

    blame = verbs.add_parser("blame", help="who set a value, and why")
    blame.add_argument("session")
    blame.add_argument("pointer", help="a JSON pointer, such as /order/id")
    blame.add_argument("--version", type=int)
    blame.add_argument("--limit", type=int, default=10)
    blame.set_defaults(run=commands.blame)

    bisect = verbs.add_parser("bisect", help="since when a check fails")
    bisect.add_argument("session")
    bisect.add_argument("check", help="what should hold, such as 'state.total<=1500'")
    bisect.add_argument("--from", dest="first", type=int, metavar="VERSION")
    bisect.add_argument("--to", dest="last", type=int, metavar="VERSION")
    bisect.add_argument("--all", action="store_true", help="also what was set aside")
    bisect.add_argument("--limit", type=int, default=50)
    bisect.set_defaults(run=commands.bisect)

    tail = verbs.add_parser("tail", help="versions as they are made")
    tail.add_argument("session")
    tail.add_argument("--since", type=int, help="begin after this version")
    tail.add_argument("--count", type=int, help="end after so many versions")
    tail.add_argument("--interval", type=float, default=1.0, help="seconds")
    tail.set_defaults(run=commands.tail)


def _acting(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    rollback = verbs.add_parser("rollback", help="step back to a version")
    rollback.add_argument("session")
    rollback.add_argument("version", type=int, help="-1 is the one before the head")
    rollback.add_argument(
        "--dry-run", action="store_true", help="only tell what it does"
    )
    rollback.add_argument("--reason")
    rollback.add_argument("--hold", action="store_true", help="pause the session, too")
    rollback.set_defaults(run=commands.rollback)

    fork = verbs.add_parser("fork", help="a new session from any version")
    fork.add_argument("session")
    fork.add_argument("version", type=int, nargs="?")
    fork.add_argument("--external-id")
    fork.add_argument("--reason")
    fork.set_defaults(run=commands.fork)


def _holding(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    pause = verbs.add_parser("pause", help="refuse agents' writes until resumed")
    pause.set_defaults(run=acting.pause)
    resume = verbs.add_parser("resume", help="let agents write again")
    resume.set_defaults(run=acting.resume)
    for one in (pause, resume):
        one.add_argument("session")
        one.add_argument("--reason")

    undo = verbs.add_parser("undo", help="take a rollback back")
    undo.add_argument("session")
    undo.add_argument(
        "version",
        type=int,
        nargs="?",
        help="the rollback's number; else the head",
    )
    undo.add_argument("--reason")
    undo.set_defaults(run=acting.undo)


def _writing(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    label = verbs.add_parser("label", help="give a version a label")
    label.add_argument("session")
    label.add_argument("version", type=int)
    label.add_argument("label", help="a name, such as known-good")
    label.add_argument("--remove", action="store_true", help="take it away instead")
    label.set_defaults(run=acting.label)

    note = verbs.add_parser("note", help="write a note, or list the notes")
    note.add_argument("session")
    note.add_argument("text", nargs="?", help="the note; lists them if left out")
    note.add_argument("--version", type=int, help="the version that it is about")
    note.add_argument("--limit", type=int, help="list so many at most, 20 if left out")
    note.set_defaults(run=acting.note)

    review = verbs.add_parser("review", help="say how a session went")
    review.add_argument("session")
    review.add_argument("outcome", choices=("fine", "failed"))
    review.add_argument("--why")
    review.set_defaults(run=acting.review)

    score = verbs.add_parser("score", help="give a session a score")
    score.add_argument("session")
    score.add_argument("name", help="what is scored, such as success")
    score.add_argument("value", type=float)
    score.set_defaults(run=acting.score)


def _counting(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    found = verbs.add_parser("metrics", help="the rollback rate, and what goes with it")
    found.add_argument("--window", help="up to now: 1h, 24h (the default), 7d or 30d")
    found.add_argument("--from", dest="start", help="a time instead, in ISO 8601")
    found.add_argument("--to", dest="end", help="now if left out")
    found.add_argument("--agent", help="of one agent alone")
    found.add_argument("--by", choices=figures.BY, help="each of these by itself")
    found.add_argument("--limit", type=int, help="of --by, so many at most")
    found.set_defaults(run=figures.metrics)


def _carrying(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    export = verbs.add_parser("export", help="a whole session, as a file")
    export.add_argument("session")
    export.add_argument(
        "file", nargs="?", type=Path, help="standard output if left out"
    )
    export.add_argument(
        "--with-effects", action="store_true", help="a bundle, to be replayed"
    )
    export.add_argument(
        "--mask",
        action="append",
        metavar="POINTER",
        help="of a bundle: hide what stands there, and every copy of it",
    )
    export.add_argument(
        "--check", action="append", help="of a bundle: what decides its replay"
    )
    export.add_argument("--version", type=int, help="of a bundle: its last version")
    export.set_defaults(run=bundling.export)

    check = verbs.add_parser("check", help="whether an exported file is whole")
    check.add_argument("file", type=Path)
    check.set_defaults(run=trajectories.check, offline=True)

    replay = verbs.add_parser("replay", help="run an agent against a bundle, offline")
    replay.add_argument("file", type=Path)
    replay.add_argument(
        "--agent", required=True, help="module:function, or module:graph of LangGraph"
    )
    replay.add_argument(
        "--check", action="append", default=[], help="what should hold in the end"
    )
    replay.add_argument("--sha256", help="refuse a file of another digest")
    replay.set_defaults(run=bundling.replay, offline=True)

    post = verbs.add_parser("post", help="recorded runs, a session for each")
    post.add_argument("file", type=Path, help="JSON lines with OpenAI messages")
    post.add_argument("--agent", default="recorded")
    post.add_argument("--prefix", default="", help="before the runs' names")
    post.set_defaults(run=posting.post)


def _taking_out(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    out = verbs.add_parser(
        "take-out", help="conversations, records, a session or a person, as a file"
    )
    out.add_argument("kind", choices=exporting.KINDS)
    out.add_argument("file")
    for name in ("agent", "release", "model", "label", "session", "user"):
        out.add_argument(f"--{name}")
    out.add_argument("--outcome", choices=("fine", "failed"))
    out.add_argument("--rolled-back", choices=("yes", "no"))
    out.add_argument("--most-tokens", type=int)
    out.add_argument("--most-cost", type=float)
    out.add_argument("--start", help="records from this time on")
    out.add_argument("--end", help="records before this time")
    out.add_argument("--format", choices=("json", "csv"))
    out.add_argument("--unmasked", action="store_true", help="mask nothing; recorded")
    out.add_argument("--interval", type=float, default=1.0, help="seconds")
    out.set_defaults(run=exporting.take_out)


def _proving(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    prove = verbs.add_parser("prove", help="the proof of a session, as a file")
    prove.add_argument("session")
    prove.add_argument("file", type=Path, help="a new file")
    prove.set_defaults(run=proving.prove)

    verify = verbs.add_parser("verify", help="check such a file, without a server")
    verify.add_argument("file", type=Path)
    verify.add_argument(
        "--key", required=True, dest="verifier_key", help="the public key that you kept"
    )
    verify.set_defaults(run=proving.verify, offline=True)


def _continuing(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    found = verbs.add_parser(
        "continue", help="go on with LangGraph's threads that people decided about"
    )
    found.add_argument("--graph", required=True, help="module:graph, or a function")
    found.add_argument(
        "--limit", type=int, default=1_000, help="look at so many threads at most"
    )
    found.set_defaults(run=continuing.go_on)


if __name__ == "__main__":
    sys.exit(main())
