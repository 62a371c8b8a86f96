"""Merging what two sides made of one state: a pure function, and its words."""

from apps.diffs.merging.walk import merge
from apps.diffs.merging.words import (
    Choice,
    ChoiceRefused,
    Clash,
    Conflict,
    Merge,
    Pick,
    Side,
    SideChange,
)

__all__ = [
    "Choice",
    "ChoiceRefused",
    "Clash",
    "Conflict",
    "Merge",
    "Pick",
    "Side",
    "SideChange",
    "merge",
]
