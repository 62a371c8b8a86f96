"""Every operation takes its arguments by name, typed, and knows who acts."""

import ast
import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import pytest

from apps.core.actors import Actor
from apps.core.provenance import Provenance

ROOT = Path(__file__).resolve().parents[2]
# What acts for nobody in particular, and why.
WITHOUT_ACTOR = {
    "apps.accounts.operations.answer_once": "runs an act that has one",
    "apps.accounts.operations.accept_as_newcomer": "whoever holds it is the actor",
    "apps.accounts.operations.accept_invitation": "whoever holds it is the actor",
    "apps.accounts.operations.check_second_factor": "whoever has it is the actor",
    "apps.accounts.operations.use_password_link": "whoever holds the link is the actor",
    "apps.accounts.operations.use_signin_link": "whoever holds the link is the actor",
    "apps.audit.operations.append_record": "chains an event that names one",
    "apps.audit.operations.record_in_stream": "its record names one",
    "apps.audit.operations.record_read": "its record names one",
    "apps.audit.operations.verify_records": "only reads",
    "apps.blobs.operations.condemn_erased": "the erasure has its own act",
    "apps.blobs.operations.mark_erased": "the erasure has its own act",
    "apps.blobs.operations.take_erased": "the erasure has its own act",
    "apps.data.operations.link_token": "only signs",
    "apps.data.operations.opened_export": "whoever made the export is the actor",
    "apps.data.operations.restore_running": "whoever confirmed it is the actor",
    "apps.exports.operations.remaining_in": "the erasure has its own act",
    "apps.exports.operations.opened": "only reads",
    "apps.exports.operations.read_piece": "only reads",
    "apps.exports.operations.take_pieces": "who asked, or the erasure, has an act",
    "apps.timeline.operations.archivable": "only reads",
    "apps.timeline.operations.archive_entries": "retention is the actor",
    "apps.timeline.operations.archive_versions": "retention is the actor",
    "apps.timeline.operations.delete_archives": "the erasure has its own act",
    "apps.timeline.operations.empty_entries": "retention is the actor",
    "apps.timeline.operations.empty_versions": "retention is the actor",
    "apps.timeline.operations.prune_entries": "retention is the actor",
    "apps.timeline.operations.prune_versions": "retention is the actor",
    "apps.timeline.operations.remap": "derives anew what an audited act decided",
    "apps.timeline.operations.remove_session": "retention is the actor",
    "apps.timeline.operations.superseded": "only reads",
    "apps.timeline.operations.sweep_archives": "nothing names what it deletes",
    "apps.timeline.operations.thin_session": "retention is the actor",
    "apps.timeline.operations.unneeded": "only reads",
}


def modules() -> list[ModuleType]:
    found = sorted((ROOT / "apps").glob("*/operations*"))
    return [
        importlib.import_module(f"apps.{one.parent.name}.operations") for one in found
    ]


def operations() -> dict[str, Callable[..., Any]]:
    """Return every public function of every app's operations."""
    found = {}
    for module in modules():
        named = getattr(module, "__all__", None)
        for name, value in vars(module).items():
            is_ours = name in named if named else value_is_of(module, value)
            if inspect.isfunction(value) and is_ours and not name.startswith("_"):
                found[f"{module.__name__}.{name}"] = value
    return found


def value_is_of(module: ModuleType, value: Any) -> bool:
    return getattr(value, "__module__", "") == module.__name__


OPERATIONS = operations()


def test_every_app_with_verbs_is_looked_at() -> None:
    assert {name.split(".")[1] for name in OPERATIONS} >= {
        "accounts",
        "agents",
        "audit",
        "timeline",
    }
    assert set(WITHOUT_ACTOR) <= set(OPERATIONS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_is_called_by_name_and_typed(name: str) -> None:
    function = inspect.unwrap(OPERATIONS[name])
    parameters = inspect.signature(function).parameters.values()
    hints = get_type_hints(function)

    assert {one.kind for one in parameters} == {inspect.Parameter.KEYWORD_ONLY}
    assert set(hints) == {one.name for one in parameters} | {"return"}


MOST_PARAMETERS = 7
# More than that, as yet. What belongs together travels as one value.
MORE_PARAMETERS = {
    "apps.audit.operations.record": 8,
    "apps.audit.operations.record_act": 9,
    "apps.audit.operations.record_for": 8,
    "apps.timeline.operations.rollback": 9,
    "apps.timeline.operations.update": 8,
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_takes_few_parameters(name: str) -> None:
    taken = inspect.signature(inspect.unwrap(OPERATIONS[name])).parameters

    assert len(taken) <= MORE_PARAMETERS.get(name, MOST_PARAMETERS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_knows_who_acts(name: str) -> None:
    function = inspect.unwrap(OPERATIONS[name])
    parameters = inspect.signature(function).parameters
    says_who = {one for one in ("act", "actor") if one in parameters}

    if name in WITHOUT_ACTOR:
        assert says_who == set()
    else:
        (who,) = says_who
        assert parameters[who].default is inspect.Parameter.empty
        kind = get_type_hints(function)[who]
        assert issubclass(kind, Actor if who == "actor" else Provenance)


APPS = sorted(one.parent.name for one in (ROOT / "apps").glob("*/__init__.py"))
# What an `Act` holds, under all names that its parts are given.
PACKED = {
    "scope": "scope",
    "project": "scope",
    "project_id": "scope",
    "actor": "actor",
    "now": "now",
    "request": "request",
    "request_id": "request",
}


@pytest.mark.parametrize("app", APPS)
def test_who_acts_where_and_when_travels_as_one_value(app: str) -> None:
    unpacked = [
        f"{file.relative_to(ROOT)}:{function.lineno} {function.name}"
        for file in (ROOT / "apps" / app).rglob("*.py")
        for function in ast.walk(ast.parse(file.read_text()))
        if isinstance(function, ast.FunctionDef)
        and len({PACKED[name] for name in names_of(function) if name in PACKED}) > 2
    ]

    assert unpacked == []


def names_of(function: ast.FunctionDef) -> set[str]:
    taken = function.args
    return {one.arg for one in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_says_its_contract(name: str) -> None:
    sentence = inspect.getdoc(OPERATIONS[name]) or ""

    assert sentence.split("\n")[0].strip()
