"""Parameters of hand-written statements."""

import pytest

from apps.core import sql

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["sess_1"],
        ["sess_1", "sess_2"],
        ["", "NULL", "a,b", "{}", 'a"b', "a\\b", '\\"', " c ", "é", "a\nb"],
    ],
)
def test_texts_arrive_in_an_array_as_they_are(texts: list[str]) -> None:
    (row,) = sql.rows(
        "SELECT %(texts)s::varchar[] AS texts", {"texts": sql.text_array(texts)}
    )

    assert row.texts == texts
