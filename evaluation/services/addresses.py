"""Addresses that people supply: checked when they are saved, and again when they are called.

A name may lead elsewhere tomorrow, so the check at a call looks the name up itself and hands on the very addresses that
it found good; nobody looks the name up a second time.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import urlsplit

from django.conf import settings

from annotations.services.errors import WorkbenchError
from evaluation.aem.language import kept, say

Address = IPv4Address | IPv6Address
Lookup = Callable[[str, int], Sequence[str]]

#: What is no place of the public internet although `ipaddress` does not always say so, or leads to one that is not.
_INSIDE = [
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",
        "100.64.0.0/10",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "240.0.0.0/4",
        "::/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",
        "2002::/16",
        "3fff::/20",
        "5f00::/16",
        "fec0::/10",
    )
]
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*")
#: Spellings of IPv4 addresses that system calls understand beside the usual one: 2130706433, 0x7f.1, 0177.0.0.1.
_NUMBERS = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+))*")
_DEFAULT_PORTS = {"http": 80, "https": 443}

# Workers store these beside questions that could not be put.
ONLY_THAT_ADDRESS = kept("Only the address that was set is called.")
_USE_HTTPS = kept(
    "Use https://: without it, keys and texts could be read on their way. Plain http is only for hosts that the "
    "administrator names in AEM_JUDGE_ALLOWED_HOSTS."
)
_NOT_PUBLIC = kept(
    "{host} is not called: no public address is known for it. An administrator can allow internal hosts by name in "
    "AEM_JUDGE_ALLOWED_HOSTS."
)


class AddressRefusedError(WorkbenchError):
    """An address that is not called. The message tells neither what is there nor whether anything is."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address taken apart: what may be shown, and what a connection is made with."""

    url: str
    scheme: str
    host: str
    port: int

    @property
    def origin(self) -> str:
        """Scheme, host and port: whoever owns these gets what is sent."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def is_allowed_inside(self) -> bool:
        """Whether the administrator has named this host, with its port or with any."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        named = {name.strip().lower() for name in settings.AEM_JUDGE_ALLOWED_HOSTS}
        return not named.isdisjoint({self.host, host, f"{host}:{self.port}"})


def look_up(host: str, port: int) -> list[str]:
    """The addresses of a name, as the system's resolver gives them now; none where there is no such name."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def parse(url: str) -> Endpoint:
    """Take an address apart; raises AddressRefusedError for what is no plain http(s) address."""
    if any(character.isspace() or unicodedata.category(character).startswith("C") for character in url) or "\\" in url:
        raise AddressRefusedError(say("The address holds spaces, backslashes or control characters."))
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise AddressRefusedError(say("This is no address.")) from None
    if parts.scheme not in _DEFAULT_PORTS:
        raise AddressRefusedError(say("An address begins with https:// (or http://, for hosts that are allowed)."))
    if parts.username is not None or parts.password is not None:
        raise AddressRefusedError(
            say("An address with a name or password in it is not taken: keys have their own field.")
        )
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise AddressRefusedError(say("The address must end with its path, without ? and #."))
    if port == 0:
        raise AddressRefusedError(say("Port 0 is no port."))
    host = _host(host)
    return Endpoint(url=url, scheme=parts.scheme, host=host, port=port or _DEFAULT_PORTS[parts.scheme])


def _host(host: str) -> str:
    """A host's one spelling: lower case, without a final point, addresses as they are usually written."""
    host = unicodedata.normalize("NFKC", host).lower().removesuffix(".")
    if ":" in host:
        try:
            return str(IPv6Address(host))
        except ValueError:
            raise AddressRefusedError(say("This is no address.")) from None
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            raise AddressRefusedError(say("The address holds a host name that cannot be.")) from None
    if not _HOST.fullmatch(host) or len(host) > 253:
        raise AddressRefusedError(say("The address holds no host name, or one that cannot be."))
    if _NUMBERS.fullmatch(host):
        try:
            return str(IPv4Address(host))
        except ValueError:
            raise AddressRefusedError(
                say("Write the number of a host as four decimal parts, such as 203.0.113.7.")
            ) from None
    return host


def check(url: str, *, lookup: Lookup | None = None) -> Endpoint:
    """Whether an address may be kept; raises AddressRefusedError."""
    endpoint = parse(url)
    if endpoint.scheme == "http" and not endpoint.is_allowed_inside:
        raise AddressRefusedError(say(_USE_HTTPS))
    addresses_of(endpoint, lookup=lookup)
    return endpoint


def addresses_of(endpoint: Endpoint, *, lookup: Lookup | None = None) -> list[str]:
    """The addresses to connect to, looked up now and each of them good; raises AddressRefusedError.

    One bad address among them refuses all: which one a connection gets would be chance.
    """
    found = (lookup or look_up)(endpoint.host, endpoint.port)
    if endpoint.is_allowed_inside and found:
        return list(found)
    if not found or not all(is_public(address) for address in found):
        # One sentence for all cases: it would otherwise tell which names exist inside, and where they lead.
        raise AddressRefusedError(say(_NOT_PUBLIC, host=endpoint.host))
    return list(found)


def is_public(text: str) -> bool:
    """Whether an address is one of the public internet; anything that is no address is not.

    >>> is_public("93.184.216.34"), is_public("169.254.169.254"), is_public("::ffff:10.0.0.5")
    (True, False, False)
    """
    try:
        address: Address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if "%" in text or not address.is_global or address.is_multicast or address.is_reserved or address.is_unspecified:
        return False
    return not any(address in network for network in _INSIDE if network.version == address.version)
