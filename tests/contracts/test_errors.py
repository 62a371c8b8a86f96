"""Every error of the domain has a code, a sentence, and one place in the table."""

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import apps
from apps.core.errors import DomainError
from apps.core.http import ERRORS
from apps.core.http.problems.problem import Problem

# Codes that mean the same to a caller, whoever raises them.
SHARED = {
    "service_unavailable": {"Busy", "ObjectsUnavailable", "OutcomeUnknown"},
    "insufficient_storage": {"ObjectsFull", "StorageFull"},
    # Whatever it was that moved on: look again, and write on that.
    "version_conflict": {
        "VersionConflict",
        "ConfigChanged",
        "DocumentMoved",
        "EntryChanged",
        "FloorChanged",
        "GuardChanged",
        "MappingChanged",
        "RuleChanged",
        "WebhookChanged",
    },
    # Not part of the API: its paths name neither projects, keys nor people.
    "resource_not_found": {
        "NotFound",
        "ProjectNotFound",
        "KeyNotFound",
        "UserNotFound",
        "ViewNotFound",
        "InvitationNotFound",
        "SecondFactorNotFound",
        "SessionEnded",
        "NotChosen",
        "NotWatched",
    },
}
# What Django and DRF refuse by themselves; no class of ours says it.
OF_THE_FRAMEWORK = {"method_not_allowed", "not_acceptable"}


def everything_below(error: type[DomainError]) -> Iterator[type[DomainError]]:
    for child in error.__subclasses__():
        if child.__module__.startswith("apps."):
            yield child
        yield from everything_below(child)


def load_all_modules() -> None:
    """Import the whole product, so that no error hides in a module nobody needed."""
    for module in pkgutil.walk_packages(apps.__path__, "apps."):
        if ".migrations" not in module.name:
            importlib.import_module(module.name)


load_all_modules()
CLASSES = sorted(set(everything_below(DomainError)), key=lambda one: one.__qualname__)


@pytest.mark.parametrize("error", CLASSES, ids=lambda one: one.__name__)
def test_an_error_says_what_it_is(error: type[DomainError]) -> None:
    sentence = vars(error).get("__doc__") or ""

    assert sentence.endswith("."), "Its docstring is the sentence that callers read."
    assert "\n" not in sentence
    assert error().message == sentence


@pytest.mark.parametrize("error", CLASSES, ids=lambda one: one.__name__)
def test_an_error_has_its_status(error: type[DomainError]) -> None:
    problem = Problem.of(error())

    assert 400 <= problem.status < 600
    assert problem.body("req_1")["error"]["message"] == problem.message


def test_no_two_errors_share_a_code_by_accident() -> None:
    sharing: dict[str, set[str]] = {}
    for error in CLASSES:
        sharing.setdefault(error.code, set()).add(error.__name__)

    assert {code: who for code, who in sharing.items() if len(who) > 1} == SHARED


def test_the_table_lists_no_error_that_nobody_raises() -> None:
    assert set(ERRORS) - {error.code for error in CLASSES} == OF_THE_FRAMEWORK
