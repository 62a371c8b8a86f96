"""The database roles of an installation, by what each is for."""

from enum import StrEnum


class Role(StrEnum):
    """Least privilege by process: a role has what its processes do, and no more.

    OWNER owns the tables and runs migrations. WEB serves requests and WORKER runs
    jobs: both append to history, neither can change or delete it. RETENTION alone may
    erase: one process of `up` has its login, which serves nobody and runs no jobs.
    """

    OWNER = "owner"
    WEB = "web"
    WORKER = "worker"
    RETENTION = "retention"


# Where a role's login is named, for a server of one's own.
VARIABLES = {
    Role.WEB: "DATABASE_URL",
    Role.OWNER: "STEPBACK_OWNER_URL",
    Role.WORKER: "STEPBACK_WORKER_URL",
    Role.RETENTION: "STEPBACK_RETENTION_URL",
}
# Those who get their rights by GRANT; the owner has them by owning.
GRANTEES = (Role.WEB, Role.WORKER, Role.RETENTION)
