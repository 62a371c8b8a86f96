"""The kinds of things that are open: how each is shown, and what it means."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.diffs.flags import Flag
from apps.timeline.queries import MOST_FLAGGED
from apps.timeline.words import OpenKind

FLAG_WORDS = {
    Flag.KEYS_LOST: "keys lost",
    Flag.NULLED: "turned null",
    Flag.SHRANK: "state shrank",
    Flag.REPEATED: "failed call repeated",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """How a kind of open items is shown, and what it means that there are none."""

    title: str
    sign: str
    icon: str
    none: str
    explained: str
    # In words, searches that find more than is open: also what was dealt with.
    searches: Sequence[tuple[str, str]]


ABOUT = {
    OpenKind.WAITING: About(
        title="Waiting for a human",
        sign="☎",
        icon="user",
        none="No agent asks for a human.",
        explained="Sessions whose agent waits: its state asks for a person by the "
        "agent's rules (escalated, requires_confirmation, pending_action, "
        "pending_approval or approval_status, where an administrator has not mapped "
        "others), or the objective begins with WAITING_FOR. The version is the one "
        "since which it waits. A pause or a resume does not answer it, every other "
        "write does unless it asks again.",
        searches=[
            ("escalated, closed ones too", "state.escalated=true"),
            ("escalated to a human, closed ones too", "state.escalated_to_human=true"),
        ],
    ),
    OpenKind.FLAGGED: About(
        title="Flagged versions",
        sign="▲",
        icon="warning",
        none="No version looks wrong that has not been rolled back.",
        explained="Versions that seem to have lost something, or with which a tool "
        "call failed again as it had failed, and that no rollback has set aside; an "
        "undone rollback brings them back. They stay when their session is closed, and "
        "go with its deletion. Of one session the newest "
        f"{MOST_FLAGGED:,} are listed.",
        searches=[
            ("ever lost keys", "flag:keys"),
            ("ever had a value turned null", "flag:null"),
            ("ever shrank", "flag:shrank"),
            ("ever repeated a failed call", "flag:repeated"),
        ],
    ),
    OpenKind.HELD: About(
        title="Held sessions",
        sign="❚❚",
        icon="hold",
        none="No session is held.",
        explained="Sessions in which agents' writes are refused until somebody resumes "
        "them. The version is the one that held it.",
        searches=[("the same, by when they began", "status:paused")],
    ),
}
