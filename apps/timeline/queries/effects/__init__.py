"""Questions about what agents did outside."""

from apps.timeline.queries.effects.crossed_rows import CrossedEffect
from apps.timeline.queries.effects.crossing import (
    CrossedEffects,
    OwedEffects,
    crossed_effects,
    owed_effects,
)
from apps.timeline.queries.effects.listing import (
    Answering,
    BegunCall,
    EffectRow,
    begun_calls,
    effects,
    one_effect,
)
from apps.timeline.queries.effects.owed import (
    compensations,
    compensations_of,
    count_still_owed,
    one_compensation,
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
    "CrossedEffects",
    "EffectRow",
    "OwedEffects",
    "ResultRow",
    "agent_results",
    "begun_calls",
    "compensations",
    "compensations_of",
    "count_still_owed",
    "crossed_effects",
    "effects",
    "find_result",
    "one_compensation",
    "one_effect",
    "owed_effects",
    "session_results",
]
