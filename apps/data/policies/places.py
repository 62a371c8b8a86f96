"""The texts of a write, each with its place: key, value, metadata."""

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from apps.core.json.writing import dumps

KEY, VALUE, METADATA = "key", "value", "metadata"
# A value that its key labels (`user:7:phone`, `users/7/first_name`); more is prose.
LONGEST_LABELLED = 256
SEPARATORS = ":/.#|"


@dataclass(frozen=True, slots=True)
class Text:
    """What is looked at in one place, in one piece or in several forms."""

    place: str
    whole: bytes
    forms: tuple[bytes, ...]

    def fingerprint(self, rule: str, secret: bytes) -> bytes:
        """Return what stands for this text under this rule, for who has the secret."""
        said = b"\0".join((rule.encode(), self.place.encode(), self.whole))
        return hmac.digest(secret, said, hashlib.sha256)


def texts(key: str, value: str, metadata: Mapping[str, Any]) -> tuple[Text, ...]:
    """Return key, value and metadata as texts."""
    in_key, in_value = _bytes(key), _bytes(value)
    found = [
        Text(KEY, in_key, (in_key,)),
        Text(VALUE, in_value, (in_value, *_labelled(key, value))),
    ]
    if metadata:
        written = dumps(dict(metadata))
        # As JSON, for labels and numbers; and texts alone, for what JSON escapes.
        alone = b"\n".join(_bytes(one) for one in _strings(metadata))
        found.append(Text(METADATA, written, (written, alone)))
    return tuple(found)


def _labelled(key: str, value: str) -> Iterator[bytes]:
    if 0 < len(value) <= LONGEST_LABELLED:
        label = key
        for separator in SEPARATORS:
            label = label.rpartition(separator)[2]
        if label:
            yield _bytes(f'"{label}": "{value}"')


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, child in value.items():
            yield str(name)
            yield from _strings(child)
    elif isinstance(value, list | tuple):
        for child in value:
            yield from _strings(child)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
