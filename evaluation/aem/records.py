"""What the engine reads: goldens, trajectories, tools and policies, as values that never change.

What a golden holds many of is a named tuple: frozen dataclasses take several times as long to make.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from evaluation.aem.text import Needle

DependencyKind = Literal["state", "data", "control"]
Step = str | int


class Compare(NamedTuple):
    """How a value is compared. ``kind`` None leaves it to the policy, and then to ``auto``."""

    kind: str | None = None
    abs: Fraction | None = None
    rel: Fraction | None = None
    threshold: Fraction | None = None


NO_COMPARE = Compare()


class Ref(NamedTuple):
    """A value that an earlier turn of the path returned."""

    turn: str
    path: str
    steps: tuple[Step, ...]


class Param(NamedTuple):
    """One annotated parameter. ``values`` holds the accepted values; empty with a ref, or where any value will do."""

    key: str
    values: tuple[Any, ...] = ()
    ref: Ref | None = None
    required: bool = True
    compare: Compare = NO_COMPARE
    from_: tuple[str, ...] | None = None
    place: str = ""


class Claim(NamedTuple):
    """Something that a reply has to say."""

    id: str
    text: str
    required: bool = True
    contains: tuple[Needle, ...] = ()
    excludes: tuple[Needle, ...] = ()
    from_: tuple[str, ...] | None = None

    @property
    def has_values(self) -> bool:
        """Whether it is judged by values that appear or not, and not by its text."""
        return bool(self.contains or self.excludes)


class Dependency(NamedTuple):
    """An earlier turn of the path that a turn builds on, and how."""

    turn: str
    kind: DependencyKind


NO_PARAMS: Mapping[str, Param] = MappingProxyType({})
NO_KEYS: frozenset[str] = frozenset()
ONE = Fraction(1)


class GoldTurn(NamedTuple):
    """An agent or tool turn of a golden path: a response turn where ``tool`` is None, else an action turn."""

    turn_no: int
    id: str
    tool: str | None
    action: str | None = None
    params: Mapping[str, Param] = NO_PARAMS
    allows_extra: bool = False
    allowed_extra: frozenset[str] = NO_KEYS
    response: str = ""
    claims: tuple[Claim, ...] = ()
    depends_on: tuple[Dependency, ...] | None = None
    optional: bool = False
    weight: Fraction = ONE
    critical: bool = False
    #: Number of the run of adjacent turns that may be matched in any order; None outside of groups.
    group: int | None = None
    #: How many user turns come before it.
    exchange: int = 0
    place: str = ""

    @property
    def is_action(self) -> bool:
        """Whether a call is expected here, and not a reply."""
        return self.tool is not None


@dataclass(frozen=True, slots=True)
class Path:
    """One accepted way through the conversation. ``turns`` are its agent and tool turns."""

    id: str
    turns: tuple[GoldTurn, ...]
    user_turns: int
    is_annotated: bool
    chain_length: int


@dataclass(frozen=True, slots=True)
class CallPattern:
    """Calls of a tool that are forbidden, or asked for by an assertion."""

    tool: str
    action: str | None
    params: tuple[Param, ...]


@dataclass(frozen=True, slots=True)
class Assertion:
    """A check of what came out in the end, reported beside the turns."""

    id: str
    kind: Literal["said", "not_said", "called", "state", "statement"]
    contains: tuple[Needle, ...] = ()
    call: CallPattern | None = None
    times: int | None = None
    steps: tuple[Step, ...] = ()
    expected: Param | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Golden:
    """The annotated reference of a conversation."""

    paths: tuple[Path, ...]
    forbidden: tuple[CallPattern, ...] = ()
    outcome: tuple[Assertion, ...] = ()
    #: What scoring works out once per policy.
    plans: dict[int, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Tool:
    """What is known of a tool."""

    name: str
    effect: Literal["read", "write"] | None = None
    schema: Any = None


Tools = Mapping[str, Tool]


class ObservedTurn:
    """What happened at one place of the trajectory. So many are built that it is made by hand."""

    __slots__ = ("_held", "_result", "action", "args", "error", "kind", "text", "tool", "unreadable")

    def __init__(  # noqa: PLR0917 - keywords cost a tenth of the time
        self,
        kind: Literal["user", "response", "action", "nothing"],
        text: str | None,
        tool: str | None,
        action: str | None,
        args: Mapping[str, Any],
        unreadable: Any = None,
        result: Any = None,
        held: Callable[[str], Any] | None = None,
        error: bool = False,
    ) -> None:
        self.kind = kind
        self.text = text
        self.tool = tool
        self.action = action
        self.args = args
        #: The arguments as they came, where they are no object.
        self.unreadable = unreadable
        self.error = error
        self._result = result
        self._held = held

    def __repr__(self) -> str:
        shown = ("kind", "text", "tool", "action", "args", "unreadable", "result", "error")
        return f"ObservedTurn({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    @property
    def result(self) -> Any:
        """What the call returned; None where nothing was recorded. JSON in a text is read when first asked for."""
        if self._held is not None:
            found = self._held(self._result)
            self._held = None
            if found is not None:
                self._result = found
        return self._result

    @property
    def returned(self) -> Any:
        """What the turn gave to later ones: a call its result, a reply its text; None where none was recorded."""
        return self.result if self.kind == "action" else self.text


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """One stored run of an agent."""

    turns: tuple[ObservedTurn, ...]
    #: Positions of the agent and tool turns, exchange by exchange: k user turns make k + 1 of them.
    exchanges: tuple[tuple[int, ...], ...]
    #: Positions of the calls.
    calls: tuple[int, ...]
    final_state: Any = None

    @property
    def user_turns(self) -> int:
        """How often the user spoke."""
        return len(self.exchanges) - 1


@dataclass(frozen=True, slots=True)
class ParamPolicy:
    """What a policy says about one parameter of a tool."""

    compare: Compare = NO_COMPARE
    threshold: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Composition:
    """How turn verdicts become one rate."""

    rule: str = "unweighted"
    cap: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """Everything about scoring that a project may decide."""

    scorer: str = "exact"
    threshold: Fraction = Fraction(1, 2)
    margin: Fraction = Fraction(1, 10)
    alignment: Literal["search", "given"] = "search"
    default_dependencies: Literal["linear", "none"] = "linear"
    taint: bool = True
    extra_writes: Literal["report", "fail"] = "report"
    composition: Composition = Composition()
    params: Mapping[str, Mapping[str, ParamPolicy]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """A whole ``aem/1`` record. ``trajectory`` is None where the record holds a golden alone."""

    id: str | int | None
    golden: Golden
    trajectory: Trajectory | None
    tools: Tools
    policy: Policy


def fraction(number: int | Decimal) -> Fraction:
    """An exact number as a fraction."""
    return Fraction(number)
