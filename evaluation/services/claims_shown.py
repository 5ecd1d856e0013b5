"""An observed reply beside what the golden claims: which sentence answers which claim, and what stands nowhere before.

Worked out when a page is built, for the one turn that it shows. Nothing here decides a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations import claims
from annotations.claims import CSS, GLYPHS, WORDS, Quote, State, Stretch
from annotations.words import value_text
from evaluation.aem.language import retold, say
from evaluation.formats import jsonio
from evaluation.models import RunItem
from evaluation.services import embeddings, meaning, vocabularies

#: Characters of earlier turns that are read for values in another spelling; more would keep the page waiting.
MOST_READ = 60_000
#: Characters of earlier turns in which values are looked for as they stand.
MOST_SEARCHED = 4_000_000
_CHUNK = 3_500
_LONGEST_QUOTE = 300


@dataclass(frozen=True, slots=True)
class ClaimShown:
    """One claim with what the reply does with it. ``place`` is the piece of the reply where the answer begins."""

    number: int
    name: str
    text: str
    state: State
    is_required: bool
    is_inherited: bool
    sentence: str
    quote: str
    place: int | None
    why: str
    #: Values that it must or must not have as they stand; empty where meaning decides.
    literal: str = ""

    @property
    def mark(self) -> str:
        return claims.circled(self.number)

    @property
    def glyph(self) -> str:
        return "–" if self._is_left_out else GLYPHS[self.state]

    @property
    def word(self) -> str:
        if self._is_left_out:
            return say("not said, and need not be")
        word = say(WORDS[self.state])
        return say("{word}, inherited", word=word) if self.is_inherited else word

    @property
    def css_class(self) -> str:
        if self._is_left_out:
            return "skip"
        return "casc" if self.is_inherited else CSS[self.state]

    @property
    def _is_left_out(self) -> bool:
        return self.state == "not_said" and not self.is_required


@dataclass(frozen=True, slots=True)
class ReplyShown:
    """A reply in pieces, with its claims. ``is_derived``: the golden has none; these come from its text."""

    text: str
    stretches: tuple[Stretch, ...]
    claims: tuple[ClaimShown, ...]
    is_derived: bool
    #: What was found of the golden reply as a whole, where it has no claims.
    whole: ClaimShown | None
    unknown: list[str]
    #: Why values that stand nowhere before were not looked for; empty where they were.
    not_looked: str

    @property
    def has_plain(self) -> bool:
        """Whether the reply says more than what answers a claim."""
        return any(not one.numbers and any(map(str.isalnum, one.text)) for one in self.stretches)


def why_of(item: Mapping[str, Any]) -> str:
    """What decided, for those who ask: layer, score and threshold. Empty where values were simply equal.

    >>> why_of({"scorer": "embedded", "layer": "typed", "score": 1.0, "threshold": 0.5})
    'layer: typed; score 1.00, threshold 0.50; scorer: embedded'
    >>> why_of({"scorer": "exact", "score": 1.0, "threshold": None})
    ''
    """
    if item.get("scorer") in (None, "exact"):
        return ""
    parts = [say("layer: {layer}", layer=item["layer"])] if item.get("layer") else []
    score, threshold = item.get("score"), item.get("threshold")
    measured = say("no score") if score is None else say("score {score}", score=f"{score:.2f}")
    if threshold is not None:
        measured += ", " + say("threshold {threshold}", threshold=f"{threshold:.2f}")
    return "; ".join([*parts, measured, say("scorer: {scorer}", scorer=item["scorer"])])


def show(
    golden: Mapping[str, Any],
    detail: Mapping[str, Any],
    *,
    item: RunItem,
    observed: Sequence[Mapping[str, Any]],
    position: int | None,
) -> ReplyShown | None:
    """A judged reply; None where there is none, and where nothing of it was judged.

    ``golden`` is the golden turn, ``detail`` its explanation, ``position`` the observed turn that answers it.
    """
    reply = observed[position].get("response") if position is not None and position < len(observed) else None
    groups = claims.grouped(detail.get("items", ()))
    if not isinstance(reply, str) or not groups or position is None:
        return None
    stored = {str(claim.get("id")): claim for claim in golden.get("claims") or () if isinstance(claim, Mapping)}
    listed: list[_Found] = []
    whole = None
    for group in groups:
        if group[0]["kind"] == "reply":
            whole = _found(group, {}, reply, number=0)
        else:
            listed.append(_found(group, _stored(stored, golden, group[0].get("field")), reply, number=len(listed) + 1))
    is_derived = not listed and whole is not None
    if is_derived and groups[0][0].get("scorer") == meaning.EMBEDDED:
        listed = list(_derived(str(golden.get("response") or ""), reply, item))
    unknown, not_looked = _unknown(golden, observed, position, reply, item)
    quotes = [Quote(one.number, one.state, *one.at) for one in listed if one.at is not None]
    if whole is not None and whole.at is not None and not listed:
        quotes = [Quote(0, whole.state, *whole.at)]
    stretches = claims.stretches_of(reply, quotes, unknown)
    return ReplyShown(
        text=reply,
        stretches=stretches,
        claims=tuple(_shown(one, reply, stretches) for one in listed),
        is_derived=is_derived,
        whole=None if whole is None else _shown(whole, reply, stretches),
        unknown=list(dict.fromkeys(reply[start:end] for start, end in unknown)),
        not_looked=not_looked,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """A claim and what was found of it, before the reply is cut into pieces."""

    number: int
    name: str
    text: str
    state: State
    is_required: bool
    is_inherited: bool
    sentence: str
    at: tuple[int, int] | None
    why: str
    literal: str = ""


def _stored(stored: Mapping[str, Any], golden: Mapping[str, Any], name: Any) -> Mapping[str, Any]:
    """The claim as it stands in the golden; one without an id is named by its place, as the engine does."""
    if str(name) in stored:
        return dict(stored[str(name)])
    listed = golden.get("claims") or ()
    number = re.search(r"(\d{1,5})$", str(name))
    at = int(number[1]) - 1 if number else -1
    found = listed[at] if 0 <= at < len(listed) else {}
    return dict(found) if isinstance(found, Mapping) else {}


def _found(group: Sequence[dict[str, Any]], claim: Mapping[str, Any], reply: str, *, number: int) -> _Found:
    answer = claims.answer_of(group, reply, claim)
    first = group[0]
    return _Found(
        number=number,
        name=str(first.get("field") or ""),
        text=value_text(claim["text"] if claim.get("text") else "" if claim else first.get("expected") or ""),
        state=answer.state,
        is_required=claim.get("required", True) is not False,
        is_inherited=any(item.get("origin") == "inherited" for item in group),
        sentence=answer.sentence,
        at=answer.quote,
        why=why_of(first),
        literal=_literal(claim),
    )


def _literal(claim: Mapping[str, Any]) -> str:
    parts = []
    if claim.get("contains"):
        parts.append(say("must say {values}", values=_quoted(claim["contains"])))
    if claim.get("excludes"):
        parts.append(say("must not say {values}", values=_quoted(claim["excludes"])))
    return ", ".join(parts)


def _quoted(values: Iterable[Any]) -> str:
    return ", ".join(f"“{value_text(value)}”" for value in values)


def _derived(golden: str, reply: str, item: RunItem) -> Iterator[_Found]:
    """What the scorer said of each claim that it found in a golden reply without claims."""
    from evaluation.evaluators.embedded.replies import judge_reply  # noqa: PLC0415 - only where meanings are compared

    language = meaning.language_code(item.trajectory.conversation.language)
    scorer = meaning.scorer_of(language, vocabularies.words_of(item.run.vocabulary), embeddings.installed())
    judged = judge_reply(golden, reply, language=language, vocabulary=scorer.vocabulary, embedding=scorer.embedding)
    for number, (claim, one) in enumerate(judged.claims, start=1):
        yield _Found(
            number=number,
            name="",
            text=claim.text,
            state=one.state,
            is_required=claim.is_required,
            is_inherited=False,
            sentence=" ".join(
                [
                    *map(retold, (one.sentence, *one.notes)),
                    *([] if one.is_sure else [say("The scorer is not sure of it.")]),
                ]
            ),
            at=one.quote,
            why=why_of({"layer": one.layer, "score": float(one.score), "scorer": meaning.EMBEDDED}),
        )


def _shown(one: _Found, reply: str, stretches: Sequence[Stretch]) -> ClaimShown:
    place = next((stretch.place for stretch in stretches if one.number in stretch.numbers), None)
    quote = "" if one.at is None else reply[one.at[0] : one.at[1]]
    if len(quote) > _LONGEST_QUOTE:
        quote = f"{quote[: _LONGEST_QUOTE - 1]}…"
    return ClaimShown(
        number=one.number,
        name=one.name,
        text=one.text,
        state=one.state,
        is_required=one.is_required,
        is_inherited=one.is_inherited,
        sentence=one.sentence,
        quote=quote,
        place=place,
        why=one.why,
        literal=one.literal,
    )


# --- what stands nowhere before ---------------------------------------------------------------------------------------


def _unknown(
    golden: Mapping[str, Any], observed: Sequence[Mapping[str, Any]], position: int, reply: str, item: RunItem
) -> tuple[list[tuple[int, int]], str]:
    """Numbers and ids of a reply that stand nowhere before it, as places; or why that was not looked for."""
    from evaluation.evaluators.embedded.replies import unknown_facts  # noqa: PLC0415

    language = meaning.language_code(item.trajectory.conversation.language)
    open_spans = [(span.start, span.end) for span in unknown_facts(reply, seen=(), language=language)]
    if not open_spans:
        return [], ""
    texts = list(_before(golden, observed[:position], item))
    size = sum(map(len, texts))
    if size > MOST_SEARCHED:
        return [], say(
            "{count} characters stand before this reply: too many to look for its numbers and ids in a page.",
            count=f"{size:,}",
        )
    # Most stand there as they are, which is found fast; only the others need the texts to be read.
    open_spans = [(start, end) for start, end in open_spans if not _stands_in(reply[start:end], texts)]
    if not open_spans:
        return [], ""
    if size > MOST_READ:
        return [], say(
            "{count} characters stand before this reply: too many to read for values in another spelling, so none is "
            "marked as standing nowhere before.",
            count=f"{size:,}",
        )
    chunks = [text[start : start + _CHUNK] for text in texts for start in range(0, len(text), _CHUNK - 100)]
    still = {(span.start, span.end) for span in unknown_facts(reply, seen=chunks, language=language)}
    return [span for span in open_spans if span in still], ""


def _stands_in(value: str, texts: Iterable[str]) -> bool:
    pattern = re.compile(r"(?<![\w.,-])" + re.escape(value.strip()) + r"(?![\w-]|[.,]\d)", re.IGNORECASE)
    return any(pattern.search(text) for text in texts)


def _before(golden: Mapping[str, Any], turns: Iterable[Mapping[str, Any]], item: RunItem) -> Iterator[str]:
    """All that the agent may have a value from, and what the golden says itself."""
    conversation = item.trajectory.conversation
    yield from (conversation.system_prompt, conversation.user_goal, value_text(golden.get("response") or ""))
    for claim in golden.get("claims") or ():
        yield jsonio.dumps(claim)
    for turn in turns:
        for part in ("user", "response", "text", "args", "result", "error"):
            if turn.get(part) is not None:
                yield value_text(turn[part])
