"""`stepback-mcp`: over stdio for a host on this machine, or over HTTP."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

STOPPED = 130
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until the host ends it."""
    asked = _parser().parse_args(arguments)
    try:
        return _serve(asked)
    except KeyboardInterrupt:
        return STOPPED
    except ModuleNotFoundError as missing:
        if not str(missing.name).startswith("mcp"):
            raise
        print("stepback-mcp: pip install 'stepback[mcp]'", file=sys.stderr)  # noqa: T201
        return 1


def _serve(asked: argparse.Namespace) -> int:
    # The extra may not be installed: `main` says how to.
    from mcp.server.transport_security import TransportSecuritySettings

    from stepback.mcp.server import made

    key = asked.key or os.environ.get("STEPBACK_API_KEY")
    if asked.transport == "stdio":
        if not key:
            print("stepback-mcp: set STEPBACK_API_KEY.", file=sys.stderr)  # noqa: T201
            return 1
        made(asked.url, key, "stdio").run("stdio")
        return 0
    hosts = [*LOOPBACK, *asked.allow_host]
    made(asked.url, None, "streamable-http").run(
        "streamable-http",
        host=asked.host,
        port=asked.port,
        stateless_http=True,
        json_response=True,
        # Without these a page in a browser could reach a server on this machine.
        transport_security=TransportSecuritySettings(
            allowed_hosts=[one for host in hosts for one in (host, f"{host}:*")],
            allowed_origins=[
                f"{scheme}://{host}:*" for host in hosts for scheme in ("http", "https")
            ],
        ),
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="stepback-mcp", description=__doc__)
    parser.add_argument("--url", help="the Stepback server (STEPBACK_URL)")
    parser.add_argument("--key", help="for stdio: the API key (STEPBACK_API_KEY)")
    parser.add_argument(
        "--transport",
        choices=["stdio", "http"],
        default=os.environ.get("MCP_TRANSPORT", "stdio"),
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8001)
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        help="another name under which HTTP callers reach it; may be repeated",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
