"""What is sent of an event: read at once, told by its kind, written once."""

from apps.webhooks.payloads.bodies import body_of, written
from apps.webhooks.payloads.known import MOST_COUNTED, known_of
from apps.webhooks.payloads.telling import TOLD

__all__ = ["MOST_COUNTED", "TOLD", "body_of", "known_of", "written"]
