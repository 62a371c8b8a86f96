"""The filters that a list was asked with, each with a link to the list without it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms

# Where a page of a list begins: it ends with the filters that it was for.
PLACES = frozenset({"after", "before"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Chip:
    """One filter as it was given; without a name its value says all."""

    value: str
    # Relative to the list.
    without: str
    name: str = ""


def applied(
    asked: Mapping[str, str],
    form: forms.Form,
    *,
    aside: Iterable[str] = (),
    ends: Mapping[str, Iterable[str]] | None = None,
    if_empty: Mapping[str, str] | None = None,
) -> list[Chip]:
    """Return a chip for each field of a list's form that the address gives a value.

    A value that the form refuses has one too: it is what has to go. `aside` names
    fields that filter nothing; `ends` what means nothing without another field, and
    goes with it; `if_empty` the fields that filter by nothing, too, and what that is.
    """
    chips = []
    for name, field in form.fields.items():
        given = asked.get(name)
        if given is None or name in PLACES or name in aside:
            continue
        words = _words(field, given) if given else (if_empty or {}).get(name)
        if not words:
            continue
        gone = {name, *(ends or {}).get(name, ())}
        label = str(form[name].label)
        chips.append(
            Chip(
                name=label[:1].lower() + label[1:],
                value=words,
                without=_without(asked, gone),
            )
        )
    return chips


def _words(field: forms.Field, given: str) -> str:
    if isinstance(field, forms.BooleanField):
        return "yes"
    choices: dict[Any, Any] = dict(getattr(field, "choices", ()))
    return str(choices.get(given, given))


def _without(asked: Mapping[str, str], gone: set[str]) -> str:
    kept = [(name, said) for name, said in asked.items() if name not in gone | PLACES]
    return f"?{urlencode(kept)}"
