"""LangGraph's checkpointer on Stepback: `pip install stepback[langgraph]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stepback.langgraph.saver import StepbackSaver

__all__ = ["StepbackSaver"]


def __getattr__(name: str) -> Any:
    """Import LangGraph only for who asks for the saver."""
    if name == "StepbackSaver":
        from stepback.langgraph.saver import StepbackSaver

        return StepbackSaver
    raise AttributeError(name)
