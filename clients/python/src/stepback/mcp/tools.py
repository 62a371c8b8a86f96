"""What each tool does: threads of checkpoints, and agents' data, over one client.

Names, arguments and results of the checkpoint tools are those of TuskPoint's server, so
that an agent that knows one knows the other. A thread is a session under that name, or
by its own id.
"""

from __future__ import annotations

from stepback.mcp.acting.approvals import ApprovalTools
from stepback.mcp.acting.effects import EffectTools
from stepback.mcp.acting.holding import HoldingTools
from stepback.mcp.acting.plans import PlanTools
from stepback.mcp.acting.working import WorkTools
from stepback.mcp.agents.data import AgentTools
from stepback.mcp.agents.memories import MemoryTools
from stepback.mcp.checkpoints import CheckpointTools
from stepback.mcp.looking import LookingTools
from stepback.mcp.passing import PassingTools


class Tools(
    CheckpointTools,
    PassingTools,
    LookingTools,
    AgentTools,
    MemoryTools,
    ApprovalTools,
    EffectTools,
    PlanTools,
    WorkTools,
    HoldingTools,
):
    """The tools of one caller, whose key decides what they may do."""
