"""Addresses that people supply: refused at saving and at the call, with nothing said of what is there."""

from __future__ import annotations

import doctest
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from evaluation.evaluators.judge import Question
from evaluation.models import JudgeSettings
from evaluation.services import addresses, judges, judging
from evaluation.services.addresses import AddressRefusedError
from tests.factories import make_project
from tests.judges import judge_body, make_judge
from tests.misbehaving import Endpoint

PUBLIC = "93.184.216.34"

REFUSED = [
    "http://127.0.0.1:6379",
    "https://127.0.0.1",
    "http://169.254.169.254/latest/meta-data",
    "https://169.254.169.254/v1",
    "http://[::1]/",
    "https://[::1]/v1",
    "http://10.0.0.5",
    "https://10.0.0.5/v1",
    "https://172.16.0.1",
    "https://192.168.1.1",
    "https://100.64.0.1",
    "https://0.0.0.0",
    "https://224.0.0.1",
    "https://255.255.255.255",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://127.0.0.1./",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[2002:7f00:1::]/",
    "https://[2001:0:0:0:0:0:0:1]/",
    "https://[fe80::1]/",
    "https://[fe80::1%25eth0]/",
    "https://[fc00::1]/",
    "https://[fec0::1]/",
    "https://[::]/",
    "https://[ff02::1]/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://１２７.０.０.１/",
    "https://127。0。0。1/",
    "https://①②⑦.0.0.1/",
]
MALFORMED = [
    "",
    "example.org",
    "//example.org",
    "ftp://example.org",
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_x",
    "https://",
    "https:///v1",
    "https://user:password@example.org/",
    "https://example.org@127.0.0.1/",
    "https://example.org/?x=1",
    "https://example.org/#x",
    "https://example.org:0/",
    "https://example.org:99999/",
    "https://example.org:x/",
    "https://exa mple.org/",
    "https://example.org\\@127.0.0.1/",
    "https://example.org\r\nHost: x/",
    "https://[::1/",
    "https://-example.org/",
    "https://example..org/",
    "https://" + "a" * 300 + ".org/",
]


@pytest.mark.parametrize("url", [*REFUSED, *MALFORMED])
def test_it_is_refused(url: str) -> None:
    with pytest.raises(AddressRefusedError):
        addresses.check(url)


@pytest.mark.parametrize("url", ["https://93.184.216.34/v1", "https://[2606:2800:220:1::1]/v1"])
def test_a_public_address_is_taken(url: str) -> None:
    assert addresses.check(url).url == url


def leads_to(*found: str) -> Callable[[str, int], list[str]]:
    return lambda host, port: list(found)


@pytest.mark.parametrize(
    "found", [["10.0.0.5"], [PUBLIC, "10.0.0.5"], ["::1"], ["::ffff:10.0.0.5"], ["fe80::1%eth0"], ["nonsense"], []]
)
def test_a_name_is_as_good_as_the_worst_address_that_it_leads_to(found: list[str]) -> None:
    with pytest.raises(AddressRefusedError):
        addresses.check("https://judge.example/v1", lookup=leads_to(*found))


def test_a_public_name_is_taken() -> None:
    endpoint = addresses.check("https://Judge.Example./v1", lookup=leads_to(PUBLIC))
    assert endpoint.origin == "https://judge.example:443"


def test_whether_there_is_something_inside_is_not_told() -> None:
    said = set()
    for found in ([], ["10.0.0.5"], ["127.0.0.1"], ["169.254.169.254"]):
        with pytest.raises(AddressRefusedError) as caught:
            addresses.check("https://judge.example/v1", lookup=leads_to(*found))
        said.add(str(caught.value))
    assert len(said) == 1


def test_plain_http_is_only_for_hosts_that_are_allowed(settings: Any) -> None:
    with pytest.raises(AddressRefusedError, match="https://"):
        addresses.check("http://judge.example/v1", lookup=leads_to(PUBLIC))
    settings.AEM_JUDGE_ALLOWED_HOSTS = ["judge.example"]
    assert addresses.check("http://judge.example/v1", lookup=leads_to("10.0.0.5")).port == 80


@pytest.mark.parametrize(
    ("named", "url", "is_taken"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000/v1", True),
        ("127.0.0.1:8000", "http://127.0.0.1:8000/v1", True),
        ("127.0.0.1:8000", "http://127.0.0.1:6379/v1", False),
        ("127.0.0.1", "http://127.0.0.2/v1", False),
        ("127.0.0.1", "http://[::ffff:127.0.0.1]/v1", False),
        ("[::1]", "http://[::1]:8000/v1", True),
        ("::1", "http://[::1]:8000/v1", True),
        ("LLM.internal", "https://llm.internal/v1", True),
        ("llm.internal", "https://evil.llm.internal/v1", False),
        ("internal", "https://llm.internal/v1", False),
    ],
)
def test_the_administrator_allows_hosts_by_name(settings: Any, named: str, url: str, is_taken: bool) -> None:
    settings.AEM_JUDGE_ALLOWED_HOSTS = [named]
    if is_taken:
        addresses.check(url, lookup=leads_to("10.0.0.5"))
    else:
        with pytest.raises(AddressRefusedError):
            addresses.check(url, lookup=leads_to("10.0.0.5"))


def test_examples_in_the_code_hold() -> None:
    assert doctest.testmod(addresses).failed == 0


# --- at saving, and again at calling ---


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    found = Endpoint()
    yield found
    found.close()


@pytest.mark.django_db
@pytest.mark.parametrize("url", REFUSED)
def test_settings_with_it_are_not_kept(url: str) -> None:
    with pytest.raises(AddressRefusedError):
        judges.create(project=make_project(), body=judge_body(url), by=None)
    assert not JudgeSettings.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["http://127.0.0.1:{port}/v1", "http://localhost:{port}/v1"])
def test_rows_with_it_are_not_called(endpoint: Endpoint, path: str) -> None:
    """However it came into the database, the call is refused."""
    judge = JudgeSettings.objects.create(
        project=make_project(), number=1, body=judge_body(path.format(port=endpoint.port)), content_hash="x"
    )
    (outcome,) = judging.ask([Question.of_values("a", "b")], settings=judge).values()
    assert (outcome.score, outcome.cause) == (None, "refused")
    assert judges.try_it(judge).label == ""
    assert endpoint.asked == []


class ChangingName:
    """A name that is public when it is checked, and leads inside when it is called."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.real = socket.getaddrinfo

    def __call__(self, host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        if host != "judge.example":
            return self.real(host, port, *args, **kwargs)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (answer, port))]


@pytest.mark.django_db
def test_a_name_that_changes_between_saving_and_calling_is_not_called(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", ChangingName(PUBLIC, "127.0.0.1"))
    body = judge_body(f"https://judge.example:{endpoint.port}/v1")
    judge = judges.create(project=make_project(), body=body, by=None)
    (outcome,) = judging.ask([Question.of_values("a", "b")], settings=judge).values()
    assert outcome.cause == "refused"
    assert "127" not in outcome.sentence
    assert endpoint.asked == []


@pytest.mark.django_db
def test_a_name_that_changes_between_check_and_connection_is_not_called(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection looks the name up itself, and goes to the very address that it found good."""
    names = ChangingName(PUBLIC, PUBLIC, "127.0.0.1")
    monkeypatch.setattr(socket, "getaddrinfo", names)
    connected: list[Any] = []
    create = socket.create_connection

    def watched(address: Any, *args: Any, **kwargs: Any) -> Any:
        connected.append(address)
        return create(address, *args, **kwargs)

    monkeypatch.setattr(socket, "create_connection", watched)
    body = judge_body(f"https://judge.example:{endpoint.port}/v1")
    judge = judges.create(project=make_project(), body=body, by=None)
    (outcome,) = judging.ask([Question.of_values("a", "b")], settings=judge).values()
    assert outcome.cause == "refused"
    assert connected == []
    assert endpoint.asked == []


@pytest.mark.django_db
def test_it_connects_to_the_address_that_was_checked_and_looks_up_no_name_again(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.AEM_JUDGE_ALLOWED_HOSTS = ["judge.example"]
    monkeypatch.setattr(socket, "getaddrinfo", ChangingName("127.0.0.1"))
    body = judge_body(f"http://judge.example:{endpoint.port}/v1")
    judge = judges.create(project=make_project(), body=body, by=None)
    (outcome,) = judging.ask([Question.of_values("a", "b")], settings=judge).values()
    assert outcome.score == 1
    assert endpoint.asked[0].headers["Host"] == f"judge.example:{endpoint.port}"


@pytest.mark.django_db
def test_a_proxy_from_the_environment_is_not_used(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.AEM_JUDGE_ALLOWED_HOSTS = ["127.0.0.1"]
    proxy = Endpoint()
    try:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        judging.ask([Question.of_values("a", "b")], settings=make_judge(endpoint))
        assert proxy.asked == []
        assert len(endpoint.asked) == 1
    finally:
        proxy.close()


@pytest.mark.django_db
def test_a_certificate_is_checked(endpoint: Endpoint, settings: Any, tmp_path: Any) -> None:
    """An endpoint that shows a certificate of nobody gets nothing to read."""
    settings.AEM_JUDGE_ALLOWED_HOSTS = ["localhost"]
    secure = Endpoint(certificate=own_certificate(tmp_path))
    try:
        body = judge_body(f"https://localhost:{secure.port}/v1")
        judge = judges.create(project=make_project(), body=body, by=None)
        (outcome,) = judging.ask([Question.of_values("a", "b")], settings=judge).values()
        assert outcome.sentence == "Not scored: the endpoint cannot be reached."
        assert secure.asked == []
    finally:
        secure.close()


def own_certificate(folder: Any) -> str:
    """A certificate for localhost that no authority signed, with its key, in one file."""
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "own.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return str(path)
