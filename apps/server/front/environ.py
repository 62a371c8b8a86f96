"""Build the WSGI environ of a request from granian's ASGI scope."""

from __future__ import annotations

import sys
from typing import Any
from urllib.parse import unquote_to_bytes

from apps.server.front.answers import FileWrapper

Scope = dict[str, Any]
Environ = dict[str, Any]

_ALWAYS: Environ = {
    "SCRIPT_NAME": "",
    "SERVER_SOFTWARE": "granian",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
    "wsgi.file_wrapper": FileWrapper,
}
_PROTOCOLS = {"1": "HTTP/1.0", "1.1": "HTTP/1.1", "2": "HTTP/2"}
# Names as they were met, up to so many: a caller may make up others.
_NAMES = {b"content-type": "CONTENT_TYPE", b"content-length": "CONTENT_LENGTH"}
_MOST_NAMES = 256


def environ_of(scope: Scope) -> Environ:
    """Return the environment of a request, without its body.

    Unlike granian's own for WSGI it does not have the variables of this process, and
    headers come as they were sent: granian empties those that are not ASCII.
    """
    server, client = scope["server"], scope["client"]
    environ = _ALWAYS | {
        "REQUEST_METHOD": scope["method"],
        "PATH_INFO": _decoded(scope["raw_path"]),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": _PROTOCOLS[scope["http_version"]],
        "REMOTE_ADDR": client[0],
        "REMOTE_PORT": str(client[1]),
        "wsgi.url_scheme": scope["scheme"],
    }
    for name, value in scope["headers"]:
        key = _NAMES.get(name) or _name(name)
        if key is None:
            continue
        text = value.decode("latin-1")
        if key in environ:
            text = environ[key] + ("; " if key == "HTTP_COOKIE" else ",") + text
        environ[key] = text
    return environ


def _decoded(raw_path: bytes) -> str:
    if b"%" in raw_path:
        raw_path = unquote_to_bytes(raw_path)
    return raw_path.decode("latin-1")


def _name(header: bytes) -> str | None:
    """Return the header's name in the environment.

    None with an underscore: it would pass for another header, which a proxy in front
    may have taken away.
    """
    if b"_" in header:
        return None
    name = "HTTP_" + header.decode("latin-1").upper().replace("-", "_")
    if len(_NAMES) < _MOST_NAMES:
        _NAMES[header] = name
    return name
