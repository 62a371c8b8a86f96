"""Pages that look into many sessions: plans, incidents, experiments, surveys."""

from django.urls import path

from apps.console.urls.addresses import PROJECT
from apps.console.views.experiments import acting as acting_on_experiments
from apps.console.views.experiments import looking as experiments
from apps.console.views.incidents import acting as acting_on_incidents
from apps.console.views.incidents import looking as incidents
from apps.console.views.project import plans
from apps.console.views.surveys import surveys

PLAN = f"{PROJECT}/plans/<str:plan_id>"
EXPERIMENTS = f"{PROJECT}/experiments"
EXPERIMENT = f"{EXPERIMENTS}/at/<str:experiment_id>"
INCIDENTS = f"{PROJECT}/incidents"
INCIDENT = f"{INCIDENTS}/at/<str:incident_id>"

urlpatterns = [
    path(f"{PROJECT}/plans", plans.plan_list, name="plans"),
    path(f"{PROJECT}/plans/make", plans.make_plan, name="make_plan"),
    path(PLAN, plans.plan, name="plan"),
    path(f"{PLAN}/confirm", plans.confirm_plan, name="confirm_plan"),
    path(f"{PLAN}/change", plans.change_plan, name="change_plan"),
    path(f"{PLAN}/retry", plans.retry_plan, name="retry_plan"),
    path(f"{PLAN}/undo", plans.undo_plan, name="undo_plan"),
    path(f"{PLAN}/export", plans.export_plan, name="export_plan"),
    path(INCIDENTS, incidents.incidents, name="incidents"),
    path(f"{INCIDENTS}/open", acting_on_incidents.open_incident, name="open_incident"),
    path(INCIDENT, incidents.incident, name="incident"),
    path(f"{INCIDENT}/report", incidents.incident_report, name="incident_report"),
    path(
        f"{INCIDENT}/report.md", incidents.incident_markdown, name="incident_markdown"
    ),
    path(f"{INCIDENT}/export", incidents.incident_export, name="incident_export"),
    path(
        f"{INCIDENT}/change",
        acting_on_incidents.change_incident,
        name="change_incident",
    ),
    path(f"{INCIDENT}/plan", acting_on_incidents.plan_incident, name="plan_incident"),
    path(f"{INCIDENT}/note", acting_on_incidents.note_incident, name="note_incident"),
    path(
        f"{INCIDENT}/narrow",
        acting_on_incidents.narrow_incident,
        name="narrow_incident",
    ),
    path(
        f"{INCIDENT}/widen", acting_on_incidents.widen_incident, name="widen_incident"
    ),
    path(EXPERIMENTS, experiments.experiments, name="experiments"),
    path(
        f"{EXPERIMENTS}/new",
        acting_on_experiments.make_experiment,
        name="make_experiment",
    ),
    path(EXPERIMENT, experiments.experiment, name="experiment"),
    path(
        f"{EXPERIMENT}/rename",
        acting_on_experiments.rename_experiment,
        name="rename_experiment",
    ),
    path(
        f"{EXPERIMENT}/close",
        acting_on_experiments.close_experiment,
        name="close_experiment",
    ),
    path(f"{PROJECT}/surveys", surveys.survey_list, name="surveys"),
    path(f"{PROJECT}/surveys/ask", surveys.ask_survey, name="ask_survey"),
    path(f"{PROJECT}/surveys/at/<str:survey_id>", surveys.survey, name="survey"),
]
