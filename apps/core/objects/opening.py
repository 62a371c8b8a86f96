"""Stores by their addresses: a folder's path, or `s3://bucket/prefix`.

Endpoint and region stand in the address (`?endpoint=…&region=…`) or, as credentials
always do, in the usual variables (`AWS_ENDPOINT_URL`, `AWS_REGION`,
`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`).
"""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from obstore.exceptions import BaseError
from obstore.store import LocalStore, S3Store

from apps.core.objects.errors import AddressRefused
from apps.core.objects.store import Objects

if TYPE_CHECKING:
    from obstore.store import S3Config

S3 = "s3://"
FROM_ADDRESS = ("endpoint", "region")
ENDPOINT_VARIABLES = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
# A store that is away is said to be away soon: without these it took ten tries.
CONNECT = timedelta(seconds=2)
TIMEOUT = timedelta(seconds=10)
RETRIES = 1
RETRY_FOR = timedelta(seconds=5)


def is_s3(address: str) -> bool:
    return address.startswith(S3)


def opened(
    address: str,
    *,
    timeout: timedelta = TIMEOUT,
    retries: int = RETRIES,
    retry_for: timedelta = RETRY_FOR,
) -> Objects:
    """Return the store at an address; nothing is asked of it yet.

    Raises: AddressRefused.
    """
    if is_s3(address):
        return Objects(_s3(address, timeout, retries, retry_for))
    if "://" in address or not address:
        raise AddressRefused(f"{address!r} is neither a folder nor s3://bucket/prefix.")
    folder = Path(address).absolute()
    try:
        return Objects(LocalStore(folder, mkdir=True), folder=folder)
    except (BaseError, OSError, ValueError) as error:
        raise AddressRefused(f"{address} cannot be a folder: {error}") from error


def _s3(
    address: str, timeout: timedelta, retries: int, retry_for: timedelta
) -> S3Store:
    said = urlsplit(address)
    options = dict(parse_qsl(said.query, keep_blank_values=True))
    unknown = sorted(options.keys() - set(FROM_ADDRESS))
    if unknown or not said.netloc or "@" in said.netloc or said.fragment:
        raise AddressRefused(
            "A store is s3://bucket/prefix?endpoint=…&region=…; credentials are in "
            "the environment."
        )
    endpoint = options.get("endpoint") or next(
        filter(None, map(os.environ.get, ENDPOINT_VARIABLES)), ""
    )
    config: S3Config = {}
    if endpoint:
        config["endpoint"] = endpoint
    if options.get("region"):
        config["region"] = options["region"]
    try:
        return S3Store(
            said.netloc,
            prefix=said.path.strip("/") or None,
            config=config,
            client_options={
                "connect_timeout": CONNECT,
                "timeout": timeout,
                "allow_http": endpoint.startswith("http://"),
            },
            retry_config={"max_retries": retries, "retry_timeout": retry_for},
        )
    except (BaseError, ValueError) as error:
        raise AddressRefused(f"The store cannot be opened: {error}") from error
