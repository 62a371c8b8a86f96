"""`python -m tests.benchmarks.load`: the loader as a command, on DATABASE_URL."""

import argparse
from datetime import timedelta

import django

# So many sessions are sealed whole; the others show one of their states.
TEMPLATES = 500


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.load")
    parser.add_argument("--project", required=True, help="the slug of a project")
    parser.add_argument("--sessions", type=int, default=1, help="with one version")
    parser.add_argument("--versions", type=int, default=0, help="of the first session")
    given = parser.parse_args()
    django.setup()
    load(given.project, sessions=given.sessions, versions=given.versions)


def load(slug: str, *, sessions: int, versions: int) -> None:
    """Load so many sessions, and so many versions more of the first."""
    # Imported only here: models want settings.
    from django.utils import timezone

    from apps.accounts.models import Project
    from tests.benchmarks import copying, loader

    project = Project.objects.get(slug=slug)
    loading = loader.Loader(project, now=timezone.now() - timedelta(days=1))
    found = loader.small_states(min(sessions, TEMPLATES))
    with copying.in_bulk():
        ids = loading.sessions(found, sessions)
        loading.versions(ids[0], loader.steps(versions))


if __name__ == "__main__":
    main()
