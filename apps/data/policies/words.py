"""What people read about a block: the rule, what was seen, where. Never the text."""

from apps.data.policies.blocks import Rule

TOO_COSTLY = "too_costly"
KINDS = {
    "email": "an e-mail address",
    "phone": "a telephone number",
    "ssn": "a social security number",
    "card": "a card number",
    "iban": "an IBAN",
    "address": "a postal address",
    "name": "a labelled name",
    "birth_date": "a date of birth",
    "api_key": "an API key",
    "aws_key": "an AWS key",
    "github_token": "a GitHub token",
    "gitlab_token": "a GitLab token",
    "slack_token": "a Slack token",
    "google_key": "a Google API key",
    "stripe_key": "a Stripe key",
    "oauth_token": "an OAuth token",
    "jwt": "a JSON Web Token",
    "bearer_token": "a bearer token",
    "password": "a password",
    "private_key": "a private key",
    "connection_string": "a connection string with credentials",
}
LIMITS = {
    Rule.DENIED_PREFIXES: "The key begins with a prefix that is denied.",
    Rule.ALLOWED_PREFIXES: "The key begins with none of the prefixes that are allowed.",
    Rule.VALUE_SIZE: "The value has {size} bytes; at most {most} are allowed.",
}


def block_message(rule: Rule, place: str, kind: str) -> str:
    """Return a sentence such as `The value holds what looks like an IBAN …`."""
    policy = rule.removeprefix("policy:")
    if kind == TOO_COSTLY:
        return f"The {place} is too large for {policy}: they take too long on it."
    if rule is Rule.PATTERNS:
        return f"The {place} matches the pattern “{kind}” of {policy}."
    return f"The {place} holds what looks like {KINDS[kind]}, which {policy} blocks."


def limit_message(rule: Rule, **facts: int) -> str:
    return LIMITS[rule].format(**facts)
