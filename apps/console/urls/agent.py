"""Pages of an agent: its data, its config, its rules."""

from django.urls import path

from apps.console.urls.addresses import AGENT, PROJECT
from apps.console.views.agent import advice, exceptions, formation
from apps.console.views.agent import audit as agent_audit
from apps.console.views.agent import checkpoints as agent_checkpoints
from apps.console.views.agent import config as agent_config
from apps.console.views.agent import data as agent_data
from apps.console.views.approvals import deciding as deciding_approvals
from apps.console.views.guards import budgets, guarding
from apps.console.views.project import agents, mapping, watching
from apps.console.views.schemas import declaring as schemas

CONFIG_VERSION = f"{AGENT}/config/versions/<version_number:number>"
CHECKPOINTS = f"{AGENT}/checkpoints"
CHECKPOINT = f"{CHECKPOINTS}/at/<str:checkpoint_id>"

urlpatterns = [
    path(f"{PROJECT}/agents", agents.agent_list, name="agent_list"),
    path(AGENT, agents.agent_detail, name="agent_detail"),
    path(f"{AGENT}/data", agent_data.agent_data, name="agent_data"),
    path(f"{AGENT}/data/key", agent_data.agent_key, name="agent_key"),
    path(f"{AGENT}/config", agent_config.agent_config, name="agent_config"),
    path(CONFIG_VERSION, agent_config.config_version, name="config_version"),
    path(
        f"{CONFIG_VERSION}/rollback",
        agent_config.roll_back_config,
        name="roll_back_config",
    ),
    path(CHECKPOINTS, agent_checkpoints.agent_checkpoints, name="agent_checkpoints"),
    path(
        f"{CHECKPOINTS}/make",
        agent_checkpoints.make_checkpoint,
        name="make_checkpoint",
    ),
    path(
        f"{CHECKPOINTS}/schedule",
        agent_checkpoints.schedule_checkpoints,
        name="schedule_checkpoints",
    ),
    path(
        f"{CHECKPOINTS}/compare",
        agent_checkpoints.compare_checkpoints,
        name="compare_checkpoints",
    ),
    path(CHECKPOINT, agent_checkpoints.agent_checkpoint, name="agent_checkpoint"),
    path(
        f"{CHECKPOINT}/restore",
        agent_checkpoints.restore_checkpoint,
        name="restore_checkpoint",
    ),
    path(
        f"{CHECKPOINT}/delete",
        agent_checkpoints.delete_checkpoint,
        name="delete_checkpoint",
    ),
    path(f"{AGENT}/audit", agent_audit.agent_audit, name="agent_audit"),
    path(f"{AGENT}/audit/verify", agent_audit.agent_verify, name="agent_verify"),
    path(
        f"{AGENT}/audit/export",
        agent_audit.export_agent_audit,
        name="export_agent_audit",
    ),
    path(f"{AGENT}/blocked", exceptions.agent_blocked, name="agent_blocked"),
    path(
        f"{AGENT}/blocked/<version_number:blocked>/allow",
        exceptions.allow_blocked,
        name="allow_blocked",
    ),
    path(
        f"{AGENT}/exceptions/<str:exception_id>/end",
        exceptions.end_exception,
        name="end_exception",
    ),
    path(f"{AGENT}/watch", watching.watch_agent, name="watch_agent"),
    path(f"{AGENT}/unwatch", watching.unwatch_agent, name="unwatch_agent"),
    path(f"{AGENT}/mapping", mapping.agent_mapping, name="agent_mapping"),
    path(f"{AGENT}/formation", formation.set_formation, name="set_formation"),
    path(f"{AGENT}/suspend", agents.suspend, name="suspend_agent"),
    path(f"{AGENT}/activate", agents.activate, name="activate_agent"),
    path(f"{AGENT}/delete", agents.delete, name="delete_agent"),
    path(
        f"{AGENT}/approval-rules",
        deciding_approvals.approval_rules,
        name="approval_rules",
    ),
    path(
        f"{AGENT}/approval-rules/<str:approval_rule_id>/delete",
        deciding_approvals.delete_approval_rule,
        name="delete_approval_rule",
    ),
    path(f"{AGENT}/advice", advice.agent_advice, name="agent_advice"),
    path(f"{AGENT}/schemas", schemas.agent_schemas, name="agent_schemas"),
    path(f"{AGENT}/migrations", schemas.agent_migrations, name="agent_migrations"),
    path(
        f"{AGENT}/schemas/<str:schema_id>/withdraw",
        schemas.withdraw_schema,
        name="withdraw_schema",
    ),
    path(
        f"{AGENT}/migrations/<str:migration_id>/withdraw",
        schemas.withdraw_migration,
        name="withdraw_migration",
    ),
    path(f"{AGENT}/budgets", budgets.budgets, name="budgets"),
    path(
        f"{AGENT}/budgets/<str:budget_id>/delete",
        budgets.delete_budget,
        name="delete_budget",
    ),
    path(f"{AGENT}/guards", guarding.agent_guards, name="agent_guards"),
    path(f"{AGENT}/guards/<str:guard_id>", guarding.agent_guard, name="agent_guard"),
    path(f"{AGENT}/guards/<str:guard_id>/try", guarding.try_guard, name="try_guard"),
    path(
        f"{AGENT}/guards/<str:guard_id>/withdraw",
        guarding.withdraw_guard,
        name="withdraw_guard",
    ),
]
