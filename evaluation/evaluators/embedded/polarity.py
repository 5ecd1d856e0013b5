"""Whether a reply affirms what the golden affirms, and denies what it denies."""

from collections import defaultdict
from collections.abc import Iterator

from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.findings import Finding, sentence_at, written
from evaluation.evaluators.embedded.literal import Likeness
from evaluation.evaluators.embedded.matching import Matching, are_contrasted, are_opposed, denies
from evaluation.evaluators.embedded.reading import Clause, Reading, Term, Token, matches_phrase
from evaluation.evaluators.embedded.replywords import words

_OPPOSED = 2.0
_FOCUS = 1.0
_IN_SCOPE = 0.35
_BOTH_DENY = 6.0
_MUTUAL = 0.7
_MOST_CLAUSES = 12

Votes = tuple[float, tuple[int, int] | None]


def check_polarity(found: Matching, alike: Likeness) -> Iterator[Finding]:
    """Yield each clause of the golden whose negation, extent or modality is another in the reply."""
    opposed, about = opposed_pairs(found), _sentences_about(found)
    answers = {
        number: _answering(found, clause, opposed, about)
        for number, clause in enumerate(found.golden.clauses)
        if clause.sentence not in found.golden.courtesies
    }
    rivals = _Rivals()
    for number, told in answers.items():
        for at, (score, (against, _)) in told.items():
            rivals.add(number, found.golden.clauses[number].sentence, at, score, against)
    for number, all_answering in answers.items():
        clause = found.golden.clauses[number]
        answering = {
            at: told
            for at, told in all_answering.items()
            if told[0] >= _MUTUAL * rivals.best(at, clause.sentence)
            and not rivals.is_agreed(at, number, clause.sentence)
        }
        if not answering:
            continue
        best = max(score for score, _ in answering.values())
        top = max(answering, key=lambda at: answering[at][0])
        near = {
            at: votes
            for at, (score, votes) in answering.items()
            if score >= 0.6 * best or (votes[0] >= _FOCUS and _are_beside(found, at, top))
        }
        for at in sorted(near, key=lambda one: -answering[one][0])[:_MOST_CLAUSES]:
            against, culprit = near[at]
            if _is_of_another(found, clause, at, culprit):
                continue
            if _is_denied_elsewhere(found, all_answering, at, culprit):
                continue
            if against > 0 and not _is_agreed(found, near, at, culprit) and not _is_turned(found, clause, at):
                is_alike = alike.are_alike(clause.sentence, found.reply.clauses[at].sentence)
                # A denial may be told in other words; one that is there is there.
                is_denied = culprit is not None and found.reply.tokens[culprit[1]].is_denied
                is_lost = culprit is not None and not is_denied and found.golden.tokens[culprit[0]].is_denied
                is_told = alike.is_close(clause.sentence, found.reply.clauses[at].sentence) if is_lost else is_alike
                is_sure = against >= _FOCUS and (is_told or (is_denied and _is_all_there(found, clause, at, culprit)))
                yield _finding(found, clause, at, culprit, is_sure=is_sure)
                break
        else:
            yield from _check_flags(found, clause, top, answering[top][0], alike)


def _is_all_there(found: Matching, clause: Clause, at: int, culprit: tuple[int, int] | None) -> bool:
    """Whether one clause of the reply has all that one of the golden says but for what is denied, on no condition."""
    golden, reply = found.golden, found.reply
    other = reply.clauses[at]
    if culprit is None or (other.flags | clause.flags) & {"conditional", "possibility", "restrictors"}:
        return False
    if any(token.word in words("only", "") | words("until", "") for token in reply.tokens[other.first : other.last]):
        return False
    others = [one for one in range(clause.first, clause.last) if golden.tokens[one].is_content and one != culprit[0]]
    return any(golden.tokens[one].weight >= 1 for one in others) and all(
        any(reply.tokens[place].clause == at for place in found.words.get(one, ())) for one in others
    )


class _Rivals:
    """What other clauses of the golden have in the clauses of the reply.

    A clause of the reply that answers another clause of the golden better does not speak of this one.
    """

    def __init__(self) -> None:
        self._best: dict[int, list[tuple[float, int]]] = {}
        self._agreeing: dict[tuple[int, int], set[int]] = defaultdict(set)

    def add(self, number: int, sentence: int, at: int, score: float, against: float) -> None:
        if against < 0:
            self._agreeing[sentence, at].add(number)
        # The best two, of two sentences: one of them is of another sentence than the one asked about.
        listed = [one for one in self._best.get(at, ()) if one[1] != sentence or one[0] > score]
        if not any(one[1] == sentence for one in listed):
            listed.append((score, sentence))
        self._best[at] = sorted(listed, reverse=True)[:2]

    def best(self, at: int, sentence: int) -> float:
        """How much the best clause of another sentence of the golden shares with a clause of the reply."""
        return max((score for score, one in self._best.get(at, ()) if one != sentence), default=0.0)

    def is_agreed(self, at: int, number: int, sentence: int) -> bool:
        """Whether another clause of the same sentence says what the clause of the reply does."""
        return bool(self._agreeing.get((sentence, at), set()) - {number})


def _is_of_another(found: Matching, clause: Clause, at: int, culprit: tuple[int, int] | None) -> bool:
    """Whether a clause of the reply has nothing but the denied word in common, and its own instead: another thing."""
    if culprit is None or culprit[1] not in found.words.get(culprit[0], ()):
        return False
    golden, reply = found.golden, found.reply
    others = [one for one in range(clause.first, clause.last) if golden.tokens[one].weight >= 1 and one != culprit[0]]
    there = reply.clauses[at].sentence
    if not others or any(reply.tokens[place].sentence == there for one in others for place in found.words.get(one, ())):
        return False
    other = reply.clauses[at]
    return any(reply.tokens[one].is_content and one not in found.used for one in range(other.first, other.last))


def _are_beside(found: Matching, a: int, b: int) -> bool:
    """Whether two clauses of the reply are of one sentence."""
    return found.reply.clauses[a].sentence == found.reply.clauses[b].sentence


def _is_turned(found: Matching, clause: Clause, at: int) -> bool:
    """Whether one says "not … until" and the other "only … once", or "not included" and "charged extra"."""
    golden, reply = found.golden, found.reply
    there = reply.clauses[at].sentence
    mine = {token.word for token in golden.tokens if token.sentence == clause.sentence}
    theirs = {token.word for token in reply.tokens if token.sentence == there}
    only, until = words("only", ""), words("until", "")
    if (mine & until and theirs & only) or (mine & only and theirs & until):
        return True
    here = {token.word for token in golden.tokens[clause.first : clause.last]}
    other = reply.clauses[at]
    beside = {token.word for token in reply.tokens[other.first : other.last]}
    missing, needed = words("missing", ""), words("needed", "")
    if (here & missing and beside & needed) or (here & needed and beside & missing):
        return True
    stopping = words("stopping", "")
    if (here & stopping and not beside & stopping and other.negations % 2) or (
        beside & stopping and not here & stopping and clause.negations % 2
    ):
        return True
    # "Moved from room 4", "in the hall instead of room 4".
    if (here & _INSTEAD and beside & _FROM) or (beside & _INSTEAD and here & _FROM):
        return True
    free, charge = words("free", ""), words("charge", "")
    if (mine & free and clause.negations % 2 and beside & charge and not other.negations % 2) or (
        theirs & free and other.negations % 2 and here & charge and not clause.negations % 2
    ):
        return True
    if (_excepts(golden, clause) and other.negations % 2) or (_excepts(reply, other) and clause.negations % 2):
        return True
    apart, included = words("apart", ""), words("included", "")
    is_out = _leaves_out(golden.tokens[clause.first : clause.last], mine & included, included)
    is_out_there = _leaves_out(reply.tokens[other.first : other.last], theirs & included, included)
    return bool((is_out and theirs & apart and not is_out_there) or (is_out_there and mine & apart and not is_out))


_INSTEAD = frozenset(("instead", "rather", "lugar", "vez"))
_FROM = frozenset(("from", "de", "del", "desde", "da", "do"))


def _excepts(reading: Reading, clause: Clause) -> bool:
    """Whether a sentence excepts something: "all but members", which says that members do not."""
    listed = [token.word for token in reading.tokens if token.sentence == clause.sentence]
    return any(not is_amount_bound(listed, at) for at in matches_phrase(listed, "excepting", reading.language))


def is_amount_bound(listed: list[str], at: int) -> bool:
    """Whether a "menos" belongs to an amount: "al menos", "menos de"."""
    return listed[at] == "menos" and (
        listed[at + 1 : at + 2] in (["de"], ["que"]) or (at > 0 and listed[at - 1] in _BEFORE_LESS)
    )


_BEFORE_LESS = frozenset(("al", "lo", "pelo", "ao", "o", "mas", "mais", "ou", "%"))


def _leaves_out(tokens: list[Token], said: set[str], included: frozenset[str]) -> bool:
    """Whether a clause denies that something is included, which its sentence may say of another thing before."""
    own = [token for token in tokens if token.word in included]
    return any(token.is_denied for token in own) or (
        not own and bool(said) and any(token.is_denied for token in tokens)
    )


def _is_agreed(
    found: Matching, near: dict[int, tuple[float, tuple[int, int] | None]], at: int, culprit: tuple[int, int] | None
) -> bool:
    """Whether another clause of the reply, as near, says what one seems to deny."""
    for other, (votes, _) in near.items():
        if other == at:
            continue
        if votes < 0 or culprit is None:
            return True
        if votes == 0 and any(found.reply.tokens[place].clause == other for place in found.words.get(culprit[0], ())):
            return True
    return False


def _is_denied_elsewhere(
    found: Matching, answering: dict[int, tuple[float, Votes]], at: int, culprit: tuple[int, int] | None
) -> bool:
    """Whether what the golden denies is denied by another clause of the sentence: "two bases that are not restored"."""
    if culprit is None or not found.golden.tokens[culprit[0]].is_denied or found.reply.tokens[culprit[1]].is_denied:
        return False
    return any(
        votes < 0 and other != at and _are_beside(found, other, at) for other, (_, (votes, _)) in answering.items()
    )


def _answering(
    found: Matching, clause: Clause, opposed: dict[int, set[int]], about: dict[int, set[int]]
) -> dict[int, tuple[float, Votes]]:
    """By clause of the reply that speaks of the same: how much it shares, and how far it says the contrary."""
    golden, reply = found.golden, found.reply
    scores: dict[int, float] = defaultdict(float)
    votes: dict[int, float] = defaultdict(float)
    culprits: dict[int, tuple[int, int]] = {}
    for at in range(clause.first, clause.last):
        token = golden.tokens[at]
        if not token.is_content:
            continue
        seen: set[int] = set()
        for other_at in found.words.get(at, ()):
            other = reply.tokens[other_at]
            if other.sentence in reply.courtesies:
                continue
            if other.clause not in seen:
                seen.add(other.clause)
                scores[other.clause] += token.weight
            if token.fact >= 0 or token.name >= 0 or not other.is_content:
                continue
            if _is_denied_beside(found, at, other_at):
                continue
            if (at, other_at) in found.denying:
                votes[other.clause] -= _FOCUS
                continue
            vote = _vote(token.is_denied, other.is_denied, is_focus=token.is_focus or other.is_focus)
            votes[other.clause] += vote
            if vote > 0:
                culprits.setdefault(other.clause, (at, other_at))
    is_lone = sum(token.is_content for token in golden.tokens[clause.first : clause.last]) == 1
    topic = about.get(clause.sentence, set()) if is_lone else set()
    for at in range(clause.first, clause.last):
        token = golden.tokens[at]
        for other_at in opposed.get(at, ()):
            other = reply.tokens[other_at]
            if not other.is_content or (scores.get(other.clause, 0) <= 0 and not (is_lone and other.sentence in topic)):
                continue  # nothing else in the clause speaks of the same
            scores[other.clause] += token.weight
            is_contrary = token.is_denied == other.is_denied
            votes[other.clause] += _OPPOSED if is_contrary else -_OPPOSED
            if is_contrary:
                culprits[other.clause] = (at, other_at)
    for at in scores:
        if _is_implied_alike(found, clause, reply.clauses[at]):
            votes[at] = min(votes[at], 0.0)
        mine, theirs = clause.negations % 2, reply.clauses[at].negations % 2
        if mine and theirs:
            # What is denied may stand before or behind: "items cannot be exchanged", "exchanging them is not possible".
            votes[at] -= _BOTH_DENY
    return {at: (scores[at], (votes[at], culprits.get(at))) for at in scores}


def _is_implied_alike(found: Matching, clause: Clause, other: Clause) -> bool:
    """Whether a word with a "not" in it is said by a synonym that is known without one: "out of order", "broken"."""
    here = set(range(other.first, other.last))
    mine = clause.implied and clause.implied == clause.negations and not other.negations
    theirs = other.implied and other.implied == other.negations and not clause.negations
    if mine:
        return any(found.words.get(at, set()) & here for at in clause.implying)
    if theirs:
        return any(found.words.get(at, set()) & other.implying for at in range(clause.first, clause.last))
    return False


def _is_denied_beside(found: Matching, at: int, other_at: int) -> bool:
    """Whether what is denied is something that the other text does not speak of: "without changing the number"."""
    mine, theirs = found.golden.tokens[at], found.reply.tokens[other_at]
    return (theirs.head >= 0 and theirs.head != other_at and theirs.head not in found.used) or (
        mine.head >= 0 and mine.head != at and not found.has(mine.head)
    )


def _sentences_about(found: Matching) -> dict[int, set[int]]:
    """By sentence of the golden: the sentences of the reply that speak of the same."""
    weights: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for at, places in found.words.items():
        token = found.golden.tokens[at]
        for number in {found.reply.tokens[place].sentence for place in places}:
            weights[token.sentence][number] += token.weight
    return {mine: {one for one, weight in theirs.items() if weight >= 1} for mine, theirs in weights.items()}


def _vote(is_denied: bool, is_denied_there: bool, *, is_focus: bool) -> float:
    if not is_focus and not is_denied and not is_denied_there:
        return 0.0
    size = _FOCUS if is_focus else _IN_SCOPE
    if is_denied != is_denied_there:
        return size
    return -size if is_denied or is_focus else 0.0


def opposed_pairs(found: Matching) -> dict[int, set[int]]:
    """By token of the golden: tokens of the reply that mean the contrary, and stand where it does not."""
    pairs: dict[int, set[int]] = defaultdict(set)
    # Where the "not" is in the expression, it is counted as a denial already.
    mine = [term for term in found.golden.terms if term.meaning.opposites and not denies(found.golden, term)]
    theirs = [term for term in found.reply.terms if term.meaning.opposites and not denies(found.reply, term)]
    owned = _owned(found)
    for term in mine:
        for other in theirs:
            if (
                are_opposed(term.meaning, other.meaning)
                and _takes_place_of(found, term, other, owned)
                and not _is_converse(found, term, other)
                and not _is_of_other_clause(found, term, other)
            ):
                for at in range(term.first, term.last):
                    if found.golden.tokens[at].is_content:
                        pairs[at].update(range(other.first, other.last))
    return pairs


def _is_of_other_clause(found: Matching, term: Term, other: Term) -> bool:
    """Whether the contrary word is, to the letter, one of another clause of the golden of which the reply speaks there.

    "The old one was cancelled" is no contrary of "the renewal was approved … your old one was cancelled".
    """
    golden, reply = found.golden, found.reply
    clause, there = golden.tokens[term.first].clause, reply.tokens[other.first].clause
    for mine, theirs in found.links:
        if theirs.first != other.first or golden.tokens[mine.first].clause == clause:
            continue
        if not _is_same_word(found, mine, theirs):
            continue
        own = golden.tokens[mine.first].clause
        if _said_in(found, own, there) > _said_in(found, clause, there):
            return True
    return False


def _said_in(found: Matching, clause: int, there: int) -> float:
    """How much of a clause of the golden stands in a clause of the reply."""
    one = found.golden.clauses[clause]
    return sum(
        found.golden.tokens[at].weight
        for at in range(one.first, one.last)
        if any(found.reply.tokens[place].clause == there for place in found.words.get(at, ()))
    )


def _is_converse(found: Matching, term: Term, other: Term) -> bool:
    """Whether the same is told from the other side: "A sends it to B", "B receives it from A"."""
    golden, reply = found.golden, found.reply
    if golden.tokens[term.first].word not in words("converses", golden.language):
        return False
    if reply.tokens[other.first].word not in words("converses", reply.language):
        return False
    clause = golden.tokens[term.first].clause
    before = [number for number, name in enumerate(golden.names) if name.last <= term.first]
    after = [number for number, name in enumerate(golden.names) if name.first >= term.last]
    before = [number for number in before if golden.tokens[golden.names[number].first].clause == clause]
    after = [number for number in after if golden.tokens[golden.names[number].first].clause == clause]
    if _have_changed_sides(found, term, other):
        return True
    theirs = {at: reply.names[at].first < other.first for at in range(len(reply.names))}
    sender = [theirs[at] for number in before for at in found.names.get(number, ())]
    taker = [theirs[at] for number in after for at in found.names.get(number, ())]
    return bool(sender and taker) and not all(sender) and any(taker)


def _have_changed_sides(found: Matching, term: Term, other: Term) -> bool:
    """Whether what stands before a verb in the golden stands behind its converse in the reply, and the reverse."""
    golden, reply = found.golden, found.reply
    clause, there = golden.clauses[golden.tokens[term.first].clause], reply.tokens[other.first].clause

    def moved(places: range, is_behind: bool) -> bool:
        """Whether a word of some that is no value stands in the reply's clause on the other side only."""
        for at in places:
            token = golden.tokens[at]
            if not token.is_content or token.weight < 1 or token.fact >= 0:
                continue
            spots = [place for place in found.words.get(at, ()) if reply.tokens[place].clause == there]
            if spots and all((place >= other.last) == is_behind for place in spots):
                return True
        return False

    return moved(range(clause.first, term.first), True) and moved(range(term.last, clause.last), False)


def _takes_place_of(found: Matching, term: Term, other: Term, owned: dict[tuple[int, int], set[int]]) -> bool:
    """Whether a sentence of the reply has the one term and not the other, and the golden's the reverse.

    ``owned`` are the links by the word itself: a word of the reply that is the same as another one of that sentence
    does not stand for a synonym of it too: "inactive … activated" beside "active … activated".
    """
    golden, reply = found.golden.tokens, found.reply.tokens
    there, here = reply[other.first].sentence, golden[term.first].sentence
    for mine, theirs in found.links:
        if _is_owned(found, mine, theirs, owned):
            continue
        if _share_a_word(mine, term) and reply[theirs.first].sentence == there and _is_whole(mine, term):
            return False
        if _share_a_word(theirs, other) and golden[mine.first].sentence == here and _is_whole(theirs, other):
            return False
    return True


def _owned(found: Matching) -> dict[tuple[int, int], set[int]]:
    """By first token of a word of the reply and sentence of the golden: where that very word stands there."""
    owned: dict[tuple[int, int], set[int]] = defaultdict(set)
    for mine, theirs in found.links:
        if mine.stems and _is_same_word(found, mine, theirs):
            owned[theirs.first, found.golden.tokens[mine.first].sentence].add(mine.first)
    return owned


def _is_same_word(found: Matching, mine: Term, theirs: Term) -> bool:
    """Whether two terms are written alike; stems are not enough: "activa" and "activado" have one."""
    here = [token.word for token in found.golden.tokens[mine.first : mine.last]]
    return here == [token.word for token in found.reply.tokens[theirs.first : theirs.last]]


def _is_owned(found: Matching, mine: Term, theirs: Term, owned: dict[tuple[int, int], set[int]]) -> bool:
    """Whether a word of the reply is, to the letter, another one of the golden's sentence."""
    if _is_same_word(found, mine, theirs):
        return False
    return bool(owned.get((theirs.first, found.golden.tokens[mine.first].sentence), set()) - {mine.first})


def _share_a_word(a: Term, b: Term) -> bool:
    return a.first < b.last and b.first < a.last


def _is_whole(a: Term, b: Term) -> bool:
    """Whether one has all of the other: "likely" alone is not "more likely"."""
    return a.first <= b.first and b.last <= a.last


def _finding(found: Matching, clause: Clause, top: int, culprit: tuple[int, int] | None, *, is_sure: bool) -> Finding:
    golden, reply = found.golden, found.reply
    other = reply.clauses[top]
    if culprit is None:
        mine, theirs = written(golden, clause.first, clause.last), written(reply, other.first, other.last)
        sentence = said.GOLDEN_SAYS_REPLY_SAYS.format(mine=mine, theirs=theirs)
    else:
        word, there = written(golden, culprit[0], culprit[0] + 1), written(reply, culprit[1], culprit[1] + 1)
        if golden.tokens[culprit[0]].is_denied and not reply.tokens[culprit[1]].is_denied:
            sentence = said.GOLDEN_DENIES_REPLY_SAYS_WITHOUT.format(word=word, there=there)
        elif reply.tokens[culprit[1]].is_denied and not golden.tokens[culprit[0]].is_denied:
            sentence = said.REPLY_DENIES_WHICH_GOLDEN_DOES.format(there=there)
        else:
            sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS_WHICH.format(there=there, word=word)
    return Finding(
        "contradicted",
        "polarity",
        sentence,
        clause.first,
        clause.last,
        sentence_at(reply, other.first),
        is_sure=is_sure,
        weight=3.0,
    )


_EXTENT = (("all", "some"), ("some", "all"))
_MODALITY = (
    ("obligation", "optional", said.MUST_BE_AND_OPEN),
    ("optional", "obligation", said.OPEN_AND_MUST_BE),
    ("obligation", "permission", said.MUST_BE_AND_MAY_BE),
    ("done", "future", said.DONE_AND_WILL_BE),
    ("future", "done", said.WILL_BE_AND_DONE),
)


def _loses_one(found: Matching, clause: Clause, other: Clause) -> str:
    """What to say where the golden speaks of both of two, and the reply of one of them; empty where it does not."""
    golden, reply = found.golden, found.reply
    mine = {token.word for token in golden.tokens[clause.first : clause.last]}
    theirs = {token.word for token in reply.tokens[other.first : other.last]}
    both, one = words("both", golden.language), words("one_of", reply.language)
    if mine & both and not mine & one and theirs & one and not theirs & words("both", reply.language):
        return said.GOLDEN_SPEAKS_BOTH_REPLY_ONE.format(reply=written(reply, other.first, other.last))
    return ""


_COPIED = 0.7
_DOUBTS = frozenset(("might", "may", "could", "perhaps", "maybe", "possibly", "quizas", "quiza", "talvez", "poderia"))
_DOUBTS_ALSO = frozenset(("posiblemente", "possivelmente", "podria", "podrian", "poderiam"))


def _is_doubted(found: Matching, clause: Clause) -> bool:
    """Whether a clause of the reply says "might", and gives no bound such as "up to" with it."""
    listed = {token.word for token in found.reply.tokens[clause.first : clause.last] if token.fact < 0}
    return bool(listed & (_DOUBTS | _DOUBTS_ALSO)) and "take" not in listed


def _check_flags(found: Matching, clause: Clause, top: int, score: float, alike: Likeness) -> Iterator[Finding]:
    golden, reply = found.golden, found.reply
    other = reply.clauses[top]
    quote = sentence_at(reply, other.first)
    whole = sum(token.weight for token in golden.tokens[clause.first : clause.last])
    if score < 0.5 * whole or not quote:
        return
    if both := _loses_one(found, clause, other):
        yield Finding("contradicted", "extent", both, clause.first, clause.last, quote, weight=2.0)
        return
    for mine, theirs in _EXTENT:
        if mine in clause.flags and theirs not in clause.flags and theirs in other.flags and mine not in other.flags:
            text = said.ALL_AND_A_PART if mine == "all" else said.A_PART_AND_ALL
            there = written(reply, other.first, other.last)
            sentence = text.format(reply=there)
            yield Finding("contradicted", "extent", sentence, clause.first, clause.last, quote, weight=2.0)
            return
    if score < 0.65 * whole:
        return
    bare = not clause.flags & {"possibility", "permission", "conditional", "optional"}
    is_copied = alike.of(clause.sentence) >= _COPIED and alike.are_alike(clause.sentence, other.sentence)
    if bare and is_copied and "possibility" in other.flags and _is_doubted(found, other):
        sentence = said.REPLY_LEAVES_OPEN_WHAT_GOLDEN.format(reply=written(reply, other.first, other.last))
        yield Finding("contradicted", "modality", sentence, clause.first, clause.last, quote, weight=1.5)
        return
    is_near = alike.are_alike(clause.sentence, other.sentence)
    for mine, theirs, text in _MODALITY:
        if not is_near and {mine, theirs} == {"done", "future"}:
            continue  # of which verb each is, is asked apart
        if {mine, theirs} == {"obligation", "optional"} and (clause.negations % 2 or other.negations % 2):
            continue  # "not mandatory" is "optional"
        if mine in clause.flags and theirs not in clause.flags and theirs in other.flags and mine not in other.flags:
            sentence = text.format(reply=written(reply, other.first, other.last))
            yield Finding("contradicted", "modality", sentence, clause.first, clause.last, quote, weight=1.5)
            return


def contrasted_pairs(found: Matching) -> Iterator[tuple[Term, Term]]:
    """Terms of the golden with siblings of theirs that stand in the reply in their place."""
    mine = [term for term in found.golden.terms if term.meaning.contrasts]
    theirs = [term for term in found.reply.terms if term.meaning.contrasts]
    owned = _owned(found)
    for term in mine:
        for other in theirs:
            if are_contrasted(term.meaning, other.meaning) and _takes_place_of(found, term, other, owned):
                yield term, other


def is_said(found: Matching, term: Term, other: Term) -> bool:
    """Whether the reply has the golden's term after all, elsewhere, or the golden the reply's."""
    return any(
        (_share_a_word(mine, term) and _is_whole(mine, term))
        or (_share_a_word(theirs, other) and _is_whole(theirs, other))
        for mine, theirs in found.links
    )
