"""Django's pages for developers (`DEBUG`), which show the settings."""

import re

from django.views.debug import SafeExceptionReporterFilter


class WithoutLogins(SafeExceptionReporterFilter):
    """Hides the URLs of the database as well: they hold the passwords of its roles."""

    hidden_settings = re.compile(
        f"{SafeExceptionReporterFilter.hidden_settings.pattern}|DATABASE_URL",
        flags=re.IGNORECASE,
    )
