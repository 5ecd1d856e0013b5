"""A gold turn beside the observed turn that may answer it, with the comparisons that checks and pairing share."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from evaluation.aem.asking import ask_claim
from evaluation.aem.plan import ClaimPlan, TurnPlan
from evaluation.aem.records import ObservedTurn
from evaluation.aem.text import Haystack, Needle, haystack_of
from evaluation.aem.values import ONE, ZERO, Match, doubt_of


class ClaimMatch(NamedTuple):
    """What a reply does with a claim."""

    plan: ClaimPlan | None
    is_covered: bool
    is_contradicted: bool
    #: A semantic scorer says that the reply says otherwise: that is no omission, although nothing is covered.
    says_otherwise: bool
    missing: tuple[Needle, ...] = ()
    excluded: tuple[Needle, ...] = ()
    score: Fraction | None = ONE
    scorer: str = "exact"
    sentence: str = ""
    #: Why a person should look at it; empty where nothing makes it doubtful.
    doubt: str = ""
    #: No scorer could judge it: neither covered nor contradicted nor left out.
    is_unknown: bool = False
    layer: str = ""
    #: Where in the reply the answer stands.
    quote: tuple[int, int] | None = None


class TurnPair:
    """A gold turn and an observed turn of its kind, or none. Comparisons are made once, when first asked for."""

    __slots__ = ("_claims", "_matches", "args", "observed", "plan", "position", "turn")

    def __init__(self, plan: TurnPlan, observed: ObservedTurn | None, position: int | None) -> None:
        self.plan = plan
        self.turn = plan.turn
        self.observed = observed
        self.position = position
        self.args: Mapping[str, Any] = observed.args if observed is not None else {}
        self._matches: dict[str, Match] | None = None
        self._claims: tuple[ClaimMatch, ...] | None = None

    @property
    def is_right_tool(self) -> bool:
        """Whether the expected tool was called."""
        return self.observed is not None and self.observed.tool == self.turn.tool

    @property
    def is_right_call(self) -> bool:
        """Whether the expected tool was called with the expected action."""
        if self.observed is None or self.observed.tool != self.turn.tool:
            return False
        return self.turn.action is None or self.observed.action == self.turn.action

    @property
    def matches(self) -> dict[str, Match]:
        """The comparison of each annotated key that is present; refs are judged while attributing."""
        if self._matches is None:
            args = self.args
            self._matches = {
                key: field.match(args[key])
                for key, field in self.plan.fields.items()
                if field.ref is None and key in args
            }
        return self._matches

    @property
    def doubts(self) -> tuple[str, ...]:
        """Which values a person should look at, and why."""
        if not self.plan.scorer.is_semantic:
            return ()
        return tuple([f"{key}: {match.doubt}" for key, match in self.matches.items() if match.doubt])

    @property
    def is_semantic(self) -> bool:
        """Whether a semantic scorer decided about a value."""
        return self.plan.scorer.is_semantic and any(match.scorer != "exact" for match in self.matches.values())

    @property
    def unknown(self) -> tuple[str, ...]:
        """The keys whose values no scorer could judge."""
        if not self.plan.scorer.is_semantic:
            return ()
        return tuple([key for key, match in self.matches.items() if match.is_unknown])

    @property
    def claims(self) -> tuple[ClaimMatch, ...]:
        """What the reply does with each claim; with the whole golden reply where there are no claims."""
        if self._claims is None:
            text = self.observed.text if self.observed is not None else None
            reply = haystack_of(text or "")
            plans = self.plan.claims
            self._claims = tuple(self._claim(plan, reply) for plan in plans) if plans else (self._whole(reply),)
        return self._claims

    def _claim(self, plan: ClaimPlan, reply: Haystack) -> ClaimMatch:
        claim = plan.claim
        if claim.has_values:
            missing = tuple(needle for needle in claim.contains if not reply.has(needle))
            excluded = tuple(needle for needle in claim.excludes if reply.has(needle))
            score = ZERO if missing or excluded else ONE
            return ClaimMatch(plan, not missing, bool(excluded), False, missing, excluded, score)
        if reply.has(plan.needle):
            return ClaimMatch(plan, True, False, False)
        if not self.plan.scorer.is_semantic:
            return ClaimMatch(plan, False, False, False, score=ZERO)
        return self._scored(plan, claim.text, reply)

    def _whole(self, reply: Haystack) -> ClaimMatch:
        if reply.text == self.turn.response or reply.folded == self.plan.folded:
            return ClaimMatch(None, True, False, False)
        if not self.plan.scorer.is_semantic:
            # Nothing tells an omission from a contradiction here, so an unequal reply counts as both.
            return ClaimMatch(None, False, True, True, score=ZERO)
        return self._scored(None, self.turn.response, reply)

    def _scored(self, plan: ClaimPlan | None, text: str, reply: Haystack) -> ClaimMatch:
        scorer, threshold = self.plan.scorer, self.plan.threshold
        found = ask_claim(scorer, text, reply.text, threshold=threshold)
        is_unknown = found.score is None or found.state == "unknown"
        otherwise = found.state == "contradicted"
        return ClaimMatch(
            plan,
            found.state == "covered" and not is_unknown,
            otherwise and not is_unknown,
            otherwise and not is_unknown,
            score=None if is_unknown else found.score,
            scorer=scorer.name,
            sentence=found.sentence,
            doubt=""
            if found.score is None or is_unknown
            else doubt_of(found.score, threshold, self.plan.margin, is_split=found.is_split, sentence=found.sentence),
            is_unknown=is_unknown,
            layer=found.layer,
            quote=found.quote,
        )
