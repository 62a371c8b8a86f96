"""Record every statement that a test runs, and refuse those of no kind.

A plug-in of pytest, active in every run. Each distinct text is read once; after that it
costs a look into a dictionary. What the tests themselves ask is their own affair: a
statement belongs to the innermost function of ours on the stack, and those of `tests`
are passed by.

Statements of SQL text have to say of which kind they are (`sql.of_session`,
`sql.across`); Django's ORM cannot, so what it writes is read for what it is. Two lists
stand beside this module, of the functions that run them: `across.txt` names who may ask
across sessions, flatly; `old.txt` those from before there were kinds. The second may
only get shorter: the end of a run of everything names each entry that nothing ran any
more. It does not fail for them: some are of what few runs meet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any

import psycopg
import pytest

from apps.core.database.kinds import Across, OfSession, Statement
from apps.core.database.prepared import Prepared
from tests.statements.kinds import Reading, reading

HERE = Path(__file__).resolve().parent
_ROOT = f"{HERE.parents[1]}/"
ACROSS, OLD = "across.txt", "old.txt"
# Where statements are run for others.
PASSED_BY = ("apps/core/sql.py", "apps/core/database/")
# Migrations run while nobody is served.
MIGRATING = ("apps/core/management/commands/migrate.py", "/migrations/")
RECORDING = "tests/statements/recorder.py"
WORKERS_KEY = "listed_statements"
# These name no table, and none is met twice: each has a name of its own.
SAVEPOINTS = ("SAVEPOINT ", "RELEASE SAVEPOINT ", "ROLLBACK TO SAVEPOINT ")
# Options that leave tests out.
CHOOSING = (
    *("keyword", "markexpr", "collectonly", "deselect", "ignore", "ignore_glob"),
    *("lf", "stepwise", "setuponly"),
)


def listed(name: str) -> list[str]:
    """Return the functions of a list, without its comments."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


class Recorder:
    """Judges statements as they are run, and keeps what is wrong with them."""

    def __init__(self, across: Sequence[str], old: Sequence[str]) -> None:
        self.across = frozenset(across)
        self.old = frozenset(old)
        self.met: set[tuple[str, str]] = set()
        self.faults: list[str] = []
        self.place_of: Callable[[], str | None] = _place
        self._readings: dict[tuple[type[str], str], Reading | None] = {}

    def record(self, text: str, params: Any, *, is_ours: bool) -> None:
        """Judge a statement; `is_ours`: it was written as SQL, not by the ORM."""
        if text.startswith(SAVEPOINTS) and ";" not in text:
            return
        known = self._reading(text)
        if known is None:
            return
        faults = self._faults(text, known, params, is_ours=is_ours)
        if faults:
            self._attribute(text, faults, known)

    def _reading(self, text: str) -> Reading | None:
        """Return what the text says; None where it is no affair of this."""
        key = (type(text), text)
        if key not in self._readings:
            found = reading(str(text))
            self._readings[key] = found if found.is_concerned else None
        return self._readings[key]

    def _faults(
        self, text: str, known: Reading, params: Any, *, is_ours: bool
    ) -> tuple[str, ...]:
        """Return why it is not of a session, nor said to be across them."""
        faults = known.of_session or _different_sessions(known, params)
        if isinstance(text, Across):
            return known.across or ("is across sessions",)
        if not faults and is_ours and not isinstance(text, OfSession):
            return ("does not say that it is of a session",)
        return faults

    def _attribute(self, text: str, faults: tuple[str, ...], known: Reading) -> None:
        place = self.place_of()
        if place is None:
            return
        is_flat = not known.across and not isinstance(text, OfSession)
        if is_flat and place in self.across:
            self.met.add((ACROSS, place))
        elif place in self.old and not isinstance(text, Statement):
            self.met.add((OLD, place))
        else:
            self.faults.append(_complaint(place, text, faults, known))

    def taken(self) -> list[str]:
        """Return what was wrong since this was asked last."""
        found, self.faults = self.faults, []
        return list(dict.fromkeys(found))


def _different_sessions(known: Reading, params: Any) -> tuple[str, ...]:
    """Compare what is given for parameters without names, where there are several."""
    if len(known.names) < 2 or not isinstance(params, Sequence):
        return ()
    places = [int(name[1:]) - 1 for name in known.names]
    if len({params[place] for place in places}) > 1:
        return ("names several sessions",)
    return ()


def _place() -> str | None:
    """Return the function that runs it; None for one of the tests or a migration."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(_ROOT):
            inside = file[len(_ROOT) :]
            if inside.startswith("apps/") and not inside.startswith(PASSED_BY):
                is_served = not any(one in inside for one in MIGRATING)
                return f"{inside}: {frame.f_code.co_qualname}" if is_served else None
            if inside.startswith("tests/") and inside != RECORDING:
                return None
        frame = frame.f_back
    return None


def _complaint(place: str, text: str, faults: tuple[str, ...], known: Reading) -> str:
    if isinstance(text, Across):
        faults = ()
    return "\n".join(
        [
            f"{place} runs a statement on tables of sessions that is of no kind.",
            *(f"  Of a session: it {fault}." for fault in faults),
            *(f"  Across: it {fault}." for fault in known.across),
            *([] if known.across else [f"  Across: not listed in {ACROSS}."]),
            "  " + " ".join(str(text).split()),
        ]
    )


def watching(recorder: Recorder, patch: pytest.MonkeyPatch) -> None:
    """Have a recorder see every statement that this process sends."""

    def cursor_method(of: type[Any], name: str) -> None:
        method = getattr(of, name)

        @wraps(method)
        def recorded(
            cursor: Any, query: Any, params: Any = None, *args: Any, **given: Any
        ) -> Any:
            text = query if isinstance(query, str) else _text(query, cursor)
            # Django's cursors are classes of its own.
            recorder.record(text, params, is_ours=type(cursor) is psycopg.Cursor)
            return method(cursor, query, params, *args, **given)

        patch.setattr(of, name, recorded)

    cursor_method(psycopg.Cursor, "execute")
    cursor_method(psycopg.ServerCursor, "execute")
    run = Prepared.run

    @wraps(run)
    def recorded(prepared: Prepared, *args: Any, **given: Any) -> Any:
        recorder.record(prepared.text, None, is_ours=True)
        return run(prepared, *args, **given)

    patch.setattr(Prepared, "run", recorded)


def _text(query: Any, cursor: Any) -> str:
    """Return what psycopg's own ways of writing SQL say."""
    if isinstance(query, bytes):
        return query.decode()
    return str(query.as_string(cursor.connection))


class Plugin:
    """Fails the test that ran a statement of no kind, and tells what is left over."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.recorder = Recorder(listed(ACROSS), listed(OLD))
        self.patch = pytest.MonkeyPatch()
        watching(self.recorder, self.patch)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Fail a test for what it, its fixtures, or a thread before it ran."""
        try:
            yield
        finally:
            faults = self.recorder.taken()
        if faults:
            pytest.fail("\n\n".join(faults), pytrace=False)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:
        """Take what a process of a parallel run has met."""
        met = getattr(node, "workeroutput", {}).get(WORKERS_KEY, [])
        self.recorder.met.update(tuple(one) for one in met)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Hand over what was met; after all tests, ask what was not."""
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput[WORKERS_KEY] = sorted(self.recorder.met)

    def left_over(self, exitstatus: int) -> list[str]:
        """Return the entries of the lists that nothing ran, if everything was run."""
        is_all = self.config.args_source is pytest.Config.ArgsSource.TESTPATHS
        chosen = any(getattr(self.config.option, one, None) for one in CHOOSING)
        if exitstatus != pytest.ExitCode.OK or chosen or not is_all:
            return []
        entries = [(name, one) for name in (ACROSS, OLD) for one in listed(name)]
        return [
            f"{name} lists {one}, which runs no such statement any more: take it out."
            for name, one in entries
            if (name, one) not in self.recorder.met
        ]

    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: int) -> None:
        for line in self.left_over(exitstatus):
            terminalreporter.write_line(line, red=True)

    def pytest_unconfigure(self) -> None:
        self.patch.undo()
