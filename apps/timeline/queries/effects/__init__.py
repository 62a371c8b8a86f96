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
    EffectRow,
    effect_classes,
    effects,
    one_effect,
)

__all__ = [
    "CrossedEffect",
    "EffectRow",
    "compensations",
    "compensations_of",
    "crossed_effects",
    "effect_classes",
    "effects",
    "one_compensation",
    "one_effect",
    "still_owed",
]
