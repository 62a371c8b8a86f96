"""Fields that forms of a session share."""

from django import forms

LARGEST = 10**18


def whole_number(*, required: bool = True) -> forms.IntegerField:
    """Return the field of a version's number."""
    return forms.IntegerField(required=required, min_value=0, max_value=LARGEST)
