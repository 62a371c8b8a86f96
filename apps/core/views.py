"""The root and the probes: what a balancer, a client or a browser asks first.

None of them needs a key, none of them tells more than whether things work.
"""

from importlib.metadata import version
from time import monotonic
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from apps.core.http import json_response, wants_html
from apps.core.monitoring.health import SERVICES, Probe, ask_database
from apps.core.roles.protection import VERDICT, ask_protection

DISTRIBUTION = "stepback-server"
STARTED_AT = monotonic()
PROBE = Probe(ask_database)
PROTECTION = Probe(ask_protection)


@csrf_exempt  # it changes nothing: another method is refused as what it is
@login_not_required
@require_safe
def root(request: HttpRequest) -> HttpResponse:
    """Send a browser to the console; tell a program what this is."""
    if wants_html(request):
        response: HttpResponse = redirect("console:home")
    else:
        response = json_response(
            {
                "name": "Stepback",
                "version": version(DISTRIBUTION),
                "docs": "/docs",
                "health": "/health",
            }
        )
    patch_vary_headers(response, ["Accept"])
    return response


@login_not_required
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """Tell StateBase's and TuskPoint's fields in one body; 503 when degraded."""
    report = _report()
    report |= {
        "uptime_seconds": round(monotonic() - STARTED_AT, 3),
        "backend": "postgresql",
        "memwal": False,
        "network": None,
        "seed_thread": None,
    }
    return json_response(report, status=200 if report["ok"] else 503)


@login_not_required
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """Say whether requests can be served now: the database answers."""
    report = _report()
    return json_response(report, status=200 if report["ok"] else 503)


@login_not_required
@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """Say that this process runs; asks nobody else."""
    return json_response({"status": "alive", "timestamp": _now()})


def _report() -> dict[str, Any]:
    latency = PROBE.answer()
    is_up = latency is not None
    return {
        "status": "healthy" if is_up else "degraded",
        "ok": is_up,
        "timestamp": _now(),
        "version": version(DISTRIBUTION),
        "services": {
            "database": {
                "status": "healthy" if is_up else "unavailable",
                "latency_ms": None if latency is None else round(latency, 2),
            }
        }
        | _others(is_up=is_up),
        # Null where it cannot be asked.
        "protection": _protection(is_up=is_up),
    }


def _others(*, is_up: bool) -> dict[str, Any]:
    """Return what the other services tell; without a database none is asked."""
    unknown = {"status": "unavailable"}
    return {name: ask() if is_up else unknown for name, ask in SERVICES.items()}


def _protection(*, is_up: bool) -> str | None:
    """Return what keeps this process from rewriting history."""
    return (VERDICT.peek() or PROTECTION.answer()) if is_up else None


def _now() -> str:
    return timezone.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
