"""What is kept and what goes, with a hostile text in each place that takes one."""

from __future__ import annotations

from django.utils import timezone

from apps.accounts.models import Project
from apps.core.roles.names import Role
from apps.erasures import operations as erasures
from apps.erasures import running
from apps.exports import making
from apps.exports import operations as exports
from apps.exports.words import Kind
from apps.retention import operations as retention
from apps.retention.terms import Terms
from apps.retention.words import HoldKind
from tests.acting import acting_as
from tests.acts import act_in


def evil_keeping(project: Project, evil: str) -> dict[str, str]:
    """Return a policy, a hold, a preview of an erasure, and one that is done."""
    act = act_in(project)
    policy = retention.make_policy(act=act, terms=Terms(empty_days=30))
    hold = retention.set_legal_hold(
        act=act, kind=HoldKind.USER, value=f"{evil}-held", reason=evil
    )
    gone = erasures.preview(act=act, user_id=f"{evil}-gone")
    erasure = erasures.begin(act=act, preview_id=gone.id, reason=evil)
    with acting_as(Role.RETENTION):
        assert running.sweep(now=timezone.now()) == 1
    return {
        "policy_id": policy.id,
        "hold_id": hold.id,
        "erasure_preview_id": erasures.preview(act=act, user_id=evil).id,
        "erasure_id": erasure.id,
        "history_export_id": evil_export(project, evil),
    }


def evil_export(project: Project, evil: str) -> str:
    """Return an export that says who is meant in hostile words, and is ready."""
    act = act_in(project)
    words = {"agent": evil, "release": evil, "model": evil, "label": evil[:100]}
    exports.ask(act=act, kind=Kind.TRAJECTORIES, asked=words)
    export = exports.ask(act=act, kind=Kind.PERSON, asked={"user_id": evil})
    with acting_as(Role.WORKER):
        making.sweep(now=timezone.now())
    return str(export.id)
