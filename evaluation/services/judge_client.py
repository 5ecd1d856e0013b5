"""One request to a judge: what it answers, or why there is no answer. The client library is an optional extra.

Nothing here keeps, logs or repeats a key; and no message holds anything of what came back.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal, Protocol

from evaluation.aem.language import kept
from evaluation.evaluators.judge import JudgeConfig, Sending
from evaluation.services.addresses import Endpoint

#: What a judge's answer may have, head and body; a good one is a hundredth of it.
MAX_ANSWER_BYTES = 256 * 1024
#: The longest wait that an endpoint can ask for.
MAX_RETRY_AFTER_SECONDS = 120.0

#: `address`: not called. `connection`, `timeout`, `cut`: nobody answered, or not to the end. `busy`, `server`: not now.
#: `refused`: not this request. `unreadable`: an answer that is none.
Kind = Literal["address", "connection", "timeout", "cut", "busy", "server", "refused", "unreadable"]

IS_AVAILABLE = find_spec("openai") is not None
MISSING = kept(
    "The client library for judges is not installed here (requirements-llm.txt). With it, a language model can decide "
    "what the offline comparison leaves open."
)

# Why a request got no answer; stored beside its question in English, and told again in the reader's language.
CUT = kept("the connection ended before the answer did")
PACKED = kept("the answer is packed, which was not asked for")
TOO_LARGE = kept("the answer is larger than {most} kB")
NOT_REACHED = kept("the endpoint cannot be reached")
NO_ANSWER = kept("no answer within {seconds} s")
BUSY = kept("the endpoint takes no more requests now (HTTP 429)")
OWN_ERROR = kept("the endpoint has an error of its own (HTTP {status})")
ELSEWHERE = kept("the endpoint points to another address (HTTP {status}), and that is not followed")
REFUSES = kept("the endpoint refuses the request (HTTP {status})")
NOT_JSON = kept("what came is not JSON")
NO_REPLY = kept("what came holds no reply")
NO_WILL = kept("the model refuses to answer")


class Secret:
    """A key that does not show itself: not in a traceback, not in a log, not when it is formatted by mistake."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The key itself, for the one header that carries it."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(…)"

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a secret is not written anywhere")


@dataclass(frozen=True, slots=True)
class Reply:
    """What a judge said, and the tokens that it counted; None where it did not say."""

    content: str
    tokens_in: int | None
    tokens_out: int | None


class CallError(Exception):
    """A request without an answer; the message is fit to show.

    ``raw`` is what came, for the record alone; ``retry_after`` are the seconds that the endpoint asks to wait.
    """

    def __init__(
        self,
        kind: Kind,
        problem: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        raw: str = "",
        tokens: tuple[int | None, int | None] = (None, None),
    ) -> None:
        super().__init__(problem)
        self.kind: Kind = kind
        self.problem = problem
        self.status = status
        self.retry_after = retry_after
        self.raw = raw
        self.tokens = tokens

    @property
    def is_passing(self) -> bool:
        """Whether the same request may succeed later."""
        return self.kind in {"connection", "timeout", "cut", "busy", "server"}

    @property
    def asks_for_less(self) -> bool:
        """Whether the endpoint may answer where the form of the answer is left to it."""
        return self.kind == "refused" and self.status in {400, 404, 422}

    @property
    def is_silence(self) -> bool:
        """Whether it speaks of an endpoint that is down."""
        return self.kind in {"connection", "timeout", "cut", "server"}

    @property
    def may_be_charged(self) -> bool:
        """Whether the model may have worked although no count of tokens came."""
        return self.kind in {"timeout", "cut", "unreadable"}


class Caller(Protocol):
    """Sends requests; safe to use from several threads."""

    def ask(self, sending: Sending) -> Reply:
        """The reply; raises CallError."""
        ...

    def close(self) -> None:
        """End the connections."""
        ...


def open_caller(config: JudgeConfig, endpoint: Endpoint, key: Secret | None) -> Caller:
    """What sends requests to the endpoint. Needs the optional extra: see IS_AVAILABLE."""
    # Imported where it is needed: the extra is optional, and takes a second to load.
    from evaluation.services.judge_transport import OpenAICaller  # noqa: PLC0415

    return OpenAICaller(config, endpoint, key)
