"""What an agent works through and rests on: its tasks, and the facts it remembers."""

from apps.timeline.operations.working.facts import Assumptions, Found, check_facts
from apps.timeline.operations.working.tasks import TaskChange, update_task

__all__ = ["Assumptions", "Found", "TaskChange", "check_facts", "update_task"]
