"""One log: structured lines on standard error, from us and from every library.

A line never holds what callers sent. Tracebacks carry frames, no values; messages of
exceptions are withheld unless their class only ever speaks of code, because
PostgreSQL quotes rows (`DETAIL: Key (x)=(y)`) and Python quotes arguments. Whatever
logger a line comes from, a path that holds a link's token, or an API key, is taken out
of it at the end: the token of a refused request still works.

The line of a request is written without the way of all others, where nobody else
listens: its facts are plain and its place is known. A tenth of reading a head went
into it.
"""

import logging
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO, cast

import orjson
import psycopg
import structlog
from django.core.exceptions import ImproperlyConfigured
from structlog.typing import EventDict, Processor, WrappedLogger

# Their messages name code and types, never the data that was being handled.
PLAIN_SPOKEN = (
    AttributeError,
    ImportError,
    ImproperlyConfigured,
    MemoryError,
    NameError,
    NotImplementedError,
    RecursionError,
    TypeError,
)
WITHHELD = "(message withheld)"
# What lets somebody in, wherever it turns up: the rest of a link's path, also quoted
# in another address, and API keys.
SECRET = re.compile(
    r"((?:/|%2F)(?:signin|password|invitation)(?:/|%2F))[^\s\"'\\?&<>]+"
    r"|\b(sb_|anc_)[0-9a-f]{16,}",
    re.IGNORECASE,
)
REDACTED = "(redacted)"

# Each is held at this level whatever the level of the rest.
CAPPED = {
    # At DEBUG it prints every statement with its parameters.
    "django.db.backends": logging.INFO,
    # At DEBUG it prints the variables of templates.
    "django.template": logging.INFO,
    # Its warnings repeat the raw path of each 4xx; the request line covers those.
    "django.request": logging.ERROR,
    "django.server": logging.ERROR,
    # At INFO it writes several lines for each sign-in.
    "axes": logging.WARNING,
    "asyncio": logging.INFO,
    # At INFO it writes several lines for each job, and there are some every minute.
    "procrastinate": logging.WARNING,
    "psycopg": logging.WARNING,
    # At INFO it writes three lines whenever a connection is borrowed.
    "psycopg.pool": logging.WARNING,
}
# They come with handlers of their own; granian installs them before it loads us.
REQUESTS = logging.getLogger("stepback.request")
REROUTED = ("_granian", "granian.access", "django", "django.server", "axes")


def logging_config(level: str, *, json_lines: bool) -> None:
    """Route every logger of the process through one handler on standard error."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        describe_exception,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = StandardError(writes_json=json_lines)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, drop_path],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _renderer(json_lines=json_lines),
                _redact_line,
            ],
        )
    )
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in REROUTED:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    for name, cap in CAPPED.items():
        logging.getLogger(name).setLevel(max(cap, logging.getLogger().level))


def granian_logging() -> dict[str, Any]:
    """Return granian's `log_dictconfig`: its own handlers off, ours takes the lines."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {},
        "handlers": {},
        "loggers": {
            "_granian": {"handlers": [], "propagate": True},
            "granian.access": {"handlers": [], "propagate": True},
        },
    }


class StandardError(logging.StreamHandler[TextIO]):
    """Writes to what `sys.stderr` is now, not to what it was at the start."""

    def __init__(self, *, writes_json: bool = False) -> None:
        logging.Handler.__init__(self)
        self.writes_json = writes_json

    def write_line(self, line: bytes) -> None:
        """Write a finished line; one that cannot be written stops nobody."""
        self.acquire()
        try:
            with suppress(OSError, ValueError):
                self.stream.write(line.decode() + self.terminator)
                self.stream.flush()
        finally:
            self.release()

    @property
    def stream(self) -> TextIO:
        return sys.stderr

    @stream.setter
    def stream(self, value: TextIO) -> None:
        raise AttributeError("The stream is always sys.stderr.")


def write_request(facts: dict[str, Any], *, request_id: str, level: int) -> None:
    """Write the line of a request, the same by either way."""
    if not REQUESTS.isEnabledFor(level):
        return
    handler = _only_handler()
    if handler is None:
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            structlog.get_logger(REQUESTS.name).log(level, "request", **facts)
        return
    line = facts | {
        "event": "request",
        "request_id": request_id,
        "logger": REQUESTS.name,
        "level": logging.getLevelName(level).lower(),
        "time": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
    }
    handler.write_line(orjson.dumps(line))


def _only_handler() -> StandardError | None:
    """Return our handler if every line goes there alone, as JSON."""
    handlers = logging.getLogger().handlers
    if REQUESTS.handlers or not REQUESTS.propagate or len(handlers) != 1:
        return None
    (handler,) = handlers
    is_ours = isinstance(handler, StandardError) and handler.writes_json
    return cast(StandardError, handler) if is_ours else None


def describe_exception(
    logger: WrappedLogger, method: str, event: EventDict
) -> EventDict:
    """Replace `exc_info` by the frames and what may be said of the exception."""
    found = event.pop("exc_info", None)
    if found is True:
        found = sys.exc_info()
    error = found[1] if isinstance(found, tuple) else found
    if isinstance(error, BaseException):
        event["exception"] = "\n".join(_story(error))
    return event


def drop_path(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Take what a caller sent out of Django's lines about a request.

    They quote the raw path, the Host or the Origin. What was refused for its safety is
    no error of ours: the logger's name says what it was, the line of the request the
    rest, and there is no stack to look at.
    """
    name = event.get("logger", "")
    if name.startswith("django.security"):
        event.update(event="refused request", level="warning")
        event.pop("exc_info", None)
        event.pop("exception", None)
    elif name in ("django.request", "django.server"):
        event["event"] = "unhandled error"
    return event


def redacted(text: str) -> str:
    """Return the text without what lets somebody in."""
    return SECRET.sub(lambda found: (found[1] or found[2]) + REDACTED, text)


def safe_message(error: BaseException) -> str:
    """Say of an exception what cannot hold data: class, SQLSTATE, names of objects."""
    name = type(error).__qualname__
    if isinstance(error, psycopg.Error):
        names = (error.diag.table_name, error.diag.constraint_name)
        return " ".join([name, error.sqlstate or "-", *filter(None, names)])
    if isinstance(error, OSError):
        return f"{name}: {error.strerror or WITHHELD}"
    if isinstance(error, PLAIN_SPOKEN):
        return f"{name}: {error}"
    return f"{name} {WITHHELD}"


def _story(error: BaseException) -> Iterator[str]:
    """Yield the chain of exceptions, the one that started it first."""
    before = error.__cause__
    if before is None and not error.__suppress_context__:
        before = error.__context__
    if before is not None and before is not error:
        yield from _story(before)
        yield "which led to:"
    for frame in traceback.extract_tb(error.__traceback__):
        where = "/".join(Path(frame.filename).parts[-4:])
        yield f"  {where}:{frame.lineno} in {frame.name}: {frame.line}"
    yield safe_message(error)


def _renderer(*, json_lines: bool) -> Processor:
    if json_lines:
        return structlog.processors.JSONRenderer(serializer=_line)
    return structlog.dev.ConsoleRenderer(colors=False, timestamp_key="time")


def _redact_line(logger: WrappedLogger, method: str, line: Any) -> str:
    """Look at the finished line: there is no field that this could miss."""
    return redacted(line)


def _line(event: EventDict, **_: Any) -> str:
    """Render one line; an object that is no plain value is named, never shown."""
    return orjson.dumps(
        event,
        default=lambda value: type(value).__qualname__,
        option=orjson.OPT_NON_STR_KEYS,
    ).decode()
