"""The WSGI application that granian serves."""

import os

from django.core.wsgi import get_wsgi_application

from apps.core.memory import give_back_large_buffers

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
give_back_large_buffers()
application = get_wsgi_application()
