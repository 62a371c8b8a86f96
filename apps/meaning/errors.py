"""What can go wrong with a search by meaning, in its own words."""

from apps.core.errors import DomainError


class MeaningOff(DomainError):
    """This project does not search its old states by meaning: switch it on first."""

    code = "search_by_meaning_off"


class MeaningUnavailable(DomainError):
    """There is no vector of this question just now."""

    code = "meaning_unavailable"
