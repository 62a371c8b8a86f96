"""Questions about what agents did outside."""

from apps.timeline.queries.effects.crossing import (
    CrossedEffect,
    compensations,
    compensations_of,
    crossed_effects,
    one_compensation,
    still_owed,
)
from apps.timeline.queries.effects.listing import (
    Answering,
    BegunCall,
    EffectRow,
    begun_calls,
    effects,
    one_effect,
)
from apps.timeline.queries.effects.result_rows import ResultRow
from apps.timeline.queries.effects.results import (
    agent_results,
    find_result,
    session_results,
)

__all__ = [
    "Answering",
    "BegunCall",
    "CrossedEffect",
    "EffectRow",
    "ResultRow",
    "agent_results",
    "begun_calls",
    "compensations",
    "compensations_of",
    "crossed_effects",
    "effects",
    "find_result",
    "one_compensation",
    "one_effect",
    "session_results",
    "still_owed",
]
