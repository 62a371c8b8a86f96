"""Masked shapes: enough to recognise a false alarm by, nothing to learn from."""

# Longer shapes are cut: what follows says no more.
LONGEST = 24
HIDDEN = "***"
# What telephone numbers and addresses are written with. In a secret it would be a part.
MARKS = " @.-+/():"


def masked(text: str, *, marks: str) -> str:
    """Return the shape of a text: `a` for a letter, `9` for a digit, `*` for the rest.

    The marks stay as they are.
    """
    shape = "".join(_class(char, marks) for char in text[:LONGEST])
    return (shape + "…" if len(text) > LONGEST else shape) or HIDDEN


def _class(char: str, marks: str) -> str:
    if char.isalpha():
        return "a"
    if char.isdigit():
        return "9"
    return char if char in marks else "*"
