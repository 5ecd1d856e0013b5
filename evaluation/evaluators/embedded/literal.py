"""Replies that repeat the golden nearly to the word: what stands in place of a phrase there, or is cut out of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.findings import Finding, written
from evaluation.evaluators.embedded.matching import Matching
from evaluation.evaluators.embedded.reading import Reading
from evaluation.evaluators.embedded.replywords import relations, words

_COPIED = 0.75  # of the golden's tokens, the same in the same order: the reply repeats, it does not reword
_NEAR = 0.55  # of both sentences: they are one sentence with something changed
_MOST_TOKENS = 120

Item = tuple[int, int]  # first and last token (exclusive): one word, or one fact


@dataclass(frozen=True, slots=True)
class Likeness:
    """How far a reply repeats the golden to the word; for each sentence of the golden the one most like it.

    ``copied`` is the share of the golden, or of the reply where that is more, that stands in the other to the word.
    ``unanswered`` are sentences of the golden whose likest sentence is more like another one of the golden, or that
    have none.
    """

    pairs: tuple[tuple[int, int, float], ...]
    copied: float
    unanswered: frozenset[int] = frozenset()

    @property
    def is_copy(self) -> bool:
        return self.copied >= _COPIED

    def of(self, number: int) -> float:
        """How like a sentence of the golden the likest of the reply is, from 0 to 1."""
        return next((ratio for mine, _, ratio in self.pairs if mine == number), 0.0)

    def is_close(self, mine: int, theirs: int) -> bool:
        """Whether a sentence of the reply repeats one of the golden but for a word or two."""
        return any(pair[:2] == (mine, theirs) and pair[2] >= _COPIED for pair in self.pairs)

    def are_alike(self, mine: int, theirs: int) -> bool:
        """Whether a sentence of the golden and one of the reply are one sentence with something changed."""
        return any(pair[:2] == (mine, theirs) and pair[2] >= _NEAR for pair in self.pairs)


def likeness(found: Matching) -> Likeness:
    """Compare a golden with a reply sentence by sentence."""
    golden, reply = found.golden, found.reply
    mine, theirs = _by_sentence(golden), _by_sentence(reply)
    keys = {
        number: [_key(reply, item) for item in items]
        for number, items in theirs.items()
        if number not in reply.courtesies
    }
    pairs, same, whole = [], 0, 0
    answered: dict[int, tuple[float, int]] = {}
    for number, items in mine.items():
        if number in golden.courtesies:
            continue
        own = [_key(golden, item) for item in items][:_MOST_TOKENS]
        best, ratio, blocks = -1, 0.0, 0
        for other, their in keys.items():
            shared = len(set(own) & set(their))
            if shared * 3 < min(len(set(own)), len(set(their))):
                continue
            if own == their:
                best, ratio, blocks = other, 1.0, len(own)
                break
            matcher = SequenceMatcher(None, own, their[:_MOST_TOKENS], autojunk=False)
            if (same_part := matcher.ratio()) > ratio:
                best, ratio = other, same_part
                # A lone word is the same by chance, unless nearly all are.
                least = 1 if ratio >= _COPIED or len(own) < 4 else 2
                blocks = sum(block.size for block in matcher.get_matching_blocks() if block.size >= least)
        whole += len(own)
        same += blocks
        if best >= 0:
            pairs.append((number, best, ratio))
            answered[best] = max(answered.get(best, (0.0, -1)), (ratio, number))
    there = sum(len(their) for their in keys.values())
    copied = max(same / whole if whole else 0.0, same / there if there else 0.0)
    left = frozenset(mine) - golden.courtesies - {number for _, number in answered.values()}
    return Likeness(tuple(pairs), copied, left)


def _by_sentence(reading: Reading) -> dict[int, list[Item]]:
    found: dict[int, list[Item]] = {}
    at = 0
    while at < len(reading.tokens):
        token = reading.tokens[at]
        last = at + 1
        if token.fact >= 0:
            last = max(last, reading.fact_tokens[token.fact][1])
        if token.fact >= 0 or token.word[0].isalnum() or token.word == "'s":
            found.setdefault(token.sentence, []).append((at, last))
        at = last
    return found


def _key(reading: Reading, item: Item) -> object:
    token = reading.tokens[item[0]]
    if token.fact >= 0:
        fact = reading.facts[token.fact]
        return fact.kind, fact.value, fact.unit, fact.bound
    return token.word


def _keys(reading: Reading, items: list[Item]) -> list[object]:
    return [_key(reading, item) for item in items]


def check_literal(found: Matching, alike: Likeness) -> Iterator[Finding]:
    """Yield what differs between sentences that are otherwise the same."""
    golden, reply = found.golden, found.reply
    mine, theirs = _by_sentence(golden), _by_sentence(reply)
    changed: list[tuple[list[Item], list[Item]]] = []
    for number, other, ratio in alike.pairs:
        if ratio < _NEAR:
            continue
        a, b = mine[number][:_MOST_TOKENS], theirs[other][:_MOST_TOKENS]
        matcher = SequenceMatcher(
            None, [_key(golden, item) for item in a], [_key(reply, item) for item in b], autojunk=False
        )
        for kind, a1, a2, b1, b2 in matcher.get_opcodes():
            if kind == "equal":
                continue
            if alike.is_copy or _same_voice(found, number, other):
                changed.append((a[a1:a2], b[b1:b2]))
            finding = _change(found, a[a1:a2], b[b1:b2], (number, other), is_near=alike.is_copy)
            if finding:
                yield finding
    yield from _exchanged(found, changed)


_BY = frozenset(("by", "por", "pelo", "pela", "pelos", "pelas"))


def _same_voice(found: Matching, number: int, other: int) -> bool:
    """Whether two sentences have as many words that turn doer and done-to round ("replaced by")."""
    mine = sum(token.word in _BY for token in found.golden.tokens if token.sentence == number)
    return mine == sum(token.word in _BY for token in found.reply.tokens if token.sentence == other)


def _exchanged(found: Matching, changed: list[tuple[list[Item], list[Item]]]) -> Iterator[Finding]:
    """Yield each two words that stand in each other's place in a copy: "iron low, vitamins normal"."""
    golden, reply = found.golden, found.reply
    replaced = [(a, b) for a, b in changed if a and b and any(golden.tokens[first].is_content for first, _ in a)]
    for at, (a, b) in enumerate(replaced):
        for c, d in replaced[at + 1 :]:
            if _has(golden, a, reply, d) and _has(golden, c, reply, b):
                if _is_list(found, a[-1], c[0]):
                    continue
                one, other = written(golden, a[0][0], a[-1][1]), written(golden, c[0][0], c[-1][1])
                sentence = said.HAVE_CHANGED_PLACES_REPLY.format(one=one, other=other)
                quote = reply.sentences[reply.tokens[b[0][0]].sentence]
                yield Finding("contradicted", "binding", sentence, a[0][0], c[-1][1], quote, is_sure=True, weight=2.5)


def _has(golden: Reading, mine: list[Item], reply: Reading, theirs: list[Item]) -> bool:
    """Whether one run has all the content of the other: "leads approve", "leads"."""
    if _keys(golden, mine) == _keys(reply, theirs):
        return True
    here, there = _content(golden, mine), _content(reply, theirs)
    return bool(here and there) and (here <= there or there <= here)


def _content(reading: Reading, items: list[Item]) -> set[object]:
    return {
        _key(reading, item) if reading.tokens[item[0]].fact >= 0 else reading.tokens[item[0]].stem
        for item in items
        if reading.tokens[item[0]].is_content
    }


def _is_list(found: Matching, a: Item, b: Item) -> bool:
    """Whether only commas, "and" and "or" stand between: "CSV and JSON" may be told in any order."""
    between = found.golden.tokens[a[1] : b[0]]
    joints = words("and", found.golden.language) | {",", "or", "o", "ou", "/", "u"}
    return all(token.word in joints for token in between)


def _change(
    found: Matching, mine: list[Item], theirs: list[Item], pair: tuple[int, int], *, is_near: bool
) -> Finding | None:
    """What follows from one difference between a sentence of the golden and one of the reply, ``pair``."""
    number, other = pair
    golden, reply = found.golden, found.reply
    # What stands in another sentence does not count: "up 12 %" is not said by a region that "grew".
    lost = [
        at
        for first, last in mine
        for at in range(first, last)
        if golden.tokens[at].is_content
        and not any(reply.tokens[place].sentence == other for place in found.words.get(at, ()))
    ]
    # What stands in a copy for another word does not stand for this one too.
    mine_at = {at for first, last in mine for at in range(first, last)}
    theirs_at = {at for first, last in theirs for at in range(first, last)}
    if is_near:
        taken = {
            place
            for at, token in enumerate(golden.tokens)
            if token.sentence == number and at not in mine_at
            for place in found.words.get(at, ())
            if reply.tokens[place].word == token.word and place not in theirs_at
        }
        lost += [
            at
            for at in sorted(mine_at - set(lost))
            if golden.tokens[at].is_content
            and all(place in taken or reply.tokens[place].sentence != other for place in found.words.get(at, ()))
        ]
        lost.sort()
    explained = {
        place for at, places in found.words.items() if golden.tokens[at].sentence == number for place in places
    }
    new = [
        at for first, last in theirs for at in range(first, last) if reply.tokens[at].is_content and at not in explained
    ]
    lost_weight = sum(golden.tokens[at].weight for at in lost)
    new_weight = sum(reply.tokens[at].weight for at in new)
    quote = reply.sentences[reply.tokens[theirs[0][0]].sentence] if theirs else None
    if is_near and (relation := _relation(found, mine, theirs)):
        return relation
    if lost and new and lost_weight >= 0.5 and new_weight >= 0.5 and is_near:
        first, last = mine[0][0], mine[-1][1]
        sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(
            reply=written(reply, theirs[0][0], theirs[-1][1]), golden=written(golden, first, last)
        )
        return Finding("contradicted", "phrase", sentence, first, last, quote, weight=1.2)
    persons = words("persons", reply.language)
    if lost and not new and is_near and any(reply.tokens[at].word in persons for at, _ in theirs):
        first, last = mine[0][0], mine[-1][1]
        sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(
            reply=written(reply, theirs[0][0], theirs[-1][1]), golden=written(golden, first, last)
        )
        return Finding("contradicted", "phrase", sentence, first, last, quote, weight=1.2)
    # The charge for what is free may be left out: "the installation fee is waived".
    free, charge = words("free", golden.language), words("charge", golden.language)
    is_free = any(token.word in free for token in golden.tokens if token.sentence == number)
    if is_free and all(golden.tokens[at].word in charge for at in lost):
        return None
    if lost and not new and lost_weight >= 1 and is_near and not theirs:
        first, last = lost[0], lost[-1] + 1
        sentence = said.REPLY_LEAVES_OUT.format(golden=written(golden, mine[0][0], mine[-1][1]))
        return Finding("not_said", "phrase", sentence, first, last, None, weight=1.1)
    if new and not lost and is_near:
        weakening = words("restrictors", reply.language)
        for at in new:
            if reply.tokens[at].word in weakening:
                anchor = mine[0][0] if mine else _anchor(found, at)
                sentence = said.REPLY_PUTS_BEFORE_WHAT_GOLDEN.format(reply=reply.tokens[at].written)
                return Finding("contradicted", "restriction", sentence, anchor, anchor + 1, quote, weight=1.3)
    return None


def _relation(found: Matching, mine: list[Item], theirs: list[Item]) -> Finding | None:
    """A small word of the golden in whose place another of its family stands: "after" by "during"."""
    golden, reply = found.golden, found.reply
    if golden.language != reply.language or len(mine) > 3 or len(theirs) > 3:
        return None
    for family in relations(golden.language):
        here = {family[golden.tokens[first].word] for first, _ in mine if golden.tokens[first].word in family}
        there = {family[reply.tokens[first].word] for first, _ in theirs if reply.tokens[first].word in family}
        if here and there and here.isdisjoint(there):
            first, last = mine[0][0], mine[-1][1]
            sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(
                reply=written(reply, theirs[0][0], theirs[-1][1]), golden=written(golden, first, last)
            )
            quote = reply.sentences[reply.tokens[theirs[0][0]].sentence]
            return Finding("contradicted", "relation", sentence, first, last, quote, is_sure=True, weight=2.0)
    return None


def _anchor(found: Matching, at: int) -> int:
    """The golden's token that stands where the reply put a word in."""
    for place in range(at + 1, len(found.reply.tokens)):
        for mine, theirs in found.words.items():
            if place in theirs:
                return mine
    return 0


# -- in any wording ------------------------------------------------------------------------------------------------

_REACH = 4


def check_relations(found: Matching) -> Iterator[Finding]:
    """Yield what is before something in the golden and after it in the reply."""
    golden, reply = found.golden, found.reply
    families = relations(golden.language)[:1], relations(reply.language)[:1]
    if golden.language != reply.language or not families[0]:
        return
    family, temporal = families[0][0], words("temporal", golden.language)
    for at, token in enumerate(golden.tokens):
        if token.word not in temporal or token.word not in family or token.fact >= 0:
            continue
        anchors = [
            one
            for one in range(at + 1, min(len(golden.tokens), at + 1 + _REACH))
            if golden.tokens[one].is_content
            and golden.tokens[one].fact < 0
            and golden.tokens[one].clause == token.clause
        ]
        for anchor in anchors[:1]:
            others = [_governor(reply, place, temporal) for place in found.words.get(anchor, ())]
            told = [one for one in others if one is not None]
            if (
                told
                and len(told) == len(others)
                and all(family[reply.tokens[one].word] != family[token.word] for one in told)
            ):
                sentence = said.GOLDEN_SAYS_REPLY_SAME.format(
                    golden=written(golden, at, anchor + 1), reply=reply.tokens[told[0]].written
                )
                quote = reply.sentences[reply.tokens[told[0]].sentence]
                yield Finding("contradicted", "relation", sentence, at, anchor + 1, quote, weight=2.0)


def _governor(reading: Reading, place: int, family: frozenset[str]) -> int | None:
    """The small word of some that stands shortly before a token, in its clause."""
    for at in range(place - 1, max(-1, place - 1 - _REACH), -1):
        token = reading.tokens[at]
        if token.clause != reading.tokens[place].clause:
            return None
        if token.word in family and token.fact < 0:
            return at
    return None


def check_complements(found: Matching) -> Iterator[Finding]:
    """Yield each thing of which the reply says another property: "the volume was full" for "… was read-only"."""
    golden, reply = found.golden, found.reply
    if golden.language != reply.language:
        return
    copulas = words("copulas", golden.language)
    for clause in golden.clauses:
        mine = _complement(golden, clause.first, clause.last, copulas)
        if mine is None or any(found.has(at) for at in mine[1]):
            continue
        for other in reply.clauses:
            theirs = _complement(reply, other.first, other.last, copulas)
            if other.negations % 2 != clause.negations % 2:
                continue
            if theirs is None or theirs[0] not in found.words.get(mine[0], ()):
                continue
            if reply.tokens[theirs[0]].stem != golden.tokens[mine[0]].stem or any(at in found.used for at in theirs[1]):
                continue
            sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(
                reply=written(reply, other.first, other.last), golden=written(golden, clause.first, clause.last)
            )
            quote = reply.sentences[other.sentence]
            yield Finding("contradicted", "phrase", sentence, mine[1][0], mine[1][-1] + 1, quote, weight=1.0)


def _complement(reading: Reading, first: int, last: int, copulas: frozenset[str]) -> tuple[int, list[int]] | None:
    """The noun right before a clause's only copula, and the content after it; None where a fact or name is there."""
    places = [at for at in range(first, last) if reading.tokens[at].word in copulas and reading.tokens[at].fact < 0]
    if len(places) != 1 or places[0] == first:
        return None
    noun, after = (
        reading.tokens[places[0] - 1],
        [at for at in range(places[0] + 1, last) if reading.tokens[at].is_content],
    )
    if not noun.is_content or noun.fact >= 0 or not 1 <= len(after) <= 2:
        return None
    if any(reading.tokens[at].fact >= 0 or reading.tokens[at].name >= 0 for at in after):
        return None
    return places[0] - 1, after


def _is_one_act(reading: Reading, at: int) -> bool:
    """Whether a word that may be a verb is a noun: "gets a call"."""
    return at > 0 and reading.tokens[at - 1].word in ("a", "an") and reading.language == "en"


def check_subjects(found: Matching) -> Iterator[Finding]:
    """Yield each value that the same verb says of another thing: "cancelling costs $50" for "changing costs $50"."""
    golden, reply = found.golden, found.reply
    if golden.language != reply.language:
        return
    for number in range(len(golden.facts)):
        mine = _subject(golden, number)
        if mine is None or len(found.facts.get(number, ())) != 1:
            continue
        other = found.facts[number][0]
        theirs = _subject(reply, other)
        if theirs is None or golden.tokens[mine[0]].stem != reply.tokens[theirs[0]].stem:
            continue
        lost = [at for at in mine[1] if not set(theirs[1]) & found.words.get(at, set())]
        new = [at for at in theirs[1] if not any(at in found.words.get(one, ()) for one in mine[1])]
        if lost and new and not any(place in found.used for place in new):
            sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(
                reply=written(reply, theirs[1][0], reply.fact_tokens[other][1]),
                golden=written(golden, mine[1][0], golden.fact_tokens[number][1]),
            )
            quote = reply.sentences[reply.tokens[theirs[0]].sentence]
            yield Finding("contradicted", "phrase", sentence, mine[1][0], mine[0] + 1, quote, weight=1.0)


def _subject(reading: Reading, number: int) -> tuple[int, list[int]] | None:
    """The verb shortly before a value, and the one to three words of its clause before it; None for "is"."""
    first = reading.fact_tokens[number][0]
    finite, copulas = words("finite", reading.language), words("copulas", reading.language)
    clause = reading.clauses[reading.tokens[first].clause]
    for verb in range(first - 1, max(clause.first, first - 3) - 1, -1):
        token = reading.tokens[verb]
        if token.word in finite and token.word not in copulas and token.is_content:
            before = [at for at in range(clause.first, verb) if reading.tokens[at].is_content]
            is_plain = all(reading.tokens[at].fact < 0 and reading.tokens[at].name < 0 for at in before)
            return (verb, before) if 1 <= len(before) <= 3 and is_plain else None
    return None


def check_doers(found: Matching) -> Iterator[Finding]:
    """Yield each verb before and after which the golden's neighbours have changed places: who pays whom."""
    golden, reply = found.golden, found.reply
    if golden.language != reply.language:
        return
    verbs = words("transitive", golden.language)
    for at, token in enumerate(golden.tokens):
        if token.word not in verbs or token.fact >= 0:
            continue
        mine = _neighbours(golden, at)
        if mine is None:
            continue
        before, after = (_places(found, run) for run in mine)
        for place in found.words.get(at, ()):
            if reply.tokens[place].word not in verbs or _is_one_act(golden, at) != _is_one_act(reply, place):
                continue
            theirs = _neighbours(reply, place)
            if theirs is None:
                continue
            head = _places(found, {min(mine[1])})
            is_straight = bool(before & theirs[0] or head & theirs[1])
            is_crossed = bool(before & theirs[1] and after & theirs[0])
            is_passive = _is_passive(golden, at), _is_passive(reply, place)
            if is_passive[0] != is_passive[1] and not (_by_after(golden, at) or _by_after(reply, place)):
                continue  # "the tax may be paid in parts", "you may pay the tax in parts"
            if _by_after(golden, at) != _by_after(reply, place):
                # "The strike caused the delay", "the delay was caused by the strike".
                is_same = reply.tokens[place].stem == token.stem
                is_straight, is_crossed = is_crossed or not is_same, bool(before & theirs[0] and after & theirs[1])
            if is_crossed and not is_straight:
                first, last = min(mine[0]), max(mine[1])
                sentence = said.WHO_COMES_BEFORE_AFTER_HAS.format(golden=token.written)
                quote = reply.sentences[reply.tokens[place].sentence]
                yield Finding("contradicted", "binding", sentence, first, last + 1, quote, weight=2.0)


def _is_passive(reading: Reading, verb: int) -> bool:
    """Whether a form of "be" stands shortly before a verb."""
    being = words("copulas", reading.language) | {"ser", "sido", "been", "being"}
    return any(token.word in being for token in reading.tokens[max(0, verb - 3) : verb])


def _places(found: Matching, run: set[int]) -> set[int]:
    return {place for at in run for place in found.words.get(at, ()) if found.reply.tokens[place].is_content}


def _neighbours(reading: Reading, verb: int) -> tuple[set[int], set[int]] | None:
    """The run of content words next before a verb in its clause, and the one next after it."""
    before, after = (_run(reading, verb, step) for step in (-1, 1))
    return (before, after) if before and after else None


def _run(reading: Reading, verb: int, step: int) -> set[int]:
    clause, found = reading.tokens[verb].clause, set[int]()
    for distance in range(1, _REACH + 1):
        at = verb + step * distance
        if not 0 <= at < len(reading.tokens):
            break
        if _is_noun(reading, at, clause):
            found.add(at)
        elif found:
            break
    return found


def _is_noun(reading: Reading, at: int, clause: int) -> bool:
    token = reading.tokens[at]
    return token.is_content and token.fact < 0 and token.clause == clause


def _by_after(reading: Reading, verb: int) -> bool:
    return any(token.word in _BY for token in reading.tokens[verb + 1 : verb + 3])
