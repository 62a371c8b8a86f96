"""What surveys keep of a session, and of a person in what is looked for."""

from apps.timeline.hooks.keeping import ERASED_PEOPLE, SESSIONS, Leavings, naming

SESSIONS["surveys"] = (Leavings(what="survey_sessions", table="surveys_sampled"),)
ERASED_PEOPLE["surveys"] = (
    naming("survey_searches", "surveys_survey", "query", "query = NULL"),
    naming("survey_checks", "surveys_survey", "check_text", "check_text = NULL"),
)
