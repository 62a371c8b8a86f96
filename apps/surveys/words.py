"""How far a survey looks, and from how many sessions on a share says something."""

from apps.metrics.figures import MINIMUM_SAMPLE

# Sessions of one survey: the newest that its search finds.
MOST = 5_000
# Pages' worth of looking for them.
WALKS = 20
# Surveys of a project at which the worker still looks.
MOST_WAITING = 100
# Releases, and models, that are told: those of the most sessions.
MOST_GROUPS = 50
# Releases and models of one session that are kept.
MOST_OF_ONE = 100
FEWEST = MINIMUM_SAMPLE
