"""The client's address: what trusted proxies appended, and nothing a client wrote."""

from ipaddress import ip_network

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import RequestFactory

from apps.core.http.clients import UNKNOWN, address_of, client_address, client_network
from config import env

PROXIES = [ip_network("127.0.0.1"), ip_network("10.0.0.0/8"), ip_network("fd00::/8")]


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("203.0.113.9", "", "203.0.113.9"),
        # Who is no proxy says what it likes.
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("127.0.0.1", "198.51.100.1", "198.51.100.1"),
        # The client wrote the left one, the proxy the right one.
        ("127.0.0.1", "8.8.8.8, 198.51.100.1", "198.51.100.1"),
        ("127.0.0.1", "8.8.8.8,127.0.0.1, 198.51.100.1", "198.51.100.1"),
        # Through two proxies.
        ("127.0.0.1", "8.8.8.8, 198.51.100.1, 10.1.2.3", "198.51.100.1"),
        ("127.0.0.1", "10.1.2.3", "10.1.2.3"),
        ("127.0.0.1", "198.51.100.1, nonsense", "127.0.0.1"),
        ("127.0.0.1", "198.51.100.1,", "127.0.0.1"),
        ("127.0.0.1", "unknown", "127.0.0.1"),
        ("127.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
        ("127.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"),
        ("fd00::1", "2001:db8::7", "2001:db8::7"),
        ("::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("127.0.0.1", "2001:DB8:0:0::7", "2001:db8::7"),
        ("127.0.0.1", "127.0.0.1," * 5000 + "127.0.0.1", "127.0.0.1"),
        ("", "198.51.100.1", UNKNOWN),
    ],
)
def test_the_list_is_read_from_the_right(peer, forwarded, address):
    assert address_of(peer, forwarded, trusted=PROXIES) == address


def test_without_trusted_proxies_nobody_is_believed(settings):
    settings.TRUSTED_PROXIES = []
    request = RequestFactory().get(
        "/", REMOTE_ADDR="127.0.0.1", headers={"X-Forwarded-For": "198.51.100.1"}
    )

    assert client_address(request) == "127.0.0.1"
    settings.TRUSTED_PROXIES = PROXIES
    assert client_address(request) == "198.51.100.1"


@pytest.mark.parametrize(
    ("peer", "network"),
    [
        ("198.51.100.1", "198.51.100.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("", UNKNOWN),
    ],
)
def test_tries_are_counted_by_network(peer, network):
    request = RequestFactory().get("/", REMOTE_ADDR=peer)

    assert client_network(request) == network


def test_the_setting_takes_addresses_and_networks(monkeypatch):
    monkeypatch.setenv("STEPBACK_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8,::1")

    found = env.networks("STEPBACK_TRUSTED_PROXIES")

    assert [str(one) for one in found] == ["127.0.0.1/32", "10.0.0.0/8", "::1/128"]


@pytest.mark.parametrize("said", ["localhost", "10.0.0.1/8", "*"])
def test_a_setting_that_names_no_network_stops_the_start(monkeypatch, said):
    monkeypatch.setenv("STEPBACK_TRUSTED_PROXIES", said)

    with pytest.raises(ImproperlyConfigured, match="STEPBACK_TRUSTED_PROXIES"):
        env.networks("STEPBACK_TRUSTED_PROXIES")
