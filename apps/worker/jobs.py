"""What the worker does and when.

Every job is a sweep: it looks for what is due and does that, so a sweep that was cut
short, or two at once, need no repair. The next one finds what is left, and whoever
claims a row first has it. Nothing is handed from one sweep to the next but the time.
"""

from __future__ import annotations

from datetime import datetime

from apps.accounts import operations as accounts
from apps.approvals import operations as approvals
from apps.blobs import operations as blobs
from apps.core.actors import SYSTEM
from apps.core.processes.easing import Ease
from apps.data import operations as data
from apps.exports import making as exports
from apps.guards import operations as guards
from apps.guards import trying
from apps.heartbeats import operations as heartbeats
from apps.incidents import looking as incidents
from apps.incidents import watching as watching_incidents
from apps.meaning.working import sweeping
from apps.memory import operations as memory
from apps.memory.formation import forming
from apps.metrics import alerting, rollups, weekly
from apps.plans import dry_running, retiring, running
from apps.surveys import looking as surveys
from apps.timeline import operations as timeline
from apps.watching import mailing
from apps.webhooks.delivery import delivering
from apps.witness import signing
from apps.witness.witnesses import delivering as witnesses
from apps.worker.scheduling import (
    EVERY_FIVE_SECONDS,
    EVERY_HOUR,
    EVERY_SWEEP,
    EVERY_TWO_SECONDS,
    scheduled,
)


@scheduled(EVERY_SWEEP)
def expire_sessions(now: datetime) -> None:
    """Record the sessions whose time is over."""
    timeline.expire(actor=SYSTEM, now=now)


@scheduled(EVERY_SWEEP)
def tell_unknown_effects(now: datetime) -> None:
    """Tell of begun effects that nobody has finished in time."""
    timeline.tell_unknown_effects(actor=SYSTEM, now=now)


@scheduled(EVERY_SWEEP)
def expire_data(now: datetime) -> None:
    """Record the keys of agents' data whose time is over."""
    data.expire_due(actor=SYSTEM, now=now)


@scheduled(EVERY_SWEEP)
def expire_memories(now: datetime) -> None:
    """Record the memories whose time is over."""
    memory.expire_due(actor=SYSTEM, now=now)


@scheduled(EVERY_SWEEP)
def form_memories(now: datetime) -> None:
    """Form proposals of what agents marked in their turns."""
    forming.form_due(actor=SYSTEM, now=now)


@scheduled(EVERY_SWEEP)
def ask_for_memories(now: datetime) -> None:
    """Form proposals of what the server's chat endpoint makes of turns."""
    forming.ask_due(actor=SYSTEM, now=now)


@scheduled(EVERY_SWEEP)
def keep_checkpoints(now: datetime) -> None:
    """Make the checkpoints of agents' data that are due on a schedule."""
    data.keep_due(actor=SYSTEM, now=now)


@scheduled(EVERY_SWEEP)
def hold_to_budgets(now: datetime) -> None:
    """Pause what agents and releases do beyond their budgets."""
    guards.sweep(actor=SYSTEM, now=now)
    guards.forget_refusals(actor=SYSTEM, now=now)


@scheduled(EVERY_SWEEP)
def look_for_silent(now: datetime) -> None:
    """Tell of sessions that do not write as often as is expected of them."""
    heartbeats.sweep(actor=SYSTEM, now=now)


@scheduled(EVERY_SWEEP)
def settle_approvals(now: datetime) -> None:
    """End the approvals that nobody decided in time, or hand them on."""
    approvals.sweep(actor=SYSTEM, now=now)


@scheduled(EVERY_SWEEP)
def remap_waiting(now: datetime) -> None:
    """Derive anew what waits, for agents whose rules have changed."""
    timeline.remap(now=now)


@scheduled(EVERY_SWEEP)
def roll_up(now: datetime) -> None:
    """Add up the hours that are over."""
    rollups.sweep(now=now)


@scheduled(EVERY_SWEEP)
def look_at_rules(now: datetime) -> None:
    """Tell whose numbers went over a threshold, and whose came back."""
    alerting.sweep(now=now)


@scheduled(EVERY_SWEEP)
def tell_weeks(now: datetime) -> None:
    """Tell how the last week was, once of each project."""
    weekly.sweep(now=now)


@scheduled(EVERY_SWEEP)
def mail_watchers(now: datetime) -> None:
    """Mail who watches what was rolled back, held or flagged."""
    mailing.send(now=now)


@scheduled(EVERY_TWO_SECONDS)
def deliver_webhooks(now: datetime) -> None:
    """Send what webhooks are to be told."""
    delivering.deliver(now=now)


@scheduled(EVERY_TWO_SECONDS)
def run_plans(now: datetime) -> None:
    """Do what people have confirmed for many sessions at once, and look at more."""
    running.sweep(now=now)
    dry_running.sweep(now=now)


@scheduled(EVERY_TWO_SECONDS)
def try_guards(now: datetime) -> None:
    """Hold guards against past days, as somebody has asked for."""
    trying.sweep(now=now)


@scheduled(EVERY_TWO_SECONDS, alone=True)
def check_incidents(now: datetime) -> None:
    """Look for the first version of each session that does not pass."""
    incidents.sweep(now=now)


@scheduled(EVERY_SWEEP, alone=True)
def watch_incidents(now: datetime) -> None:
    """Open incidents again whose check fails in releases since they were resolved."""
    watching_incidents.sweep(now=now)


@scheduled(EVERY_TWO_SECONDS, alone=True)
def look_for_surveys(now: datetime) -> None:
    """Look in which sessions a check broke, and who wrote in them until then."""
    surveys.sweep(now=now)


@scheduled(EVERY_TWO_SECONDS)
def keep_before_releases(now: datetime) -> None:
    """Make a checkpoint of an agent's data where a release of the agent begins."""
    data.keep_before_releases(actor=SYSTEM, now=now)


@scheduled(EVERY_TWO_SECONDS)
def restore_checkpoints(now: datetime) -> None:
    """Bring back checkpoints of many keys by steps, for which nobody waits."""
    data.restore_running(now=now)


@scheduled(EVERY_TWO_SECONDS)
def embed_texts(now: datetime) -> None:
    """Embed what agents wrote, so that it is found by its meaning."""
    sweeping.sweep(now=now, ease=Ease())


@scheduled(EVERY_TWO_SECONDS)
def make_exports(now: datetime) -> None:
    """Write the next pieces of the files that somebody asked for."""
    exports.sweep(now=now)


@scheduled(EVERY_FIVE_SECONDS)
def sign_heads(now: datetime) -> None:
    """Sign the heads that moved into a note outside the database."""
    signing.work(now=now)


@scheduled(EVERY_FIVE_SECONDS)
def deliver_notes(now: datetime) -> None:
    """Bring signed notes to the witnesses."""
    witnesses.deliver(now=now)


@scheduled(EVERY_HOUR)
def retire_drafts(now: datetime) -> None:
    """Remove plans that nobody has confirmed."""
    retiring.sweep(now=now)


@scheduled(EVERY_HOUR)
def collect_blobs(now: datetime) -> None:
    """Take away the bytes of files, and archives, that no version names."""
    blobs.collect(actor=SYSTEM, now=now)
    blobs.sweep_objects(actor=SYSTEM, now=now)
    timeline.sweep_archives(now=now)


@scheduled(EVERY_HOUR)
def forget_deliveries(now: datetime) -> None:
    """Delete what webhooks were told long ago."""
    delivering.forget(now=now)


@scheduled(EVERY_HOUR)
def forget_exports(now: datetime) -> None:
    """Delete the files of exports that were kept for a week."""
    exports.forget(now=now)


@scheduled(EVERY_HOUR)
def forget_answers(now: datetime) -> None:
    """Delete the answers to idempotency keys that count no more."""
    accounts.forget_answers(actor=SYSTEM, now=now)


@scheduled(EVERY_HOUR)
def forget_sessions(now: datetime) -> None:
    """Delete the sessions of browsers whose two weeks are over."""
    accounts.forget_sessions(actor=SYSTEM, now=now)
