"""A real HTTP server on loopback that plays a judge's endpoint, well or badly, and remembers what it was asked."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["Handler"], None]


@dataclass
class Asked:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: Any
    at: float = field(default_factory=time.monotonic)

    @property
    def mode(self) -> str:
        """How the form of the answer was asked for; empty where it was not."""
        found: str = self.body.get("response_format", {}).get("type", "")
        return found

    @property
    def material(self) -> Any:
        """What the judge was to look at: the data of the first message of the user."""
        return json.loads(self.body["messages"][1]["content"])


class Endpoint:
    """What comes next is taken from the queue; when that is empty, from ``always``."""

    def __init__(self, *, certificate: str = "") -> None:
        self.asked: list[Asked] = []
        self.queue: deque[Behaviour] = deque()
        self.always: Behaviour = says("equal")
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self.stopping = threading.Event()
        endpoint = self

        class Bound(Handler):
            server_endpoint = endpoint

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
        self._server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def next(self, *behaviours: Behaviour) -> None:
        """What the next requests get, in this order."""
        self.queue.extend(behaviours)

    def take(self, request: Asked) -> Behaviour:
        with self._lock:
            self.asked.append(request)
            return self.queue.popleft() if self.queue else self.always

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1

    def close(self) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)


class Handler(BaseHTTPRequestHandler):
    server_endpoint: Endpoint
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        body = json.loads(self.rfile.read(length) or b"null")
        behaviour = self.server_endpoint.take(Asked(self.path, dict(self.headers.items()), body))
        with self.server_endpoint.counted():
            try:
                behaviour(self)
            except OSError:
                self.close_connection = True  # the other side had enough

    def do_GET(self) -> None:
        self.server_endpoint.take(Asked(self.path, dict(self.headers.items()), {}))
        self.reply(200, b"secret of the inside")

    def reply(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Tests read `asked`."""


def completion(content: Any, *, tokens: tuple[int, int] | None = (100, 20), **message: Any) -> bytes:
    """The body of a chat completion."""
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content, **message}}
        ],
    }
    if tokens is not None:
        body["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    return json.dumps(body).encode()


# --- behaving ---


def says(
    label: str, reason: str = "Both name it.", *, tokens: tuple[int, int] | None = (100, 20), **more: str
) -> Behaviour:
    """A good answer."""
    text = json.dumps({"reason": reason, **more, "label": label})
    return lambda handler: handler.reply(200, completion(text, tokens=tokens))


def chooses(choose: Callable[[Any], str]) -> Behaviour:
    """An answer that depends on the material."""

    def answer(handler: Handler) -> None:
        says(choose(handler.server_endpoint.asked[-1].material))(handler)

    return answer


# --- misbehaving ---


def content(text: Any, *, tokens: tuple[int, int] | None = (100, 20), **message: Any) -> Behaviour:
    """A reply of the right form with whatever as its content."""
    return lambda handler: handler.reply(200, completion(text, tokens=tokens, **message))


def body(data: bytes, *, kind: str = "application/json", **headers: str) -> Behaviour:
    """Status 200 with any body."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: handler.reply(200, data, {"Content-Type": kind, **named})


def status(code: int, text: str = '{"error": {"message": "secret of the inside"}}', **headers: str) -> Behaviour:
    """An error."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: handler.reply(code, text.encode(), named)


def slow(seconds: float, then: Behaviour | None = None) -> Behaviour:
    """Nothing for a while."""

    def wait(handler: Handler) -> None:
        handler.server_endpoint.stopping.wait(seconds)
        (then or says("equal"))(handler)

    return wait


def cut_off(handler: Handler) -> None:
    """Half of a good answer, and then the line is dead."""
    data = completion('{"reason": "x", "label": "equal"}')
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data[: len(data) // 2])
    handler.wfile.flush()
    handler.close_connection = True


def hang_up(handler: Handler) -> None:
    """No answer at all."""
    handler.close_connection = True


def dribble(handler: Handler) -> None:
    """A good answer, one byte at a time, for ever in effect: each byte comes in time."""
    data = completion('{"reason": "x", "label": "equal"}')
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    for n in range(len(data)):
        handler.wfile.write(data[n : n + 1])
        handler.wfile.flush()
        if handler.server_endpoint.stopping.wait(0.2):
            return


def huge(handler: Handler) -> None:
    """A body without an end, as far as anybody would read."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    chunk = b"x" * 65536
    for _ in range(400):
        handler.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
    handler.wfile.write(b"0\r\n\r\n")


def redirect(to: str, code: int = 307) -> Behaviour:
    """Somewhere else."""
    return lambda handler: handler.reply(code, b"", {"Location": to})


def without(*refused: str, then: Behaviour, code: int = 400) -> Behaviour:
    """An endpoint that does not know some ways of asking for a form."""

    def answer(handler: Handler) -> None:
        if handler.server_endpoint.asked[-1].mode in refused:
            status(code)(handler)
        else:
            then(handler)

    return answer
