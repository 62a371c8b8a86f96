"""What can go wrong with a survey."""

from apps.core.errors import DomainError, NotFound


class SurveyNotFound(NotFound):
    """There is no such survey in this project."""

    code = "survey_not_found"


class UnacceptableSurvey(DomainError):
    """This survey cannot be made."""

    code = "unacceptable_survey"
