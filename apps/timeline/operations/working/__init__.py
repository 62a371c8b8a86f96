"""What an agent works through and rests on: its tasks, and the facts it remembers."""

from apps.timeline.operations.working.tasks import TaskChange, update_task

__all__ = ["TaskChange", "update_task"]
