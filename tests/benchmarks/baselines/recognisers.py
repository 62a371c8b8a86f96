"""Presidio's pattern recognisers, for the kinds that policies look for too.

Runs in a venv of its own. Each line of the standard input is a list of texts in JSON;
it is answered by a line with the milliseconds that all of them took.
"""

import json
import logging
import sys
import time

import tldextract
from presidio_analyzer.predefined_recognizers import (
    CreditCardRecognizer,
    EmailRecognizer,
    IbanRecognizer,
    PhoneRecognizer,
    UsSsnRecognizer,
)

# The recogniser of e-mail addresses would download a list of domains at its first one.
tldextract.extract = tldextract.TLDExtract(suffix_list_urls=())  # type: ignore[assignment]
RECOGNISERS = [
    CreditCardRecognizer(),
    EmailRecognizer(),
    IbanRecognizer(),
    PhoneRecognizer(),
    UsSsnRecognizer(),
]


def milliseconds(texts: list[str]) -> float:
    start = time.perf_counter()
    for text in texts:
        for one in RECOGNISERS:
            one.analyze(text, one.supported_entities)  # type: ignore[call-arg]
    return (time.perf_counter() - start) * 1000


def main() -> None:
    logging.disable(logging.CRITICAL)
    for line in sys.stdin:
        sys.stdout.write(f"{milliseconds(json.loads(line))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
