"""Sentences for people: what was judged in a turn, what came out, and why. Worked out only when asked for."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from evaluation.aem.attribute import Attributed, Item, RefMatch
from evaluation.aem.dates import moment_of
from evaluation.aem.jsontext import dumps
from evaluation.aem.language import mark, retold, say, say_n
from evaluation.aem.pairs import ClaimMatch, TurnPair
from evaluation.aem.plain import find_at, number_text
from evaluation.aem.plan import FieldPlan
from evaluation.aem.reasons import FailureReason
from evaluation.aem.records import GoldTurn, ObservedTurn, Trajectory
from evaluation.aem.text import number_of
from evaluation.aem.values import LEFT_OPEN, Match, is_number

_LONGEST = 80
_OMISSIONS = frozenset({FailureReason.MISSING_PARAMETERS, FailureReason.INCOMPLETE_RESPONSE})


def explain_turn(turns: Sequence[Attributed], index: int, trajectory: Trajectory) -> dict[str, Any]:
    """What :meth:`ConversationVerdict.explain_turn` adds to the turn's result."""
    return _Explainer(turns, index, trajectory).explained()


class _Explainer:
    """Explains one turn."""

    def __init__(self, turns: Sequence[Attributed], index: int, trajectory: Trajectory) -> None:
        self.turns = turns
        self.trajectory = trajectory
        self.turn = turns[index]
        self.plan = self.turn.plan
        self.gold = self.plan.turn
        position = self.turn.position
        self.observed = None if position is None else trajectory.turns[position]
        checked = self.turn.checked
        self.pair = checked.pair if checked is not None else TurnPair(self.plan, self.observed, position)
        self.by_finding: dict[tuple[FailureReason, str | None], Item] = {
            (item.finding.reason, item.finding.field): item for item in self.turn.items
        }

    def explained(self) -> dict[str, Any]:
        """Scores, items and sentences."""
        items = [] if self.turn.is_skipped else list(self._items())
        return {
            "kind": "action" if self.gold.is_action else "response",
            "tool": self.gold.tool,
            "action": self.gold.action,
            "scores": self._scores(),
            "items": items,
            "sentence": self._sentence(items),
            "not_scored": [*self.turn.unknown],
            "ambiguous_because": [_sentence(_because(reason)) for reason in self.turn.ambiguous_because],
        }

    def _scores(self) -> dict[str, float | None]:
        return {
            "structural": _double(self.turn.structural),
            "completeness": _double(self.turn.completeness),
            "truthfulness": _double(self.turn.truthfulness),
        }

    # --- items ----------------------------------------------------------------------------------------------------

    def _items(self) -> Iterator[dict[str, Any]]:
        if self.gold.is_action:
            yield self._structure()
            if self.pair.is_right_call:
                yield from self._parameters()
                yield from self._taint()
        elif self.observed is None:
            yield self._no_reply()
        else:
            yield from self._claims()
            for number in self.turn.invented:
                yield self._item(
                    "invented",
                    None,
                    reason=FailureReason.INCONSISTENT_RESPONSE,
                    origin="own",
                    observed=number,
                    sentence=say(
                        "The reply states {number}, which stands in no earlier turn and not in the golden.",
                        number=show(number),
                    ),
                )

    def _item(
        self,
        kind: str,
        field: str | None,
        *,
        sentence: str,
        reason: FailureReason | None = None,
        expected: Any = None,
        observed: Any = None,
        score: Fraction | None = None,
        match: Match | ClaimMatch | None = None,
        found: Item | None = None,
        origin: str | None = None,
    ) -> dict[str, Any]:
        if found is not None:
            origin = "own" if found.is_own else "inherited"
            sentence = f"{sentence} {self._origin(found)}".rstrip()
        semantic = match is not None and match.scorer != "exact"
        threshold = self.plan.threshold
        if semantic and field in self.plan.fields:
            threshold = self.plan.fields[str(field)].comparer.threshold
        is_unknown = match is not None and match.is_unknown
        more: dict[str, Any] = {}
        if match is not None and match.layer:
            more["layer"] = match.layer
        if isinstance(match, ClaimMatch) and match.quote is not None:
            more["quote"] = [*match.quote]
        return {
            "kind": kind,
            "field": field,
            "reason": None if reason is None else str(reason),
            "passed": None if is_unknown else reason is None,
            "expected": expected,
            "observed": observed,
            "score": _double(score if match is None else match.score),
            "threshold": _double(threshold) if semantic else None,
            "scorer": match.scorer if match is not None else None,
            "origin": origin,
            "evidence": found.evidence if found is not None else None,
            "evidence_turns": [at + 1 for at in found.witnesses] if found is not None else [],
            "sentence": sentence,
            **more,
        }

    def _structure(self) -> dict[str, Any]:
        expected = {"tool": self.gold.tool, "action": self.gold.action}
        observed = None
        if self.observed is not None:
            observed = {"tool": self.observed.tool, "action": self.observed.action}
        reason = None
        if not self.pair.is_right_tool:
            reason = FailureReason.TOOL_MISMATCH
            sentence = say("{call} was expected, and nothing answers it.", call=_call(self.gold))
            if self.observed is not None:
                sentence = say(
                    "{call} was expected, and {observed} was called.",
                    call=_call(self.gold),
                    observed=_call(self.observed),
                )
        elif not self.pair.is_right_call:
            reason = FailureReason.ACTION_MISMATCH
            expected_action = show(self.gold.action)
            if self.observed is None or self.observed.action is None:
                sentence = say("The action {action} was expected, and no action was taken.", action=expected_action)
            else:
                sentence = say(
                    "The action {action} was expected, and {observed} was taken.",
                    action=expected_action,
                    observed=show(self.observed.action),
                )
        else:
            sentence = say("{call} was called, as expected.", call=_call(self.gold))
        found = self.by_finding.get((reason, None)) if reason is not None else None
        return self._item(
            "structure",
            None,
            sentence=sentence,
            reason=reason,
            expected=expected,
            observed=observed,
            score=self.turn.structural,
            found=found,
        )

    def _parameters(self) -> Iterator[dict[str, Any]]:
        args = self.pair.args
        for key, field in self.plan.fields.items():
            if key in args:
                yield self._ref(key, field, args[key]) if field.ref is not None else self._value(key, field, args[key])
            elif field.param.required:
                yield self._missing(key, field)
            else:
                expected = _accepted(field)
                sentence = say("{name} is optional and was left out, which is right.", name=key)
                yield self._item("parameter", key, expected=expected, sentence=sentence)
        for key in args:
            if key not in self.plan.fields:
                yield self._extra(key, args[key])

    def _missing(self, key: str, field: FieldPlan) -> dict[str, Any]:
        reason = FailureReason.MISSING_PARAMETERS
        sentence = say("{name} is required and was left out.", name=key)
        if self.observed is not None and self.observed.unreadable is not None:
            sentence = say("{name} is required; the arguments are no object and could not be read.", name=key)
        found = self.by_finding.get((reason, key))
        return self._item("parameter", key, reason=reason, expected=_accepted(field), found=found, sentence=sentence)

    def _extra(self, key: str, value: Any) -> dict[str, Any]:
        if self.gold.allows_extra or key in self.gold.allowed_extra:
            sentence = say("{name} is not annotated, and allowed.", name=key)
            return self._item("parameter", key, observed=value, sentence=sentence)
        reason = FailureReason.EXTRA_PARAMETERS
        sentence = say("{name} was given as {value}, and neither expected nor allowed.", name=key, value=show(value))
        found = self.by_finding.get((reason, key))
        return self._item("parameter", key, reason=reason, observed=value, found=found, sentence=sentence)

    def _value(self, key: str, field: FieldPlan, observed: Any) -> dict[str, Any]:
        match = self.pair.matches[key]
        reason = None if match.passed or match.is_unknown else FailureReason.INCONSISTENT_PARAMETER_VALUES
        kind = field.comparer.kind
        seen = show(observed)
        if kind == "any":
            sentence = say("{name} is {value}; any value will do.", name=key, value=seen)
            if reason:
                sentence = say("{name} is null, where any other value would do.", name=key)
        elif match.is_unknown:
            sentence = say(
                "{name} should be {expected}; whether {value} is that could not be judged.",
                name=key,
                expected=_expected_words(field),
                value=seen,
            )
        elif reason:
            sentence = say(
                "{name} should be {expected}, and is {value}.", name=key, expected=_expected_words(field), value=seen
            )
        else:
            sentence = say("{name} is {value}, as expected.", name=key, value=seen)
            if field.param.values and not any(show(value) == seen for value in field.param.values):
                sentence = say(
                    "{name} is {value}, which counts as {expected}.",
                    name=key,
                    value=seen,
                    expected=_expected_words(field),
                )
        if kind not in {"auto", "any"}:
            compared = say("Compared as {kind}.", kind=f"{kind}{_tolerances(field)}")
            sentence = " ".join((sentence, compared, *_unreadable(kind, field, observed)))
        if match.scorer != "exact":
            sentence = f"{sentence} {retold(match.sentence)}".rstrip()
        found = self.by_finding.get((reason, key)) if reason else None
        return self._item(
            "parameter",
            key,
            reason=reason,
            expected=_accepted(field),
            observed=observed,
            match=match,
            found=found,
            sentence=sentence,
        )

    def _ref(self, key: str, field: FieldPlan, observed: Any) -> dict[str, Any]:
        outcome = self.turn.refs.get(key) or self._clean_ref(field)
        at = (field.ref or 0) + 1
        reason = FailureReason.INCONSISTENT_PARAMETER_VALUES if outcome.passed is False else None
        found = self.by_finding.get((reason, key)) if reason else None
        words: dict[str, Any] = {
            "name": key,
            "turn": at,
            "path": field.param.ref.path if field.param.ref is not None else "$",
            "expected": show(outcome.expected),
            "value": show(observed),
        }
        if outcome.passed is None and outcome.is_found:
            sentence = say(
                "{name} should be what turn {turn} returned at {path}, {expected}; whether {value} is that could not "
                "be judged.",
                **words,
            )
        elif outcome.passed is None:
            sentence = say(
                "{name} should be what turn {turn} returned at {path}; no result of turn {turn} was recorded, so it "
                "was not judged.",
                **words,
            )
        elif outcome.passed:
            sentence = say("{name} is {value}, what turn {turn} returned at {path}.", **words)
        elif outcome.is_found and found is not None and not found.is_own:
            sentence = say("{name} is {value}, what turn {turn} returned at {path}, and turn {turn} failed.", **words)
        elif outcome.is_found:
            sentence = say("{name} should be what turn {turn} returned at {path}, {expected}, and is {value}.", **words)
        else:
            sentence = say(
                "{name} should be what turn {turn} returned at {path}, and there is nothing at that place; it is "
                "{value}.",
                **words,
            )
        made = self._item(
            "parameter",
            key,
            reason=reason,
            expected=outcome.expected,
            observed=observed,
            score=None if outcome.passed is None else Fraction(outcome.passed),
            found=found,
            sentence=sentence,
        )
        if outcome.passed is None:
            made["passed"] = None
        return made

    def _clean_ref(self, field: FieldPlan) -> RefMatch:
        """The ref of a turn in which everything is right: it was compared, and nothing else was kept of it."""
        position = self.turns[field.ref or 0].position
        returned = None if position is None else self.trajectory.turns[position].returned
        is_found, expected = find_at(returned, field.param.ref.steps if field.param.ref is not None else ())
        return RefMatch(True, expected, is_found)

    def _taint(self) -> Iterator[dict[str, Any]]:
        if self.turn.taint and self.turn.roots:
            numbers = [at + 1 for at in self.turn.taint]
            yield {
                **self._item(
                    "taint",
                    None,
                    reason=FailureReason.PRIOR_ACTION_FAILED,
                    origin="inherited",
                    sentence=say_n(
                        "The call is right, but works on what turn {turns} left behind, and that turn failed.",
                        "The call is right, but works on what turns {turns} left behind, and those turns failed.",
                        len(numbers),
                        turns=_numbers(numbers),
                    ),
                ),
                "evidence_turns": numbers,
            }

    def _no_reply(self) -> dict[str, Any]:
        reason = FailureReason.INCOMPLETE_RESPONSE
        return self._item(
            "reply",
            None,
            reason=reason,
            expected=self.gold.response,
            score=Fraction(0),
            found=self.by_finding.get((reason, None)),
            sentence=say("A reply was expected, and there is none."),
        )

    def _claims(self) -> Iterator[dict[str, Any]]:
        reply = self.observed.text if self.observed is not None else None
        for match in self.pair.claims:
            claim = match.plan.claim if match.plan is not None else None
            field = claim.id if claim is not None else None
            kind = "claim" if claim is not None else "reply"
            expected = claim.text if claim is not None else self.gold.response
            if claim is not None and claim.contains and not claim.text:
                expected = ", ".join(show(needle.value) for needle in claim.contains)
            common: dict[str, Any] = {"expected": expected, "observed": reply, "match": match}
            reasons = []
            is_required = claim is None or claim.required
            if is_required and not match.is_covered and not match.says_otherwise and not match.is_unknown:
                reasons.append(FailureReason.INCOMPLETE_RESPONSE)
            if match.is_contradicted:
                reasons.append(FailureReason.INCONSISTENT_RESPONSE)
            for reason in reasons:
                found = self.by_finding.get((reason, field))
                sentence = _claim_sentence(match, reason, self.gold.response)
                yield self._item(kind, field, reason=reason, found=found, sentence=sentence, **common)
            if not reasons:
                yield self._item(kind, field, sentence=_claim_sentence(match, None, self.gold.response), **common)

    def _origin(self, item: Item) -> str:
        """Where a failure comes from, in words."""
        is_missing = item.finding.reason in _OMISSIONS
        seen, causes = [at + 1 for at in item.witnesses], [at + 1 for at in item.causes]
        if item.is_own:
            if item.evidence != "refuted":
                return ""
            if is_missing:
                return say_n(
                    "It is the turn's own failure: what is missing stood in the result of turn {turns}.",
                    "It is the turn's own failure: what is missing stood in the result of turns {turns}.",
                    len(seen),
                    turns=_numbers(seen),
                )
            return say_n(
                "It is the turn's own failure: this did not stand in the result of turn {turns}, which failed.",
                "It is the turn's own failure: this did not stand in the result of turns {turns}, which failed.",
                len(seen),
                turns=_numbers(seen),
            )
        if item.evidence == "absent":
            return say_n(
                "It counts as inherited from turn {turns}, which failed; no recorded result tells more.",
                "It counts as inherited from turns {turns}, which failed; no recorded result tells more.",
                len(causes),
                turns=_numbers(causes),
            )
        if item.evidence is None:
            return say_n(
                "This hangs on turn {turns}, which failed.",
                "This hangs on turns {turns}, which failed.",
                len(causes),
                turns=_numbers(causes),
            )
        if is_missing:
            return say_n(
                "It is inherited: what was needed did not stand in the result of turn {turns}, which failed.",
                "It is inherited: what was needed did not stand in the result of turns {turns}, which failed.",
                len(seen),
                turns=_numbers(seen),
            )
        return say_n(
            "It is inherited: this stood in the result of turn {turns}, which failed.",
            "It is inherited: this stood in the result of turns {turns}, which failed.",
            len(seen),
            turns=_numbers(seen),
        )

    # --- the turn -------------------------------------------------------------------------------------------------

    def _sentence(self, items: list[dict[str, Any]]) -> str:
        turn = self.turn
        if turn.is_skipped:
            return say("This step is optional and was not taken, so it is not evaluated.")
        if turn.is_unscored:
            why = " ".join(item["sentence"] for item in items if item["passed"] is None)
            return f"{say('Not scored.')} {why}".rstrip()
        if turn.passed:
            undecided = [item["field"] for item in items if item["passed"] is None]
            if not undecided:
                return say("The call is right.") if self.gold.is_action else say("The reply is right.")
            fields = ", ".join(undecided)
            if self.gold.is_action:
                return say("The call is right; {fields} could not be judged.", fields=fields)
            return say("The reply is right; {fields} could not be judged.", fields=fields)
        failing = [item for item in items if item["passed"] is False]
        if turn.roots:
            roots = [at + 1 for at in turn.roots]
            inherited = say_n(
                "Inherited from the failure of turn {turns}.",
                "Inherited from the failure of turns {turns}.",
                len(roots),
                turns=_numbers(roots),
            )
            return f"{inherited} " + " ".join(item["sentence"] for item in failing)
        own = [item["sentence"] for item in failing if item["origin"] == "own"]
        return f"{say('Failed by itself.')} " + " ".join(own)


def _claim_sentence(match: ClaimMatch, reason: FailureReason | None, golden: str) -> str:
    said = _what_is_claimed(match, reason, golden)
    return f"{said} {retold(match.sentence)}" if match.sentence else said


def _what_is_claimed(match: ClaimMatch, reason: FailureReason | None, golden: str) -> str:
    claim = match.plan.claim if match.plan is not None else None
    if claim is None:
        return _what_of_the_whole(match, reason, golden)
    if match.is_unknown:
        return say("Whether the claim {claim} holds could not be judged.", claim=show(claim.text))
    name = show(claim.text) if claim.text else claim.id
    if reason is FailureReason.INCOMPLETE_RESPONSE:
        missing = ", ".join(show(needle.value) for needle in match.missing)
        if missing:
            return say("The claim {claim} is not covered: {missing} is missing.", claim=name, missing=missing)
        return say("The claim {claim} is not covered.", claim=name)
    if reason is FailureReason.INCONSISTENT_RESPONSE:
        excluded = ", ".join(show(needle.value) for needle in match.excluded)
        if excluded:
            return say("The claim {claim} is contradicted: the reply says {said}.", claim=name, said=excluded)
        return say("The claim {claim} is contradicted.", claim=name)
    if not match.is_covered:
        return say("The claim {claim} is optional and not covered.", claim=name)
    return say("The claim {claim} is covered.", claim=name)


def _what_of_the_whole(match: ClaimMatch, reason: FailureReason | None, golden: str) -> str:
    if match.is_unknown:
        return say("Whether the reply says what was expected could not be judged.")
    if reason is None:
        return say("The reply says what the golden reply says.")
    if reason is FailureReason.INCOMPLETE_RESPONSE:
        return say("The reply leaves out what was expected: {golden}.", golden=show(golden))
    return say("The reply differs from what was expected: {golden}.", golden=show(golden))


def show(value: Any) -> str:
    """A value as people read it in a sentence: its JSON, shortened."""
    text = number_text(value) if is_number(value) else dumps(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _accepted(field: FieldPlan) -> Any:
    values = field.param.values
    return values[0] if len(values) == 1 else list(values) if values else None


def _expected_words(field: FieldPlan) -> str:
    values = [show(value) for value in field.param.values]
    return values[0] if len(values) == 1 else say("one of {values}", values=", ".join(values))


def _tolerances(field: FieldPlan) -> str:
    comparer = field.comparer
    parts = [
        f"{name} {_written(tolerance)}"
        for name, tolerance in (("abs", comparer.abs), ("rel", comparer.rel))
        if tolerance
    ]
    return f" ({', '.join(parts)})" if comparer.kind == "number" and parts else ""


def _written(tolerance: Fraction) -> str:
    """A tolerance in few digits; it may be larger than any double."""
    try:
        return f"{float(tolerance):g}"
    except OverflowError:
        return f"{(Decimal(tolerance.numerator) / Decimal(tolerance.denominator)).normalize():.6g}"


_READERS: dict[str, tuple[str, str, Callable[[Any], object]]] = {
    "date": (
        mark("The expected value is not a date as 2026-03-31 or a date-time, so nothing equals it."),
        mark("{value} is not a date as 2026-03-31 or a date-time."),
        moment_of,
    ),
    "number": (
        mark("The expected value is not a number, so nothing equals it."),
        mark("{value} is not a number."),
        lambda value: number_of(value) if isinstance(value, str) else value if is_number(value) else None,
    ),
}


def _unreadable(kind: str, field: FieldPlan, observed: Any) -> Iterator[str]:
    """Which side a comparison cannot read at all, so that it never passes."""
    if kind not in _READERS:
        return
    nothing_equals, is_none, read = _READERS[kind]
    if all(read(value) is None for value in field.param.values):
        yield say(nothing_equals)
    elif read(observed) is None:
        yield say(is_none, value=show(observed))


def _call(turn: GoldTurn | ObservedTurn) -> str:
    return f"{turn.tool} {turn.action}" if turn.action is not None else str(turn.tool)


def _numbers(turns: Sequence[int]) -> str:
    if len(turns) < 2:
        return "".join(map(str, turns))
    return say("{numbers} and {last}", numbers=", ".join(map(str, turns[:-1])), last=turns[-1])


def _because(reason: str) -> str:
    """Why a turn is ambiguous, in the reader's language: what scoring said in English, maybe of one field."""
    told = retold(reason)
    if told != reason:
        return told
    what, colon, doubt = reason.partition(": ")
    return f"{say('the reply') if what == 'the reply' else what}: {_doubt(doubt)}" if colon else reason


def _doubt(doubt: str) -> str:
    """Why a comparison is in doubt. What a scorer said of it stands in it as a sentence without its full stop."""
    opening, colon, said = doubt.partition(": ")
    if colon and opening == LEFT_OPEN:
        return f"{retold(opening)}: {retold(f'{said}.').rstrip('. ')}"
    return retold(doubt)


def _sentence(reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:]}."


def _double(number: Fraction | Decimal | None) -> float | None:
    return None if number is None else float(number)
