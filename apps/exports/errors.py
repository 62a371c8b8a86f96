"""What can go wrong with asking for exports."""

from apps.core.errors import DomainError


class UnacceptableExport(DomainError):
    """This kind of export does not take what was asked for."""

    code = "unacceptable_export"
