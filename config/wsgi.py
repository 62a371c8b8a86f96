"""The WSGI application that granian serves."""

import os

from django.core.wsgi import get_wsgi_application

from apps.core.processes.memory import give_back_large_buffers

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
give_back_large_buffers()
pages_and_api = get_wsgi_application()

# Only now: it brings models along, and those need the settings.
from apps.data.api.plain import plain_cases  # noqa: E402
from apps.timeline.api.door import with_door  # noqa: E402

application = with_door(pages_and_api, plain_cases)
