"""Run as a process: kills projectors, one after the other, at places that are drawn.

Django is loaded once; each projector is a fork, so that thirty take some seconds. It
takes two rows at a time, so that most places are in the middle of its work.

`python -m tests.worker.killing_projectors SEED KILLS`; it prints how many were killed
while they were at work.
"""

import os
import random
import signal
import sys
import time
from threading import Event

import django


def main(seed: int, kills: int) -> None:
    django.setup()
    from apps.timeline.projection import projector

    projector.AT_ONCE = 2
    chance = random.Random(seed)
    at_work = sum(_is_killed(chance.uniform(0.005, 0.08)) for _ in range(kills))
    sys.stdout.write(f"{at_work}\n")


def _is_killed(seconds: float) -> bool:
    """Project in a process of its own until it is killed; return whether it was."""
    from apps.worker import projecting

    child = os.fork()
    if child == 0:
        projecting.run(Event())
        os._exit(1)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
