"""The classes of the tables that keep jobs, from which grants follow; see `core.roles`.

Requests hand nothing to jobs: they only ask when a worker was last heard of.
"""

from apps.core.roles.declared import ALL, mutable

TABLES = {
    "procrastinate_jobs": mutable(web=None, worker=ALL),
    "procrastinate_events": mutable(web=None, worker=ALL),
    "procrastinate_periodic_defers": mutable(web=None, worker=ALL),
    "procrastinate_workers": mutable(web="", worker=ALL),
}
