"""What assistive technology is given of the main pages: roles and names, in order."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PROJECT, Trip, Visits
from tests.browser.test_conversation import talked
from tests.browser.test_every_page import plan

HOME = """
- main:
  - heading [level=1]
  - region "Flagged versions":
    - heading "Flagged versions" [level=2]
    - paragraph:
      - 'link "All of them: Flagged versions"'
    - list
  - region "Newest rollbacks":
    - heading "Newest rollbacks" [level=2]
    - list
  - region "Hand-over"
  - region "Rollback rate, 24h":
    - figure:
      - group /Rollback rate over time/
      - link "Metrics"
  - region "Releases, worst first"
  - region "Most active agents":
    - list:
      - listitem:
        - link "travel-agent"
"""
LIST = """
- main:
  - search "Search sessions":
    - searchbox "Search sessions"
    - combobox "Order"
    - button "Search"
  - list "Terms of the search":
    - listitem:
      - link /Remove /
  - table "Sessions":
    - rowgroup:
      - row:
        - columnheader "Pick"
        - columnheader "Status"
        - columnheader "What it is about"
        - columnheader "Last change"
        - columnheader "Versions"
        - columnheader "Agent, user"
        - columnheader "Changed"
    - rowgroup:
      - row:
        - cell:
          - checkbox "Pick Cancel the hotel"
        - cell "looks wrong"
        - rowheader "Cancel the hotel":
          - link "Cancel the hotel"
        - cell:
          - link "Head, version 6"
        - cell:
          - img /Versions. v0; v1; v2 looks wrong; v3; v4 set aside, looked wrong/
        - cell
        - cell
  - form "What was picked":
    - button "Hold…"
"""
SESSION = """
- main:
  - heading "Cancel the hotel" [level=1]
  - region "Verdict":
    - paragraph:
      - strong:
        - link "v2"
    - link "Roll back to before this change…"
  - figure:
    - group "The life of the session in 7 of its versions":
      - link /^v0, created/
      - link /^v1, update/
      - link /^v2, update/
  - navigation "Views of this session":
    - link "Timeline"
    - link "Conversation"
  - region "Timeline":
    - heading "Timeline" [level=2]
    - textbox "Version or time (UTC)"
    - button "Go"
    - list:
      - listitem:
        - link "v6"
      - listitem:
        - link "v5"
  - region "v2 update":
    - heading "v2 update" [level=2]
    - navigation "Neighbouring versions":
      - link "← v1"
      - link "v3 →"
    - group "What you can do with v2":
      - link "Roll back to v2…"
      - link "Roll back to before this change…"
      - button "Fork from v2"
      - link "Fork with edits…"
      - button "Known good"
    - navigation "Parts of v2":
      - link "Changes"
      - link "State"
      - link "Turns"
      - link "Checkpoint"
      - link "Proof"
    - region "Changes against v1":
      - heading "Changes against v1" [level=3]
      - list:
        - listitem:
          - text: /destination
          - deletion
          - insertion
          - text: turned null
          - link "blame /destination"
          - link "value at /destination"
"""
PREVIEW = """
- main:
  - heading "Roll back to v1?" [level=1]
  - term: 1. What the state becomes
  - definition:
    - list:
      - listitem:
        - text: /destination
        - deletion
        - text: became
        - insertion
  - term: 2. Set aside, not deleted
  - term: 3. Already happened outside
  - term: 4. Also touches
  - group "5. Why (optional)":
    - radio "The state is wrong"
    - textbox "In words, kept with the version"
  - paragraph:
    - checkbox "Hold session" [checked]
  - paragraph:
    - link "Cancel"
    - button "Roll back to v1"
"""
CONVERSATION = """
- main:
  - heading "Conversation" [level=1]
  - navigation "Views of this session"
  - list:
    - listitem:
      - article /^Customer, turn 1/:
        - heading /^Customer, turn 1/ [level=2]
        - link "at v3"
        - link "Link to Customer, turn 1"
        - paragraph: Cancel the hotel
    - listitem:
      - article /^Agent, turn 1/:
        - heading /^Agent, turn 1/ [level=2]
        - paragraph: Done
    - listitem:
      - article /^Customer, turn 2/:
        - link "came with v4"
        - link "v5"
        - paragraph
        - paragraph:
          - link /Show all of Customer, turn 2/
"""
PLAN = """
- main:
  - heading "Hold 1 session?" [level=1]
  - term: Will be done
  - definition: "1"
  - term: Left out
  - definition: "0"
  - textbox "Why"
  - paragraph:
    - link "Cancel"
    - button "Hold 1 session"
  - region "Sessions of the plan":
    - table:
      - rowgroup:
        - row:
          - columnheader "Session"
          - columnheader "Version"
          - columnheader "What will be done"
      - rowgroup:
        - row:
          - rowheader "Cancel the hotel"
          - cell "v6"
          - cell "hold"
"""


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("", HOME),
        ("sessions?q=age%3C1d", LIST),
        ("sessions/{id}/versions/2", SESSION),
        ("sessions/{id}/versions/1/rollback", PREVIEW),
        ("sessions/{id}/conversation", CONVERSATION),
        ("plans/{plan}", PLAN),
    ],
    ids=["home", "list", "session", "preview", "conversation", "plan"],
)
def test_a_page_gives_its_roles_and_names_in_order(
    visits: Visits, trip: Trip, where: str, expected: str
) -> None:
    talked(trip)
    path = where.format(id=trip.id, plan=plan(trip))
    page = visits.page("olga")

    page.goto(f"{trip.console.server.url}/console/{PROJECT}/{path}".rstrip("/"))

    expect(page.locator("body")).to_match_aria_snapshot(expected)
    # It would be noticed: nothing is called so.
    expect(page.locator("body")).not_to_match_aria_snapshot(
        '- heading "Another page" [level=1]'
    )
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
