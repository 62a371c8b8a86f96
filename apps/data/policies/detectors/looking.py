"""Looking through a text: one pass for what may be in it, then one detector each."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from apps.data.policies.detectors import credentials, numbers, people
from apps.data.policies.detectors.detector import Detector
from apps.data.policies.detectors.masks import MARKS, masked
from apps.data.policies.expressions import ExpressionSet

PERSONAL = (*people.DETECTORS, *numbers.DETECTORS)
SECRETS = credentials.DETECTORS


@dataclass(frozen=True, slots=True)
class Seen:
    """What a rule saw: its kind, and a shape that shows nothing of it."""

    kind: str
    shape: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a text, with its place in the bytes of its UTF-8."""

    seen: Seen
    start: int
    end: int


class Detectors:
    """Detectors of one rule, with their patterns in one set."""

    def __init__(self, detectors: tuple[Detector, ...], *, marks: str = "") -> None:
        self._detectors = detectors
        self._marks = marks
        self._set = ExpressionSet([one.pattern for one in detectors])

    def each(self, text: bytes) -> Iterator[Finding]:
        """Yield what each detector finds."""
        for number in self._set.found_in(text):
            detector = self._detectors[number]
            for one in detector.each(text):
                shown = "" if detector.hides_shape else one.value
                seen = Seen(detector.kind, masked(shown, marks=self._marks))
                yield Finding(seen, one.span.value_start, one.span.value_end)


def seen(detectors: Detectors, forms: Iterable[bytes]) -> Iterator[Seen]:
    """Yield what is found, in the order of the detectors."""
    return (one.seen for form in forms for one in detectors.each(form))


@cache
def personal_data() -> Detectors:
    return Detectors(PERSONAL, marks=MARKS)


@cache
def secrets() -> Detectors:
    return Detectors(SECRETS)
