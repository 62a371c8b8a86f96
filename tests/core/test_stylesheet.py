"""The stylesheet as a browser meets it: in one request, kept, and for anybody."""

import os
import re
from contextlib import closing
from pathlib import Path
from urllib.parse import urljoin

import pytest
from django.test import Client

from apps.core.http import stylesheet

NOBODY = Client()


def test_a_page_names_the_one_stylesheet_and_it_answers() -> None:
    page = NOBODY.get("/nothing-here", headers={"Accept": "text/html"})

    assert b'href="/static/css/console.css"' in page.content
    assert NOBODY.get("/static/css/console.css").status_code == 200


def test_it_holds_all_layers_in_order() -> None:
    text = NOBODY.get(stylesheet.ADDRESS).content.decode()

    places = [text.index(f"@layer {layer}{{") for layer in stylesheet.LAYERS]
    assert places == sorted(places)


def test_what_it_names_is_there() -> None:
    text = NOBODY.get(stylesheet.ADDRESS).content.decode()

    named = re.findall(r"url\(['\"]?([^'\")]+)", text)
    assert named
    for one in named:
        where = urljoin(stylesheet.ADDRESS, one)
        with closing(NOBODY.get(where)) as answer:
            assert answer.status_code == 200, where


def test_the_address_with_its_name_is_kept_for_good() -> None:
    answer = NOBODY.get(stylesheet.stylesheet_address())

    assert answer["Cache-Control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("query", ["", "?v=", "?v=0123456789abcdef"])
def test_under_any_other_address_it_is_kept_for_a_minute(query: str) -> None:
    answer = NOBODY.get(stylesheet.ADDRESS + query)

    assert answer["Cache-Control"] == "public, max-age=60"


def test_a_browser_that_has_it_is_told_so() -> None:
    tag = NOBODY.get(stylesheet.ADDRESS)["ETag"]

    again = NOBODY.get(stylesheet.ADDRESS, headers={"If-None-Match": tag})

    assert (again.status_code, again.content) == (304, b"")


def test_it_is_compressed_for_who_reads_that() -> None:
    whole = NOBODY.get(stylesheet.ADDRESS)

    small = NOBODY.get(stylesheet.ADDRESS, headers={"Accept-Encoding": "gzip"})

    assert small["Content-Encoding"] == "gzip"
    assert len(small.content) < len(whole.content) / 3


def test_nothing_is_written_to_it() -> None:
    assert NOBODY.post(stylesheet.ADDRESS).status_code == 405


def test_an_edit_is_seen_without_a_new_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for layer in stylesheet.LAYERS:
        (tmp_path / f"{layer}.css").write_text(f"@layer {layer} {{ }}")
    monkeypatch.setattr(stylesheet, "FOLDER", tmp_path)
    before, name = stylesheet.stylesheet()

    edited = tmp_path / "pages.css"
    edited.write_text("@layer pages { p { color: red; } }")
    # A clock of files may stand still for some milliseconds.
    os.utime(edited, ns=(0, edited.stat().st_mtime_ns + 1))
    after, other = stylesheet.stylesheet()

    assert "color:red" in after
    assert "color:red" not in before
    assert name != other
