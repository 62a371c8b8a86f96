"""Every operation takes its arguments by name, typed, and knows who acts."""

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import pytest

from apps.core.actors import Actor

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
    "apps.audit.operations.verify_records": "only reads",
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


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_knows_who_acts(name: str) -> None:
    function = inspect.unwrap(OPERATIONS[name])
    actor = inspect.signature(function).parameters.get("actor")

    if name in WITHOUT_ACTOR:
        assert actor is None
    else:
        assert actor is not None
        assert actor.default is inspect.Parameter.empty
        assert get_type_hints(function)["actor"] is Actor


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_says_its_contract(name: str) -> None:
    sentence = inspect.getdoc(OPERATIONS[name]) or ""

    assert sentence.split("\n")[0].strip()
