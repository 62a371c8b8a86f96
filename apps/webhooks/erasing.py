"""What webhooks keep of a session: messages that were sent, or wait to be."""

from apps.timeline.hooks.erasing import SESSIONS, Leavings

_OF_STREAM = "h.stream_id = %(session)s"
SESSIONS["webhooks"] = (
    Leavings(what="deliveries", table="webhooks_delivery", where=_OF_STREAM),
    Leavings(what="deliveries", table="webhooks_lane", where=_OF_STREAM),
    Leavings(what="messages", table="webhooks_message", where=_OF_STREAM),
)
