"""The door: plain requests answered in front of Django, all others passed on to it."""

from apps.timeline.api.door.door import Door, with_door

__all__ = ["Door", "with_door"]
