"""Run as a process: sweeping processes, each a fork of one that has Django loaded.

Each line of its input starts one more; it prints the number of the process.
"""

import os
import signal
import sys

import django


def main() -> None:
    django.setup()
    from apps.retention.sweeping.process import Process

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            Process().run()
            os._exit(0)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
