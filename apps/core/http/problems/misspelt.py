"""What was probably meant by an address at which there is nothing.

Only the shape of an address is looked at, never whether a thing exists: what a stranger
is told does not depend on that.
"""

from django.urls import Resolver404, resolve

from apps.core.errors import NotFound
from apps.core.processes.addresses import ANCHOR, API

LONGEST = 300
NOTHING = "There is nothing at this address"
BELOW = f"{NOTHING}. The API's are below /v1, such as /v1/sessions; /docs lists them."
# What Anchor's console does over HTTP, and where it is done here.
ELSEWHERE = {
    (
        "auth",
        "signup",
    ): "people are invited on the console's page Members, at /console.",
    ("auth", "login"): "people sign in at /signin, programs send an API key.",
    ("auth", "logout"): "people sign out in the console; a key works until revoked.",
    ("auth", "user"): "people look after their account at /account.",
    ("api-keys",): "keys are made and revoked at /v1/dashboard/keys, with an "
    "administrator's key, and on the console's page API keys.",
}
# What StateBase has and this server has not.
NOT_SERVED = {"entities": "entities"}


def not_found(path: str) -> NotFound:
    """Return the error for an address, with the one that was meant as `nearest`."""
    asked = [one for one in path.split("/") if one] if len(path) <= LONGEST else []
    for segment in asked:
        if segment in NOT_SERVED and asked[0] == API:
            return NotFound(f"{NOTHING}: this server keeps no {NOT_SERVED[segment]}.")
    if (elsewhere := _elsewhere(asked)) is not None:
        return NotFound(f"{NOTHING}: {elsewhere}")
    if asked and set(asked) == {API}:
        return NotFound(BELOW)
    meant = _meant(asked)
    if not _leads_somewhere(meant):
        return NotFound(f"{NOTHING}.")
    why = _why(path, asked)
    return NotFound(f"{NOTHING}: did you mean {meant}? {why}", nearest=meant)


def _elsewhere(asked: list[str]) -> str | None:
    named = tuple(asked[1:] if asked[:1] == [API] else asked)
    return ELSEWHERE.get(named) or ELSEWHERE.get(named[:1])


def _meant(asked: list[str]) -> str:
    """Return the address with /v1 once in front, and no slash too many.

    What Anchor's clients call may go without it.
    """
    below = asked
    while below[:1] == [API]:
        below = below[1:]
    if asked == below and asked[:1] and asked[0] in ANCHOR:
        return "/".join(["", *asked])
    return "/".join(["", API, *below])


def _leads_somewhere(path: str) -> bool:
    try:
        resolve(path)
    except Resolver404:
        return False
    return True


def _why(path: str, asked: list[str]) -> str:
    if asked[0] not in ANCHOR | {API}:
        return "The API's addresses begin with /v1."
    if asked[:2] == [API, API]:
        return "/v1 is in it twice: a client adds it to the base URL."
    if path.endswith("/"):
        return "Addresses have no slash at their end."
    return "Addresses have no empty part."
