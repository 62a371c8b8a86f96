"""The verbs of accounts: each is one transaction and leaves one chained record.

Secrets leave an operation exactly once, as the second value it returns; neither the
row nor the record holds them.
"""

from apps.accounts.operations.answers import Redaction, answer_once, forget_answers
from apps.accounts.operations.encryption import encrypt_project, rotate_keys
from apps.accounts.operations.invitations import (
    accept_as_newcomer,
    accept_invitation,
    invite,
    withdraw_invitation,
)
from apps.accounts.operations.keys import KeyTerms, issue_key, revoke_key
from apps.accounts.operations.links import (
    make_password_link,
    make_signin_link,
    use_password_link,
    use_signin_link,
)
from apps.accounts.operations.members import add_member, change_role, remove_member
from apps.accounts.operations.projects import (
    add_mask,
    create_project,
    remove_mask,
    require_rollback_reason,
    set_floor,
    set_handling,
    set_masks,
    set_search_by_meaning,
)
from apps.accounts.operations.second_factors import (
    begin_second_factor,
    check_second_factor,
    confirm_second_factor,
    make_recovery_codes,
    remove_second_factor,
    require_second_factor,
    reset_second_factor,
)
from apps.accounts.operations.sessions import (
    end_session,
    end_sessions,
    forget_sessions,
)
from apps.accounts.operations.unmasked import allow_unmasked, note_unmasked
from apps.accounts.operations.users import change_password, create_user
from apps.accounts.operations.views import delete_view, open_with_view, save_view

__all__ = [
    "KeyTerms",
    "Redaction",
    "accept_as_newcomer",
    "accept_invitation",
    "add_mask",
    "add_member",
    "allow_unmasked",
    "answer_once",
    "begin_second_factor",
    "change_password",
    "change_role",
    "check_second_factor",
    "confirm_second_factor",
    "create_project",
    "create_user",
    "delete_view",
    "encrypt_project",
    "end_session",
    "end_sessions",
    "forget_answers",
    "forget_sessions",
    "invite",
    "issue_key",
    "make_password_link",
    "make_recovery_codes",
    "make_signin_link",
    "note_unmasked",
    "open_with_view",
    "remove_mask",
    "remove_member",
    "remove_second_factor",
    "require_rollback_reason",
    "require_second_factor",
    "reset_second_factor",
    "revoke_key",
    "rotate_keys",
    "save_view",
    "set_floor",
    "set_handling",
    "set_masks",
    "set_search_by_meaning",
    "use_password_link",
    "use_signin_link",
    "withdraw_invitation",
]
