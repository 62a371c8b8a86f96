"""Sessions that say odd things, for photographs: each by a name, with its address.

Markup, writing from right to left, joined emoji, 100 KB of words, 5,000 keys, 3,000
versions, a single version, files that are what they say and not, and agents with long
names; and an agent's data, checkpoints and memories that say as odd things.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import httpx

SLUG = "odd"
MARKUP = "<img src=x onerror=alert(1)>\"'&amp; <script>alert(2)</script>"
RIGHT_TO_LEFT = "ביטול הטיסה ל-ROM ‮123‬ והחזר של 250 €"
EMOJI = "👨‍👩‍👧‍👦 🏳️‍🌈 👩🏽‍🚀 e\u0301 ﷽ Z̸̡a̷l̴g̵o̶"
WORDS = "The customer asked once more where the bag is. " * 2_200
KEYS = {f"key-{n:04}": n for n in range(5_000)}
VERSIONS, BATCH = 3_000, 100
NAME_OF_40 = "agent-with-a-name-of-forty-characters-ok"
NAME_OF_255 = "long" * 63 + "end"
KEEPER = "keeper"
LINES = [{"sku": f"{MARKUP} {n}", "note": RIGHT_TO_LEFT} for n in range(40)]


def make(api: httpx.Client) -> dict[str, str]:
    """Make all of it; return where each is, below the project."""
    found = {name: f"/sessions/{id}" for name, id in _sessions(api)}
    return {
        **found,
        **_kept(api),
        "list": "/sessions?q=",
        "agents": "/agents",
        "words-conversation": f"{found['words']}/conversation",
        "keys-changes": f"{found['keys']}/versions/1",
        "words-side": f"{found['words']}/versions/1?view=side",
        "markup-rollback": f"{found['markup']}/versions/0/rollback",
        "files-checkpoint": f"{found['files']}/versions/0?tab=checkpoint",
    }


def _sessions(api: httpx.Client) -> Iterator[tuple[str, str]]:
    for name, text in (("markup", MARKUP), ("right", RIGHT_TO_LEFT), ("emoji", EMOJI)):
        yield name, _told(api, text)
    yield "words", _changed(api, {"note": "Short"}, {"note": WORDS}, said=WORDS)
    new = {key: value + 1 for key, value in KEYS.items()}
    yield "keys", _changed(api, KEYS, new)
    yield "versions", _long(api)
    yield "files", _with_files(api)
    yield "one", _begun(api, "travel-agent", {"destination": "ROM"})
    for name, agent in (("agent-40", NAME_OF_40), ("agent-255", NAME_OF_255)):
        yield name, _begun(api, agent, {"destination": "ROM"})


def _told(api: httpx.Client, text: str) -> str:
    """Begin a session that says the text wherever something is said."""
    session = _begun(api, text, {text: text}, user_id=text, title=text)
    at = f"/v1/sessions/{session}"
    step = {"state": {text: [text, text]}, "reasoning": text, "release": text}
    _done(api.patch(f"{at}/state", json=step))
    _done(api.post(f"{at}/turns", json={"input": text, "output": text}))
    _done(api.post(f"{at}/versions/1/labels", json={"label": text.split()[-1]}))
    _done(api.post(f"{at}/rollback", json={"version": 0, "reason": text}))
    return session


def _changed(api: httpx.Client, before: Any, after: Any, said: str = "Go on") -> str:
    session = _begun(api, "travel-agent", before)
    at = f"/v1/sessions/{session}"
    _done(api.patch(f"{at}/state", json={"state": after, "reasoning": "All of it"}))
    _done(api.post(f"{at}/turns", json={"input": said, "output": said}))
    return session


def _long(api: httpx.Client) -> str:
    session = _begun(api, "travel-agent", {"n": 0})
    for first in range(1, VERSIONS, BATCH):
        steps = [{"state": {"n": n}} for n in range(first, first + BATCH)]
        _done(api.post(f"/v1/sessions/{session}/versions", json={"versions": steps}))
    return session


def _with_files(api: httpx.Client) -> str:
    files: dict[str, tuple[bytes, dict[str, str]]] = {
        "out/chart.png": (picture(), {"media_type": "image/png", "caption": "Fares"}),
        "out/broken.png": (b"no picture", {"media_type": "image/png"}),
        f"out/{EMOJI}.txt": (WORDS.encode(), {"caption": MARKUP}),
        "out/bundle.zip": (b"PK\x03\x04" + bytes(5_000), {}),
    }
    named: list[Any] = [{"image": "sandbox@sha256:" + "0" * 64}]
    for path, (data, about) in files.items():
        digest = sha256(data).hexdigest()
        _done(api.put(f"/v1/blobs/{digest}", content=data))
        chunks = [{"sha256": digest, "size": len(data)}]
        named.append({"path": path, "chunks": chunks, **about})
    return _begun(api, "travel-agent", {"step": "drawn"}, artifacts=named)


def _kept(api: httpx.Client) -> dict[str, str]:
    """Have an agent keep odd things; return where its pages are."""
    made = _done(api.post("/v1/agents", json={"name": KEEPER, "external_id": KEEPER}))
    agent, at = f"/agents/{made['id']}", f"/v1/agents/{KEEPER}"
    for behavior in ("Short", {"lines": LINES}):
        config = {"policies": {"block_pii": True}, "behavior": behavior}
        _done(api.put(f"{at}/config", json=config))
    for key, value in _values():
        _done(api.post(f"{at}/data", json={"key": key, "value": value}))
    about = {"label": f"{MARKUP} {'x' * 180}", "description": WORDS[:4_000]}
    checkpoint = _done(api.post(f"{at}/checkpoints", json=about))["id"]
    _done(api.delete(f"{at}/data", params={"prefix": "long:"}))
    texts = (MARKUP, RIGHT_TO_LEFT, "😀" * 10_000, "verylongword" * 60)
    for text in texts:
        tags = [f"{n}{'tag' * 30}" for n in range(5)]
        said = {"content": text, "user_id": NAME_OF_255, "tags": tags}
        memory = _done(api.post("/v1/memories", json=said))["id"]
    taught = _begun(api, KEEPER, {"destination": "ROM"})
    for text in texts:
        said = {"content": text, "session_id": taught, "type": "long" * 16}
        _done(api.post("/v1/memories", json=said))
    _done(api.post(f"/v1/sessions/{taught}/context", json={}))
    return {
        "kept-agent": agent,
        "kept-data": f"{agent}/data",
        "kept-config": f"{agent}/config/versions/1",
        "kept-checkpoints": f"{agent}/checkpoints",
        "kept-checkpoint": f"{agent}/checkpoints/at/{checkpoint}",
        "kept-audit": f"{agent}/audit",
        "kept-blocked": f"{agent}/blocked",
        "kept-memories": "/memories",
        "kept-memory": f"/memories/at/{memory}",
        "kept-taught": f"/sessions/{taught}/memories",
        "kept-forgetting": f"/memories/back?session={taught}",
    }


def _values() -> Iterator[tuple[str, str]]:
    yield "markup:<img src=x onerror=alert(1)>", MARKUP
    yield "right", RIGHT_TO_LEFT
    yield f"long:{'k' * 500}", WORDS
    yield "=cmd|' /C calc'!A0", "=1+1"
    # Blocked, under a key as long as it may be.
    yield "m" * 512, "Write to joe.doe@example.com"


def picture(width: int = 320, height: int = 160) -> bytes:
    """Return a PNG of bars."""
    rows = b"".join(
        b"\0" + bytes(60 if x // 32 * 16 > y else 230 for x in range(width))
        for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pieces = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data))
        + kind
        + data
        + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in pieces
    )


def _begun(api: httpx.Client, agent: str, state: Any, **about: Any) -> str:
    begun = {"agent_id": agent, "initial_state": state, **about}
    return str(_done(api.post("/v1/sessions", json=begun))["id"])


def _done(answer: httpx.Response) -> Any:
    assert answer.status_code < 300, answer.text
    return answer.json()
