"""Issuing and revoking API keys. A revoked key stays, so that records can name it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.accounts import covered, secrets
from apps.accounts.errors import KeyAlreadyRevoked, KeyNotFound
from apps.accounts.models import ApiKey, KeyMark, Project, Scope
from apps.accounts.names import valid_name
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.core.provenance import Provenance

LONGEST_AGENT = 255
LARGEST_RATE = 2**63 - 1


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyTerms:
    """How often and how long a key works, and what it begins with.

    Without a rate limit the installation's holds; without an end it works for good.
    """

    rate_limit: int | None = None
    expires_at: datetime | None = None
    mark: KeyMark = KeyMark.STATEBASE


USUAL_TERMS = KeyTerms()


@transaction.atomic
def issue_key(
    *,
    act: Provenance,
    project: Project,
    name: str,
    scope: Scope,
    agents: Sequence[str] | None = None,
    terms: KeyTerms = USUAL_TERMS,
) -> tuple[ApiKey, str]:
    """Return a new key and its secret, which nobody can ever read again.

    Raises: InvalidRequest for an unfit name, agent list, rate limit or expiry.
    """
    secret = secrets.new_key_secret(terms.mark)
    key = ApiKey.objects.create(
        id=new_id("key", now=act.now),
        project=project,
        name=valid_name(name),
        prefix=secret.prefix,
        secret_hash=secret.digest,
        scope=scope,
        agents=_valid_agents(agents),
        rate_limit=_valid_rate(terms.rate_limit),
        created_at=act.now,
        created_by=act.actor.label,
        expires_at=_valid_expiry(terms.expires_at, act.now),
    )
    audit.record_act(
        stream_id=project.id,
        project_id=project.id,
        action=Action.KEY_CREATED,
        resource_type="key",
        resource_id=key.id,
        act=act,
        details={
            "name": key.name,
            "prefix": key.prefix,
            "scope": scope.value,
            "agents": key.agents,
            "expires_at": key.expires_at and key.expires_at.isoformat(),
        }
        | covered.KEY.left(key, project.index_key).details(),
    )
    return key, secret.text


@transaction.atomic
def revoke_key(*, act: Provenance, project: Project, key_id: str) -> ApiKey:
    """End a key at once: the next request with it is refused.

    Raises: KeyNotFound in this project, KeyAlreadyRevoked.
    """
    keys = ApiKey.objects.in_project(project.id).filter(id=key_id)
    # Compare-and-swap, so that of two people exactly one revoked it.
    revoked = keys.filter(revoked_at=None).update(revoked_at=act.now)
    key = keys.first()
    if key is None:
        raise KeyNotFound
    if not revoked:
        raise KeyAlreadyRevoked
    audit.record_act(
        stream_id=project.id,
        project_id=project.id,
        action=Action.KEY_REVOKED,
        resource_type="key",
        resource_id=key.id,
        act=act,
        details={"name": key.name, "prefix": key.prefix}
        | covered.KEY.left(key, project.index_key).details(),
    )
    return key


def _valid_agents(agents: Sequence[str] | None) -> list[str] | None:
    if agents is None:
        return None
    if not agents or not all(
        agent.isprintable() and 0 < len(agent) <= LONGEST_AGENT for agent in agents
    ):
        raise InvalidRequest(
            "Name at least one agent, or leave the list out for all agents.",
            param="agents",
        )
    return sorted(set(agents))


def _valid_rate(rate_limit: int | None) -> int | None:
    if rate_limit is not None and not 0 < rate_limit <= LARGEST_RATE:
        raise InvalidRequest(
            "A rate limit is one request a minute or more.", param="rate_limit"
        )
    return rate_limit


def _valid_expiry(expires_at: datetime | None, now: datetime) -> datetime | None:
    if expires_at is not None and expires_at <= now:
        raise InvalidRequest("A key expires in the future.", param="expires_at")
    return expires_at
