"""Questions about what agents did outside."""

from apps.timeline.queries.effects.crossing import (
    CrossedEffect,
    compensations,
    crossed_effects,
    one_compensation,
    still_owed,
)
from apps.timeline.queries.effects.listing import EffectRow, effects, one_effect

__all__ = [
    "CrossedEffect",
    "EffectRow",
    "compensations",
    "crossed_effects",
    "effects",
    "one_compensation",
    "one_effect",
    "still_owed",
]
