"""Verifies Ed25519 signatures (RFC 8032), in plain Python: nothing secret is computed.

A few milliseconds each, and no package that would have to be installed.
"""

from __future__ import annotations

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)

# X, Y, Z and T of extended coordinates.
Point = tuple[int, int, int, int]


def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the key signed the message."""
    if len(public) != 32 or len(signature) != 64:
        return False
    key, r = _decoded(public), _decoded(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if key is None or r is None or s >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public + message).digest()
    h = int.from_bytes(digest, "little") % ORDER
    return _equal(_times(s, BASE), _sum(r, _times(h, key)))


def _sum(p: Point, q: Point) -> Point:
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(n: int, p: Point) -> Point:
    found = (0, 1, 1, 0)
    while n:
        if n & 1:
            found = _sum(found, p)
        p = _sum(p, p)
        n >>= 1
    return found


def _equal(p: Point, q: Point) -> bool:
    same_x = (p[0] * q[2] - q[0] * p[2]) % P == 0
    return same_x and (p[1] * q[2] - q[1] * p[2]) % P == 0


def _decoded(data: bytes) -> Point | None:
    y = int.from_bytes(data, "little")
    sign = y >> 255
    y &= (1 << 255) - 1
    x = _x_of(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def _x_of(y: int, sign: int) -> int | None:
    if y >= P:
        return None
    squared = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if squared == 0:
        return None if sign else 0
    x = pow(squared, (P + 3) // 8, P)
    if (x * x - squared) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - squared) % P:
        return None
    return P - x if x & 1 != sign else x


def _base() -> Point:
    y = 4 * pow(5, P - 2, P) % P
    x = _x_of(y, 0) or 0
    return x, y, 1, x * y % P


BASE = _base()
