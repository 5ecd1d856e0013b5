"""The fields of a project's goldens and tools: what a policy can have rules for, and where a golden has its own."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotations.models import Conversation, Golden, GoldTurn, Project, ToolSet
from annotations.tool_schemas import describe_all
from annotations.words import value_text
from evaluation import aem
from evaluation.aem.language import mark, say, say_n
from evaluation.formats import jsonio
from evaluation.services import policies
from evaluation.services.policies import Effective

#: Projects whose fields a process keeps; they are read from every golden in force.
_KEPT = 8
_LONGEST_EXAMPLE = 60
#: Parameters of earlier results are compared as they are; a rule says nothing about them.
FROM_RESULT = mark("from an earlier result")
_SCHEMA_KINDS = {"bool": "yes or no", "json": "list or object"}
#: What sorts of values there are, as people read them; another is a type of a schema, and stays as it is.
_KINDS = frozenset(
    {
        FROM_RESULT,
        mark("any value"),
        mark("yes or no"),
        mark("list or object"),
        mark("text"),
        mark("number"),
        mark("list"),
        mark("object"),
    }
)
#: Where calls stand that are no turns.
_FORBIDDEN, _IN_THE_END = mark("a call that is forbidden"), mark("a call that is asked for in the end")


@dataclass(frozen=True, slots=True)
class FieldUse:
    """A parameter of a tool: in how many golden calls it stands, what it looks like, how many rule it themselves."""

    tool: str
    param: str
    count: int
    kind: str
    example: str
    own_count: int

    @property
    def name(self) -> str:
        return f"{self.tool}.{self.param}"

    @property
    def kind_words(self) -> str:
        """The sort of its values in the reader's language."""
        return say(self.kind) if self.kind in _KINDS else self.kind

    @property
    def is_from_result(self) -> bool:
        """Whether its values come from earlier results, which are compared as they are."""
        return self.kind == FROM_RESULT

    @property
    def token(self) -> str:
        """Tool and parameter as one form value; names may hold any character."""
        return jsonio.dumps([self.tool, self.param])


@dataclass(frozen=True, slots=True)
class OwnRule:
    """A field of a golden in force that has a comparison of its own, which goes before every policy."""

    conversation: int
    path: str
    turn: str
    tool: str
    param: str
    compare: Any

    @property
    def name(self) -> str:
        return f"{self.tool}.{self.param}"

    @property
    def turn_words(self) -> str:
        """The turn's id; where no turn has the call, what the call is."""
        return say(self.turn) if not self.path and self.turn in (_FORBIDDEN, _IN_THE_END) else self.turn

    @property
    def words(self) -> str:
        """The comparison in words, with its own threshold."""
        compare = policies.own_compare(self.compare)
        words = policies.compare_words(compare)
        if compare.threshold is None:
            return words
        return f"{words}, {say('threshold {number}', number=policies.number_words(compare.threshold))}"


@dataclass(frozen=True, slots=True)
class Fields:
    """All that a project's goldens and tools have, by tool and parameter."""

    uses: tuple[FieldUse, ...]
    own: tuple[OwnRule, ...]
    #: How many goldens in force settle each setting by themselves, and how many there are.
    own_settings: tuple[tuple[str, int], ...]
    goldens: int


@dataclass(slots=True)
class _Seen:
    """One parameter while goldens are read."""

    count: int = 0
    own: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    example: str = ""


_known: OrderedDict[tuple[int, str], Fields] = OrderedDict()


def fields_of(project: Project) -> Fields:
    """Read from the goldens in force and the tools of the project's conversations; kept until one of them changes."""
    current = Conversation.objects.filter(dataset__project=project)
    rows = list(
        current.order_by("pk").values_list("pk", "golden_record__content_hash", "tool_set", "tool_set__content_hash")
    )
    key = project.pk, jsonio.content_hash([list(row) for row in rows])
    if key not in _known:
        _known[key] = _read(current, {row[2] for row in rows})
        while len(_known) > _KEPT:
            _known.popitem(last=False)
    _known.move_to_end(key)
    return _known[key]


def _read(conversations: Any, tool_sets: set[int]) -> Fields:
    seen: dict[tuple[str, str], _Seen] = {}
    own: list[OwnRule] = []
    settings: Counter[str] = Counter()
    goldens = 0
    bodies = conversations.filter(golden_record__isnull=False).order_by("pk")
    for conversation, body in bodies.values_list("pk", "golden_record__body").iterator(chunk_size=200):
        goldens += 1
        settings.update(name for name in policies.SETTINGS if (body.get("policy") or {}).get(name) is not None)
        for path, turn, tool, param, said in _params(body["golden"]):
            found = seen.setdefault((tool, param), _Seen())
            found.count += 1
            kind, example = _kind(said)
            found.kinds[kind] += 1
            found.example = found.example or example
            if said.get("compare") is not None:
                found.own += 1
                own.append(OwnRule(conversation, path, turn, tool, param, said["compare"]))
    for body in ToolSet.objects.filter(pk__in=tool_sets).order_by("pk").values_list("body", flat=True):
        for description in describe_all(body):
            for schema in description.fields:
                found = seen.setdefault((description.name, schema.name), _Seen())
                found.kinds[_SCHEMA_KINDS.get(schema.kind, schema.kind)] += 0
                if not found.example and schema.choices:
                    found.example = str(schema.choices[0])
    uses = (
        FieldUse(tool, param, one.count, one.kinds.most_common(1)[0][0], one.example, one.own)
        for (tool, param), one in sorted(seen.items())
    )
    return Fields(tuple(uses), tuple(own), tuple(sorted(settings.items())), goldens)


def _params(golden: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str, Mapping[str, Any]]]:
    """Path, turn, tool, parameter and what is said of it, for every call that a golden names."""
    for path in golden.get("paths") or ():
        for turn in path.get("turns") or ():
            if "tool" in turn:
                yield from _of_call(str(path.get("id")), str(turn.get("id")), turn)
    for call in golden.get("forbidden") or ():
        yield from _of_call("", _FORBIDDEN, call)
    for outcome in golden.get("outcome") or ():
        if outcome.get("kind") == "called":
            yield from _of_call("", _IN_THE_END, outcome)


def _of_call(path: str, turn: str, call: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str, Mapping[str, Any]]]:
    for param, said in (call.get("params") or {}).items():
        if isinstance(said, Mapping):
            yield path, turn, str(call.get("tool")), str(param), said


def _kind(said: Mapping[str, Any]) -> tuple[str, str]:
    """What sort of value is expected, and one of them."""
    if said.get("ref") is not None:
        return FROM_RESULT, ""
    values = [said["value"]] if "value" in said else said.get("values") or []
    if not values:
        return "any value", ""
    value = values[0]
    text = value_text(value)
    return _kind_of(value), text if len(text) <= _LONGEST_EXAMPLE else text[: _LONGEST_EXAMPLE - 1] + "…"


def _kind_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "yes or no"
    if isinstance(value, str):
        return "text"
    return "list" if isinstance(value, list) else "object" if isinstance(value, dict) else "number"


# --- under a policy ---


@dataclass(frozen=True, slots=True)
class FieldRule:
    """A field with what holds for it under a policy."""

    use: FieldUse
    effective: Effective
    is_ruled: bool

    @property
    def overrides(self) -> str:
        """How many goldens say otherwise."""
        if not self.use.own_count:
            return ""
        return say_n(
            "{number} golden call of {all} compare it in their own way",
            "{number} golden calls of {all} compare it in their own way",
            self.use.own_count,
            number=f"{self.use.own_count:,}",
            all=f"{self.use.count:,}",
        )


def under(policy: aem.Policy, fields: Fields, *, only_ruled: bool = False) -> list[FieldRule]:
    """Every field under a policy: those with a rule of the policy or of a golden first, then the commonest.

    Rules for fields that no golden and no tool has are there too, with a count of 0.
    """
    uses = {(use.tool, use.param): use for use in fields.uses}
    ruled = {place for place, _ in policies.rules_of(policy)}
    for tool, param in sorted(ruled - uses.keys()):
        uses[tool, param] = FieldUse(tool, param, 0, "", "", 0)
    found = [
        FieldRule(use, policies.effective(policy, use.tool, use.param), place in ruled)
        for place, use in uses.items()
        if not only_ruled or place in ruled
    ]
    return sorted(found, key=lambda row: (not row.is_ruled, not row.use.own_count, -row.use.count, row.use.name))


@dataclass(frozen=True, slots=True)
class OwnRuleAt:
    """A golden's own rule with the places where people see and edit it."""

    rule: OwnRule
    conversation: Conversation
    golden: Golden | None
    turn: GoldTurn | None

    @property
    def url(self) -> str:
        """The turn in the workbench; the conversation, where the golden was imported and nobody opened it yet."""
        if self.golden is None:
            return self.conversation.get_absolute_url()
        turn = f"?turn={self.turn.pk}" if self.turn is not None else ""
        return f"{self.golden.get_absolute_url()}{turn}"


def located(rules: Sequence[OwnRule]) -> list[OwnRuleAt]:
    """Own rules with their conversation and, where the golden was written here, its turn in the workbench."""
    conversations = {
        row.pk: row
        for row in Conversation.objects.filter(pk__in={rule.conversation for rule in rules})
        .select_related("dataset__project", "golden_record__golden")
        .defer("golden_record__body")
    }
    goldens = {
        pk: row.golden_record.golden
        for pk, row in conversations.items()
        if row.golden_record is not None and row.golden_record.golden is not None
    }
    turns = {
        (turn.golden_id, turn.path, str(turn.body.get("id"))): turn
        for turn in GoldTurn.objects.filter(golden__in=[golden.pk for golden in goldens.values()])
    }
    found = []
    for rule in rules:
        golden = goldens.get(rule.conversation)
        turn = turns.get((golden.pk, rule.path, rule.turn)) if golden is not None else None
        found.append(OwnRuleAt(rule, conversations[rule.conversation], golden, turn))
    return found
