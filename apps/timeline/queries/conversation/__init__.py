"""What was said in a session: from its turns, or from the messages it kept."""

from apps.timeline.queries.conversation.fitting import fitting
from apps.timeline.queries.conversation.messages import (
    KeptMessage,
    MessagePlace,
    MessageWindow,
    are_messages,
    kept_messages,
    message_window,
)
from apps.timeline.queries.conversation.reasons import said_in
from apps.timeline.queries.conversation.summaries import (
    live_summaries,
    setting_aside,
    summaries_of_turns,
)
from apps.timeline.queries.conversation.turns import (
    TurnWindow,
    first_turn_since,
    turn_window,
    turns_on,
)

__all__ = [
    "KeptMessage",
    "MessagePlace",
    "MessageWindow",
    "TurnWindow",
    "are_messages",
    "first_turn_since",
    "fitting",
    "kept_messages",
    "live_summaries",
    "message_window",
    "said_in",
    "setting_aside",
    "summaries_of_turns",
    "turn_window",
    "turns_on",
]
