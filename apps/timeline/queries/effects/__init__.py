"""Questions about what agents did outside."""

from apps.timeline.queries.effects.listing import EffectRow, effects, one_effect

__all__ = ["EffectRow", "effects", "one_effect"]
