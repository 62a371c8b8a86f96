"""Projects, the people and keys that act in them, and answers kept for a replay."""

from apps.accounts.choices import KeyMark, Purpose, Role, Scope
from apps.accounts.models.encrypting import DataKey, SubjectKey
from apps.accounts.models.entering import (
    Authenticator,
    BrowserSession,
    Invitation,
    RecoveryCode,
)
from apps.accounts.models.keys import ApiKey
from apps.accounts.models.people import Membership, SigninLink, User
from apps.accounts.models.projects import Project, StoredAnswer
from apps.accounts.models.views import SavedView

__all__ = [
    "ApiKey",
    "Authenticator",
    "BrowserSession",
    "DataKey",
    "Invitation",
    "KeyMark",
    "Membership",
    "Project",
    "Purpose",
    "RecoveryCode",
    "Role",
    "SavedView",
    "Scope",
    "SigninLink",
    "StoredAnswer",
    "SubjectKey",
    "User",
]
