"""What can go wrong with a backup."""


class BackupFailed(Exception):
    """No backup was made, or not as it should be; the message says why."""


class BackupsMisconfigured(BackupFailed):
    """A setting is not what it should be; the message names it."""


class BackupRunning(BackupFailed):
    """Another process makes one at this moment."""


class BackupUnreadable(BackupFailed):
    """A backup cannot be decrypted with what was given."""
