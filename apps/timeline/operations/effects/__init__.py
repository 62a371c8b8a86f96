"""What agents do outside: begun before it is done, finished once, told if it is not."""

from apps.timeline.operations.effects.beginning import Begun, begin_effect
from apps.timeline.operations.effects.compensating import (
    MAX_COMPENSATING,
    change_compensation,
)
from apps.timeline.operations.effects.finishing import (
    MAX_SETTLING,
    finish_effect,
    settle_effect,
)
from apps.timeline.operations.effects.forgetting import (
    MAX_FORGETTING,
    Forget,
    forget_agent_results,
    forget_results,
)
from apps.timeline.operations.effects.lapsing import tell_unknown_effects

__all__ = [
    "MAX_COMPENSATING",
    "MAX_FORGETTING",
    "MAX_SETTLING",
    "Begun",
    "Forget",
    "begin_effect",
    "change_compensation",
    "finish_effect",
    "forget_agent_results",
    "forget_results",
    "settle_effect",
    "tell_unknown_effects",
]
