"""What is sent to addresses of strangers' choosing goes nowhere into the house."""

import ipaddress
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from apps.core.outbound import addresses, requests

INSIDE = """
127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 10.1.2.3 100.64.0.1 169.254.169.254
172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1
224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1
::ffff:10.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1
2002:7f00:1:: 2002:c0a8:101:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:db8::1
2001:0:7f00:1::1 2001:0:7f00:1:0:0:f7f7:f7f7 2001::1 2002:808:808::1 2002:a9fe:a9fe::1
64:ff9b:1:7f00:1:: 64:ff9b:1::808:808 64:ff9b:: ::7f00:1 ::a00:1 ::ffff:a9fe:a9fe
2a00::5efe:7f00:1 2a00::200:5efe:a00:1 fd00::5efe:808:808 3fff::1 5f00::1 100::1
fc00::1 fd12::1 fe80::1 fe80::1%lo fec0::1 ff02::1 fd00:ec2::254 fd20:ce::254
169.254.170.2 100.100.100.200 192.0.0.192 168.63.129.16 ::ffff:168.63.129.16
"""
OUTSIDE = """
8.8.8.8 1.1.1.1 2606:4700::1111 ::ffff:8.8.8.8 64:ff9b::808:808 2a00::5efe:808:808
"""

REFUSED = {
    "http://example.com/": "https",
    "ftp://example.com/": "https",
    "file:///etc/passwd": "https",
    "gopher://example.com/": "https",
    "//example.com/": "https",
    "example.com/hook": "https",
    "https://": "host",
    "https:///path": "host",
    "https://user@example.com/": "user name",
    "https://user:pass@example.com/": "user name",
    "https://example.com@127.0.0.1/": "user name",
    "https://@example.com/": "user name",
    "https://example.com/#fragment": "fragment",
    "https://example.com:22/": "port",
    "https://example.com:80/": "port",
    "https://example.com:0/": "port",
    "https://example.com:99999/": "port",
    "https://example.com:x/": "port",
    "https://2130706433/": "four decimal",
    "https://0x7f000001/": "four decimal",
    "https://0x7f.1/": "four decimal",
    "https://0177.0.0.1/": "four decimal",
    "https://127.1/": "four decimal",
    "https://127.0.0.1.5/": "four decimal",
    "https://127.0.0.01/": "four decimal",
    "https://1.2.3.0x4/": "four decimal",
    "https://0/": "four decimal",
    "https://10.1/": "four decimal",
    "https://192.168.257/": "four decimal",
    "https://4294967296/": "four decimal",
    "https://017700000001/": "four decimal",
    "https://0X7F.0x0.0x0.0x1/": "four decimal",
    "https://127.0x1/": "four decimal",
    "https://127.0.0.1./": "four decimal",
    "https://2130706433./": "four decimal",
    "https://127.0.0.1../": "host",
    "https://*.127.0.0.1/": "host",
    "https://127.0.0.1%00.example.com/": "host",
    "https://127.0.0.1%2eexample.com/": "host",
    "https://8.8.8.8%40127.0.0.1/": "host",
    "https://8.8.8.8;127.0.0.1/": "host",
    "https://8.8.8.8,127.0.0.1/": "host",
    "https:127.0.0.1/": "host",
    "https:/127.0.0.1/": "host",
    "https:///127.0.0.1/": "host",
    "https://127.0.0.1:443:80/": "port",
    "https://8.8.8.8:443@127.0.0.1/": "user name",
    "https://8.8.8.8@[::1]/": "user name",
    # Before Python 3.11.4 it was no URL at all.
    "https://[::1]:443@8.8.8.8/": "user name|URL",
    "https://:@127.0.0.1/": "user name",
    "https://example.com%00@127.0.0.1/": "user name",
    "https://8.8.8.8#@127.0.0.1/": "fragment",
    "https://127.0.0.1/": "private",
    "HTTPS://127.0.0.1/": "private",
    "https://0.0.0.0/": "private",
    "https://169.254.169.254/latest/meta-data/": "private",
    "https://168.63.129.16/": "private",
    "https://[fd00:ec2::254]/": "private",
    "https://[::]/": "private",
    "https://[0:0:0:0:0:0:0:0]/": "private",
    "https://[2001:0:7f00:1::1]/": "private",
    "https://[2002:7f00:1::]/": "private",
    "https://[64:ff9b:1::8.8.8.8]/": "private",
    "https://[::1]/": "private",
    "https://[::ffff:127.0.0.1]/": "private",
    "https://[::ffff:7f00:1]/": "private",
    "https://[64:ff9b::10.0.0.1]/": "private",
    "https://[fe80::1%25lo]/": "IPv6",
    "https://[::1%lo]/": "IPv6",
    "https://[::ffff:127.0.0.1%25lo]/": "IPv6",
    "https://[2606:4700::1111].example.com/": "IPv6|URL",
    "https://example.com[2606:4700::1111]/": "IPv6|URL",
    "https://[2606:4700::1111]8443/": "IPv6|URL",
    "https://[127.0.0.1]/": "URL|four decimal",
    "https://[v1.127.0.0.1]/": "four decimal",
    "https://[::1": "URL",
    "https://exa mple.com/": "visible ASCII",
    "https://example.com/\r\nHost: x": "visible ASCII",
    "https://example.com\\@127.0.0.1/": "backslash",
    "https://ⓔxample.com/": "visible ASCII",
    "https://127。0。0。1/": "visible ASCII",
    "https://127\uff0e0\uff0e0\uff0e1/": "visible ASCII",
    "https://\uff11\uff12\uff17.0.0.1/": "visible ASCII",
    "https://①②⑦.⓪.⓪.①/": "visible ASCII",
    "https://localhost\uff0fx/": "visible ASCII",
    "https://127.0.0.1\t/": "visible ASCII",
    " https://127.0.0.1/": "visible ASCII",
    "https://exa%6dple.com/": "host",
    "https://-example.com/": "host",
    "https://example..com/": "host",
    "https://example.com/" + "a" * 2000: "at most",
}


def resolving(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Have each look-up of a name answered with the next of these lists."""
    asked: list[str] = []

    def getaddrinfo(host: str, port: int, **_: object) -> list[object]:
        found = answers[min(len(asked), len(answers) - 1)]
        asked.append(host)
        family = socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (one, port)) for one in found]

    monkeypatch.setattr(requests.socket, "getaddrinfo", getaddrinfo)
    return asked


@pytest.mark.parametrize("address", INSIDE.split())
def test_an_address_inside_is_known_in_every_disguise(address: str) -> None:
    assert not addresses.is_outside(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", OUTSIDE.split())
def test_an_address_outside_may_be_sent_to(address: str) -> None:
    assert addresses.is_outside(ipaddress.ip_address(address))


@pytest.mark.parametrize("url", REFUSED)
def test_a_url_that_could_lead_inside_is_refused(url: str) -> None:
    with pytest.raises(addresses.Refused, match=REFUSED[url]):
        addresses.target_of(url, into_the_house=False)


@pytest.mark.parametrize(
    ("url", "authority", "path"),
    [
        ("https://example.com", "example.com", "/"),
        ("https://example.com:443/a?b=c", "example.com", "/a?b=c"),
        ("https://hooks.example.com:8443/x", "hooks.example.com:8443", "/x"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example", "/"),
        ("https://8.8.8.8/", "8.8.8.8", "/"),
        ("https://[2606:4700::1111]:9000/", "[2606:4700::1111]:9000", "/"),
    ],
)
def test_a_url_leads_where_it_says(url: str, authority: str, path: str) -> None:
    target = addresses.target_of(url, into_the_house=False)

    assert (target.authority, target.path, target.is_tls) == (authority, path, True)


@pytest.mark.parametrize("name", ["localhost", "localhost.", "metadata.internal"])
@pytest.mark.parametrize(
    "found",
    [
        ["127.0.0.1"],
        ["169.254.169.254"],
        ["8.8.8.8", "10.0.0.1"],
        ["::ffff:127.0.0.1"],
        ["2606:4700::1111", "fe80::1%lo"],
        ["2001:0:7f00:1:0:0:f7f7:f7f7"],
        ["64:ff9b::a9fe:a9fe"],
        ["::"],
    ],
    ids=str,
)
def test_a_name_that_leads_inside_is_refused_before_it_is_called(
    name: str, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    resolving(monkeypatch, found)
    monkeypatch.setattr(requests.socket, "create_connection", called)
    target = addresses.target_of(f"https://{name}/", into_the_house=False)

    with pytest.raises(addresses.Refused, match="private"):
        requests.post(target, b"{}", {}, seconds=5, into_the_house=False)


def called(address: tuple[str, int], *_: object) -> socket.socket:
    raise AssertionError(f"{address} was called")


def test_a_name_that_changes_its_mind_is_asked_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = resolving(monkeypatch, ["8.8.8.8"], ["127.0.0.1"])
    connected = []

    def create_connection(address: tuple[str, int], *_: object) -> socket.socket:
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(requests.socket, "create_connection", create_connection)
    target = addresses.target_of("https://rebinding.example/", into_the_house=False)

    with pytest.raises(requests.Failed, match="refused the connection"):
        requests.post(target, b"{}", {}, seconds=5, into_the_house=False)

    assert asked == ["rebinding.example"]
    assert connected == [("8.8.8.8", 443)]


def test_a_name_that_changes_its_mind_is_judged_anew_at_the_next_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolving(monkeypatch, ["8.8.8.8"], ["127.0.0.1"])
    target = addresses.target_of("https://rebinding.example/", into_the_house=False)
    assert requests.resolve(target, into_the_house=False) == ["8.8.8.8"]
    monkeypatch.setattr(requests.socket, "create_connection", called)

    with pytest.raises(addresses.Refused, match="private"):
        requests.post(target, b"{}", {}, seconds=5, into_the_house=False)


def test_a_name_that_nobody_knows_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror

    monkeypatch.setattr(requests.socket, "getaddrinfo", unknown)
    target = addresses.target_of("https://nobody.example/", into_the_house=False)

    with pytest.raises(requests.Failed, match="does not resolve"):
        requests.post(target, b"{}", {}, seconds=5, into_the_house=False)


@contextmanager
def answering(*pieces: bytes, pause: float = 0.0) -> Iterator[tuple[str, list[bytes]]]:
    """Listen once; answer these pieces, one after a pause. Yield URL and request."""
    heard: list[bytes] = []
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                while not heard or b"\r\n\r\n{}" not in heard[0]:
                    heard[:] = [b"".join(heard) + connection.recv(4096)]
                for piece in pieces:
                    stop.wait(pause)
                    try:
                        connection.sendall(piece)
                    except OSError:
                        return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/x?y=1", heard
        stop.set()
        thread.join(10)


def send(url: str, *, seconds: float = 20, **headers: str) -> requests.Answered:
    target = addresses.target_of(url, into_the_house=True)
    return requests.post(target, b"{}", headers, seconds=seconds, into_the_house=True)


def test_what_is_sent_is_plain_http() -> None:
    with answering(b"HTTP/1.1 204 No Content\r\n\r\n") as (url, heard):
        assert send(url, Name="value").status == 204

    lines = heard[0].decode().split("\r\n")
    assert lines[0] == "POST /x?y=1 HTTP/1.1"
    assert lines[1] == "Host: " + url.split("/")[2]
    assert set(lines[2:]) == {
        "Name: value", "Content-Length: 2", "Connection: close", "", "{}"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("pieces", "status"),
    [
        ([b"HTTP/1.0 200 OK\r\n\r\n"], 200),
        ([b"HTTP/1.1 200\r\nA: b\r\n\r\nbody"], 200),
        ([b"HTTP/1.1 20", b"1 Created\r\n", b"A: b\r\n", b"\r\n"], 201),
        ([b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 X\r\n\r\n"], 500),
        ([b"HTTP/1.1 103 Hints\r\nA: b\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n"], 200),
        ([b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n"], 302),
    ],
)
def test_the_status_of_the_final_answer_counts(
    pieces: list[bytes], status: int
) -> None:
    with answering(*pieces, pause=0.05) as (url, _):
        assert send(url).status == status


@pytest.mark.parametrize(
    ("header", "told"),
    [
        (b"Retry-After: 30\r\n", "30"),
        (b"A: b\r\nretry-after:Fri, 06 Mar 2026 12:00:00 GMT \r\nC: d\r\n",
         "Fri, 06 Mar 2026 12:00:00 GMT"),
        (b"X-Retry-After: 30\r\n", ""),
        (b"Retry-After: " + b"9" * 41 + b"\r\n", ""),
        (b"", ""),
    ],
)  # fmt: skip
def test_when_to_come_again_is_handed_on(header: bytes, told: str) -> None:
    answer = b"HTTP/1.1 429 Slow\r\n" + header + b"\r\nretry-after: 7\r\n\r\n"
    with answering(answer) as (url, _):
        assert send(url) == requests.Answered(429, told)


@pytest.mark.parametrize(
    ("pieces", "why"),
    [
        ([], "broke"),
        ([b"HTTP/1.1 200 OK\r\n"], "broke"),
        ([b"SSH-2.0-OpenSSH\r\n\r\n"], "no HTTP"),
        ([b"HTTP/1.1 200 OK\r\nA: " + b"a" * 100_000], "too long"),
    ],
)
def test_an_answer_that_is_none_is_a_failure(pieces: list[bytes], why: str) -> None:
    with answering(*pieces) as (url, _), pytest.raises(requests.Failed, match=why):
        send(url)


def test_an_answer_that_drips_ends_by_the_deadline() -> None:
    drops = [b"HTTP/1.1 200 OK\r\n"] + [b"A: b\r\n"] * 10_000

    with (
        answering(*drops, pause=0.05) as (url, _),
        pytest.raises(requests.Failed, match=r"within 1 seconds"),
    ):
        send(url, seconds=1)


def test_a_header_cannot_smuggle_another() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        with pytest.raises(ValueError, match="no header"):
            send(url, Name="a\r\nB: c")


def fetch(url: str, *, seconds: float = 20, most: int = 100) -> requests.Reply:
    target = addresses.target_of(url, into_the_house=True)
    return requests.post_for_body(
        target, b"{}", {}, seconds=seconds, into_the_house=True, most=most
    )


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "pieces",
    [
        [OK + b"Content-Length: 5\r\n\r\nhello"],
        [OK + b"content-length:5\r\n\r\n", b"he", b"llo, and more"],
        [OK + b"Content-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello"],
        [OK + b"\r\nhel", b"lo"],
        [CHUNKED + b"2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\n\r\n"],
        [CHUNKED, b"5\r", b"\nhel", b"lo\r\n", b"0\r\n"],
    ],
)
def test_a_body_is_read_however_it_comes(pieces: list[bytes]) -> None:
    with answering(*pieces, pause=0.02) as (url, _):
        reply = fetch(url)

    assert (reply.answered.status, reply.body) == (200, b"hello")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (OK + b"Content-Length: 5000000000\r\n\r\n" + b"a" * 50, "longer than 100"),
        (OK + b"\r\n" + b"a" * 101, "longer than 100"),
        (CHUNKED + b"FFFFFFFF\r\n", "longer than 100"),
        (CHUNKED + b"40\r\n" + b"a" * 64 + b"\r\n40\r\n", "longer than 100"),
        (OK + b"Content-Length: 6\r\n\r\nhello", "cut off"),
        (CHUNKED + b"5\r\nhel", "cut off"),
        (CHUNKED + b"5\r\nhello", "cut off"),
        (CHUNKED + b"5\r\nhelloXX", "broken"),
        (CHUNKED + b"five\r\n", "broken"),
        (CHUNKED + b"1" * 300, "broken"),
        (OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n", "not known"),
        (OK + b"Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\na", "compressed"),
    ],
)
def test_a_body_that_is_too_long_or_broken_is_a_failure(
    answer: bytes, why: str
) -> None:
    with answering(answer) as (url, _), pytest.raises(requests.Failed, match=why):
        fetch(url)


def test_a_body_that_drips_ends_with_the_deadline() -> None:
    dripping = [OK + b"\r\n", *[b"a"] * 50]
    with (
        answering(*dripping, pause=0.05) as (url, _),
        pytest.raises(requests.Failed, match="No answer within"),
    ):
        fetch(url, seconds=0.3)
