"""A detector: a pattern that proposes, and a check that confirms."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from apps.data.policies.expressions import Expression, Span

# A label and its value: `"label": "value"`, `label = value`, also where the text is
# JSON inside JSON, and in Markdown (`**Label:** value`).
SEPARATOR = (
    r"(?:\*\*)?\\{0,3}[\"']?[ \t]{0,3}(?:=>|:=|[:=]| - )(?:\*\*)?"
    r"[ \t]{0,3}\\{0,3}[\"']?"
)
# How many candidates of a detector are confirmed in one text. Confirming costs up to
# 0.16 ms (phonenumbers), and a megabyte can hold 80,000 candidates: this is what keeps
# it under a second. The candidate after these counts as found, because whoever fills a
# text with numbers that nearly are must not get one past that is.
MOST_CONFIRMED = 1_000
MOST_CHEAPLY_CONFIRMED = 5_000
AROUND = 48


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece of a text that has the form."""

    text: bytes
    span: Span

    @property
    def value(self) -> str:
        return self._piece(self.span.value_start, self.span.value_end)

    @property
    def digits(self) -> str:
        return "".join(char for char in self.value if "0" <= char <= "9")

    @property
    def whole(self) -> str:
        return self._piece(self.span.start, self.span.end)

    @property
    def before(self) -> str:
        """Return a little of what stands before the value."""
        start = self.span.value_start
        return self._piece(max(0, start - AROUND), start)

    @property
    def after(self) -> str:
        """Return a little of what stands after the value."""
        end = self.span.value_end
        return self._piece(end, end + AROUND)

    def _piece(self, start: int, end: int) -> str:
        return self.text[start:end].decode("utf-8", "ignore")


@dataclass(frozen=True)
class Detector:
    """What finds one form of a kind. `hides_shape`: nothing of it is shown at all."""

    kind: str
    pattern: str
    confirm: Callable[[Candidate], bool] = lambda _: True
    most: int = MOST_CHEAPLY_CONFIRMED
    hides_shape: bool = False

    @cached_property
    def expression(self) -> Expression:
        return Expression(self.pattern)

    def each(self, text: bytes) -> Iterator[Candidate]:
        """Yield what is found, from left to right."""
        for number, span in enumerate(self.expression.each(text)):
            candidate = Candidate(text, span)
            if number >= self.most or self.confirm(candidate):
                yield candidate


def stands_alone(candidate: Candidate) -> bool:
    """Tell whether the value is no piece of a longer number, id or version."""
    before, after = candidate.before[-2:], candidate.after[:2]
    if _joins(before[-1:]) or _joins(after[:1]):
        return False
    return not (
        (before[-1:] in {"-", ".", "/", "#"} and _joins(before[:1]))
        or (after[:1] in {"-", ".", "/"} and _joins(after[1:]))
    )


def is_amid_numbers(candidate: Candidate) -> bool:
    """Tell whether a number stands right beside it: a row of a table."""
    before, after = candidate.before.rstrip(" \t"), candidate.after.lstrip(" \t")
    return before[-1:].isdigit() or after[:1].isdigit()


def _joins(char: str) -> bool:
    return char.isalnum() or char == "_"
