"""What webhooks keep of a session: messages that were sent, or wait to be."""

from apps.audit.actions import Action
from apps.timeline.hooks.keeping import SESSIONS, Leavings

_OF_STREAM = "h.stream_id = %(session)s"
# That it is removed is still told: the message has its id, and nothing of contents.
_TOLD = f"= '{Action.SESSION_REMOVED}'"
SESSIONS["webhooks"] = (
    Leavings(
        what="deliveries",
        table="webhooks_delivery",
        where=f"""{_OF_STREAM} AND NOT EXISTS (SELECT 1 FROM webhooks_message m
            WHERE m.id = h.message_id AND m.kind {_TOLD})""",  # noqa: S608
    ),
    Leavings(
        what="deliveries",
        table="webhooks_lane",
        where=f"""{_OF_STREAM} AND NOT EXISTS (SELECT 1 FROM webhooks_delivery d
            WHERE d.subscription_id = h.subscription_id
              AND d.stream_id = %(session)s)""",  # noqa: S608
    ),
    Leavings(
        what="messages",
        table="webhooks_message",
        where=f"{_OF_STREAM} AND NOT h.kind {_TOLD}",
    ),
)
