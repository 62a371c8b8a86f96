"""How a session went: reviews and scores, given, listed by, never changed."""

import json
import threading
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection

from apps.accounts.models import Project, Scope
from apps.audit.models import AuditRecord, Event
from apps.timeline import operations as timeline
from apps.timeline import verification
from apps.timeline.errors import ReviewReplaced
from apps.timeline.models import Review, Score, Session
from tests.acts import act_in
from tests.conftest import make_project
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db


def review(run: Run, outcome: Any = "failed", why: Any = None, **headers: str) -> Any:
    body = {"outcome": outcome, "why": why}
    return run.client.put(run.path("review"), body, **headers)


def score(
    run: Run, name: Any = "helpfulness", value: Any = 0.75, **headers: str
) -> Any:
    # Written by the library that knows integers of any length.
    body = json.dumps({"name": name, "value": value}).encode()
    return run.client.put(run.path("score"), body, **headers)


def listed(run: Run, **query: Any) -> Any:
    answer = run.client.get("/v1/sessions", query)
    assert answer.status == 200, answer.content
    return [session["id"] for session in answer.body["data"]]


class TestReview:
    def test_it_says_how_the_session_went(self, run: Run) -> None:
        answer = review(run, "failed", "The refund was promised,\nnot made.")

        assert answer.status == 200
        assert answer.body["object"] == "review"
        assert answer.body["session_id"] == run.id
        assert answer.body["outcome"] == "failed"
        assert answer.body["why"] == "The refund was promised,\nnot made."
        assert answer.body["created_at"].endswith("Z")
        assert answer.body["created_by"]
        assert run.get()["review"] == "failed"
        assert listed(run, review="failed") == [run.id]

    def test_nobody_reviewed_a_new_session_or_a_fork(self, run: Run) -> None:
        review(run)

        assert run.fork().get()["review"] is None

    def test_the_newest_counts_and_the_others_stay(self, run: Run) -> None:
        review(run, "failed", "No refund.")
        review(run, "fine", "It came a day later.")
        review(run, "failed")

        reviews = Review.objects.of_session(run.id).order_by("ordinal")
        assert [(one.outcome, one.why) for one in reviews] == [
            ("failed", "No refund."),
            ("fine", "It came a day later."),
            ("failed", None),
        ]
        assert run.get()["review"] == "failed"

    def test_saying_it_again_is_saying_it_once(self, run: Run) -> None:
        first, again = review(run, "fine", "Seen."), review(run, "fine", "Seen.")

        assert (again.status, again.body) == (200, first.body)
        assert Review.objects.count() == 1
        assert Event.objects.filter(action="session.reviewed").count() == 1

    def test_what_somebody_else_says_is_another_review(
        self, run: Run, api: Clients, make_key: Keys
    ) -> None:
        review(run, "fine")
        review(Run(api(make_key()), run.made), "fine")

        assert Review.objects.count() == 2

    def test_a_lost_answer_is_given_again_even_after_another_review(
        self, run: Run
    ) -> None:
        first = review(run, "failed", Idempotency_Key="k-1")
        review(run, "fine")

        again = review(run, "failed", Idempotency_Key="k-1")

        assert again.body == first.body
        assert again.headers["Idempotent-Replayed"] == "true"
        assert run.get()["review"] == "fine"

    def test_it_makes_no_version_and_does_not_change_the_session(
        self, run: Run
    ) -> None:
        before = run.get()

        review(run)

        after = run.get()
        assert after["version"] == before["version"] == 2
        assert after["updated_at"] == before["updated_at"]

    def test_the_event_has_the_outcome_and_not_the_words(self, run: Run) -> None:
        review(run, "failed", "secret word")

        event = Event.objects.get(action="session.reviewed")
        record = AuditRecord.objects.get(action="session.reviewed")
        assert (event.resource_type, event.resource_id) == ("session", run.id)
        assert event.details == {"outcome": "failed", "review": 1}
        assert "secret" not in str(record.details)
        assert record.details["row"]["of"] == "review"

    def test_a_closed_session_can_be_reviewed(self, run: Run) -> None:
        run.post("close", {})

        assert review(run).status == 200

    @pytest.mark.parametrize(
        ("body", "param"),
        [
            ({}, "outcome"),
            ({"outcome": None}, "outcome"),
            ({"outcome": "good"}, "outcome"),
            ({"outcome": "FINE"}, "outcome"),
            ({"outcome": 1}, "outcome"),
            ({"outcome": ["fine"]}, "outcome"),
            ({"outcome": "fine", "why": 5}, "why"),
            ({"outcome": "fine", "why": "x" * 2_001}, "why"),
            ({"outcome": "fine", "why": "a\0"}, "why"),
        ],
    )
    def test_what_is_no_review_is_refused(
        self, run: Run, body: Any, param: str
    ) -> None:
        answer = run.client.put(run.path("review"), body)

        assert_refused(answer, 400, "invalid_request", param)
        assert not Review.objects.exists()

    def test_a_field_that_nobody_knows_is_refused(self, run: Run) -> None:
        answer = run.client.put(run.path("review"), {"outcome": "fine", "y": 1})

        assert_refused(answer, 400, "unknown_field")

    def test_strangers_readers_and_deleted_sessions(
        self, run: Run, api: Clients, make_key: Keys, other_project: Project
    ) -> None:
        body = {"outcome": "fine"}
        stranger = api(make_key(project=other_project))
        reader = api(make_key(scope=Scope.READ))
        limited = api(make_key(agents=["somebody-else"]))

        for verb, sent in (("review", body), ("score", {"name": "a", "value": 1})):
            for one in (stranger, limited):
                answer = one.put(run.path(verb), sent)
                assert_refused(answer, 404, "session_not_found")
            assert reader.put(run.path(verb), sent).status == 403
            assert run.client.post(run.path(verb), sent).status == 405
        run.client.delete(run.path())
        assert_refused(review(run), 404, "session_not_found")
        assert_refused(score(run), 404, "session_not_found")


class TestScore:
    def test_it_gives_the_session_a_number(self, run: Run) -> None:
        answer = score(run, "helpfulness", 0.75)

        assert answer.status == 200
        assert answer.body["object"] == "score"
        assert (answer.body["name"], answer.body["value"]) == ("helpfulness", 0.75)
        assert run.get()["scores"] == {"helpfulness": 0.75}

    def test_of_each_name_the_newest_counts_and_all_stay(self, run: Run) -> None:
        for name, value in (("a", 1), ("b", -2.5), ("a", 0.1), ("a", 1)):
            score(run, name, value)

        assert run.get()["scores"] == {"a": 1, "b": -2.5}
        assert Score.objects.of_session(run.id).count() == 4

    def test_giving_it_again_is_giving_it_once(self, run: Run) -> None:
        first, again = score(run), score(run)

        assert again.body == first.body
        assert Score.objects.count() == 1

    def test_a_lost_answer_is_given_again_even_after_another_score(
        self, run: Run
    ) -> None:
        first = score(run, value=0.5, Idempotency_Key="k-1")
        score(run, value=0.7)

        again = score(run, value=0.5, Idempotency_Key="k-1")

        assert again.body == first.body
        assert run.get()["scores"] == {"helpfulness": 0.7}

    @pytest.mark.parametrize(
        "value", [0, -0.0, 5e-324, 1.7976931348623157e308, -1e23, 0.1, 2**60 + 1]
    )
    def test_every_finite_number_is_kept(self, run: Run, value: Any) -> None:
        assert score(run, value=value).body["value"] == float(value)

        assert run.get()["scores"] == {"helpfulness": float(value)}

    @pytest.mark.parametrize(
        "value", [None, "1", "", True, [1], {}, 10**309, 10**4_000]
    )
    def test_what_is_no_number_is_refused(self, run: Run, value: Any) -> None:
        assert_refused(score(run, value=value), 400, "invalid_request", "value")
        assert not Score.objects.exists()

    @pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e400", "0x1"])
    def test_what_json_knows_not_as_a_number_is_refused(
        self, run: Run, value: str
    ) -> None:
        body = f'{{"name": "a", "value": {value}}}'.encode()

        answer = run.client.send("PUT", run.path("score"), body)

        assert answer.status in (400, 422)
        assert not Score.objects.exists()

    @pytest.mark.parametrize(
        "name",
        [
            *(None, 5, "", "  ", " a", "a ", "a" * 101, "a\0", "a\nb", "\u202e"),
            *("a<b", "a>b", "a=b", "a!", 'a"b'),
        ],
    )
    def test_what_is_no_name_is_refused(self, run: Run, name: Any) -> None:
        assert_refused(score(run, name), 400, "invalid_request", "name")
        assert not Score.objects.exists()

    @pytest.mark.parametrize(
        "name", ["0", "a__b", "Answer relevance", "größe", "a/b.c:d", "%s", "'"]
    )
    def test_any_name_is_found_by_its_value(self, run: Run, name: str) -> None:
        score(run, name, 0.5)

        assert run.get()["scores"] == {name: 0.5}
        assert listed(run, score=f"{name}<=0.5") == [run.id]
        assert listed(run, score=f"{name}<0.5") == []

    def test_a_session_has_at_most_fifty_names(self, run: Run) -> None:
        for number in range(50):
            assert score(run, f"n{number}", 1).status == 200

        assert_refused(score(run, "one more", 1), 400, "invalid_request", "name")
        assert score(run, "n7", 2).body["value"] == 2
        assert len(run.get()["scores"]) == 50

    def test_the_event_says_what_and_how_much(self, run: Run) -> None:
        score(run, "reward", 0.5)

        event = Event.objects.get(action="session.scored")
        record = AuditRecord.objects.get(action="session.scored")
        assert event.details == {"score": "reward", "value": 0.5}
        assert record.details["row"]["of"] == "score"


class TestLists:
    def test_they_are_filtered_by_review(self, begin: Begin) -> None:
        failed, fine, unseen = (begin() for _ in range(3))
        review(failed, "fine")
        review(failed, "failed")
        review(fine, "fine")

        assert listed(unseen, review="failed") == [failed.id]
        assert listed(unseen, review="fine") == [fine.id]
        assert listed(unseen, review="none") == [unseen.id]

    @pytest.mark.parametrize(
        ("wanted", "values"),
        [
            ("reward<0.5", [0, 0.25]),
            ("reward<=0.5", [0, 0.25, 0.5]),
            ("reward=0.5", [0.5]),
            ("reward>=0.5", [0.5, 1]),
            (" reward > .25 ", [0.5, 1]),
            ("reward<1e-3", [0]),
            ("reward", [0, 0.25, 0.5, 1]),
            ("other", []),
            ("other<1", []),
        ],
    )
    def test_they_are_filtered_by_score(
        self, begin: Begin, wanted: str, values: Any
    ) -> None:
        runs = {value: begin() for value in (0, 0.25, 0.5, 1)}
        for value, one in runs.items():
            score(one, "reward", value)
        unscored = begin()

        found = listed(unscored, score=wanted)

        assert sorted(found) == sorted(runs[value].id for value in values)

    def test_filters_narrow_each_other_and_pages_go_on(self, begin: Begin) -> None:
        runs = [begin(agent_id="billing") for _ in range(3)]
        for one in [*runs, begin(agent_id="travel")]:
            score(one, "reward", 0)
            review(one, "failed")
        query = {"agent_id": "billing", "score": "reward<1", "review": "failed"}

        first = listed(runs[0], **query, limit=2)
        rest = listed(runs[0], **query, limit=2, starting_after=first[-1])

        assert first + rest == [one.id for one in reversed(runs)]

    @pytest.mark.parametrize("wanted", ["", "good", "FINE", "fine,failed"])
    def test_an_outcome_that_is_none_is_refused(self, run: Run, wanted: str) -> None:
        answer = run.client.get("/v1/sessions", {"review": wanted})

        assert_refused(answer, 400, "invalid_request", "review")

    @pytest.mark.parametrize(
        "wanted",
        [
            *("", " ", "<1", "reward<", "reward<x", "reward<nan", "reward<1e999"),
            *("reward<<1", "reward=<1", "reward==1", "reward!=1", "a" * 101),
            *("reward<1e99999", "reward<" + "9" * 401, "reward<\u0663", "reward<inf"),
        ],
    )
    def test_a_comparison_that_means_nothing_is_refused(
        self, run: Run, wanted: str
    ) -> None:
        answer = run.client.get("/v1/sessions", {"score": wanted})

        assert_refused(answer, 400, "invalid_request", "score")


class TestFailed:
    @pytest.mark.parametrize(
        ("reviewed", "scores", "is_failed"),
        [
            (None, {}, False),
            ("failed", {}, True),
            ("fine", {}, False),
            (None, {"success": 0}, True),
            (None, {"reward": 0.49}, True),
            (None, {"reward": 0.5, "success": 1}, False),
            (None, {"reward": 1, "success": 0}, True),
            (None, {"helpfulness": 0}, False),
            ("fine", {"success": 0}, False),
            ("failed", {"success": 1}, True),
        ],
    )
    def test_a_review_outranks_what_scores_say(
        self, run: Run, reviewed: Any, scores: Any, is_failed: bool
    ) -> None:
        for name, value in scores.items():
            score(run, name, value)
        if reviewed:
            review(run, reviewed)

        assert Session.objects.get(id=run.id).is_failed is is_failed


def test_what_lists_show_is_verified(run: Run) -> None:
    review(run, "failed")
    score(run, "a", 0.5)
    score(run, "a", 1e23)
    assert _wrong(run) == []

    Session.objects.filter(id=run.id).update(review="fine", scores={"a": 0.5})

    assert [one for one in _wrong(run) if "review" in one] != []
    assert [one for one in _wrong(run) if "scores" in one] != []


def _wrong(run: Run) -> list[str]:
    return [one.sentence for one in verification.findings(run.id)]


def test_what_is_withdrawn_stays_and_what_counted_before_counts(run: Run) -> None:
    review(run, "fine", "Seen.")
    review(run, "failed")
    act = act_in(Project.objects.get(slug="checkout"))

    for counts in ("fine", "failed", "fine"):
        last = Review.objects.of_session(run.id).newest()
        assert last is not None
        timeline.withdraw_review(act=act, session_id=run.id, given_at=last.created_at)
        assert run.get()["review"] == counts

    assert Review.objects.count() == 5
    assert _wrong(run) == []


def test_the_first_one_withdrawn_leaves_a_session_that_nobody_reviewed(
    run: Run,
) -> None:
    review(run, "failed", "Seen.")
    act = act_in(Project.objects.get(slug="checkout"))
    first = Review.objects.get()

    timeline.withdraw_review(act=act, session_id=run.id, given_at=first.created_at)

    assert listed(run, review="none") == [run.id]
    assert run.get()["review"] is None
    assert _wrong(run) == []
    # It is the newest no more.
    with pytest.raises(ReviewReplaced):
        timeline.withdraw_review(act=act, session_id=run.id, given_at=first.created_at)


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_each_is_a_row_and_one_counts() -> None:
    project = make_project("busy")
    session_id = timeline.create(
        act=act_in(project),
        agent="travel",
        state={},
        about=timeline.About(),
        step=timeline.Step(),
    ).session_id
    barrier = threading.Barrier(8)

    def judge(number: int) -> None:
        act = act_in(project, now=datetime.now(UTC))
        barrier.wait()
        try:
            timeline.score(act=act, session_id=session_id, name="a", value=number)
            outcome = "fine" if number % 2 else "failed"
            timeline.review(
                act=act, session_id=session_id, outcome=outcome, why=str(number)
            )
        finally:
            connection.close()

    threads = [threading.Thread(target=judge, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    session = Session.objects.get(id=session_id)
    scores = list(Score.objects.of_session(session_id).order_by("ordinal"))
    reviews = list(Review.objects.of_session(session_id).order_by("ordinal"))
    assert [one.ordinal for one in scores] == list(range(1, 9))
    assert [one.ordinal for one in reviews] == list(range(1, 9))
    assert session.scores == {"a": scores[-1].value}
    assert session.review == reviews[-1].outcome
    assert AuditRecord.objects.filter(action="session.scored").count() == 8
    assert AuditRecord.objects.filter(action="session.reviewed").count() == 8
