"""What each tool does: threads of checkpoints, over one client of the API.

Names, arguments and results of the checkpoint tools are those of TuskPoint's server, so
that an agent that knows one knows the other. A thread is a session under that name, or
by its own id.
"""

from __future__ import annotations

from stepback.mcp.checkpoints import CheckpointTools
from stepback.mcp.looking import LookingTools
from stepback.mcp.passing import PassingTools


class Tools(CheckpointTools, PassingTools, LookingTools):
    """The tools of one caller, whose key decides what they may do."""
