"""Settings of who gets in: hosts, proxies, cookies, what pages may load, accounts."""

from datetime import timedelta

from config import env

ALLOWED_HOSTS = env.items("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.items("CSRF_TRUSTED_ORIGINS", [])
BEHIND_TLS = env.flag("STEPBACK_TLS")
# Proxies whose X-Forwarded-For is believed; without any, a client is who connects.
TRUSTED_PROXIES = env.networks("STEPBACK_TRUSTED_PROXIES")
# Where people open the console: links in mails and webhooks begin so.
PUBLIC_URL = env.origin("STEPBACK_URL", "http://127.0.0.1:8000")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_NAME = "stepback_session"
SESSION_ENGINE = "apps.accounts.sessions"
# From signing in on, however much it is used; and how long it may go unused.
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_IDLE = timedelta(
    minutes=env.number("STEPBACK_IDLE_MINUTES", 720, within=range(5, 20_161))
)
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "apps.core.http.problems.fallbacks.csrf_failure"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}

# Accounts
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "apps.accounts.views.guessing.SlowedByName",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = [
    "apps.accounts.hashing.GatedPBKDF2",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation"
        ".UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("username", "display_name", "email")},
    },
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# Under which name authenticators list their codes.
OTP_TOTP_ISSUER = "Stepback"
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "console:home"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25
# Never the name alone: anybody could lock anybody out. See accounts/views/guessing.py.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_CLIENT_IP_CALLABLE = "apps.accounts.views.guessing.axes_address"
# A quarter of an hour is that, also for who goes on guessing.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_VERBOSE = False
AXES_RESET_ON_SUCCESS = True
# The record of people's acts has what was done; this one would grow with every sign-in.
AXES_DISABLE_ACCESS_LOG = True
# Our own page says that a name is locked, so its middleware has nothing to answer.
SILENCED_SYSTEM_CHECKS = ["axes.W002"]
