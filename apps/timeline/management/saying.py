"""What `manage.py verify` says of what it compared."""

from __future__ import annotations

from collections.abc import Iterator

from apps.audit.comparing import Tally
from apps.core.notes.auditing import Audit
from apps.timeline.verification.signed.witnessed import Witnessed

NO_SIGNATURES = (
    "No signatures: the unkeyed chains alone were recomputed, which whoever rewrites "
    "history can do as well."
)


def said_of_rows(rows: Tally, sessions: int) -> str:
    """Say what was compared with its records, and what no record covers."""
    kinds = [f"{count:,} {kind}" for kind, count in sorted(rows.compared.items())]
    said = f"Compared with their records: {', '.join(kinds) or 'nothing'}."
    before = rows.recorded_before.total()
    if before:
        said += f" {before:,} of them were recorded before records covered them."
    unchanged = sessions - rows.compared["session"]
    if unchanged > 0:
        said += (
            f" {unchanged:,} sessions have the metadata that they began with, which "
            "no record covers."
        )
    return said


def note_problems(audit: Audit) -> Iterator[str]:
    yield from audit.problems
    if audit.broken > len(audit.problems):
        yield f"{audit.broken - len(audit.problems):,} more notes do not hold"


def said_of_signatures(kept: Witnessed, sessions: int) -> str:
    """Say in a line or two up to where everything stands on signatures."""
    audit = kept.audit
    said = f"Signatures: {audit.notes:,} notes"
    if audit.newest_at is not None:
        said += f", the newest of {audit.newest_at:%Y-%m-%d %H:%M:%S} UTC"
    said += f", over {kept.signed:,} heads"
    unsigned = sessions - kept.signed_sessions
    if kept.newer:
        said += f"; {kept.newer:,} of them have gone on since"
    if unsigned > 0:
        said += f"; {unsigned:,} sessions are not signed yet"
    if kept.newer or unsigned > 0:
        said += ": what is newer stands on the unkeyed chain alone"
    lines = [f"{said}."]
    for root in audit.went_back:
        at = f"{root.at:%Y-%m-%d %H:%M:%S} UTC"
        lines.append(
            f"Went back, as note {root.number:,} of {at} says: {root.went_back}."
        )
    return "\n".join(lines)


def said_of_the_gravest(
    broken: list[str], changed: list[str], derived: list[str], unread: list[str]
) -> str | None:
    """Say how many of the gravest there are, and the first; None where all holds."""
    for names, sentence in (
        (broken, "{} of them do not hold. The first broken link: {}"),
        (
            changed,
            "The proof holds, but {} rows are not as their records say. The first: {}",
        ),
        (
            derived,
            "The proof holds, but what was derived from the states of {} sessions does "
            "not follow from them. The first: {}",
        ),
        (
            unread,
            "The rest holds, but {} sessions cannot be read now, and are not verified. "
            "The first: {}",
        ),
    ):
        if names:
            return sentence.format(f"{len(names):,}", names[0])
    return None
