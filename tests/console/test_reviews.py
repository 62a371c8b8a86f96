"""How a session went, what is known good, and the way back from what is not."""

import html
import re

import pytest

from apps.accounts.models import Role
from apps.audit.models import AuditRecord
from apps.timeline.models import Label, Review
from tests.accounts.make import make_member
from tests.console.make import HTML, Story, address, signed_in

KEY = {"key": "test-key-1"}
LOST = {"dates": None}


@pytest.fixture
def story(project):
    return Story(project).update({"n": 1}).update(LOST).update({"n": 2})


@pytest.fixture
def operator(client, project):
    return signed_in(client, make_member(project, "olga", Role.OPERATOR))


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "carol", Role.VIEWER))


def page_of(client, project, *rest):
    response = client.get(address(project, *rest))
    assert response.status_code == 200
    return response.content.decode()


def words_of(page):
    """Return what the line below the title says."""
    line = re.search(r'class="session-line">(.*?)\n</div>', page, re.DOTALL)[1]
    return " ".join(re.sub(r"<[^>]*>", " ", line).split())


class TestReview:
    def test_it_is_written_shown_and_recorded(self, operator, project, story):
        where = address(project, story.id, "review")

        answer = operator.post(
            where, {**KEY, "outcome": "failed", "why": "Refund <b>promised</b>."}
        )

        page = page_of(operator, project, story.id)
        assert answer.status_code == 303
        assert answer["Location"] == address(project, story.id)
        assert "✗ failed reviewed by olga" in words_of(page)
        assert "Refund &lt;b&gt;promised&lt;/b&gt;." in page
        record = AuditRecord.objects.get(action="session.reviewed")
        assert (record.actor_label, record.details["outcome"]) == ("olga", "failed")

    def test_who_reviews_it_again_decides(self, operator, project, story):
        where = address(project, story.id, "review")

        operator.post(where, {**KEY, "outcome": "failed", "why": "No refund."})
        operator.post(where, {**KEY, "outcome": "fine"})

        assert "✔ fine reviewed by olga" in words_of(
            page_of(operator, project, story.id)
        )
        assert Review.objects.count() == 2

    def test_sent_twice_it_is_written_once(self, operator, project, story):
        where = address(project, story.id, "review")
        for _ in range(2):
            operator.post(where, {**KEY, "outcome": "fine", "why": "Seen."})

        assert Review.objects.count() == 1
        assert AuditRecord.objects.filter(action="session.reviewed").count() == 1

    @pytest.mark.parametrize(
        "fields",
        [
            {},
            {"outcome": "good"},
            {"outcome": "fine", "why": "x" * 2_001},
            {"outcome": "fine", "key": "short"},
        ],
    )
    def test_what_is_no_review_is_told_and_kept(self, operator, project, story, fields):
        sent = {**KEY, "why": "typed words", **fields}

        answer = operator.post(address(project, story.id, "review"), sent, headers=HTML)

        text = answer.content.decode()
        assert answer.status_code == 400
        assert "Nothing was done:" in text
        assert '<details class="reviewing" open>' in text
        assert sent["why"] in text
        assert not Review.objects.exists()

    def test_a_viewer_reads_it_and_may_not_write_one(self, viewer, project, story):
        story.review("failed", "No refund.")

        answer = viewer.post(
            address(project, story.id, "review"), {**KEY, "outcome": "fine"}
        )

        page = page_of(viewer, project, story.id)
        assert answer.status_code == 403
        assert "✗ failed reviewed by olga" in words_of(page)
        assert 'class="reviewing"' not in page
        assert 'data-key="e"' not in page

    def test_others_and_other_methods(
        self, client, operator, project, other_project, story
    ):
        where = address(project, story.id, "review")
        assert operator.get(where).status_code == 405
        stranger = make_member(other_project, "mallory", Role.ADMIN)
        signed_in(client, stranger)
        assert client.post(where, {**KEY, "outcome": "fine"}).status_code == 404
        client.logout()
        answer = client.post(where, {**KEY, "outcome": "fine"})
        assert answer.status_code in (302, 401, 403)
        assert not Review.objects.exists()

    def test_an_unknown_session_is_not_found(self, operator, project):
        where = address(project, f"sess_{'0' * 26}", "review")

        assert operator.post(where, {**KEY, "outcome": "fine"}).status_code == 404

    def test_nobody_reviewed_it_is_said_and_scores_are_shown(
        self, viewer, project, story
    ):
        story.score("reward", 0.25).score("reward", 1).score("a&amp;b", 1e300)

        page = page_of(viewer, project, story.id)

        assert "not reviewed" in words_of(page)
        assert "Score reward 1" in words_of(page)
        assert "a&amp;amp;b 1e+300" in page
        assert "0.25" not in words_of(page)


class TestKnownGood:
    def test_one_press_marks_the_version(self, operator, project, story):
        page = page_of(operator, project, story.id, "versions", 1)
        (form,) = re.findall(
            r'<form[^>]*action="([^"]*/versions/1/labels)">'
            r'(?:(?!</form>).)*value="known-good"(?:(?!</form>).)*data-key="m"',
            page,
        )

        answer = operator.post(form, {"label": "known-good"})

        page = page_of(operator, project, story.id, "versions", 1)
        assert answer.status_code == 303
        assert Label.objects.get().number == 1
        assert 'data-key="m"' not in page

    def test_a_viewer_is_offered_nothing(self, viewer, project, story):
        assert 'data-key="m"' not in page_of(viewer, project, story.id)


class TestWayBack:
    def test_the_bad_version_itself_leads_to_before_it(self, operator, project, story):
        page = page_of(operator, project, story.id, "versions", 2)

        acts = re.search(r'class="version-acts".*?</div>', page, re.DOTALL)[0]
        before = address(project, story.id, "versions", 1, "rollback")
        assert f'href="{before}"' in acts
        assert "Roll back to before this change…" in acts
        row = re.search(r'id="v2".*?</li>', page, re.DOTALL)[0]
        assert f'href="{before}"' in row

    @pytest.mark.parametrize("number", [0, 1, 3])
    def test_others_do_not(self, operator, project, story, number):
        page = page_of(operator, project, story.id, "versions", number)

        acts = re.search(r'class="version-acts".*?</div>', page, re.DOTALL)[0]
        row = re.search(rf'id="v{number}".*?</li>', page, re.DOTALL)[0]
        assert "before this change" not in acts
        assert "before this change" not in row

    def test_what_was_set_aside_does_not(self, operator, project, story):
        story.rollback(1)

        page = page_of(operator, project, story.id, "versions", 2)

        assert "before this change" not in page

    def test_behind_a_rollback_it_leads_to_what_was_restored(
        self, operator, project, story
    ):
        story.rollback(1).update({"travellers": None})

        page = page_of(operator, project, story.id, "versions", 5)

        before = address(project, story.id, "versions", 4, "rollback")
        acts = re.search(r'class="version-acts".*?</div>', page, re.DOTALL)[0]
        assert f'href="{before}"' in acts

    def test_each_row_has_its_fork(self, operator, project, story):
        page = page_of(operator, project, story.id)

        for number in range(4):
            where = address(project, story.id, "versions", number, "fork")
            assert f'class="row-fork" href="{where}"' in page

    def test_a_viewer_reads_rows_without_acts(self, viewer, project, story):
        page = page_of(viewer, project, story.id, "versions", 2)

        assert "row-fork" not in page
        assert "before this change" not in page


def test_what_the_selected_version_did_stands_below_the_line(viewer, project, story):
    told = re.compile(r'id="life-told"[^>]*>([^<]*)<')

    assert told.search(page_of(viewer, project, story.id))[1] == (
        "v3, update: n changed from 1 to 2"
    )
    (said,) = told.findall(page_of(viewer, project, story.id, "versions", 2))
    assert said.startswith("v2, update: dates lost (turned null)")


class TestLists:
    def found(self, client, project, **query):
        response = client.get(address(project), {"q": "", **query})
        text = response.content.decode()
        return response.status_code, set(re.findall(r'title="(sess_\w+)"', text)), text

    @pytest.fixture
    def judged(self, project):
        """Sessions that failed, went well, and that nobody reviewed."""
        return (
            Story(project).review("fine").review("failed").score("reward", 0),
            Story(project).review("fine").score("reward", 1),
            Story(project),
        )

    @pytest.mark.parametrize("sort", ["", "oldest", "changed"])
    def test_they_are_narrowed_by_review_and_score(self, viewer, project, judged, sort):
        failed, fine, unseen = (one.id for one in judged)
        for q, ids in (
            ("review:failed", {failed}),
            ("review:fine", {fine}),
            ("review:none", {unseen}),
            ("score:reward<0.5", {failed}),
            ("score:reward", {failed, fine}),
            ("review:fine score:reward<0.5", set()),
            ("review:failed agent:travel-agent", {failed}),
            ("review:failed agent:nobody", set()),
        ):
            status, shown, _ = self.found(viewer, project, sort=sort, q=q)
            assert (status, shown) == (200, ids), q

    def test_a_review_is_a_choice_that_narrows(self, viewer, project, judged):
        page = viewer.get(f"{address(project)}/narrow", {"q": "agent:travel-agent"})

        (where,) = re.findall(
            r'href="([^"]+review%3Afailed[^"]*)">failed <b>1</b>', page.content.decode()
        )
        shown = viewer.get(html.unescape(where)).content.decode()
        assert set(re.findall(r'title="(sess_\w+)"', shown)) == {judged[0].id}

    def test_the_export_is_narrowed_as_the_list_is(self, viewer, project, judged):
        answer = viewer.get(f"{address(project)}/export", {"q": "review:failed"})

        rows = answer.content.decode().splitlines()
        assert [row.split(",")[0] for row in rows[1:]] == [judged[0].id]

    @pytest.mark.parametrize(
        ("q", "says"),
        [
            ("review:good", "review: takes fine, failed, none"),
            ("score:reward<", "there has to be a number"),
            ("score:<1", "score takes a name"),
            ("score:<script>", "score takes a name"),
        ],
    )
    def test_what_means_nothing_is_refused_and_shows_no_rows(
        self, viewer, project, judged, q, says
    ):
        status, shown, text = self.found(viewer, project, q=q)

        assert status == 400
        assert says in html.unescape(text)
        assert shown == set()
        assert "<script>" not in text
