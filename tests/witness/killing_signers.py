"""Run as a process: kills signers, one after the other, at places that are drawn.

Django is loaded once; each signer is a fork. It signs one head a note, so that most
places are in the middle of its work.

`python -m tests.witness.killing_signers SEED KILLS`; it prints how many were killed
while they were at work. With no kills, one signer comes to its end.
"""

import os
import random
import signal
import sys
import time

import django


def main(seed: int, kills: int) -> None:
    django.setup()
    from apps.witness import signing

    signing.AT_ONCE = 1
    chance = random.Random(seed)
    if not kills:
        work()
    at_work = sum(_is_killed(chance.uniform(0.005, 0.12)) for _ in range(kills))
    sys.stdout.write(f"{at_work}\n")


def work() -> None:
    """Sign and bring everything that there is."""
    from django.utils import timezone

    from apps.core.notes import keys
    from apps.core.notes.folder import Folder
    from apps.witness import signing
    from apps.witness.witnesses import delivering
    from apps.witness.witnesses.progress import witnesses
    from tests.feeding import feed_all

    feed_all()
    delivering.deliver(now=timezone.now())
    while signing.sweep(now=timezone.now()) or any(one.behind for one in witnesses()):
        delivering.deliver(now=timezone.now())
    newest = Folder(keys.roots_path()).newest()
    for _ in range(newest // delivering.TOLD_AT_ONCE + 1):
        delivering.deliver(now=timezone.now())


def _is_killed(seconds: float) -> bool:
    """Work in a process of its own until it is killed; return whether it was."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
