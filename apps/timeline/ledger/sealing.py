"""What seals the bodies that are written to a session, where its project encrypts."""

from __future__ import annotations

from apps.accounts import encryption
from apps.accounts.models import Project
from apps.timeline.bodies import Sealer


def sealer(
    project: Project,
    session_id: str,
    user_id: str | None = None,
    *,
    is_beginning: bool = False,
) -> Sealer | None:
    """Return what seals a session's bodies: the key of its end user, or the project's.

    None, and nothing is asked of anybody, where the project does not encrypt.

    Raises: KeysUnavailable.
    """
    key = encryption.sealing_key(project, user_id, is_beginning=is_beginning)
    return None if key is None else Sealer(key, session_id)
