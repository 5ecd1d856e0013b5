"""Sentences for people: what was judged in a turn, what came out, and why. Worked out only when asked for."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from evaluation.aem import sentences as words
from evaluation.aem.attribute import Attributed, Item, RefMatch
from evaluation.aem.dates import moment_of
from evaluation.aem.jsontext import dumps
from evaluation.aem.language import say
from evaluation.aem.pairs import ClaimMatch, TurnPair
from evaluation.aem.plain import find_at, number_text
from evaluation.aem.plan import FieldPlan
from evaluation.aem.reasons import FailureReason
from evaluation.aem.records import GoldTurn, ObservedTurn, Trajectory
from evaluation.aem.text import number_of
from evaluation.aem.values import Match, is_number

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
            "ambiguous_because": [words.reason_again(_sentence(reason)) for reason in self.turn.ambiguous_because],
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
                        words.INVENTED,
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
            sentence = say(words.CALL_EXPECTED, call=_call(self.gold))
            if self.observed is not None:
                sentence = say(
                    words.CALL_DIFFERS,
                    call=_call(self.gold),
                    observed=_call(self.observed),
                )
        elif not self.pair.is_right_call:
            reason = FailureReason.ACTION_MISMATCH
            expected_action = show(self.gold.action)
            if self.observed is None or self.observed.action is None:
                sentence = say(words.NO_ACTION, action=expected_action)
            else:
                sentence = say(
                    words.ACTION_DIFFERS,
                    action=expected_action,
                    observed=show(self.observed.action),
                )
        else:
            sentence = say(words.CALL_RIGHT, call=_call(self.gold))
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
                sentence = say(words.OPTIONAL_LEFT_OUT, name=key)
                yield self._item("parameter", key, expected=expected, sentence=sentence)
        for key in args:
            if key not in self.plan.fields:
                yield self._extra(key, args[key])

    def _missing(self, key: str, field: FieldPlan) -> dict[str, Any]:
        reason = FailureReason.MISSING_PARAMETERS
        sentence = say(words.LEFT_OUT, name=key)
        if self.observed is not None and self.observed.unreadable is not None:
            sentence = say(words.UNREADABLE, name=key)
        found = self.by_finding.get((reason, key))
        return self._item("parameter", key, reason=reason, expected=_accepted(field), found=found, sentence=sentence)

    def _extra(self, key: str, value: Any) -> dict[str, Any]:
        if self.gold.allows_extra or key in self.gold.allowed_extra:
            sentence = say(words.EXTRA_ALLOWED, name=key)
            return self._item("parameter", key, observed=value, sentence=sentence)
        reason = FailureReason.EXTRA_PARAMETERS
        sentence = say(words.EXTRA, name=key, value=show(value))
        found = self.by_finding.get((reason, key))
        return self._item("parameter", key, reason=reason, observed=value, found=found, sentence=sentence)

    def _value(self, key: str, field: FieldPlan, observed: Any) -> dict[str, Any]:
        match = self.pair.matches[key]
        reason = None if match.passed or match.is_unknown else FailureReason.INCONSISTENT_PARAMETER_VALUES
        kind = field.comparer.kind
        seen = show(observed)
        if kind == "any":
            sentence = say(words.ANY_VALUE, name=key, value=seen)
            if reason:
                sentence = say(words.NULL_VALUE, name=key)
        elif match.is_unknown:
            sentence = say(
                words.VALUE_OPEN,
                name=key,
                expected=_expected_words(field),
                value=seen,
            )
        elif reason:
            sentence = say(words.VALUE_DIFFERS, name=key, expected=_expected_words(field), value=seen)
        else:
            sentence = say(words.VALUE_RIGHT, name=key, value=seen)
            if field.param.values and not any(show(value) == seen for value in field.param.values):
                sentence = say(
                    words.VALUE_COUNTS,
                    name=key,
                    value=seen,
                    expected=_expected_words(field),
                )
        if kind not in {"auto", "any"}:
            compared = say(words.COMPARED_AS, kind=f"{kind}{_tolerances(field)}")
            sentence = " ".join((sentence, compared, *_unreadable(kind, field, observed)))
        if match.scorer != "exact":
            sentence = f"{sentence} {words.scorer_said(match.sentence)}".rstrip()
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
        values: dict[str, Any] = {
            "name": key,
            "turn": at,
            "path": field.param.ref.path if field.param.ref is not None else "$",
            "expected": show(outcome.expected),
            "value": show(observed),
        }
        if outcome.passed is None and outcome.is_found:
            sentence = say(
                words.REF_OPEN,
                **values,
            )
        elif outcome.passed is None:
            sentence = say(
                words.REF_NO_RESULT,
                **values,
            )
        elif outcome.passed:
            sentence = say(words.REF_RIGHT, **values)
        elif outcome.is_found and found is not None and not found.is_own:
            sentence = say(words.REF_OF_FAILED, **values)
        elif outcome.is_found:
            sentence = say(words.REF_DIFFERS, **values)
        else:
            sentence = say(
                words.REF_NOTHING,
                **values,
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
                    sentence=_of_turns(words.TAINTED, words.TAINTED_MANY, numbers),
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
            sentence=say(words.NO_REPLY),
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
                return _of_turns(words.OWN_MISSING, words.OWN_MISSING_MANY, seen)
            return _of_turns(words.OWN, words.OWN_MANY, seen)
        if item.evidence == "absent":
            return _of_turns(words.COUNTS_AS_INHERITED, words.COUNTS_AS_INHERITED_MANY, causes)
        if item.evidence is None:
            return _of_turns(words.HANGS_ON, words.HANGS_ON_MANY, causes)
        if is_missing:
            return _of_turns(words.INHERITED_MISSING, words.INHERITED_MISSING_MANY, seen)
        return _of_turns(words.INHERITED, words.INHERITED_MANY, seen)

    # --- the turn -------------------------------------------------------------------------------------------------

    def _sentence(self, items: list[dict[str, Any]]) -> str:
        turn = self.turn
        if turn.is_skipped:
            return say(words.SKIPPED)
        if turn.is_unscored:
            why = " ".join(item["sentence"] for item in items if item["passed"] is None)
            return f"{say(words.NOT_SCORED)} {why}".rstrip()
        if turn.passed:
            undecided = [item["field"] for item in items if item["passed"] is None]
            if not undecided:
                return say(words.CALL_IS_RIGHT) if self.gold.is_action else say(words.REPLY_IS_RIGHT)
            fields = ", ".join(undecided)
            if self.gold.is_action:
                return say(words.CALL_BUT, fields=fields)
            return say(words.REPLY_BUT, fields=fields)
        failing = [item for item in items if item["passed"] is False]
        if turn.roots:
            roots = [at + 1 for at in turn.roots]
            inherited = _of_turns(words.FROM_FAILURE, words.FROM_FAILURE_MANY, roots)
            return f"{inherited} " + " ".join(item["sentence"] for item in failing)
        own = [item["sentence"] for item in failing if item["origin"] == "own"]
        return f"{say(words.BY_ITSELF)} " + " ".join(own)


def _claim_sentence(match: ClaimMatch, reason: FailureReason | None, golden: str) -> str:
    said = _what_is_claimed(match, reason, golden)
    return f"{said} {words.scorer_said(match.sentence)}" if match.sentence else said


def _what_is_claimed(match: ClaimMatch, reason: FailureReason | None, golden: str) -> str:
    claim = match.plan.claim if match.plan is not None else None
    if claim is None:
        return _what_of_the_whole(match, reason, golden)
    if match.is_unknown:
        return say(words.CLAIM_OPEN, claim=show(claim.text))
    name = show(claim.text) if claim.text else claim.id
    if reason is FailureReason.INCOMPLETE_RESPONSE:
        missing = ", ".join(show(needle.value) for needle in match.missing)
        if missing:
            return say(words.CLAIM_LACKS, claim=name, missing=missing)
        return say(words.CLAIM_NOT_COVERED, claim=name)
    if reason is FailureReason.INCONSISTENT_RESPONSE:
        excluded = ", ".join(show(needle.value) for needle in match.excluded)
        if excluded:
            return say(words.CLAIM_DENIED_BY, claim=name, said=excluded)
        return say(words.CLAIM_DENIED, claim=name)
    if not match.is_covered:
        return say(words.CLAIM_OPTIONAL, claim=name)
    return say(words.CLAIM_COVERED, claim=name)


def _what_of_the_whole(match: ClaimMatch, reason: FailureReason | None, golden: str) -> str:
    if match.is_unknown:
        return say(words.REPLY_OPEN)
    if reason is None:
        return say(words.REPLY_RIGHT)
    if reason is FailureReason.INCOMPLETE_RESPONSE:
        return say(words.REPLY_LEAVES_OUT, golden=show(golden))
    return say(words.REPLY_DIFFERS, golden=show(golden))


def show(value: Any) -> str:
    """A value as people read it in a sentence: its JSON, shortened."""
    text = number_text(value) if is_number(value) else dumps(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _accepted(field: FieldPlan) -> Any:
    values = field.param.values
    return values[0] if len(values) == 1 else list(values) if values else None


def _expected_words(field: FieldPlan) -> str:
    values = [show(value) for value in field.param.values]
    return values[0] if len(values) == 1 else words.one_of(", ".join(values))


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
        words.NOT_A_DATE_EXPECTED,
        words.NOT_A_DATE,
        moment_of,
    ),
    "number": (
        words.NOT_A_NUMBER_EXPECTED,
        words.NOT_A_NUMBER,
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


def _of_turns(one: str, many: str, turns: Sequence[int]) -> str:
    return say(one if len(turns) == 1 else many, turns=_numbers(turns))


def _numbers(turns: Sequence[int]) -> str:
    if len(turns) < 2:
        return "".join(map(str, turns))
    return words.and_last(list(map(str, turns)))


def _sentence(reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:]}."


def _double(number: Fraction | Decimal | None) -> float | None:
    return None if number is None else float(number)
