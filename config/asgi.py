"""The application that granian serves: Django behind the front."""

from config.wsgi import application as django  # isort: split

# Only now: it brings models along, and those need the settings.
from django.conf import settings

from apps.server.front.asgi import Front
from apps.server.front.visitors import Visitors

application = Front(django, largest=settings.REQUEST_BYTES, visitors=Visitors())
