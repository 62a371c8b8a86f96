"""Masks of a project: what masked keys are not shown, and how it is drawn instead.

A mask names a place of states by a JSON pointer, in which `*` stands for one member and
`**` for any depth, or texts by a pattern wherever they stand. There are no regular
expressions of callers, so what a mask costs does not depend on who wrote it.
"""

from apps.accounts.masks.mask import Mask, Pattern, Style
from apps.accounts.masks.stated import (
    LONGEST_POINTER,
    MOST,
    ProjectMasks,
    mask_of,
    masks_of,
    stored,
    written,
)

# As a project without any has it stored.
NO_MASKS = "[]"

__all__ = [
    "LONGEST_POINTER",
    "MOST",
    "NO_MASKS",
    "Mask",
    "Pattern",
    "ProjectMasks",
    "Style",
    "mask_of",
    "masks_of",
    "stored",
    "written",
]
