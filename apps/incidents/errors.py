"""What can go wrong with an incident."""

from apps.core.errors import DomainError, NotFound


class IncidentNotFound(NotFound):
    """There is no such incident in this project."""

    code = "incident_not_found"


class UnacceptableIncident(DomainError):
    """This cannot be said of an incident."""

    code = "unacceptable_incident"


class NotInIncident(NotFound):
    """This session is not in the incident, or no longer."""

    code = "not_in_incident"
