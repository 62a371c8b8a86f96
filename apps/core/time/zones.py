"""Time zones by their IANA names, as browsers and people say them.

A name comes from outside, so it is looked up among those that there are, and never
taken to find a file. Where the system has no zones, UTC is the one that is known.
"""

from datetime import UTC, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

# Browsers go by names that were given up long ago; not every system still has them.
RENAMED = {
    "Africa/Asmera": "Africa/Asmara",
    "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
    "America/Catamarca": "America/Argentina/Catamarca",
    "America/Coral_Harbour": "America/Atikokan",
    "America/Cordoba": "America/Argentina/Cordoba",
    "America/Godthab": "America/Nuuk",
    "America/Indianapolis": "America/Indiana/Indianapolis",
    "America/Jujuy": "America/Argentina/Jujuy",
    "America/Louisville": "America/Kentucky/Louisville",
    "America/Mendoza": "America/Argentina/Mendoza",
    "Asia/Calcutta": "Asia/Kolkata",
    "Asia/Katmandu": "Asia/Kathmandu",
    "Asia/Rangoon": "Asia/Yangon",
    "Asia/Saigon": "Asia/Ho_Chi_Minh",
    "Atlantic/Faeroe": "Atlantic/Faroe",
    "Europe/Kiev": "Europe/Kyiv",
    "Pacific/Enderbury": "Pacific/Kanton",
    "Pacific/Ponape": "Pacific/Pohnpei",
    "Pacific/Truk": "Pacific/Chuuk",
}


def zone_named(name: str) -> tzinfo | None:
    """Return the zone of this name, whose `str` is its name; None if there is none."""
    if name == "UTC":
        return UTC
    names = _names()
    return next(
        (ZoneInfo(one) for one in (RENAMED.get(name), name) if one in names), None
    )


@cache
def _names() -> frozenset[str]:
    # What this machine is set to is nobody's name of a zone.
    return frozenset(available_timezones() - {"localtime", "Factory"})
