"""What a mail server's refusal is of: one mail, or all."""

from __future__ import annotations

import smtplib

# From here on an answer is a final one.
REFUSED_FOR_GOOD = 500


def is_of_this_mail(failure: OSError) -> bool:
    """Say whether the server refuses this one for good, and may take the others.

    Some take any address and refuse the mail itself, once it was handed over.
    """
    if isinstance(failure, smtplib.SMTPDataError):
        return failure.smtp_code >= REFUSED_FOR_GOOD
    return isinstance(failure, smtplib.SMTPRecipientsRefused)
