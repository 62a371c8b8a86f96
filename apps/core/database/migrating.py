"""Migrate without making all historical models anew at each step.

Django renders, for each model, index or constraint that a step adds, every model that
is related to it. All of ours are related by way of the project, so that was two thirds
of the processor's time of a migration from nothing. A new model refers to others, and
none to it yet; indexes and constraints belong to one model alone.
"""

from __future__ import annotations

from typing import Any

from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ModelState, ProjectState


class State(ProjectState):
    """The models of one moment of the migrations, of which few change at each step."""

    def clone(self) -> State:
        models = {key: one.clone() for key, one in self.models.items()}
        copied = State(models=models, real_apps=self.real_apps)
        if "apps" in self.__dict__:
            copied.apps = self.apps.clone()
        copied.is_delayed = self.is_delayed
        return copied

    def add_model(self, model_state: ModelState) -> None:
        key = model_state.app_label, model_state.name_lower
        is_new = key not in self.models
        apps = self.__dict__.pop("apps", None) if is_new else None
        super().add_model(model_state)
        if apps is not None:
            self.apps = apps
            apps.render_multiple([model_state])

    def _append_option(
        self, app_label: str, model_name: str, option_name: str, obj: Any
    ) -> None:
        apps = self.__dict__.pop("apps", None)
        super()._append_option(  # type: ignore[misc]
            app_label, model_name, option_name, obj
        )
        if apps is not None:
            self.apps = apps
            meta = apps.get_model(app_label, model_name)._meta
            setattr(meta, option_name, [*getattr(meta, option_name), obj])


class Executor(MigrationExecutor):
    """Django's own, with states of ours."""

    def _create_project_state(self, with_applied_migrations: bool = False) -> State:
        state = State(real_apps=self.loader.unmigrated_apps)
        if with_applied_migrations:
            leaves = self.loader.graph.leaf_nodes()
            for migration, _ in self.migration_plan(leaves, clean_start=True):
                if (migration.app_label, migration.name) in (
                    self.loader.applied_migrations
                ):
                    migration.mutate_state(state, preserve=False)
        return state
