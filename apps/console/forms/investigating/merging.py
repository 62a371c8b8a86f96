"""What is merged into a session, and what is to become of its conflicts.

Choices are fields of their own: `c.` and a conflict's id is what was picked, `v.` and
the id a value of one's own, `k.` and a kind what goes for all others of that kind.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from django import forms
from django.utils.datastructures import MultiValueDict

from apps.console.forms.project import SESSION_ID
from apps.core import json
from apps.core.errors import InvalidRequest, MalformedJson, UnacceptableJson
from apps.diffs.merging import Choice, Clash, Pick
from apps.diffs.text import shorten
from apps.timeline.queries import (
    MOST_POINTERS,
    MergeRequest,
    Promote,
    Reapply,
    Restore,
    Revert,
)

LARGEST = 10**18
VERBS = ("promote", "revert", "reapply", "restore")
# An address holds all that was chosen: beyond that, the API is the way.
MOST_CHOICES = 200
LONGEST_VALUES = 8_000
LONGEST_POINTERS = 12_000
CHOICE = re.compile(r"[cv]\.([0-9a-f]{32})", re.ASCII)
# What stands for all of the others of a kind: never a value.
FOR_ALL = (Pick.OURS, Pick.THEIRS, Pick.BASE, Pick.OURS_THEIRS, Pick.THEIRS_OURS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """What was chosen, as it was typed too; `faults` are of values, by conflict."""

    choices: Mapping[str, Choice]
    kinds: Mapping[str, Pick]
    texts: Mapping[str, str] = field(repr=False)
    faults: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Return what tells whether the result that was shown is of these choices."""
        picks = sorted((id, one.pick.value) for id, one in self.choices.items())
        kinds = sorted((kind, pick.value) for kind, pick in self.kinds.items())
        texts = [(id, self.texts[id]) for id, pick in picks if pick == Pick.VALUE]
        told = repr((picks, kinds, texts)).encode()
        return hashlib.sha256(told).hexdigest()[:16]


def _number() -> forms.IntegerField:
    return forms.IntegerField(required=False, min_value=0, max_value=LARGEST)


class MergeForm(forms.Form):
    """One of the four verbs with what it needs, the head that was shown, and why."""

    verb = forms.ChoiceField(choices=[(verb, verb) for verb in VERBS])
    fork = forms.RegexField(regex=rf"\A{SESSION_ID}\Z", required=False)
    fork_version = _number()
    first = _number()
    last = _number()
    version = _number()
    start = _number()
    expected = _number()
    previewed = forms.RegexField(regex=r"\A[0-9a-f]{16}\Z", required=False)
    reason = forms.CharField(required=False, max_length=2_000)
    key = forms.RegexField(regex=r"\A[A-Za-z0-9_-]{8,64}\Z", required=False)

    data: MultiValueDict[str, str]

    def asked(self) -> MergeRequest:
        """Return what is to be merged.

        Raises: InvalidRequest naming what is missing or means nothing.
        """
        if not self.is_valid():
            name = next(iter(self.errors))
            raise InvalidRequest(f"{name}: {self.errors[name][0]}", param=name)
        match self.cleaned_data["verb"]:
            case "promote":
                fork, version = self._needed("fork"), self.cleaned_data["fork_version"]
                return Promote(fork_id=fork, version=version)
            case "revert":
                return Revert(first=self._needed("first"), last=self._needed("last"))
            case "reapply":
                return Reapply(first=self._needed("first"), last=self._needed("last"))
        return Restore(
            version=self._needed("version"), pointers=self._needed_pointers()
        )

    @property
    def pointers(self) -> tuple[str, ...]:
        """Return the places that were named, and those that were ticked.

        Those are quoted: no page has in it what a key may have.
        """
        named = self.data.getlist("pointer")
        ticked = [unquote(one) for one in self.data.getlist("place")]
        return tuple(dict.fromkeys([*named, *ticked]))

    def _needed(self, name: str) -> Any:
        value = self.cleaned_data[name]
        if value in (None, ""):
            message = f"{name}: {self.cleaned_data['verb']} needs it."
            raise InvalidRequest(message, param=name)
        return value

    def _needed_pointers(self) -> tuple[str, ...]:
        found = self.pointers
        if not found:
            message = "Tick the places that are to be restored, one or more."
            raise InvalidRequest(message, param="pointer")
        if len(found) > MOST_POINTERS or sum(map(len, found)) > LONGEST_POINTERS:
            message = "So many places are restored over the API, or one above them all."
            raise InvalidRequest(message, param="pointer")
        return found

    def given(self) -> Given:
        """Return what was chosen, of a form that was asked.

        Raises: InvalidRequest naming a field that means nothing.
        """
        names = [name for name in self.data if name.startswith(("c.", "v.", "k."))]
        typed = {name: str(self.data[name]) for name in names}
        texts = {name: text for name, text in typed.items() if text.strip()}
        kinds = {
            _kind(name): _pick(name, text, FOR_ALL)
            for name, text in texts.items()
            if name.startswith("k.")
        }
        picks = {
            _id(name): _pick(name, text, tuple(Pick))
            for name, text in texts.items()
            if name.startswith("c.")
        }
        own = {_id(name): texts[name] for name in texts if name.startswith("v.")}
        if len(picks) > MOST_CHOICES:
            message = "So many are chosen for all of a kind, or over the API."
            raise InvalidRequest(message, param="choices")
        if sum(map(len, own.values())) > LONGEST_VALUES:
            message = (
                f"Values take {LONGEST_VALUES:,} characters here, more over the API."
            )
            raise InvalidRequest(message, param="choices")
        return _given(picks, kinds, own)

    def places(self) -> dict[str, Any]:
        """Return what is asked for, by the names of its fields; pointers aside."""
        names = ("verb", "fork", "fork_version", "first", "last", "version")
        asked = {name: self.cleaned_data[name] for name in names}
        return {name: value for name, value in asked.items() if value not in (None, "")}

    def query(self, given: Given) -> dict[str, Any]:
        """Return the query of the page that shows this."""
        here = {name: self.cleaned_data[name] for name in ("start", "expected")}
        return {
            **self.places(),
            **{name: value for name, value in here.items() if value is not None},
            "pointer": list(self.pointers),
            **{f"c.{id}": one.pick.value for id, one in given.choices.items()},
            **{f"c.{id}": Pick.VALUE.value for id in given.faults},
            **{f"v.{id}": text for id, text in given.texts.items()},
            **{f"k.{kind}": pick.value for kind, pick in given.kinds.items()},
            "reason": self.cleaned_data["reason"],
        }


def _given(
    picks: dict[str, Pick], kinds: dict[str, Pick], texts: dict[str, str]
) -> Given:
    choices, faults = {}, {}
    for id, pick in picks.items():
        if pick != Pick.VALUE:
            choices[id] = Choice(pick)
            continue
        try:
            value = json.parse(texts.get(id, "").encode())
        except (MalformedJson, UnacceptableJson) as fault:
            faults[id] = fault.message if id in texts else "Write a value, as JSON."
        else:
            choices[id] = Choice(pick, value)
    return Given(choices=choices, kinds=kinds, texts=texts, faults=faults)


def _id(name: str) -> str:
    known = CHOICE.fullmatch(name)
    if known is None:
        raise _nothing(name)
    return known[1]


def _kind(name: str) -> str:
    kind = name.removeprefix("k.")
    if kind not in {clash.value for clash in Clash}:
        raise _nothing(name)
    return kind


def _pick(name: str, text: str, fitting: tuple[Pick, ...]) -> Pick:
    if text not in {pick.value for pick in fitting}:
        raise _nothing(name)
    return Pick(text)


def _nothing(name: str) -> InvalidRequest:
    shown = shorten(name, 60)
    return InvalidRequest(f"{shown}: this means nothing here.", param=shown)
