"""How a request to a judge leaves: through the `openai` client, over connections that are checked as they are made.

Only imported where the optional extra is installed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from email.utils import parsedate_to_datetime
from typing import Any

import httpcore2
import httpx2
import openai

from evaluation.aem.language import say
from evaluation.evaluators.judge import JudgeConfig, Sending
from evaluation.evaluators.judge.questions import storable
from evaluation.formats import jsonio
from evaluation.services import judge_client
from evaluation.services.addresses import ONLY_THAT_ADDRESS, AddressRefusedError, Endpoint, addresses_of, parse
from evaluation.services.judge_client import MAX_ANSWER_BYTES, MAX_RETRY_AFTER_SECONDS, CallError, Reply, Secret

#: All that a judge gets to see of us. The client library would tell more: platform, versions, what it finds set.
_HEADERS = {b"host", b"content-type", b"content-length", b"accept"}
_USER_AGENT = b"aem-workbench"


class _TooLargeError(Exception):
    pass


_FAULTS = (httpcore2.NetworkError, httpcore2.TimeoutException, httpcore2.ProtocolError)


class _Watch(threading.local):
    """The time and the bytes that the request of this thread has left."""

    deadline = float("inf")
    bytes_left = 0

    def start(self, seconds: float) -> None:
        self.deadline = time.monotonic() + seconds
        self.bytes_left = MAX_ANSWER_BYTES

    def seconds_left(self, error: type[Exception]) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise error("out of time")
        return left


class _WatchedStream(httpcore2.NetworkStream):
    """A connection on which a request has an end: each single byte in time does not prolong it."""

    def __init__(self, stream: httpcore2.NetworkStream, watch: _Watch) -> None:
        self._stream = stream
        self._watch = watch

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._stream.read(max_bytes, self._watch.seconds_left(httpcore2.ReadTimeout))
        self._watch.bytes_left -= len(data)
        if self._watch.bytes_left < 0:
            raise _TooLargeError
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._watch.seconds_left(httpcore2.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = self._watch.seconds_left(httpcore2.ConnectTimeout)
        return _WatchedStream(self._stream.start_tls(ssl_context, server_hostname, left), self._watch)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _CheckedBackend(httpcore2.NetworkBackend):
    """Connects to the endpoint's host alone, and to the very addresses that were looked up and found good just now."""

    def __init__(self, endpoint: Endpoint, watch: _Watch) -> None:
        self._endpoint = endpoint
        self._watch = watch
        self._system = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        asked = parse(f"{self._endpoint.scheme}://{f'[{host}]' if ':' in host else host}:{port}")
        if asked.origin != self._endpoint.origin:
            raise AddressRefusedError(say(ONLY_THAT_ADDRESS))
        failed: Exception = httpcore2.ConnectError("no address")
        for address in addresses_of(self._endpoint):
            left = self._watch.seconds_left(httpcore2.ConnectTimeout)
            try:
                stream = self._system.connect_tcp(address, port, left, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
            else:
                return _WatchedStream(stream, self._watch)
        raise failed

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore2.NetworkStream:
        raise AddressRefusedError(say(ONLY_THAT_ADDRESS))


class _Transport(httpx2.BaseTransport):
    """Sends what the client library made, with our headers, and takes the answer in within its limits."""

    def __init__(self, config: JudgeConfig, endpoint: Endpoint, key: Secret | None, watch: _Watch) -> None:
        self._key = key
        self._seconds = config.timeout_seconds
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context(),  # verifies; SSL_CERT_FILE names an authority of one's own
            max_connections=config.concurrency,
            max_keepalive_connections=config.concurrency,
            keepalive_expiry=30,
            network_backend=_CheckedBackend(endpoint, watch),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        headers = [(name, value) for name, value in request.headers.raw if name.lower() in _HEADERS]
        headers += [(b"User-Agent", _USER_AGENT), (b"Accept-Encoding", b"identity")]
        if self._key is not None:
            headers.append((b"Authorization", b"Bearer " + self._key.reveal().encode("ascii")))
        url = request.url
        sent = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=headers,
            content=request.read(),
            extensions=request.extensions,
        )
        try:
            response = self._pool.handle_request(sent)
            try:
                names = {name.lower(): value.lower() for name, value in response.headers}
                if names.get(b"content-encoding", b"identity") != b"identity":
                    # How large a packed body gets is only known when it is too late.
                    raise CallError("unreadable", judge_client.PACKED)
                body = response.read()
            finally:
                response.close()
        except (*_FAULTS, AddressRefusedError, _TooLargeError) as error:
            raise _explained(error, seconds=self._seconds) from None
        return httpx2.Response(status_code=response.status, headers=response.headers, content=body)

    def close(self) -> None:
        self._pool.close()


class OpenAICaller:
    """Asks any endpoint that understands OpenAI's chat completions. Retries, rates and budgets are the caller's."""

    def __init__(self, config: JudgeConfig, endpoint: Endpoint, key: Secret | None) -> None:
        self._config = config
        self._watch = _Watch()
        self._http = httpx2.Client(
            transport=_Transport(config, endpoint, key, self._watch),
            follow_redirects=False,
            trust_env=False,
            timeout=config.timeout_seconds,
        )
        # The library never gets the key, and what it finds in the environment stays here: the transport drops it.
        self._client = openai.OpenAI(
            api_key="none", base_url=endpoint.url, max_retries=0, timeout=config.timeout_seconds, http_client=self._http
        )

    def ask(self, sending: Sending) -> Reply:
        """The reply to one request; raises CallError."""
        options: dict[str, Any] = {"model": self._config.model, "messages": list(sending.messages)}
        if sending.mode != "bare":
            options["temperature"] = float(self._config.temperature)
            options["max_completion_tokens"] = self._config.answer_tokens
            if sending.seed is not None:
                options["seed"] = sending.seed
        if sending.response_format is not None:
            options["response_format"] = sending.response_format
        self._watch.start(self._config.timeout_seconds)
        try:
            raw = self._client.chat.completions.with_raw_response.create(**options)
        except openai.APIStatusError as error:
            raise _of_status(error.response) from None
        except openai.APIConnectionError as error:
            # What the transport raises comes through as it is, or as the cause of the library's own error.
            cause = error.__cause__
            raise (cause if isinstance(cause, CallError) else CallError("cut", judge_client.CUT)) from None
        return _read(raw.http_response)

    def close(self) -> None:
        self._client.close()


def _explained(error: Exception, *, seconds: int) -> CallError:
    """Why a request got no answer, in words that tell nothing of what is at the other end."""
    if isinstance(error, AddressRefusedError):
        return CallError("address", str(error))
    if isinstance(error, _TooLargeError):
        return CallError("unreadable", judge_client.TOO_LARGE.format(most=MAX_ANSWER_BYTES // 1024))
    if isinstance(error, httpcore2.ConnectTimeout | httpcore2.ConnectError | httpcore2.PoolTimeout):
        return CallError("connection", judge_client.NOT_REACHED)
    if isinstance(error, httpcore2.TimeoutException):
        return CallError("timeout", judge_client.NO_ANSWER.format(seconds=seconds))
    return CallError("cut", judge_client.CUT)


def _of_status(response: httpx2.Response) -> CallError:
    status = response.status_code
    raw = storable(response.content.decode("utf-8", errors="replace"))
    if status == 429:
        problem = judge_client.BUSY
        return CallError("busy", problem, status=status, retry_after=_retry_after(response), raw=raw)
    if status >= 500 or status == 408:
        problem = judge_client.OWN_ERROR.format(status=status)
        return CallError("server", problem, status=status, retry_after=_retry_after(response), raw=raw)
    if 300 <= status < 400:
        problem = judge_client.ELSEWHERE.format(status=status)
        return CallError("refused", problem, status=status)
    return CallError("refused", judge_client.REFUSES.format(status=status), status=status, raw=raw)


def _retry_after(response: httpx2.Response) -> float | None:
    """Seconds, also where the header is a date; None where it says nothing usable."""
    text = response.headers.get("retry-after", "").strip()
    if text.isascii() and text.replace(".", "", 1).isdigit():
        seconds = float(text)
    else:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_SECONDS)


def _read(response: httpx2.Response) -> Reply:
    """Content and usage of a chat completion; the type that a body says it has decides nothing."""
    text = storable(response.content.decode("utf-8", errors="replace"))
    try:
        body = jsonio.loads(text)
    except jsonio.JsonError:
        raise CallError("unreadable", judge_client.NOT_JSON, raw=text) from None
    body = body if isinstance(body, dict) else {}
    usage = body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    tokens = _tokens(usage.get("prompt_tokens")), _tokens(usage.get("completion_tokens"))
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        raise CallError("unreadable", judge_client.NO_REPLY, raw=text, tokens=tokens)
    if message.get("refusal"):
        raise CallError("unreadable", judge_client.NO_WILL, raw=text, tokens=tokens)
    content = message.get("content")
    if not isinstance(content, str):
        raise CallError("unreadable", judge_client.NO_REPLY, raw=text, tokens=tokens)
    return Reply(storable(content), *tokens)


def _tokens(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None
