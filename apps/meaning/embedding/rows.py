"""Vectors as rows of length one, and as the bytes that are kept of them.

The one module, with those of the two models and of the matrices, that loads numpy; a
process that never searches loads none of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Rows = np.ndarray[Any, np.dtype[np.float32]]
LARGEST = 127


def of_length_one(rows: Rows) -> Rows:
    """Return rows of length one; one that has no direction is NaN throughout."""
    with np.errstate(all="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
        lengths[~np.isfinite(lengths) | (lengths == 0)] = np.nan
        whole: Rows = (rows / lengths[:, None]).astype(np.float32)
    whole[~np.isfinite(whole).all(axis=1)] = np.nan
    return whole


def nothing(dimensions: int) -> Rows:
    """Return the row of a text that has no vector."""
    return np.full(dimensions, np.nan, np.float32)


def packed(row: Rows) -> tuple[bytes, float] | None:
    """Return a row as int8 bytes and what one unit of them is; None for NaN.

    A cosine computed with it is wrong by less than 0.002.
    """
    largest = float(np.abs(row).max(initial=0.0))
    if not largest > 0:
        return None
    scale = largest / LARGEST
    return np.rint(row / scale).astype(np.int8).tobytes(), scale


def shown(cosines: Rows, near: float) -> Rows:
    """Return similarities from 0 to 1, in which `near` is 0.70 for every model.

    Clients ask for 0.7 where they do not say, whatever the model's cosines are.
    """
    low = 0.7 * cosines / near
    high = 0.7 + 0.3 * (cosines - near) / (1 - near)
    return np.clip(np.where(cosines < near, low, high), 0.0, 1.0)
