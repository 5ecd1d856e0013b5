"""Who gives and who gets, who is meant, what is a part of what, and on which condition: told by places."""

from collections.abc import Iterator

from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.findings import Finding, sentence_at, written
from evaluation.evaluators.embedded.literal import Likeness
from evaluation.evaluators.embedded.matching import Matching
from evaluation.evaluators.embedded.reading import Reading, matches_phrase
from evaluation.evaluators.embedded.replywords import words

_LIKE = 0.6  # of both sentences: what differs in their small words is what they tell
_TO = frozenset(("to", "a", "al", "à", "ao", "aos", "para", "as", "pro", "pra"))
_OF = frozenset(("of", "de", "dos", "das", "do", "da", "del"))
_ARTICLES = frozenset(("the", "el", "la", "los", "las", "o", "a", "os", "as", "our", "your"))
# With these, or as a noun, a verb of giving has the taker before it: "Ana gets a call from Eva".
_GETTING = frozenset(
    ("get", "gets", "got", "receive", "receives", "received", "recibe", "recibio", "recibira", "recebe", "recebeu",
     "recebera", "from")
)  # fmt: skip
_ONE_ACT = frozenset(("a", "an", "un", "una", "um", "uma", "the"))
_AFTER = frozenset(("after", "despues", "tras", "depois", "apos"))
_COUNTED = ("number", "quantity")


def check_given(found: Matching) -> Iterator[Finding]:
    """Yield each verb of giving whose giver and taker have changed places: "Ana gave Eva the key"."""
    golden, reply = found.golden, found.reply
    if golden.language != reply.language:
        return
    verbs = words("giving", golden.language)
    for at, token in enumerate(golden.tokens):
        if token.word not in verbs or token.fact >= 0 or _is_passive(golden, at):
            continue
        for place, other in enumerate(reply.tokens):
            if other.word not in verbs or other.stem != token.stem or other.fact >= 0 or _is_passive(reply, place):
                continue
            giver, taker = _beside(golden, at)
            gives, takes = _beside(reply, place)
            went = [one for one in giver if found.words.get(one, set()) & takes and not found.words[one] & gives]
            came = [one for one in taker if found.words.get(one, set()) & gives and not found.words[one] & takes]
            if went and came:
                sentence = said.IN_GOLDEN_DOES_REPLY_DONE.format(
                    golden=golden.tokens[went[0]].written, reply=written(reply, min(gives), max(takes) + 1)
                )
                first, last = min(*went, *came, at), max(*went, *came, at) + 1
                yield Finding("contradicted", "binding", sentence, first, last, sentence_at(reply, place), weight=2.2)
                return


def _is_passive(reading: Reading, verb: int) -> bool:
    clause = reading.clauses[reading.tokens[verb].clause]
    told = [reading.tokens[at].word for at in range(clause.first, clause.last)]
    before = {reading.tokens[at].word for at in range(max(clause.first, verb - 2), verb)}
    is_noun = verb > clause.first and reading.tokens[verb - 1].word in _ONE_ACT
    return (
        is_noun or bool(set(told) & (words("by", "") | _GETTING)) or bool(before & words("copulas", reading.language))
    )


def _beside(reading: Reading, verb: int) -> tuple[set[int], set[int]]:
    """What of a clause stands before a verb, without "to Ana", and what behind it."""
    clause = reading.clauses[reading.tokens[verb].clause]
    before, after = set[int](), set[int]()
    for at in range(clause.first, clause.last):
        token = reading.tokens[at]
        if at == verb or not token.is_content or token.fact >= 0 or token.weight < 1:
            continue
        if at > verb:
            after.add(at)
        elif not any(reading.tokens[one].word in _TO - _ARTICLES for one in range(max(clause.first, at - 2), at)):
            before.add(at)
    return before, after


def check_parts(found: Matching) -> Iterator[Finding]:
    """Yield each count that is a part of another in one text only: "two of the four tyres", "four tyres"."""
    golden, reply = found.golden, found.reply
    mine, theirs = _parts(golden), _parts(reply)
    for whole, others in found.facts.items():
        for other in others:
            part, there = mine.get(whole), theirs.get(other)
            if (part is None) == (there is None):
                continue
            number = whole if part is None else part
            first, last = golden.fact_tokens[number]
            start, end = reply.fact_tokens[other if there is None else there][0], reply.fact_tokens[other][1]
            if part is not None and found.facts.get(part):
                continue
            begin = first if part is None else golden.fact_tokens[part][0]
            sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(
                reply=written(reply, start, end), golden=written(golden, begin, golden.fact_tokens[whole][1])
            )
            yield Finding("contradicted", "extent", sentence, first, last, sentence_at(reply, start), weight=2.3)


def _parts(reading: Reading) -> dict[int, int]:
    """By the number of a count: the count that is a part of it."""
    found = {}
    for number, fact in enumerate(reading.facts):
        if fact.kind not in _COUNTED:
            continue
        at = reading.fact_tokens[number][0] - 1
        while at > 0 and reading.tokens[at].word in _ARTICLES and reading.tokens[at].word not in _OF:
            at -= 1
        before = reading.tokens[at - 1].fact if at > 0 and reading.tokens[at].word in _OF else -1
        if before >= 0 and before != number and reading.facts[before].kind == "number":
            found[number] = before
    return found


def check_added_conditions(found: Matching, alike: Likeness) -> Iterator[Finding]:
    """Yield each condition that a copy adds to what the golden says without one."""
    golden, reply = found.golden, found.reply
    if golden.language != reply.language:
        return
    conditions = words("condition", golden.language)
    if any(token.word in conditions for token in golden.tokens):
        return
    for number, other, ratio in alike.pairs:
        if not _LIKE <= ratio < 1:
            continue
        places = [at for at, token in enumerate(reply.tokens) if token.sentence == other]
        added = [at for at in places if reply.tokens[at].word in words("adding", reply.language)]
        if not added or not any(at not in found.used and reply.tokens[at].weight >= 1 for at in places):
            continue
        mine = [at for at, token in enumerate(golden.tokens) if token.sentence == number]
        sentence = said.REPLY_PUTS_WHERE_GOLDEN_LEAVES.format(reply=reply.tokens[added[0]].written)
        quote = reply.sentences[other]
        yield Finding("contradicted", "restriction", sentence, mine[0], mine[-1] + 1, quote, weight=1.3)


def check_addressees(found: Matching, alike: Likeness) -> Iterator[Finding]:
    """Yield each sentence that says of "you" what a copy says of somebody else: "you must sign", "your cousin must"."""
    golden, reply = found.golden, found.reply
    if golden.language != reply.language:
        return
    for number, other, ratio in alike.pairs:
        if not _LIKE <= ratio < 1:
            continue
        mine = [at for at, token in enumerate(golden.tokens) if token.sentence == number]
        theirs = [at for at, token in enumerate(reply.tokens) if token.sentence == other]
        if not mine or golden.tokens[mine[0]].word not in words("addressed", golden.language):
            continue
        told = {reply.tokens[at].word for at in theirs}
        if told & (words("addressed", reply.language) | words("persons", reply.language)):
            continue
        shared = [at for at in theirs if at in found.used and reply.tokens[at].is_content]
        subject = [at for at in theirs if shared and at < shared[0] and at not in found.used]
        subject = [at for at in subject if reply.tokens[at].is_content and reply.tokens[at].weight >= 1]
        if subject and any(reply.tokens[at].word in words("modal", reply.language) for at in theirs):
            sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(
                reply=written(reply, theirs[0], shared[0] + 1), golden=written(golden, mine[0], mine[-1] + 1)
            )
            quote = reply.sentences[other]
            yield Finding("contradicted", "binding", sentence, mine[0], mine[-1] + 1, quote, weight=1.6)


def check_debts(found: Matching) -> Iterator[Finding]:
    """Yield each amount that "you" owe in the golden and "we" in the reply, in Spanish and Portuguese."""
    golden, reply = found.golden, found.reply
    for number, fact in enumerate(golden.facts):
        if fact.kind != "money":
            continue
        mine = _debtor(golden, number)
        for other in found.facts.get(number, ()):
            theirs = _debtor(reply, other)
            if mine and theirs and mine != theirs:
                first, last = golden.fact_tokens[number]
                start = reply.fact_tokens[other][0]
                sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(
                    reply=written(reply, start - 1, reply.fact_tokens[other][1]),
                    golden=written(golden, first - 1, last),
                )
                yield Finding("contradicted", "binding", sentence, first, last, sentence_at(reply, start), weight=2.0)


def _debtor(reading: Reading, number: int) -> str:
    """Who owes an amount: "we", "you", or nobody that is told right before it."""
    first = reading.fact_tokens[number][0]
    before = reading.tokens[first - 1].word if first else ""
    return "we" if before in ("debemos", "devemos") else "you" if before in ("debe", "deben", "deve", "devem") else ""


def check_afterwards(found: Matching, alike: Likeness) -> Iterator[Finding]:
    """Yield each time for which something holds in one text and after which it does in the other."""
    golden, reply = found.golden, found.reply
    for number, fact in enumerate(golden.facts):
        if fact.kind != "quantity" or fact.unit not in ("duration", "months", "working days"):
            continue
        theirs = found.facts.get(number, ())
        if len(theirs) != 1:
            continue
        first, last = golden.fact_tokens[number]
        start, end = reply.fact_tokens[theirs[0]]
        pair = golden.tokens[first].sentence, reply.tokens[start].sentence
        mine, other = _is_after(golden, first), _is_after(reply, start)
        if mine == other or not alike.are_alike(*pair):
            continue
        reading, place = (reply, pair[1]) if mine else (golden, pair[0])
        listed = [token.word for token in reading.tokens if token.sentence == place]
        if set(listed) & (_AFTER | {"in", "en", "em", "once", "later", "past"}) or matches_phrase(
            listed, "after", reading.language
        ):
            continue
        sentence = said.GOLDEN_SAYS_REPLY_OTHER_SIDE.format(
            golden=written(golden, max(0, first - 2), last), reply=written(reply, max(0, start - 2), end)
        )
        yield Finding("contradicted", "bound", sentence, first, last, sentence_at(reply, start), weight=1.8)


def _is_after(reading: Reading, first: int) -> bool:
    return bool({token.word for token in reading.tokens[max(0, first - 5) : first]} & _AFTER)
