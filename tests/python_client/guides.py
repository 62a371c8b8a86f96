"""Programs out of a guide's text, as they stand there: no line of them is retyped."""

from __future__ import annotations

import ast
import codeop
from collections.abc import Iterator


def programs(text: str) -> Iterator[str]:
    """Yield the parts of a text that are Python and do something, in their order.

    Prose is no Python, but for a word or two that would be: those do nothing, and are
    left out where one stands right before a program.
    """
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        found = _longest(lines, at)
        if found is None:
            at += 1
            continue
        end, tree = found
        doing = [one for one in tree.body if _does(one)]
        if doing:
            begin = _after_words(tree, doing[0]) + at
            yield "\n".join(lines[begin:end]).strip() + "\n"
        at = end


def _longest(lines: list[str], at: int) -> tuple[int, ast.Module] | None:
    """Return the end of the longest program that begins with this line."""
    if not lines[at].strip() or lines[at][0].isspace():
        return None
    found = None
    for end in range(at + 1, len(lines) + 1):
        text = "\n".join(lines[at:end])
        try:
            found = end, ast.parse(text)
        except SyntaxError:
            if not _may_go_on(text):
                break
    return found


def _may_go_on(text: str) -> bool:
    """Say whether more lines could make a program of it."""
    try:
        return codeop.compile_command(text + "\n", symbol="exec") is None
    except (SyntaxError, ValueError, OverflowError):
        return False


def _does(statement: ast.stmt) -> bool:
    """Tell a statement from words that happen to be Python."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call)
    return not (isinstance(statement, ast.AnnAssign) and statement.value is None)


def _after_words(tree: ast.Module, first: ast.stmt) -> int:
    """Return the line after the words before the first statement that does anything."""
    before = tree.body[: tree.body.index(first)]
    return max((one.end_lineno or 0 for one in before), default=0)
