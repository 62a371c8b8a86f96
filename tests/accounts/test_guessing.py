"""Guessing passwords: slowed by address, by name, by both, and never for the owner."""

import threading
import time
from datetime import timedelta
from ipaddress import ip_network

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.hashers import check_password, make_password
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts import hashing
from apps.accounts.hashing import HashingGate
from apps.accounts.views import guessing
from apps.core.errors import Busy
from tests.accounts.make import (
    PASSWORD,
    make_link,
    make_member,
    make_project,
    make_user,
)

PRODUCT_HASHERS = ["apps.accounts.hashing.GatedPBKDF2"]


def sign_in(client, username="alice", password=PASSWORD, address="203.0.113.1", **more):
    data = {"username": username, "password": password}
    return client.post(
        reverse("accounts:sign_in"), data, REMOTE_ADDR=address, headers=more
    )


def guess(times, **about):
    """Try wrong passwords, each from a browser that is new."""
    return [sign_in(Client(), password="wrong password", **about) for _ in range(times)]


@pytest.fixture
def alice(db):
    return make_user(password=PASSWORD)


def test_ten_guesses_lock_the_name_for_that_address_alone(client, alice):
    refused = guess(10)[-1]

    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "900"
    assert "too many wrong passwords" in refused.content.decode()
    assert sign_in(client).status_code == 429
    assert sign_in(client, address="203.0.113.2").status_code == 302


def test_behind_the_proxy_ten_guesses_lock_out_nobody_else(client, alice, settings):
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.1")]
    proxied = {"address": "127.0.0.1"}

    for number in range(10):
        # What the guesser writes itself stands left of what the proxy appended.
        forged = f"192.0.2.{number}, 198.51.100.7"
        guess(1, X_Forwarded_For=forged, **proxied)

    guesser = sign_in(Client(), X_Forwarded_For="198.51.100.7", **proxied)
    owner = sign_in(client, X_Forwarded_For="198.51.100.8", **proxied)
    assert guesser.status_code == 429
    assert owner.status_code == 302


def test_a_lock_is_over_after_a_quarter_of_an_hour_of_more_guesses(alice, client):
    guess(10)
    AccessAttempt.objects.update(
        attempt_time=AccessAttempt.objects.get().attempt_time - timedelta(minutes=14)
    )
    guess(3)
    AccessAttempt.objects.update(
        attempt_time=AccessAttempt.objects.get().attempt_time - timedelta(minutes=1)
    )

    assert sign_in(client).status_code == 302


def test_an_address_has_so_many_tries_a_minute_whatever_the_names(db):
    answers = [sign_in(Client(), username=f"nobody{n}") for n in range(35)]

    assert [one.status_code for one in answers] == [422] * 30 + [429] * 5
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 60
    assert sign_in(Client(), address="203.0.113.2").status_code == 422


def test_an_ipv6_client_has_no_more_tries_than_its_network(db):
    answers = [
        sign_in(Client(), username=f"nobody{n}", address=f"2001:db8::{n:x}")
        for n in range(31)
    ]

    assert answers[-1].status_code == 429
    elsewhere = sign_in(Client(), address="2001:db8:0:1::1")
    assert elsewhere.status_code == 422


def test_signing_in_uses_up_no_tries(alice):
    answers = [sign_in(Client()) for _ in range(28)]

    assert {one.status_code for one in answers} == {302}
    assert sign_in(Client(), username="nobody").status_code == 422


def test_a_name_that_many_addresses_guess_at_is_slowed_and_its_owner_is_not(alice):
    known = Client()
    assert sign_in(known).status_code == 302
    known.post(reverse("accounts:sign_out"))

    answers = [
        sign_in(Client(), password="wrong password", address=f"203.0.113.{n}")
        for n in range(2, 34)
    ]

    assert [one.status_code for one in answers] == [422] * 29 + [429] * 3
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 300
    # From a new browser it takes patience or a link; the known one goes on.
    assert sign_in(Client(), address="192.0.2.1").status_code == 429
    assert sign_in(known, address="192.0.2.2").status_code == 302
    assert sign_in(Client(), username="bob", address="192.0.2.3").status_code == 422


def test_who_came_by_a_link_is_known_too(db):
    project = make_project()
    token = make_link(project, make_member(project), now=timezone.now())
    client = Client()

    answer = client.post(reverse("accounts:signin_link", args=[token]))

    cookie = answer.cookies[guessing.COOKIE]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie.value.startswith("alice:")


@pytest.mark.parametrize("said", ["alice", "alice:x:y", "", "bob alice:1:1"])
def test_a_cookie_that_we_did_not_sign_makes_nobody_known(alice, said):
    for number in range(30):
        sign_in(Client(), password="wrong", address=f"203.0.113.{number}")
    client = Client()
    client.cookies[guessing.COOKIE] = said

    assert sign_in(client, address="192.0.2.1").status_code == 429


def test_a_known_browser_is_locked_like_any_other(alice):
    known = Client()
    sign_in(known)
    known.post(reverse("accounts:sign_out"))

    answers = [sign_in(known, password="wrong password") for _ in range(11)]

    assert answers[-1].status_code == 429


def test_what_is_kept_of_a_failure_is_no_more_than_the_lock_needs(alice):
    guess(2)

    kept = AccessAttempt.objects.get()
    assert (kept.username, kept.ip_address) == ("alice", "203.0.113.1")
    assert (kept.path_info, kept.post_data, kept.get_data) == (
        "/signin",
        "\n---------\n",
        "\n---------\n",
    )


def test_a_hash_is_computed_for_a_name_that_nobody_has(db, monkeypatch):
    hashed = []
    monkeypatch.setattr(
        "django.contrib.auth.hashers.MD5PasswordHasher.encode",
        lambda self, password, salt: hashed.append(password) or "md5$x$y",
    )

    sign_in(Client(), username="nobody", password="one")

    assert hashed == ["one"]


def test_the_products_hasher_reads_what_djangos_wrote(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    before = make_password("one")
    settings.PASSWORD_HASHERS = PRODUCT_HASHERS

    assert check_password("one", before)
    assert not check_password("two", before)
    assert make_password("one").startswith("pbkdf2_sha256$")


def test_the_product_hashes_behind_the_gate():
    from config import settings as product

    assert product.PASSWORD_HASHERS == PRODUCT_HASHERS


class Work:
    """Computations that end when they are let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.running = self.most = 0
        self.threads = set()
        self.lock = threading.Lock()

    def __call__(self) -> str:
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
            self.threads.add(threading.current_thread().name)
        self.go.wait(5)
        with self.lock:
            self.running -= 1
        return "done"


def test_of_twenty_at_once_one_is_computed_two_wait_and_the_rest_come_back():
    gate, work, said = HashingGate(places=3, seconds=5), Work(), []

    def ask():
        try:
            said.append(gate.run(work))
        except Busy as refused:
            said.append(refused.details["retry_after"])

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 5
    while len(said) < 17 and time.monotonic() < deadline:
        time.sleep(0.005)
    assert said == [hashing.RETRY_SECONDS] * 17
    work.go.set()
    for thread in threads:
        thread.join()

    assert said[17:] == ["done"] * 3
    assert work.most == 1
    assert not any(name == "MainThread" for name in work.threads)


def test_who_waited_too_long_gives_the_place_back_when_the_work_is_done():
    gate, work = HashingGate(places=1, seconds=0.01), Work()

    for _ in range(2):  # it still runs, and keeps its place
        with pytest.raises(Busy):
            gate.run(work)
    work.go.set()

    assert eventually(lambda: gate.run(lambda: "next")) == "next"


def test_a_computation_that_fails_gives_its_place_back():
    gate = HashingGate(places=1, seconds=5)

    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            gate.run(lambda: str(1 / 0))


def eventually(ask):
    deadline = time.monotonic() + 5
    while True:
        try:
            return ask()
        except Busy:
            assert time.monotonic() < deadline
            time.sleep(0.005)


def test_a_door_without_a_place_says_when_to_come_back(alice, client, monkeypatch):
    def full(self, *args):
        raise hashing._busy()

    monkeypatch.setattr("django.contrib.auth.hashers.MD5PasswordHasher.encode", full)

    answer = sign_in(client)

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "3")
    assert "this one was not" in answer.content.decode()
    assert not AccessAttempt.objects.exists()
