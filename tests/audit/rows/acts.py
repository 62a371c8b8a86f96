"""Random acts that leave rows which records cover, with the product's verbs alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Any

from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.access import actor_of, as_user
from apps.accounts.models import ApiKey, Membership, Project, Role, Scope, User
from apps.agents import operations as agents
from apps.agents.acts import Act
from apps.agents.mapping import Mapping
from apps.approvals import operations as approvals
from apps.approvals.models import ApprovalRule
from apps.approvals.words import Verdict
from apps.audit.models import AuditRecord
from apps.core.actors import SYSTEM, Actor, ActorKind
from apps.core.errors import DomainError
from apps.core.handling import Handling
from apps.data import operations as data
from apps.data.models import PolicyException
from apps.guards import operations as guards
from apps.guards.models import Budget, Guard
from apps.guards.words import Kind, Measure, OnReach
from apps.retention import operations as retention
from apps.retention.models import LegalHold
from apps.retention.terms import Terms
from apps.retention.words import HoldKind
from apps.schemas import operations as schemas
from apps.schemas.models import AgentSchema, SchemaMigration
from apps.timeline import operations as timeline
from apps.timeline.models import Label, Review, Session
from apps.webhooks import operations as webhooks
from apps.webhooks.models import Subscription
from tests.acts import act_by, act_in

AGENT = Actor(kind=ActorKind.KEY, id="key_1", label="sb_7f3a")
PERSON = Actor(kind=ActorKind.USER, id="user_1", label="alice")
NAMES = ("good", "known good", "über 3", "1")
TEXTS = ("Wrong city.", "é\n☃", "x" * 9_000)


class Acts:
    """Acts in one project, by people, agents and the system, as they are drawn."""

    def __init__(self, project: Project, draw: Random) -> None:
        self.project = project
        self.draw = draw
        self.refused = 0

    def act(self) -> Act:
        return act_in(self.project, self.draw.choice([AGENT, PERSON, SYSTEM]))

    def any_of(self, model: Any, **told: Any) -> Any:
        found = list(model.objects.filter(**told))
        return self.draw.choice(found) if found else None

    def session(self) -> str:
        mine = Session.objects.filter(project_id=self.project.id)
        return str(self.draw.choice(list(mine.values_list("id", flat=True))))

    def begin(self) -> str:
        about = timeline.About(
            metadata=self.draw.choice([None, {"owner": "ann", "n": 1.5}]),
            user_id=self.draw.choice([None, "user-7"]),
            ttl_seconds=self.draw.choice([None, 3600]),
        )
        made = timeline.create(
            act=self.act(), agent="travel", state={}, about=about, step=timeline.Step()
        )
        return str(made.session_id)

    def label(self) -> None:
        name = self.draw.choice(NAMES)
        timeline.label(act=self.act(), session_id=self.session(), number=0, name=name)

    def unlabel(self) -> None:
        label = self.any_of(Label)
        if label:
            timeline.unlabel(
                act=self.act(),
                session_id=label.session_id,
                number=label.number,
                name=label.name,
            )

    def note(self) -> None:
        timeline.add_note(
            act=self.act(),
            session_id=self.session(),
            number=self.draw.choice([None, 0]),
            text=self.draw.choice(TEXTS),
        )

    def summary(self) -> None:
        session_id = self.session()
        said = timeline.Exchange(input={"content": "Hi"}, output={"content": "Hello"})
        timeline.add_turn(
            act=self.act(), session_id=session_id, exchange=said, step=timeline.Step()
        )
        timeline.add_summary(
            act=self.act(),
            session_id=session_id,
            first_turn=1,
            last_turn=1,
            text=self.draw.choice(TEXTS),
        )

    def review(self) -> None:
        timeline.review(
            act=self.act(),
            session_id=self.session(),
            outcome=self.draw.choice(["fine", "failed"]),
            why=self.draw.choice([None, *TEXTS[:2]]),
        )

    def withdraw(self) -> None:
        review = self.any_of(Review)
        if review:
            timeline.withdraw_review(
                act=self.act(),
                session_id=review.session_id,
                given_at=review.created_at,
            )

    def score(self) -> None:
        timeline.score(
            act=self.act(),
            session_id=self.session(),
            name=self.draw.choice(NAMES),
            value=self.draw.choice([0, 0.1, -0.0, 5e-324, 1e300, 2**70]),
        )

    def metadata(self) -> None:
        timeline.update_metadata(
            act=self.act(),
            session_id=self.session(),
            metadata={
                "owner": self.draw.choice(
                    [None, "bob", "é\x00", 1e23, [1, {"a": -0.0}]]
                )
            },
            ttl_seconds=self.draw.choice([None, 0, 60]),
        )

    def lifetime(self) -> None:
        timeline.update_metadata(
            act=self.act(), session_id=self.session(), ttl_seconds=3600
        )

    def key(self) -> None:
        expiry = timezone.now() + timedelta(days=1)
        accounts.issue_key(
            act=self.act(),
            project=self.project,
            name="bot",
            scope=self.draw.choice(list(Scope)),
            agents=self.draw.choice([None, ["travel", "b" * 255]]),
            terms=accounts.KeyTerms(
                rate_limit=self.draw.choice([None, 60]),
                expires_at=self.draw.choice([None, expiry]),
            ),
        )

    def revoke(self) -> None:
        key = self.any_of(ApiKey, project=self.project)
        if key:
            accounts.revoke_key(act=self.act(), project=self.project, key_id=key.id)

    def user(self) -> User:
        name = f"user{self.draw.randrange(10**9)}"
        return accounts.create_user(act=act_by(), username=name)

    def member(self) -> None:
        role = self.draw.choice(list(Role))
        accounts.add_member(
            act=self.act(), project=self.project, user=self.user(), role=role
        )

    def invited(self) -> None:
        role = self.draw.choice(list(Role))
        made, token = accounts.invite(act=self.act(), project=self.project, role=role)
        now = timezone.now()
        if self.draw.random() < 0.3:
            accounts.withdraw_invitation(
                act=self.act(), project=self.project, invitation_id=made.id
            )
            return
        accounts.accept_invitation(
            token=token, user=self.user(), now=now, request_id="req_test"
        )

    def role(self) -> None:
        one = self.any_of(Membership, project=self.project)
        if one:
            role = self.draw.choice(list(Role))
            accounts.change_role(
                act=as_user(one.user, now=timezone.now(), request_id="req_test"),
                project=self.project,
                user=one.user,
                role=role,
            )

    def allowed(self) -> None:
        one = self.any_of(Membership, project=self.project)
        if one:
            accounts.allow_unmasked(
                act=self.act(),
                project=self.project,
                user=one.user,
                is_allowed=self.draw.random() < 0.7,
            )

    def removed(self) -> None:
        one = self.any_of(Membership, project=self.project)
        if one:
            accounts.remove_member(act=self.act(), project=self.project, user=one.user)

    def settings(self) -> None:
        accounts.set_handling(
            act=self.act(),
            project=self.project,
            handling=self.draw.choice(list(Handling)),
        )

    def mapped(self) -> None:
        agents.map_states(
            act=self.act(),
            reference="travel",
            mapping=Mapping(
                title=self.draw.choice([None, "/goal", "/über"]),
                user=self.draw.choice([None, "/customer/id"]),
                waiting=self.draw.choice([None, [], ["/asks = true", "/pending"]]),
                noise=self.draw.choice([[], ["/clock", "/items/*/age"]]),
            ),
        )

    def webhook(self) -> None:
        webhooks.create(
            act=self.act(),
            url=f"https://93.184.216.34/in/{self.draw.randrange(100)}",
            kinds=["turn.added"],
            description="Für uns",
        )

    def webhook_changed(self) -> None:
        one = self.any_of(Subscription, project=self.project)
        if one:
            webhooks.update(
                act=self.act(),
                webhook_id=one.id,
                url=self.draw.choice([None, "https://93.184.216.34/other"]),
                kinds=self.draw.choice([None, ["turn.added", "version.created"]]),
                format=self.draw.choice([None, "slack"]),
            )

    def webhook_switched(self) -> None:
        one = self.any_of(Subscription, project=self.project)
        verbs: list[Callable[..., Any]] = [
            webhooks.enable,
            webhooks.disable,
            webhooks.change_secret,
            webhooks.delete,
        ]
        if one:
            self.draw.choice(verbs)(act=self.act(), webhook_id=one.id)

    def floor(self) -> None:
        policies = self.draw.choice([{}, {"block_pii": True}])
        data.set_floor(act=self.act(), project=self.project, policies=policies)

    def excepted(self) -> None:
        data.create_exception(
            act=self.act(),
            reference="travel",
            said=data.NewException(
                reason=self.draw.choice(TEXTS[:2]),
                days=self.draw.choice([None, 1.5]),
                rule="policy:block_pii",
                prefix=f"{self.draw.choice('aé')}{self.draw.randrange(100)}:",
            ),
            may_secrets=True,
        )

    def excepted_no_more(self) -> None:
        one = self.any_of(PolicyException, project_id=self.project.id)
        if one:
            data.end_exception(act=self.act(), reference="travel", exception_id=one.id)

    def voted(self) -> None:
        """Ask, and have a new member vote, once or of two."""
        name = f"voter-{self.draw.randrange(10**9)}"
        user = accounts.create_user(username=name, act=act_by())
        accounts.add_member(
            project=self.project, user=user, role=Role.OPERATOR, act=act_by()
        )
        approval = approvals.ask(
            act=self.act(),
            session_id=self.begin(),
            asked=approvals.Asked(
                tool="wire",
                arguments={"é": self.draw.choice([1.5, 2**70, None])},
                depends_on=self.draw.choice([(), ("/a", "/b")]),
                votes=self.draw.choice([1, 2]),
            ),
        )
        approvals.vote(
            act=act_in(self.project, actor_of(user)),
            approval_id=approval.id,
            said=approvals.Said(
                verdict=self.draw.choice([Verdict.APPROVE, Verdict.REJECT]),
                comment=self.draw.choice([None, "é\n☃"]),
            ),
        )

    def ruled(self) -> None:
        approvals.create_rule(
            act=self.act(),
            reference="travel",
            said=approvals.NewRule(check=self.draw.choice([None, "state.a>1"])),
        )

    def ruled_no_more(self) -> None:
        rule = self.any_of(ApprovalRule, project_id=self.project.id)
        if rule:
            approvals.delete_rule(act=self.act(), reference="travel", rule_id=rule.id)

    def budgeted(self) -> None:
        own = self.draw.choice([None, self.session()])
        guards.create_budget(
            act=self.act(),
            said=guards.NewBudget(
                session_id=own,
                agent=None if own else "travel",
                measure=Measure.COST,
                most=Decimal(self.draw.choice(["1", "0.1", "12345.000000000001"])),
                currency="EUR",
                on_reach=OnReach.ASK,
                more=Decimal("2.50"),
            ),
        )

    def budgeted_otherwise(self) -> None:
        budget = self.any_of(Budget, project_id=self.project.id)
        if budget:
            fields = {"most": Decimal(self.draw.choice(["7", "7.25"]))}
            act = self.act()
            guards.change_budget(act=act, budget_id=budget.id, fields=fields)

    def budgeted_no_more(self) -> None:
        budget = self.any_of(Budget, project_id=self.project.id)
        if budget:
            guards.delete_budget(act=self.act(), budget_id=budget.id)

    def guarded(self) -> None:
        guards.create_guard(
            act=self.act(),
            said=guards.NewGuard(
                agent="travel",
                name=f"é {self.draw.randrange(10**9)}",
                kind=Kind.CHECK,
                rule={"check": "state.a>1"},
            ),
        )

    def guarded_otherwise(self) -> None:
        guard = self.any_of(Guard, project_id=self.project.id, withdrawn_at=None)
        if guard:
            rule = {"check": f"state.a>{self.draw.randrange(10**9)}"}
            change = guards.Change(rule=self.draw.choice([None, rule]), name="é")
            guards.change_guard(act=self.act(), guard_id=guard.id, change=change)

    def guarded_no_more(self) -> None:
        guard = self.any_of(Guard, project_id=self.project.id, withdrawn_at=None)
        if guard:
            guards.withdraw_guard(act=self.act(), guard_id=guard.id)

    def declared(self) -> None:
        """Declare one more schema, and have the one before it lead there."""
        known = AgentSchema.objects.filter(project_id=self.project.id).order_by("id")
        if not known.exists():
            self._declared_after(None)
        self._declared_after(known.last())

    def _declared_after(self, before: AgentSchema | None) -> None:
        version = f"{self.draw.randrange(10**9)}.é"
        schemas.declare_schema(
            act=self.act(),
            reference="travel",
            said=schemas.NewSchema(
                version=version,
                schema={"const": self.draw.choice([1.5, 2**70, None, "é\n☃"])},
                strict=False,
            ),
        )
        if before:
            steps = [{"op": "default", "at": "/é", "value": 2**70}]
            schemas.declare_migration(
                act=self.act(),
                reference="travel",
                said=schemas.NewMigration(
                    from_version=before.version, to_version=version, steps=steps
                ),
            )

    def withdrawn(self) -> None:
        mine = SchemaMigration.objects.filter(project_id=self.project.id)
        last = mine.order_by("id").last()
        # One stays, to be compared.
        if last and mine.count() > 1:
            act = self.act()
            schemas.withdraw_migration(
                act=act, reference="travel", migration_id=last.id
            )
            schema = AgentSchema.objects.get(
                agent_id=last.agent_id, version=last.to_version
            )
            schemas.withdraw_schema(act=act, reference="travel", schema_id=schema.id)

    def kept(self) -> None:
        terms = Terms(empty_days=self.draw.choice([1, 30]), prune_days=30)
        retention.make_policy(act=self.act(), terms=terms)

    def held(self) -> None:
        retention.set_legal_hold(
            act=self.act(),
            kind=HoldKind.USER,
            value=self.draw.choice(["user-7", "é"]),
            reason=self.draw.choice(TEXTS[:2]),
            until=self.draw.choice([None, timezone.now() + timedelta(days=1)]),
        )

    def held_no_more(self) -> None:
        hold = self.any_of(LegalHold, project_id=self.project.id)
        if hold:
            retention.end_legal_hold(
                act=self.act(), hold_id=hold.id, reason=self.draw.choice(TEXTS[:2])
            )


VERBS = (
    Acts.begin,
    Acts.label,
    Acts.unlabel,
    Acts.note,
    Acts.summary,
    Acts.review,
    Acts.withdraw,
    Acts.score,
    Acts.metadata,
    Acts.lifetime,
    Acts.key,
    Acts.revoke,
    Acts.member,
    Acts.invited,
    Acts.role,
    Acts.allowed,
    Acts.removed,
    Acts.settings,
    Acts.mapped,
    Acts.webhook,
    Acts.webhook_changed,
    Acts.webhook_switched,
    Acts.floor,
    Acts.excepted,
    Acts.excepted_no_more,
    Acts.voted,
    Acts.ruled,
    Acts.ruled_no_more,
    Acts.budgeted,
    Acts.budgeted_otherwise,
    Acts.budgeted_no_more,
    Acts.guarded,
    Acts.guarded_otherwise,
    Acts.guarded_no_more,
    Acts.declared,
    Acts.withdrawn,
    Acts.kept,
    Acts.held,
    Acts.held_no_more,
)


def perform(project: Project, draw: Random, count: int) -> Acts:
    """Perform so many acts, each verb at least once; what is refused is counted."""
    acts = Acts(project, draw)
    acts.begin()
    verbs = [*VERBS, *draw.choices(VERBS, k=count)]
    draw.shuffle(verbs)
    for verb in verbs:
        records = AuditRecord.objects.count()
        try:
            verb(acts)
        except DomainError:
            acts.refused += 1
            assert AuditRecord.objects.count() == records
    return acts
