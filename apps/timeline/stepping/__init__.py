"""What sessions did, step by step, and in which steps two of them first differ."""

from apps.timeline.stepping.alignment import DifferenceKind, First, Row
from apps.timeline.stepping.first import (
    ComparedSteps,
    StepSide,
    begins_after,
    compare_steps,
    last_shared,
    noise_of_both,
)
from apps.timeline.stepping.speakers import Speaker, content_said, kind_of
from apps.timeline.stepping.steps import Step, Window

__all__ = [
    "ComparedSteps",
    "DifferenceKind",
    "First",
    "Row",
    "Speaker",
    "Step",
    "StepSide",
    "Window",
    "begins_after",
    "compare_steps",
    "content_said",
    "kind_of",
    "last_shared",
    "noise_of_both",
]
