"""The kinds of exports: what the next step of each writes."""

from collections.abc import Callable, Mapping

from apps.exports.kinds import trajectories
from apps.exports.kinds.made import Made
from apps.exports.models import Export
from apps.exports.words import Kind

STEPS: Mapping[str, Callable[[Export], Made]] = {
    Kind.TRAJECTORIES: trajectories.step,
}
