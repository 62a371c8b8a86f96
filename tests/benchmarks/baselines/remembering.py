"""mem0 in its own process: memories of one user, added and searched as they are.

Runs in a venv of its own. The first argument is the store (`qdrant` or `faiss`), the
second an empty folder. Vectors are given, so that none has to be made, and no model is
asked about what is said. Each line of the standard input is a command in JSON:

    {"vectors": {text: vector}}     know these
    {"load": [texts]}               put memories there at once, past `add`
    {"add": [texts]}                add them one by one
    {"search": [texts]}             search for each, five memories a time

and is answered by a line with the milliseconds that it took.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sys
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

USER = "bench"
FOUND = 5


def main(store: str, folder: Path) -> None:
    logging.disable(logging.CRITICAL)
    memory, known = _made(store, folder)
    acts: dict[str, Callable[[Any], object]] = {
        "vectors": known.update,
        "load": lambda texts: _load(memory, known, texts),
        "add": lambda texts: [
            memory.add(text, user_id=USER, infer=False) for text in texts
        ],
        "search": lambda texts: [_found(memory, text) for text in texts],
    }
    for line in sys.stdin:
        ((name, given),) = json.loads(line).items()
        start = time.perf_counter()
        acts[name](given)
        sys.stdout.write(f"{(time.perf_counter() - start) * 1000}\n")
        sys.stdout.flush()


def _made(store: str, folder: Path) -> tuple[Any, dict[str, list[float]]]:
    """Return a memory on the store, and the vectors it knows: those it is told."""
    # Read when it is imported: nothing leaves the machine.
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "own")}
    from mem0 import Memory
    from mem0.embeddings.base import EmbeddingBase

    known: dict[str, list[float]] = {}

    class Given(EmbeddingBase):  # type: ignore[misc]
        def embed(self, text: str, memory_action: str | None = None) -> list[float]:
            return known[text]

    more = {"on_disk": True} if store == "qdrant" else {"distance_strategy": "cosine"}
    vectors = {"collection_name": "bench", "embedding_model_dims": 384, **more}
    vectors |= {"path": str(folder / "vectors")}
    # Neither is ever asked: their clients are made, and want a key for it.
    nobody = {"provider": "openai", "config": {"api_key": "none"}}
    memory = Memory.from_config(
        {
            "vector_store": {"provider": store, "config": vectors},
            "embedder": nobody,
            "llm": nobody,
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = Given()
    return memory, known


def _load(memory: Any, known: dict[str, list[float]], texts: list[str]) -> None:
    """Put there what `add` would; by it some stores take minutes for so many."""
    now = datetime.now(UTC).isoformat()
    memory.vector_store.insert(
        vectors=[known[text] for text in texts],
        ids=[str(uuid.uuid4()) for _ in texts],
        payloads=[
            {
                "user_id": USER,
                "role": "user",
                "data": text,
                "hash": hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(),
                "created_at": now,
                "updated_at": now,
                "text_lemmatized": text,
            }
            for text in texts
        ],
    )


def _found(memory: Any, text: str) -> None:
    found = memory.search(text, filters={"user_id": USER}, top_k=FOUND)["results"]
    if len(found) < FOUND:
        raise RuntimeError(f"mem0 found {len(found)} memories, not {FOUND}.")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
