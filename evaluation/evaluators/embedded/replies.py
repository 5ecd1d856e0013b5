"""Whether an observed reply says what the golden says: each claim covered, contradicted or not said.

Numbers, dates, names, ids and negation decide, and wording does not. What the reply says besides is no failure as long
as it contradicts nothing. Nothing here needs a model; an embedding, where given, helps with what the rules leave open.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.binding import bounds_of, check_binding, check_strays, is_open_ended, way_of
from evaluation.evaluators.embedded.claims import ProposedClaim, propose_claims
from evaluation.evaluators.embedded.exchanges import (
    check_added_conditions,
    check_addressees,
    check_afterwards,
    check_debts,
    check_given,
    check_parts,
)
from evaluation.evaluators.embedded.facts import Fact
from evaluation.evaluators.embedded.findings import Finding, sentence_at, written
from evaluation.evaluators.embedded.literal import (
    Likeness,
    check_complements,
    check_doers,
    check_literal,
    check_relations,
    check_subjects,
    likeness,
)
from evaluation.evaluators.embedded.matching import Matching, are_told_apart, digits_of, match
from evaluation.evaluators.embedded.model import ClaimJudged, Embedding
from evaluation.evaluators.embedded.polarity import (
    check_polarity,
    contrasted_pairs,
    is_amount_bound,
    is_said,
    opposed_pairs,
)
from evaluation.evaluators.embedded.reading import (
    LONGEST,
    Reading,
    Token,
    facts_of,
    matches_phrase,
    read,
    with_names_of,
)
from evaluation.evaluators.embedded.replywords import relations, words
from evaluation.evaluators.embedded.sentences import Span
from evaluation.evaluators.embedded.vocabulary import STANDARD, Vocabulary
from evaluation.evaluators.embedded.wording import (
    check_actors,
    check_agents,
    check_counts,
    check_denied_names,
    check_denied_words,
    check_families,
    check_objects,
    check_orders,
    check_persons,
    check_restrictions,
    check_routes,
    check_shares,
    check_successions,
    check_tenses,
    is_worded_alike,
)

State = Literal["ok", "incomplete", "inconsistent"]

_FEW = 3
# Findings about sentences of a copy: what differs there is what they tell.
_OF_COPIES = frozenset(("contrast", "phrase", "relation", "binding"))
# Of these, what differs in a close copy is meant to differ; words alone may be synonyms that no list knows.
_STRUCTURAL = frozenset(("binding", "bound", "direction", "extent", "facts", "modality", "relation"))
_CLOSE = 0.7
_SOFT = frozenset(("relative", "recurrence", "ordinal"))


def _is_soft(fact: Fact) -> bool:
    """Whether a fact may be said in words that are no fact: "each time", "a tablet"."""
    if fact.kind != "number" or fact.text.isdigit() or not isinstance(fact.value, Fraction):
        return fact.kind in _SOFT
    return fact.text.isalpha() and fact.value <= _FEW


@dataclass(frozen=True, slots=True)
class ReplyJudged:
    """A whole reply: its golden's claims with what was found of each, and what follows for the reply.

    ``score`` is the share of claims that are covered. ``sentence`` says what decided, and ``quote`` is where in the
    observed reply that stands.
    """

    claims: tuple[tuple[ProposedClaim, ClaimJudged], ...]
    state: State
    is_sure: bool
    score: Fraction
    sentence: str
    quote: tuple[int, int] | None


def judge_claim(
    claim: str,
    reply: str,
    *,
    language: str = "",
    vocabulary: Vocabulary = STANDARD,
    embedding: Embedding | None = None,
) -> ClaimJudged:
    """Judge one claim against a reply. Never raises, whatever the texts are."""
    found = _Judging(claim, reply, language, vocabulary, embedding)
    return found.claim(0, len(found.golden.tokens), claim)


def judge_reply(
    golden: str,
    reply: str,
    *,
    language: str = "",
    vocabulary: Vocabulary = STANDARD,
    embedding: Embedding | None = None,
    claims: Iterable[ProposedClaim] | None = None,
) -> ReplyJudged:
    """Judge an observed reply against a golden one, claim by claim.

    ``claims`` are pieces of the golden; without them they are proposed from its text. Never raises.
    """
    found = _Judging(golden, reply, language, vocabulary, embedding)
    listed = tuple(propose_claims(golden, language=language) if claims is None else claims)
    if not listed and golden.strip():
        listed = (ProposedClaim(golden, 0, len(golden)),)
    judged = tuple((claim, found.claim(*found.tokens_of(claim), claim.text)) for claim in listed)
    return _overall(judged)


def _overall(judged: tuple[tuple[ProposedClaim, ClaimJudged], ...]) -> ReplyJudged:
    if not judged:
        return ReplyJudged((), "ok", True, Fraction(1), said.GOLDEN_CLAIMS_NOTHING, None)
    states: tuple[tuple[str, State], ...] = (("contradicted", "inconsistent"), ("not_said", "incomplete"))
    covered = sum(1 for _, one in judged if one.state == "covered")
    score = Fraction(covered, len(judged))
    for state, overall in states:
        failing = [one for claim, one in judged if one.state == state and claim.is_required]
        failing += [
            one for claim, one in judged if one.state == state and not claim.is_required and state == "contradicted"
        ]
        if failing:
            told = max(failing, key=lambda one: one.is_sure)
            return ReplyJudged(judged, overall, told.is_sure, score, told.sentence, told.quote)
    is_sure = all(one.is_sure for _, one in judged)
    told = min((one for _, one in judged), key=lambda one: (one.is_sure, one.score))
    what = said.ALL_CLAIMS_COVERED.format(count=len(judged)) if len(judged) > 1 else told.sentence
    return ReplyJudged(judged, "ok", is_sure, score, what, judged[0][1].quote)


class _Judging:
    """A golden beside a reply, with all that speaks against it."""

    def __init__(
        self, golden: str, reply: str, language: str, vocabulary: Vocabulary, embedding: Embedding | None
    ) -> None:
        own = read(golden, language, vocabulary)
        self.reply = with_names_of(read(reply, own.language, vocabulary), own)
        self.golden = with_names_of(own, self.reply)
        self.found = match(self.golden, self.reply)
        _excuse(self.found)
        self.embedding = embedding
        self.likeness = likeness(self.found)
        self.opposed = opposed_pairs(self.found)
        self.is_cut = self.golden.is_cut or self.reply.is_cut or self.found.is_cut
        found = [one for one in self._all() if not self._is_repeated(one)]
        # Where both the value and what it is of are others, the sentence may speak of another thing.
        valued = {(self._sentence(one), one.quote) for one in found if one.layer == "facts" and one.quote}
        found = [replace(one, is_sure=True) if self._is_in_copy(one) else one for one in found]
        self.findings = [
            replace(one, is_sure=False)
            if self._is_of_another(one)
            or (one.layer in ("names", "contrast") and (self._sentence(one), one.quote) in valued)
            else one
            for one in found
        ]

    def _is_repeated(self, one: Finding) -> bool:
        """Whether a finding is about a sentence that stands in the reply to the letter, and so is none."""
        return one.state == "contradicted" and self.likeness.of(self.golden.tokens[one.first].sentence) == 1

    def _is_in_copy(self, one: Finding) -> bool:
        """Whether a finding about what is said of a value or verb is in a sentence that else repeats the golden's."""
        if one.layer not in _STRUCTURAL or one.quote is None or one.state != "contradicted":
            return False
        pair = self._sentence(one), self.reply.sentences.index(one.quote)
        return any(found[:2] == pair and found[2] >= _CLOSE for found in self.likeness.pairs)

    def _sentence(self, one: Finding) -> int:
        return self.golden.tokens[one.first].sentence

    def _is_of_another(self, one: Finding) -> bool:
        """Whether a contradiction is in a sentence with another subject: "lunch is not included" beside "breakfast".

        Both sentences then have content of their own besides what the finding is about.
        """
        if one.state != "contradicted" or not one.is_sure or one.quote is None or one.layer in _OF_COPIES:
            return False
        golden, reply = self.golden, self.reply
        mine, theirs = golden.tokens[one.first].sentence, reply.sentences.index(one.quote)
        excused = set(self.opposed) if one.layer == "polarity" else set[int]()
        turned = {place for at in excused for place in self.opposed[at]}
        moving = _moving(golden.language) | _moving(reply.language) if one.layer == "direction" else frozenset[str]()
        is_missing = any(
            token.is_content
            and token.fact < 0
            and token.sentence == mine
            and at not in excused
            and token.word not in moving
            and not (one.layer == "names" and one.first <= at < one.last)
            and not any(reply.tokens[place].sentence == theirs for place in self.found.words.get(at, ()))
            for at, token in enumerate(golden.tokens)
        )
        return is_missing and any(
            token.is_content
            and token.fact < 0
            and token.sentence == theirs
            and at not in turned
            and token.word not in moving
            and at not in self.found.used
            and not (one.layer == "names" and token.name >= 0)
            for at, token in enumerate(reply.tokens)
        )

    def tokens_of(self, claim: ProposedClaim) -> tuple[int, int]:
        """The golden's tokens in which a claim stands; none where it stands behind what was read."""
        tokens = self.golden.tokens
        first = next((at for at, token in enumerate(tokens) if token.end > claim.start), len(tokens))
        last = first
        while last < len(tokens) and tokens[last].start < claim.end:
            last += 1
        return first, last

    def _all(self) -> Iterator[Finding]:
        yield from _check_facts(self.found)
        yield from _check_bounds(self.found)
        yield from _check_ways(self.found)
        yield from _check_targets(self.found)
        yield from _check_mentions(self.found)
        yield from check_relations(self.found)
        yield from _check_charges(self.found)
        yield from _check_names(self.found, self.likeness)
        yield from check_polarity(self.found, self.likeness)
        yield from check_binding(self.found)
        yield from check_strays(self.found)
        for one in (*check_literal(self.found, self.likeness), *check_complements(self.found)):
            # "None is damaged" is "all are intact", though no word is the same.
            if one.layer != "phrase" or not any(
                _is_turned(self.found, self.opposed, at) for at in range(one.first, one.last)
            ):
                yield one
        yield from check_doers(self.found)
        yield from check_subjects(self.found)
        yield from check_families(self.found, self.likeness)
        yield from check_shares(self.found)
        yield from check_tenses(self.found, self.likeness)
        yield from check_orders(self.found)
        yield from check_actors(self.found)
        yield from check_successions(self.found)
        yield from check_objects(self.found)
        yield from check_restrictions(self.found, self.likeness)
        yield from check_counts(self.found)
        yield from check_denied_names(self.found)
        yield from check_agents(self.found)
        yield from check_persons(self.found)
        yield from check_routes(self.found, self.likeness)
        yield from check_denied_words(self.found, self.likeness)
        yield from check_given(self.found)
        yield from check_parts(self.found)
        yield from check_added_conditions(self.found, self.likeness)
        yield from check_addressees(self.found, self.likeness)
        yield from check_debts(self.found)
        yield from check_afterwards(self.found, self.likeness)
        yield from _check_siblings(self.found, self.likeness)

    def claim(self, first: int, last: int, text: str) -> ClaimJudged:
        """Judge the claim that stands in the golden's tokens from first to last (exclusive)."""
        quote = _answer(self.found, first, last)
        if first >= last or (self.golden.is_cut and last == len(self.golden.tokens)):
            if not text.strip():
                return ClaimJudged("covered", True, Fraction(1), "coverage", said.CLAIM_IS_EMPTY, None)
            return ClaimJudged("not_said", False, Fraction(0), "length", said.CLAIM_TOO_LONG_TO_BE, quote)
        own = [one for one in self.findings if (first <= one.first and one.last <= last) or _overlaps(one, first, last)]
        own += _check_coverage(
            self.found, self.likeness, self.opposed, (first, last), lambda: self._is_near(first, last, text)
        )
        own += _check_denials(self.found, self.opposed, first, last)
        if not own:
            return self._covered(first, last, quote)
        contradictions = [one for one in own if one.state == "contradicted"]
        told = max(contradictions or own, key=lambda one: (one.is_sure, one.weight))
        notes = tuple(dict.fromkeys(one.sentence for one in own if one.sentence != told.sentence))
        is_sure = told.is_sure and not self.is_cut
        return ClaimJudged(
            told.state, is_sure, Fraction(0), told.layer, told.sentence, _pair(told.quote or quote), notes
        )

    def _is_near(self, first: int, last: int, text: str) -> bool:
        """Whether the embedding finds a claim like the sentence that answers it; never without one."""
        answer = _answer(self.found, first, last)
        if self.embedding is None or answer is None:
            return False
        return self.embedding.similarity(text, self.reply.text[answer[0] : answer[1]]) >= _NEAR

    def _covered(self, first: int, last: int, quote: tuple[int, int] | None) -> ClaimJudged:
        share = _share(self.found, first, last)
        is_sure = self._is_sure_cover(first, last, share)
        tokens = self.golden.tokens[first:last]
        facts = len({token.fact for token in tokens if token.fact >= 0})
        if share == 1:
            sentence = said.ALL_OF_IT_STANDS_IN_REPLY
        elif facts:
            sentence = said.ITS_VALUES_STAND_REPLY_NOTHING
        else:
            sentence = said.REPLY_SAYS_OTHER_WORDS
        score = Fraction(1) if is_sure else Fraction(3, 4)
        return ClaimJudged("covered", is_sure, score, "coverage", sentence, quote)

    def _is_sure_cover(self, first: int, last: int, share: Fraction) -> bool:
        """Whether a claim stands there to the word, or all its words do and nothing stands beside them."""
        if self.is_cut:
            return False
        numbers = {token.sentence for token in self.golden.tokens[first:last]}
        if all(self.likeness.of(number) == 1 for number in numbers):
            return True
        content = [at for at in range(first, last) if self.golden.tokens[at].is_content]
        # What differs in a copy is what it tells: there nothing may be missing, and every small word counts.
        is_copy = any(self.likeness.of(number) >= _COPY for number in numbers)
        if share < 1:
            # "Number", "account": their absence alone leaves nothing unsaid.
            missing = [self.golden.tokens[at] for at in content if not self.found.has(at)]
            finite = words("finite", self.golden.language)
            if is_copy or sum(token.weight for token in missing) > 0.5 or any(one.word in finite for one in missing):
                return False
            content = [at for at in content if self.found.has(at)]
        facts = {self.golden.tokens[at].fact for at in content} - {-1}
        if not content or not all(self._is_exact(at) for at in content):
            return False
        clauses = self._answering(content)
        if clauses is not None and self._has_other_count(clauses):
            return False
        is_bound = bool(facts) and not is_copy
        if clauses is None or _spare(self.found, first, last) > (_BESIDE if is_bound else 0):
            return False
        # Synonyms are near, not the same: where a value binds them, some may stand for words, and none without.
        others = [at for at in content if self.golden.tokens[at].weight >= 1 and not self._is_to_the_word(at)]
        whole = sum(self.golden.tokens[at].weight for at in content)
        if len(others) > (_SYNONYMS if is_bound else 0) or (not facts and (share < 1 or whole < _MUCH)):
            return False
        return (
            self._is_in_order(content, clauses)
            and self._facts_agree(facts, clauses)
            and self._denials_agree(content, clauses)
            and not self._has_other_relation(first, last, clauses)
            and (not is_copy or is_worded_alike(self.found, list(range(first, last)), self._answer_tokens(clauses)))
        )

    def _has_other_count(self, clauses: frozenset[int]) -> bool:
        """Whether a number stands in the answering clauses that the golden has not: "two of the four"."""
        return any(
            fact.kind in ("number", "percent", "money")
            and at not in self.found.used_facts
            and self.reply.tokens[self.reply.fact_tokens[at][0]].clause in clauses
            for at, fact in enumerate(self.reply.facts)
        )

    def _denials_agree(self, content: list[int], clauses: frozenset[int]) -> bool:
        """Whether each word is denied in the answering clauses where it is in the claim, and nowhere else."""
        golden, reply = self.golden, self.reply
        return all(
            golden.tokens[at].is_denied == reply.tokens[place].is_denied
            for at in content
            for place in self.found.words.get(at, ())
            if reply.tokens[place].clause in clauses and reply.tokens[place].is_content
        )

    def _answer_tokens(self, clauses: frozenset[int]) -> list[int]:
        return [at for at, token in enumerate(self.reply.tokens) if token.clause in clauses]

    def _is_in_order(self, content: list[int], clauses: frozenset[int]) -> bool:
        """Whether names, and values of one kind, of which there are several in a claim come in the same order."""
        golden, reply = self.golden, self.reply
        orders: dict[str, list[int]] = {}
        for at in content:
            token = golden.tokens[at]
            kind = golden.facts[token.fact].kind if token.fact >= 0 else "name" if token.name >= 0 else ""
            if not kind or (content[0] < at and _is_of_one(golden, at - 1, at)):
                continue
            places = [place for place in self.found.words.get(at, ()) if reply.tokens[place].clause in clauses]
            orders.setdefault(kind, []).append(min(places, default=-1))
        return all(order == sorted(order) for order in orders.values())

    def _is_exact(self, at: int) -> bool:
        """Whether a token stands in the reply as it is, as a listed synonym, or as the same value or name."""
        token = self.golden.tokens[at]
        if token.fact >= 0:
            return bool(self.found.facts.get(token.fact))
        if self._is_to_the_word(at):
            return True
        return token.name < 0 and any(
            mine.first <= at < mine.last and mine.meaning.concepts & theirs.meaning.concepts
            for mine, theirs in self.found.links
        )

    def _is_to_the_word(self, at: int) -> bool:
        """Whether a token is a value or name that stands in the reply, or a word that does in some form."""
        token = self.golden.tokens[at]
        if token.fact >= 0:
            return True
        return any(self.reply.tokens[place].stem == token.stem for place in self.found.words.get(at, ()))

    def _answering(self, content: list[int]) -> frozenset[int] | None:
        """The clauses in which all of a claim stands, where they are of one sentence of the reply; None where not."""
        reply = self.reply
        sentences = [
            {reply.tokens[place].sentence for place in self.found.words.get(at, ())} - reply.courtesies
            for at in content
        ]
        shared = frozenset.intersection(*(frozenset(one) for one in sentences)) if sentences else frozenset[int]()
        if not shared:
            return None
        chosen = min(shared)
        places = [place for at in content for place in self.found.words.get(at, ())]
        return frozenset(reply.tokens[at].clause for at in places if reply.tokens[at].sentence == chosen)

    def _facts_agree(self, facts: set[int], clauses: frozenset[int]) -> bool:
        """Whether each value stands in the answering clauses, with the same bound and going the same way."""
        for number in facts:
            there = [
                at
                for at in self.found.facts.get(number, ())
                if self.reply.tokens[self.reply.fact_tokens[at][0]].clause in clauses
            ]
            if not there:
                return False
            mine = _sides(self.golden, number)
            if any(_sides(self.reply, at) != mine for at in there):
                return False
        return True

    def _has_other_relation(self, first: int, last: int, clauses: frozenset[int]) -> bool:
        """Whether small words that change what is said stand in a claim, or in what answers it, and not in the other.

        Looked at are "after" and "during", "all" and "some", "not", "must" and "may".
        """
        golden, reply = self.golden, self.reply
        if golden.language != reply.language:
            return True
        mine = [token.word for token in golden.tokens[first:last] if token.fact < 0]
        theirs = [token.word for token in reply.tokens if token.clause in clauses and token.fact < 0]
        for family in relations(golden.language):
            here = {family[word] for word in mine if word in family}
            there = {family[word] for word in theirs if word in family}
            if here != there and (
                (here and there) or any(word in family and word not in _WEAK for word in (*mine, *theirs))
            ):
                return True
        language = golden.language
        return any(
            bool(matches_phrase(mine, section, language)) != bool(matches_phrase(theirs, section, language))
            for section in _TELLING
        )


def _sides(reading: Reading, number: int) -> tuple[str, str, bool]:
    """Which side a fact bounds, which way it went, and whether something comes from it."""
    first = reading.fact_tokens[number][0]
    return (
        bounds_of(reading, number),
        way_of(reading, number),
        first > 0 and reading.tokens[first - 1].word in _FROM,
    )


_FROM = frozenset(("from", "desde", "das", "dos", "del"))
# Small words that say little alone: "on", "in" and "to" stand or do not stand before the same value.
_WEAK = frozenset(
    ("on", "in", "to", "from", "and", "with", "up", "can", "will", "also", "first", "last", "any", "since", "until",
     "con", "com", "tambien", "tambem", "puede", "pueden", "pode", "podem", "hasta", "ate", "desde")
)  # fmt: skip
_COPY = 0.6  # so like is a sentence that repeats one of the golden
_SYNONYMS = 2
_BESIDE = 1.0  # so much of its own may a sentence have that says all of a claim


@lru_cache(maxsize=4)
def _moving(language: str) -> frozenset[str]:
    return words("upward", language) | words("downward", language)


# Of these, a claim and what answers it have none, or both some.
_TELLING = (
    "negators", "negative", "all", "some", "upward", "downward", "restrictors", "possibility", "obligation", "optional",
    "only", "conditional",
)  # fmt: skip


def _is_of_one(reading: Reading, before: int, at: int) -> bool:
    """Whether two tokens are of one name, or of one fact."""
    one, other = reading.tokens[before], reading.tokens[at]
    return one.fact == other.fact and one.name == other.name


def _overlaps(one: Finding, first: int, last: int) -> bool:
    return one.first < last and first < one.last


def _pair(span: Span | tuple[int, int] | None) -> tuple[int, int] | None:
    return (span[0], span[1]) if span else None


def _answer(found: Matching, first: int, last: int) -> tuple[int, int] | None:
    """The sentence of the reply that has most of a claim."""
    scores: dict[int, float] = {}
    for at in range(first, last):
        token = found.golden.tokens[at]
        for number in {found.reply.tokens[place].sentence for place in found.words.get(at, ())}:
            scores[number] = scores.get(number, 0.0) + token.weight
    scores = {number: score for number, score in scores.items() if score > 0}
    if not scores:
        return None
    span = found.reply.sentences[max(scores, key=lambda number: (scores[number], -number))]
    return span.start, span.end


def _share(found: Matching, first: int, last: int) -> Fraction:
    """How much of a claim's content, weighed, stands in the reply."""
    whole = there = 0
    for at in range(first, last):
        token = found.golden.tokens[at]
        if token.is_content:
            weight = round(token.weight * 2)
            whole += weight
            there += weight if found.has(at) else 0
    return Fraction(there, whole) if whole else Fraction(1)


# -- facts ---------------------------------------------------------------------------------------------------------

_KINDS = {
    "id": said.GIVES_NO_ID,
    "money": said.GIVES_NO_AMOUNT,
    "date": said.GIVES_NO_DATE,
    "datetime": said.GIVES_NO_TIME,
    "time": said.GIVES_NO_TIME,
    "phone": said.GIVES_NO_PHONE,
    "email": said.GIVES_NO_ADDRESS,
    "url": said.GIVES_NO_ADDRESS,
    "percent": said.GIVES_NO_PERCENTAGE,
    "period": said.GIVES_NO_PERIOD,
    "weekday": said.GIVES_NO_DAY,
    "version": said.GIVES_NO_VERSION,
}


_ORDINALS = ("first", "second", "third", "fourth")


def _nth_quarter(found: Matching, fact: Fact) -> int | None:
    """Where a quarter stands in the reply with its noun left out: "in the first quarter …, in the second …"."""
    digits = digits_of(fact)
    if fact.kind != "period" or not digits or digits[0] not in "1234" or fact.text[:1].casefold() != "q":
        return None
    ordinals = words(_ORDINALS[int(digits[0]) - 1], found.reply.language)
    if not any(other.kind == "period" for other in found.reply.facts):
        return None
    return next((at for at, token in enumerate(found.reply.tokens) if token.word in ordinals), None)


def _factor(found: Matching, fact: Fact) -> int | None:
    """Where a percentage stands in the reply as a factor: 150 % as "1.5 times"."""
    if fact.kind != "percent" or not isinstance(fact.value, Fraction):
        return None
    times = words("times", found.reply.language)
    for number, other in enumerate(found.reply.facts):
        first, last = found.reply.fact_tokens[number]
        if not isinstance(other.value, Fraction) or other.kind not in ("number", "quantity"):
            continue
        is_factor = any(token.word in times for token in found.reply.tokens[last - 1 : last + 1])
        if is_factor and other.value * 100 == fact.value:
            return first
    return None


def _ordinal(found: Matching, fact: Fact) -> int | None:
    """Where a number stands in the reply as an ordinal: "level 3" as "the third level"."""
    if fact.kind != "number":
        return None
    for other in facts_of(found.reply.text, found.reply.language):
        if other.kind == "ordinal" and other.value == fact.value:
            return next((at for at, token in enumerate(found.reply.tokens) if token.end > other.start), None)
    return None


# What can hardly be said in other words.
_EXACT_KINDS = frozenset(("id", "money", "phone", "email", "url", "percent", "version"))


def _check_facts(found: Matching) -> Iterator[Finding]:
    golden, reply = found.golden, found.reply
    # A reply that has no fact and hardly a word of its own does not give a value in other words.
    is_bare = len(found.used_facts) == len(reply.facts) and _spare_anywhere(found) <= 1
    for number, fact in enumerate(golden.facts):
        first, last = golden.fact_tokens[number]
        if golden.tokens[first].sentence in golden.courtesies or found.facts.get(number):
            continue
        if all(found.has(at) for at in range(first, last) if golden.tokens[at].is_content):
            continue
        other = _rival(found, number)
        if other is not None:
            theirs = reply.fact_tokens[other]
            sentence = said.REPLY_GIVES_WHERE_GOLDEN_SAYS.format(
                reply=written(reply, *theirs), golden=written(golden, first, last)
            )
            quote = sentence_at(reply, theirs[0])
            is_sure = (
                not _is_soft(fact)
                and fact.kind == reply.facts[other].kind
                and _is_about(found, golden.tokens[first].sentence, reply.tokens[theirs[0]].sentence)
            )
            yield Finding("contradicted", "facts", sentence, first, last, quote, is_sure=is_sure, weight=4.0)
        elif not _is_soft(fact):
            text = _KINDS.get(fact.kind, said.GIVES_NO_VALUE)
            sentence = text.format(golden=written(golden, first, last))
            is_sure = not _may_stand(found, fact) and (fact.kind in _EXACT_KINDS or is_bare)
            yield Finding("not_said", "facts", sentence, first, last, is_sure=is_sure, weight=3.0)


def _may_stand(found: Matching, fact: Fact) -> bool:
    """Whether the digits of a fact stand in the reply after all, where they were read as something else."""
    digits = set(digits_of(fact))
    there = {run for other in found.reply.facts for run in digits_of(other)}
    return bool(digits) and digits <= there


def _rival(found: Matching, number: int) -> int | None:
    """A fact of the reply that is of the same kind as one of the golden, and answers to nothing else there."""
    golden, reply = found.golden, found.reply
    fact = golden.facts[number]
    first = golden.fact_tokens[number][0]
    rivals = []
    for at, other in enumerate(reply.facts):
        if at in found.used_facts or not _are_of_one_kind(fact, other) or fact.text == other.text:
            continue
        if fact.kind == "number" and _is_soft(fact) and not _count_the_same(found, number, at):
            continue
        sentence = reply.tokens[reply.fact_tokens[at][0]].sentence
        shared = _shared(found, golden.tokens[first].sentence, sentence)
        rivals.append((fact.kind == other.kind, shared, -at, at))
    return max(rivals)[3] if rivals else None


def _count_the_same(found: Matching, number: int, other: int) -> bool:
    """Whether the same word follows a number in both texts: "one tablet", "two tablets"."""
    mine, theirs = found.golden.fact_tokens[number][1], found.reply.fact_tokens[other][1]
    if mine >= len(found.golden.tokens) or theirs >= len(found.reply.tokens):
        return False
    return theirs in found.words.get(mine, ())


def _are_of_one_kind(a: Fact, b: Fact) -> bool:
    kinds = {a.kind, b.kind}
    if kinds <= {"relative", "recurrence"}:
        # "Tonight" and "today" are no two days, and "daily" is not another number of times than "twice a day".
        return isinstance(a.value, tuple) and isinstance(b.value, tuple) and a.value[0] == b.value[0]
    if a.kind == b.kind:
        return a.kind not in ("quantity", "money") or a.kind == "money" or a.unit == b.unit or _is_length_of_time(a, b)
    return kinds in (
        {"date", "datetime"},
        {"date", "weekday"},
        {"date", "period"},
        {"id", "number"},
        {"quantity", "number"},
    ) or ("range" in (a.bound, b.bound) and kinds <= {"time", "quantity"})


def _is_length_of_time(a: Fact, b: Fact) -> bool:
    times = {"duration", "months", "working days"}
    return a.unit in times and b.unit in times


def _shared(found: Matching, mine: int, theirs: int) -> float:
    """How much of a sentence of the golden stands in one of the reply."""
    total = 0.0
    for at, token in enumerate(found.golden.tokens):
        if token.sentence != mine or not token.is_content:
            continue
        if any(found.reply.tokens[place].sentence == theirs for place in found.words.get(at, ())):
            total += token.weight
    return total


def _is_about(found: Matching, mine: int, theirs: int) -> bool:
    return _shared(found, mine, theirs) >= 1.0


_SAME = frozenset(("same", "mismo", "misma", "mesmo", "mesma"))


def _excuse(found: Matching) -> None:
    """Link facts that the reply gives in words that are no fact of their own."""
    for number, fact in enumerate(found.golden.facts):
        if found.facts.get(number):
            continue
        for excuse in (_same_period, _nth_quarter, _factor, _ordinal):
            if (place := excuse(found, fact)) is not None:
                for at in range(*found.golden.fact_tokens[number]):
                    found.words.setdefault(at, set()).add(place)
                found.used.add(place)
                if (theirs := found.reply.tokens[place].fact) >= 0:
                    found.used_facts.add(theirs)
                break


def _same_period(found: Matching, fact: Fact) -> int | None:
    """Where a period stands in the reply as "the same quarter of 2023"."""
    if fact.kind not in ("period", "date") or not any(token.word in _SAME for token in found.reply.tokens):
        return None
    years = {digits for digits in digits_of(fact) if len(digits) == 4}
    for at, other in enumerate(found.reply.facts):
        if years & set(digits_of(other)):
            return found.reply.fact_tokens[at][0]
    return None


def _check_charges(found: Matching) -> Iterator[Finding]:
    """Yield each thing that is free in the golden and has a price in the reply."""
    golden, reply = found.golden, found.reply
    free, freed = words("free", golden.language), words("free", reply.language)
    for at, token in enumerate(golden.tokens):
        if token.word not in free or token.sentence in golden.courtesies or found.has(at):
            continue
        for number, fact in enumerate(reply.facts):
            place = reply.fact_tokens[number][0]
            sentence = reply.tokens[place].sentence
            if number in found.used_facts or fact.kind != "money" or fact.value == 0:
                continue
            if not _is_about(found, token.sentence, sentence):
                continue
            if any(one.word in freed for one in reply.tokens if one.sentence == sentence):
                continue
            text = said.GOLDEN_SAYS_REPLY_ASKS.format(
                golden=token.written, reply=written(reply, *reply.fact_tokens[number])
            )
            yield Finding("contradicted", "facts", text, at, at + 1, sentence_at(reply, place), weight=2.0)
            return
        yield from _check_charged(found, at)


def _check_charged(found: Matching, at: int) -> Iterator[Finding]:
    """Yield what is free in the golden where the reply says of it that it is charged, with no amount."""
    golden, reply = found.golden, found.reply
    freed, charge = words("free", reply.language), words("charge", reply.language)
    token = golden.tokens[at]
    if token.is_denied or any(one.word in words("charge", golden.language) for one in golden.tokens):
        return
    for place, other in enumerate(reply.tokens):
        if other.word not in charge or other.is_denied or not _is_about(found, token.sentence, other.sentence):
            continue
        told = [one.word for one in reply.tokens if one.sentence == other.sentence]
        if not set(told) & (freed | words("negators", reply.language)):
            text = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(reply=other.written, golden=token.written)
            yield Finding("contradicted", "contrast", text, at, at + 1, sentence_at(reply, place), weight=2.0)
            return


_WAY = {">": said.UP_AND_DOWN, "<": said.DOWN_AND_UP}


def _check_ways(found: Matching) -> Iterator[Finding]:
    """Yield each number that went up in the golden and down in the reply, or the reverse."""
    golden, reply = found.golden, found.reply
    ways = {at: way_of(reply, at) for at in found.used_facts}
    for number, fact in enumerate(golden.facts):
        if fact.kind not in ("percent", "money", "number", "quantity"):
            continue
        mine = way_of(golden, number)
        theirs = [(at, ways[at]) for at in found.facts.get(number, ()) if at in ways]
        if mine and theirs and all(way and way != mine for _, way in theirs):
            first, last = golden.fact_tokens[number]
            start = reply.fact_tokens[theirs[0][0]][0]
            value, quote = written(golden, first, last), sentence_at(reply, start)
            sentence = _WAY[mine].format(value=value)
            yield Finding("contradicted", "direction", sentence, first, last, quote, is_sure=True, weight=3.0)


_TARGETS = frozenset(("to", "a", "hasta", "al", "para", "ate"))


def _check_targets(found: Matching) -> Iterator[Finding]:
    """Yield each number that something moved by in the golden and to in the reply, or the reverse: "rose to 20 %"."""
    golden, reply = found.golden, found.reply
    if golden.language != reply.language:
        return
    for number, fact in enumerate(golden.facts):
        if fact.kind not in ("percent", "money", "number", "quantity"):
            continue
        mine = _target(golden, number)
        theirs = [(at, _target(reply, at)) for at in found.facts.get(number, ())]
        if mine is not None and theirs and all(one is not None and one != mine for _, one in theirs):
            first, last = golden.fact_tokens[number]
            start, end = reply.fact_tokens[theirs[0][0]]
            there, here = written(reply, max(0, start - 2), end), written(golden, max(0, first - 2), last)
            sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS_ONE.format(there=there, here=here)
            yield Finding("contradicted", "direction", sentence, first, last, sentence_at(reply, start), weight=2.5)


def _target(reading: Reading, number: int) -> bool | None:
    """Whether a number is what something rose or fell to; None where right before it nothing rises or falls."""
    first = reading.fact_tokens[number][0]
    before = [token.word for token in reading.tokens[max(0, first - 2) : first] if token.word not in ("$", "€", "£")]
    if not before or not set(before) & _moving(reading.language):
        return None
    if before[-1] in _TARGETS:
        return True
    return None if before[-1] in ("from", "de", "desde", "than", "que", "do", "da", "del") else False


def _check_mentions(found: Matching) -> Iterator[Finding]:
    """Yield each value of a sentence that the reply gives elsewhere, while the same sentence there has another.

    "Return it before May 9. You joined before May 9." beside "Return it before June 9. You joined before May 9."
    """
    golden, reply = found.golden, found.reply
    for number, fact in enumerate(golden.facts):
        theirs = found.facts.get(number, ())
        if not theirs or _is_soft(fact) or not _stands_twice(golden, number):
            continue
        first, last = golden.fact_tokens[number]
        answer = _topic(found, number)
        if answer is None:
            continue
        there = [at for at in theirs if reply.tokens[reply.fact_tokens[at][0]].sentence == answer]
        if there:
            mine = bounds_of(golden, number)
            if mine and all(bounds_of(reply, at) not in ("", mine) for at in there):
                start, end = reply.fact_tokens[there[0]]
                sentence = said.GOLDEN_SAYS_REPLY_OTHER_SIDE.format(
                    golden=written(golden, max(0, first - 2), last), reply=written(reply, max(0, start - 2), end)
                )
                yield Finding("contradicted", "bound", sentence, first, last, sentence_at(reply, start), weight=2.5)
            continue
        rivals = [
            at
            for at, other in enumerate(reply.facts)
            if at not in found.used_facts
            and other.kind == fact.kind
            and _are_of_one_kind(fact, other)
            and reply.tokens[reply.fact_tokens[at][0]].sentence == answer
        ]
        if rivals:
            rival = reply.fact_tokens[rivals[0]]
            sentence = said.REPLY_GIVES_WHERE_GOLDEN_SAYS.format(
                reply=written(reply, *rival), golden=written(golden, first, last)
            )
            yield Finding("contradicted", "facts", sentence, first, last, sentence_at(reply, rival[0]), weight=3.5)


def _stands_twice(reading: Reading, number: int) -> bool:
    fact, sentence = reading.facts[number], reading.tokens[reading.fact_tokens[number][0]].sentence
    return any(
        other.kind == fact.kind
        and other.value == fact.value
        and reading.tokens[reading.fact_tokens[at][0]].sentence != sentence
        for at, other in enumerate(reading.facts)
    )


def _topic(found: Matching, number: int) -> int | None:
    """The sentence of the reply that answers the one of a value, told by its words alone; None where none is ahead."""
    golden, reply = found.golden, found.reply
    sentence = golden.tokens[golden.fact_tokens[number][0]].sentence
    scores: dict[int, float] = {}
    for at, token in enumerate(golden.tokens):
        if token.sentence != sentence or not token.is_content or token.fact >= 0:
            continue
        for one in {reply.tokens[place].sentence for place in found.words.get(at, ())}:
            scores[one] = scores.get(one, 0.0) + token.weight
    ranked = sorted(scores.items(), key=lambda item: -item[1])
    if not ranked or ranked[0][1] < 1 or (len(ranked) > 1 and ranked[1][1] > 0.6 * ranked[0][1]):
        return None
    return ranked[0][0]


def _check_bounds(found: Matching) -> Iterator[Finding]:
    golden, reply = found.golden, found.reply
    bounds = {at: bounds_of(reply, at) for at in found.used_facts}
    for number, _fact in enumerate(golden.facts):
        mine = bounds_of(golden, number)
        theirs = [(at, bounds[at]) for at in found.facts.get(number, ()) if at in bounds]
        is_open = not mine and bool(theirs) and all(is_open_ended(reply, at) for at, _ in theirs)
        if is_open or (mine and theirs and all(bound and bound != mine for _, bound in theirs)):
            first, last = golden.fact_tokens[number]
            start, end = reply.fact_tokens[theirs[0][0]]
            sentence = said.GOLDEN_SAYS_REPLY_OTHER_SIDE.format(
                golden=written(golden, max(0, first - 2), last), reply=written(reply, max(0, start - 2), end)
            )
            if is_open:
                sentence = said.REPLY_PUTS_OR_MORE_OR.format(golden=written(golden, first, last))
            yield Finding("contradicted", "bound", sentence, first, last, sentence_at(reply, start), weight=2.5)


# -- names ---------------------------------------------------------------------------------------------------------


def _check_names(found: Matching, alike: Likeness) -> Iterator[Finding]:
    golden, reply = found.golden, found.reply
    unused = [
        (at, name)
        for at, name in enumerate(reply.names)
        if at not in found.used_names and not any(place in found.used for place in range(name.first, name.last))
    ]
    unused = [
        (at, name)
        for at, name in unused
        if not any(_are_of_one_root(word, own) for word in name.words for one in golden.names for own in one.words)
    ]
    partly = [name for at, name in enumerate(reply.names) if at not in found.used_names]
    for name in golden.names:
        if golden.tokens[name.first].sentence in golden.courtesies:
            continue
        if any(found.has(at) for at in range(name.first, name.last)):
            # "Maria Gomez" has one word of "Maria Lopez", and is somebody else.
            rival = next(
                (o for o in partly if len(o.words) > 1 and set(o.words) & set(name.words) and len(name.words) > 1), None
            )
            if rival is None or set(name.words) <= {token.word for token in reply.tokens}:
                continue
        elif any(_are_of_one_root(word, token.word) for word in name.words for token in reply.tokens):
            continue
        else:
            near = [
                o
                for _, o in unused
                if _is_about(found, golden.tokens[name.first].sentence, reply.tokens[o.first].sentence)
            ]
            rival = near[0] if near else None
        mine = written(golden, name.first, name.last)
        if rival is not None:
            sentence = said.REPLY_NAMES_WHERE_GOLDEN_NAMES.format(
                reply=written(reply, rival.first, rival.last), mine=mine
            )
            quote = sentence_at(reply, rival.first)
            is_sure = alike.are_alike(golden.tokens[name.first].sentence, reply.tokens[rival.first].sentence)
            yield Finding("contradicted", "names", sentence, name.first, name.last, quote, is_sure=is_sure, weight=3.5)
        else:
            sentence = said.REPLY_DOES_NOT_NAME.format(mine=mine)
            yield Finding("not_said", "names", sentence, name.first, name.last, is_sure=True, weight=2.5)


def _are_of_one_root(a: str, b: str) -> bool:
    """Whether one name is made from the other: "Europe", "European"."""
    shorter = min(len(a), len(b))
    return shorter >= 4 and a[: max(4, shorter - 1)] == b[: max(4, shorter - 1)]


def _check_siblings(found: Matching, alike: Likeness) -> Iterator[Finding]:
    """Yield each word that the reply replaces by one that excludes it: "savings" by "checking"."""
    for term, other in contrasted_pairs(found):
        mine, theirs = found.golden.tokens[term.first], found.reply.tokens[other.first]
        if mine.sentence in found.golden.courtesies or not _is_about(found, mine.sentence, theirs.sentence):
            continue
        if mine.fact >= 0 and found.facts.get(mine.fact):
            continue
        # Sentences that are not alike may tell of two things.
        is_other = is_said(found, term, other) or not are_told_apart(term.meaning, other.meaning)
        if is_other and not alike.are_alike(mine.sentence, theirs.sentence):
            continue
        sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(
            reply=written(found.reply, other.first, other.last), golden=written(found.golden, term.first, term.last)
        )
        quote = sentence_at(found.reply, other.first)
        yield Finding(
            "contradicted", "contrast", sentence, term.first, term.last, quote, is_sure=alike.is_copy, weight=2.0
        )


# -- coverage ------------------------------------------------------------------------------------------------------

_HALF = 0.5
_BARELY = 0.34
_MUCH = 2.0  # so much cannot be said without words
_VALUES_SAID = 0.4  # where a value of the claim is there, more of its words may be others
_EXPLAINED = 0.5  # so much of what is missing must the reply say in words of its own


def _check_coverage(
    found: Matching,
    alike: Likeness,
    opposed: dict[int, set[int]],
    place: tuple[int, int],
    is_near: Callable[[], bool],
) -> list[Finding]:
    """What of a claim the reply has no words for, where that is too much to be said otherwise.

    ``place`` are the claim's tokens in the golden; ``is_near`` asks the embedding, where there is one.
    """
    golden, (first, last) = found.golden, place
    tokens = [(at, token) for at, token in enumerate(golden.tokens[first:last], first) if token.is_content]
    missing = [
        (at, token)
        for at, token in tokens
        if not found.has(at)
        and not _is_turned(found, opposed, at)
        and not (token.fact >= 0 and golden.facts[token.fact].kind == "number" and _is_soft(golden.facts[token.fact]))
    ]
    whole = sum(token.weight for _, token in tokens)
    lost = sum(token.weight for _, token in missing)
    if not lost:
        return []
    share = 1 - lost / whole
    spare = _spare(found, first, last)
    gap = _gap(found, first, last)
    if alike.is_copy and golden.tokens[tokens[0][0]].sentence in alike.unanswered and spare < lost:
        sentence = said.REPLY_REPEATS_GOLDEN_WITHOUT.format(golden=written(golden, first, last))
        is_sure = lost >= _MUCH and _spare_anywhere(found) <= 0.5
        return [Finding("not_said", "coverage", sentence, missing[0][0], missing[-1][0] + 1, is_sure=is_sure)]
    if _is_only_lost(found, missing, first, last):
        sentence = said.REPLY_HAS_NOTHING_FOR.format(words=missing[0][1].written)
        return [Finding("not_said", "coverage", sentence, missing[0][0], missing[-1][0] + 1)]
    has_facts = any(token.fact >= 0 for _, token in tokens)
    if gap is None or spare >= _EXPLAINED * _weight(golden, *gap):
        if share >= (_VALUES_SAID if has_facts else _HALF) and (
            lost <= 1 or not alike.is_copy or spare >= _EXPLAINED * lost
        ):
            return []
        if share >= _BARELY and spare >= _EXPLAINED * lost and not alike.is_copy:
            return []
    if share >= _BARELY and is_near():
        return []
    if share == 0:
        sentence = said.NOTHING_REPLY_SPEAKS
    else:
        listed = ", ".join(dict.fromkeys(token.written for _, token in missing))[:80]
        sentence = said.REPLY_HAS_NOTHING_FOR.format(words=listed)
    own = _spare_anywhere(found)
    # A word that nothing explains may say it otherwise: "an adult" for "somebody of age".
    is_sure = (share == 0 and own < min(1, 0.5 * lost)) or (alike.is_copy and own <= 0.5 and lost >= _MUCH)
    return [Finding("not_said", "coverage", sentence, missing[0][0], missing[-1][0] + 1, is_sure=is_sure)]


def _is_only_lost(found: Matching, missing: list[tuple[int, Token]], first: int, last: int) -> bool:
    """Whether a claim says of what alone something is true, and the reply neither says it nor anything like "only"."""
    golden, reply = found.golden, found.reply
    only = words("only", golden.language)
    places = [at for at in range(first, last) if golden.tokens[at].word in only]
    if not places or any(token.word in words("restricting", reply.language) for token in reply.tokens):
        return False
    clause = golden.tokens[places[0]].clause
    return any(at > places[0] and token.clause == clause and token.weight >= 1 for at, token in missing)


def _is_turned(found: Matching, opposed: dict[int, set[int]], at: int) -> bool:
    """Whether the reply says a word by denying its contrary: "denied" as "not approved"."""
    mine = found.golden.tokens[at].is_denied
    return any(found.reply.tokens[place].is_denied != mine for place in opposed.get(at, ()))


def _weight(reading: Reading, first: int, last: int) -> float:
    return sum(token.weight for token in reading.tokens[first:last])


_PHRASE = 1.5


def _gap(found: Matching, first: int, last: int) -> tuple[int, int] | None:
    """The heaviest run of content words, with no grammar between them, of which the reply has none: "bad weather"."""
    best: tuple[float, int, int] | None = None
    at = first
    while at < last:
        end = at
        while end < last and found.golden.tokens[end].is_content and not found.has(end):
            end += 1
        # Beside a word that is there, it is only a part of the phrase. A whole clause may be one word.
        is_whole = not _is_content_at(found, at - 1) and not _is_content_at(found, end)
        weight = _weight(found.golden, at, end)
        telling = sum(token.weight >= 1 for token in found.golden.tokens[at:end])
        if telling > 1 and is_whole and weight >= _PHRASE and (best is None or weight > best[0]):
            best = weight, at, end
        at = max(end, at + 1)
    finite = words("finite", found.golden.language)
    for clause in found.golden.clauses:
        start, stop = max(first, clause.first), min(last, clause.last)
        content = [at for at in range(start, stop) if found.golden.tokens[at].is_content]
        weight = sum(found.golden.tokens[at].weight for at in content)
        is_clause = sum(found.golden.tokens[at].fact < 0 for at in content) > 1 or any(
            found.golden.tokens[at].word in finite for at in range(start, stop)
        )
        if (
            weight >= 1
            and is_clause
            and not any(found.has(at) for at in content)
            and (best is None or weight > best[0])
        ):
            best = weight, content[0], content[-1] + 1
    return (best[1], best[2]) if best else None


def _check_denials(found: Matching, opposed: dict[int, set[int]], first: int, last: int) -> list[Finding]:
    """What a claim denies, where the reply neither denies it nor says the contrary of it."""
    golden, reply = found.golden, found.reply
    denying = {at for at, _ in found.denying}
    if any(
        (clause.negations + clause.lacks) % 2 for clause in reply.clauses if clause.sentence not in reply.courtesies
    ):
        return []
    for clause in golden.clauses:
        start, stop = max(first, clause.first), min(last, clause.last)
        if (
            start >= stop
            or (clause.negations - clause.implied + clause.lacks) % 2 == 0
            or any(at in denying for at in range(start, stop))
        ):
            continue
        content = [at for at in range(start, stop) if golden.tokens[at].is_content]
        if all(found.has(at) for at in content) or any(at in opposed for at in content):
            continue
        if _spare(found, first, last) >= 1:
            continue  # it may be that in other words
        listed = [token.word for token in reply.tokens]
        if any(not is_amount_bound(listed, at) for at in matches_phrase(listed, "excepting", reply.language)):
            continue  # "all but members" is "members do not"
        sentence = said.REPLY_DOES_NOT_DENY_WHAT.format(golden=written(golden, start, stop))
        return [Finding("not_said", "denial", sentence, start, stop)]
    return []


def _is_content_at(found: Matching, at: int) -> bool:
    return 0 <= at < len(found.golden.tokens) and found.golden.tokens[at].is_content


_NEAR = 0.9


def _spare(found: Matching, first: int, last: int) -> float:
    """The content of the reply, near what answers a claim, that nothing in the golden explains."""
    answering = {
        found.reply.tokens[place].sentence
        for at in range(first, last)
        for place in found.words.get(at, ())
        if found.golden.tokens[at].is_content
    }
    return sum(
        token.weight
        for at, token in enumerate(found.reply.tokens)
        if at not in found.used and token.is_content and token.fact < 0 and token.sentence in answering
    )


def _spare_anywhere(found: Matching) -> float:
    return sum(token.weight for at, token in enumerate(found.reply.tokens) if at not in found.used and token.is_content)


# -- what is nowhere upstream --------------------------------------------------------------------------------------

_SMALL = range(11)


def unknown_facts(reply: str, *, seen: Iterable[str], language: str = "") -> tuple[Span, ...]:
    """Where a reply gives numbers or ids that stand in none of the texts seen before it.

    Equal is by value ("$1,200" is "1200 dollars"); whole numbers from 0 to 10 are left out. Spans are characters of the
    reply, in order. Never raises.
    """
    known: set[object] = set()
    for text in seen:
        for fact in facts_of(text[:LONGEST], language):
            known |= _values(fact)
    unknown = []
    for fact in facts_of(reply[:LONGEST], language):
        if fact.kind in ("boolean", "ordinal", "relative", "recurrence", "weekday", "code"):
            continue
        values = _values(fact)
        if values and not values & known and not _is_small(fact):
            unknown.append(Span(fact.start, fact.end))
    return tuple(unknown)


def _values(fact: Fact) -> set[object]:
    found: set[object] = {(reading.kind, reading.value) for reading in fact.readings}
    for reading in fact.readings:
        if reading.kind in ("number", "money", "percent") and not isinstance(reading.value, tuple):
            found.add(("amount", reading.value))
        if reading.kind == "date" and isinstance(reading.value, tuple):
            found.add(("day", reading.value[1:]))
    found.add(("digits", digits_of(fact)))
    return found


def _is_small(fact: Fact) -> bool:
    digits = digits_of(fact)
    return (
        fact.kind in ("number", "quantity")
        and len(digits) <= 1
        and all(int(one) in _SMALL for one in digits if one.isdecimal())
    )
