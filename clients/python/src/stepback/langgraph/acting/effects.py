"""`@effect(...)`: a tool whose call is made once, however often its node runs."""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, TypeVar, get_args

from langgraph.errors import GraphInterrupt
from langgraph.types import Interrupt

from stepback.answers import EffectBegin
from stepback.failures import StepbackError
from stepback.langgraph.acting.acts import Wanted, wanted
from stepback.langgraph.acting.results import given_back, kept
from stepback.langgraph.acting.shapes import MARK

Tool = TypeVar("Tool", bound=Callable[..., Any])
Class = Literal["read", "reversible", "compensable", "irreversible"]
MANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def effect(
    effect_class: Class | None = None,
    *,
    tool: str | None = None,
    undo: Callable[..., Mapping[str, Any]] | None = None,
    failed_on: type[Exception] | tuple[type[Exception], ...] = (),
    leave_out: Collection[str] = (),
    provider_key: str | None = None,
) -> Callable[[Tool], Tool]:
    """Make a tool an effect: begun before it is called, finished once, never twice.

    Asked again for the same call, it returns what was returned then. Where people have
    to allow it, the graph is interrupted until they have; it is called with the
    arguments that they allowed, and one that they refuse raises ApprovalClosed.

    An exception leaves unknown what happened, unless it is one of `failed_on`: these
    say that nothing did. `leave_out` names parameters that are no part of the act (a
    config, an injected state); all others are JSON. `provider_key` names the parameter
    by which the tool takes its idempotency key. `undo` is given the arguments and
    returns the call that takes it back.

    Raises: ValueError for a class that there is not; TypeError for a tool whose
    parameters have no names, or that has not those that are named here.
    """
    if effect_class is not None and effect_class not in get_args(Class):
        raise ValueError(f"There is no class {effect_class!r}.")

    def wrap(function: Tool) -> Tool:
        call = _Call(
            function,
            tool=tool or function.__name__,
            about={
                "effect_class": effect_class,
                "takes_provider_key": True if provider_key else None,
            },
            undo=undo,
            failed_on=failed_on,
            left_out={*leave_out, *([provider_key] if provider_key else [])},
            provider_key=provider_key,
        )
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*given: Any, **named: Any) -> Any:
                return await call.arun(*given, **named)

            return awaited  # type: ignore[return-value]

        @functools.wraps(function)
        def called(*given: Any, **named: Any) -> Any:
            return call.run(*given, **named)

        return called  # type: ignore[return-value]

    return wrap


class _Call:
    """A tool, and what is said of its calls."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        tool: str,
        about: Mapping[str, Any],
        undo: Callable[..., Mapping[str, Any]] | None,
        failed_on: type[Exception] | tuple[type[Exception], ...],
        left_out: Collection[str],
        provider_key: str | None,
    ) -> None:
        self._function = function
        self._signature = inspect.signature(function)
        for one in self._signature.parameters.values():
            if one.kind in MANY or one.kind is inspect.Parameter.POSITIONAL_ONLY:
                raise TypeError(f"{tool}: an effect takes its arguments by name.")
        unknown = set(left_out) - set(self._signature.parameters)
        if unknown:
            raise TypeError(
                f"{tool}: it has no parameter {', '.join(sorted(unknown))}."
            )
        self._tool = tool
        self._about = about
        self._undo = undo
        self._failed_on = failed_on
        self._left_out = left_out
        self._provider_key = provider_key

    def run(self, *given: Any, **named: Any) -> Any:
        asked, beside = self._asked(given, named)
        saver = asked.place.saver
        begun, arguments = saver.threads.begin(asked)
        if not begun.run:
            return self._known(asked, begun)
        finish = functools.partial(saver.threads.finish, asked, begun)
        try:
            value = self._function(**self._with(begun, arguments, beside))
        except Exception as error:
            try:
                finish(self._status(error))
            except StepbackError as other:
                error.add_note(f"The effect {begun.id} is not finished: {other}")
            raise
        finish("done", **kept(saver.serde, value, is_shown=saver.readable))
        return value

    async def arun(self, *given: Any, **named: Any) -> Any:
        asked, beside = self._asked(given, named)
        saver = asked.place.saver
        begun, arguments = await saver.threads_here.begin(asked)
        if not begun.run:
            return self._known(asked, begun)
        finish = functools.partial(saver.threads_here.finish, asked, begun)
        try:
            value = await self._function(**self._with(begun, arguments, beside))
        except Exception as error:
            try:
                await finish(self._status(error))
            except StepbackError as other:
                error.add_note(f"The effect {begun.id} is not finished: {other}")
            raise
        await finish("done", **kept(saver.serde, value, is_shown=saver.readable))
        return value

    def _asked(
        self, given: tuple[Any, ...], named: Mapping[str, Any]
    ) -> tuple[Wanted, dict[str, Any]]:
        """Return the call, and the arguments that are no part of the act."""
        about = dict(self._about)
        if self._provider_key:
            named = {self._provider_key: None, **named}
        bound = self._signature.bind(*given, **named)
        bound.apply_defaults()
        beside = {one: bound.arguments.pop(one) for one in self._left_out}
        if self._undo is not None:
            about["undo"] = self._undo(**bound.arguments)
        return wanted(self._tool, bound.arguments, about), beside

    def _with(
        self,
        begun: EffectBegin,
        arguments: Mapping[str, Any],
        beside: Mapping[str, Any],
    ) -> dict[str, Any]:
        key = {self._provider_key: begun.provider_key} if self._provider_key else {}
        return {**arguments, **beside, **key}

    def _known(self, asked: Wanted, begun: EffectBegin) -> Any:
        """Return what it came to before.

        Raises: GraphInterrupt where people have to allow it; ResultNotKept.
        """
        if begun.approval is None:
            return given_back(asked.place.saver.serde, begun)
        # An id of its own: LangGraph numbers those of `interrupt`, and would give the
        # answer to the next of them once this one does not ask any more.
        id = hashlib.sha256(asked.key.encode()).hexdigest()[:32]
        value = {
            MARK: begun.approval["id"],
            "tool": asked.tool,
            "arguments": dict(asked.arguments),
        }
        raise GraphInterrupt((Interrupt(value, id=id),))

    def _status(self, error: Exception) -> str:
        return "failed" if isinstance(error, self._failed_on) else "unknown"
