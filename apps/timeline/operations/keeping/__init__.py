"""Take away what need not be kept: contents, versions, sessions; prove what remains."""

from apps.timeline.operations.keeping.removing import remove, thin
from apps.timeline.operations.keeping.taking import MOST, empty, prune
from apps.timeline.operations.keeping.values import Gone, Went

__all__ = ["MOST", "Gone", "Went", "empty", "prune", "remove", "thin"]
