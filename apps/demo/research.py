"""The research agent: long runs that keep a plan, notes and a whole checkpoint.

Each run is some thirty versions with messages, tasks and tool results beside the
state. One of them compacted its own notes away and was stepped back.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from apps.core.json import Json, State
from apps.demo.people import ENGINEER
from apps.demo.script import Story
from apps.timeline import operations as timeline

AGENT = "research-agent"
MODEL = "claude-opus-4"
RELEASE = "0.9.2"
COMPACTED_RUN, STEP_OF_COMPACTION = 2, 7
SECTIONS = ("background", "methods", "findings", "risks", "costs", "open questions")

QUESTIONS = (
    ("heat-pumps", "How do heat pumps perform below -15 °C in retrofitted houses?"),
    ("sodium-cells", "Are sodium-ion cells ready for grid storage?"),
    ("ticket-triage", "Which support tickets could be answered without a person?"),
    ("port-congestion", "What explains the congestion of ports this quarter?"),
)
SOURCES = (
    "field study, 24 sites",
    "vendor data sheet",
    "regulator's annual report",
    "conference paper",
    "interview notes",
    "open data set",
)


@dataclass(slots=True)
class _Run:
    """What grows while a run goes on."""

    story: Story
    draw: Random
    notes: list[Json] = field(default_factory=list)
    sources: list[Json] = field(default_factory=list)
    messages: list[Json] = field(default_factory=list)
    results: dict[str, Json] = field(default_factory=dict)

    def saw(self, role: str, text: str) -> None:
        """Add a message with an identity of its own."""
        self.messages.append(
            {"id": f"m{len(self.messages) + 1}", "role": role, "content": text}
        )


def stories(start: datetime) -> Iterator[Story]:
    """Yield the runs: one every other day, the last one just before the end."""
    hours = (9.0, 52.0, 101.0, 167.35)
    for index, (name, question) in enumerate(QUESTIONS):
        story = Story(
            f"research-{name}",
            agent=AGENT,
            at=start + timedelta(hours=hours[index]),
            model=MODEL,
            release=RELEASE,
        )
        # The same runs every time; nothing secret is drawn.
        run = _Run(story, Random(f"research {name}"))  # noqa: S311
        _plan(run, question, index)
        _work(run, index)
        _conclude(run, is_closed=index < COMPACTED_RUN)
        yield story


def _plan(run: _Run, question: str, index: int) -> None:
    run.saw("user", question)
    run.story.begin(
        {"question": question, "phase": "planning", "budget": {"tokens": 400_000}},
        user_id=f"analyst_{index + 1}",
        external_id=run.story.name,
        metadata={"env": "prod", "team": "research"},
        title=question,
        reasoning="A new question came in",
        parts={
            "messages": list(run.messages),
            "model_params": {"model": MODEL, "temperature": 0.2, "seed": 7 + index},
        },
    )
    run.story.wait(seconds=run.draw.randint(10, 40))
    run.story.update(
        {"phase": "researching", "outline": list(SECTIONS), "progress": 0.0},
        "Drafted an outline of six sections",
        parts={"tasks": _tasks(0)},
    )


def _work(run: _Run, index: int) -> None:
    for step in range(len(SECTIONS) * 2):
        section = SECTIONS[step // 2]
        _search(run, section, step)
        good = _note(run, section, step)
        if index == COMPACTED_RUN and step == STEP_OF_COMPACTION:
            _compacted_away(run, good)


def _search(run: _Run, section: str, step: int) -> None:
    source = SOURCES[run.draw.randrange(len(SOURCES))]
    call = f"call_{step + 1:02d}"
    year = run.draw.randint(2019, 2026)
    run.saw("assistant", f"Searching for {section}: {source}, {year}.")
    run.results[call] = {"tool": "search", "query": f"{section} {year}", "hits": 5}
    run.sources.append({"id": f"s{step + 1}", "kind": source, "year": year})
    run.story.wait(seconds=run.draw.randint(20, 90))
    run.story.update(
        {"sources": list(run.sources), "last_tool": "search"},
        f"Found a source for {section}",
        parts={"messages": list(run.messages), "tool_results": dict(run.results)},
    )


def _note(run: _Run, section: str, step: int) -> int:
    confidence = round(run.draw.uniform(0.55, 0.97), 2)
    run.notes.append(
        {
            "id": f"n{step + 1}",
            "section": section,
            "text": f"{section.capitalize()}: point {step % 2 + 1}, supported by "
            f"s{step + 1} and consistent with what the others say.",
            "confidence": confidence,
        }
    )
    run.story.wait(seconds=run.draw.randint(30, 120))
    state: State = {
        "notes": list(run.notes),
        "progress": round((step + 1) / (2 * len(SECTIONS)), 2),
    }
    return run.story.update(
        state,
        f"Read the source and noted a point on {section}",
        parts={"tasks": _tasks((step + 1) // 2)},
        status="on_track",
    )


def _compacted_away(run: _Run, good: int) -> None:
    run.story.wait(seconds=15)
    run.story.update(
        {"notes": [], "summary": "See notes."},
        "Context is nearly full: compacted the notes into a summary",
        remove=["/sources", "/outline"],
        parts={"messages": run.messages[-1:]},
        status="off_track",
    )
    run.story.wait(seconds=50)
    run.story.update(
        {"phase": "planning", "progress": 0.0},
        "No notes found, so planning starts over",
    )
    run.story.wait(minutes=25)
    run.story.roll_back(
        good,
        by=ENGINEER,
        reason="Compaction threw eight notes away and left a summary of nothing.",
        reason_code="data_lost",
    )
    run.story.wait(minutes=1)
    run.story.label(good, "before-compaction", by=ENGINEER)


def _conclude(run: _Run, *, is_closed: bool) -> None:
    run.story.wait(minutes=1)
    run.story.update(
        {"phase": "writing", "draft": {"sections": len(SECTIONS), "words": 1840}},
        "Wrote the draft from the notes",
        parts={"artifacts": [{"id": "a1", "name": "draft.md", "bytes": 11_904}]},
    )
    run.story.wait(minutes=2)
    run.story.turn(
        "Can you shorten the section on costs?",
        "Done: it has 180 words now.",
    )
    run.story.update(
        {"draft": {"sections": len(SECTIONS), "words": 1712}},
        "Shortened the section on costs",
    )
    if is_closed:
        run.story.wait(minutes=3)
        run.story.update({"phase": "done"}, "Report delivered", status="completed")
        run.story.hold(timeline.close, "Report delivered")


def _tasks(done: int) -> list[Json]:
    return [
        {
            "id": f"t{number}",
            "title": f"Cover {section}",
            "status": "done" if number <= done else "open",
        }
        for number, section in enumerate(SECTIONS, start=1)
    ]
