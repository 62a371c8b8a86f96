"""The verbs of accounts: each is one transaction and leaves one chained record.

Secrets leave an operation exactly once, as the second value it returns; neither the
row nor the record holds them.
"""

from apps.accounts.operations.answers import answer_once, forget_answers
from apps.accounts.operations.keys import issue_key, revoke_key
from apps.accounts.operations.links import (
    make_password_link,
    make_signin_link,
    use_password_link,
    use_signin_link,
)
from apps.accounts.operations.members import (
    add_member,
    change_role,
    invite,
    remove_member,
)
from apps.accounts.operations.projects import create_project
from apps.accounts.operations.users import change_password, create_user
from apps.accounts.operations.views import delete_view, open_with_view, save_view

__all__ = [
    "add_member",
    "answer_once",
    "change_password",
    "change_role",
    "create_project",
    "create_user",
    "delete_view",
    "forget_answers",
    "invite",
    "issue_key",
    "make_password_link",
    "make_signin_link",
    "open_with_view",
    "remove_member",
    "revoke_key",
    "save_view",
    "use_password_link",
    "use_signin_link",
]
