"""Detectors find what is personal or secret, by its kind, and let look-alikes pass."""

import pytest

from apps.data.policies import detectors
from tests.data.policies.corpus import LOOK_ALIKES, PERSONAL, SECRETS


def found(text: str) -> set[str]:
    both = (detectors.personal_data(), detectors.secrets())
    return {one.seen.kind for each in both for one in each.each(text.encode())}


@pytest.mark.parametrize(("kind", "text"), PERSONAL)
def test_personal_data_is_found(kind: str, text: str) -> None:
    assert kind in found(text)


@pytest.mark.parametrize(("kind", "text"), SECRETS)
def test_secrets_are_found(kind: str, text: str) -> None:
    assert kind in found(text)


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_a_look_alike_passes(text: str) -> None:
    assert found(text) == set()


def test_there_are_three_hundred_look_alikes() -> None:
    assert len(set(LOOK_ALIKES)) >= 300
