"""The least that Django and REST framework need: no apps of ours, no middleware."""

SECRET_KEY = "only-for-benchmarks"
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "tests.benchmarks.baselines.bare"
INSTALLED_APPS = ["rest_framework"]
MIDDLEWARE: list[str] = []
LOGGING_CONFIG = None
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "UNAUTHENTICATED_USER": None,
}
