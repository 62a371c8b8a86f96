"""What tests of accounts share: tries at passwords that no other test made."""

import pytest

from apps.accounts.views import guessing
from apps.core.admission.rate_limit import RateLimiter


@pytest.fixture(autouse=True)
def _tries_of_this_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guessing, "TRIES", RateLimiter(workers=1))
