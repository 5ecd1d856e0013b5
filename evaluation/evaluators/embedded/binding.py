"""Whether values keep what they belong to: "savings 300 and checking 500" is not the reverse."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.findings import Finding, sentence_at, written
from evaluation.evaluators.embedded.matching import Matching, are_opposed, are_told_apart
from evaluation.evaluators.embedded.reading import Reading, Token
from evaluation.evaluators.embedded.replywords import phrases, words

_MOST_VALUES = 24


@dataclass(frozen=True, slots=True)
class Value:
    """A value in both texts: its kind, and its tokens there."""

    kind: str
    mine: tuple[int, int]
    theirs: tuple[tuple[int, int], ...]


def check_binding(found: Matching) -> Iterator[Finding]:
    """Yield each pair of values that have changed their places, or their labels, in the reply."""
    values = _values(found)[:_MOST_VALUES]
    for a, b in combinations(values, 2):
        if set(a.theirs) & set(b.theirs):
            continue
        # "From 14A to 22C": what looks like two quantities may be two seats.
        if a.kind != b.kind and not all(one.kind.startswith(("quantity", "id")) for one in (a, b)):
            continue
        finding = _check_direction(found, a, b)
        if finding is None and a.kind == b.kind and not _is_same_direction(found, a, b):
            finding = _check_labels(found, a, b) or _check_roles(found, a, b)
        if finding:
            yield finding


def _values(found: Matching) -> list[Value]:
    golden, reply = found.golden, found.reply
    values = []
    for number, fact in enumerate(golden.facts):
        theirs = tuple(reply.fact_tokens[at] for at in found.facts.get(number, ()))
        if theirs and fact.kind not in ("ordinal", "recurrence"):
            kind = "date" if fact.kind in ("date", "datetime") else fact.kind
            values.append(
                Value(f"{kind} {fact.unit if kind == 'quantity' else ''}", golden.fact_tokens[number], theirs)
            )
    for number, name in enumerate(golden.names):
        theirs = tuple((reply.names[at].first, reply.names[at].last) for at in found.names.get(number, ()))
        if not theirs and (places := found.words.get(name.first)):
            theirs = tuple((at, at + 1) for at in sorted(places))
        if theirs:
            values.append(Value("name", (name.first, name.last), theirs))
    values += _free_values(found)
    values += _sibling_words(found)
    return sorted(values, key=lambda value: value.mine)


def _free_values(found: Matching) -> Iterator[Value]:
    """What is free in both texts: an amount like another."""
    free, freed = words("free", found.golden.language), words("free", found.reply.language)
    theirs = [at for at, token in enumerate(found.reply.tokens) if token.word in freed]
    for at, token in enumerate(found.golden.tokens):
        if token.word in free and theirs:
            yield Value("money ", (at, at + 1), tuple((place, place + 1) for place in theirs))


def _sibling_words(found: Matching) -> Iterator[Value]:
    """Words of the golden that exclude each other ("lowest", "highest"), and stand in the reply too."""
    golden = found.golden
    marked = [term for term in golden.terms if term.meaning.opposites or term.meaning.contrasts]
    taken: set[int] = set()
    for a, b in combinations(marked[:40], 2):
        if not (are_opposed(a.meaning, b.meaning) or are_told_apart(a.meaning, b.meaning)):
            continue
        for term in (a, b):
            if term.first in taken or golden.tokens[term.first].name >= 0:
                continue
            places = sorted(found.words.get(term.last - 1, ()))
            if places and not set(found.words.get(a.last - 1, ())) & set(found.words.get(b.last - 1, ())):
                taken.add(term.first)
                yield Value("word", (term.first, term.last), tuple((at, at + 1) for at in places))


# -- from A to B ---------------------------------------------------------------------------------------------------


def _check_direction(found: Matching, a: Value, b: Value) -> Finding | None:
    golden, reply = found.golden, found.reply
    mine = _direction(golden, a.mine, b.mine)
    if mine == 0:
        return None
    theirs = [_direction(reply, x, y) for x in a.theirs for y in b.theirs]
    if mine in theirs or -mine not in theirs:
        return None
    first, second = (a, b) if mine > 0 else (b, a)
    one, other = written(golden, *first.mine), written(golden, *second.mine)
    return Finding(
        "contradicted",
        "binding",
        said.GOLDEN_GOES_FROM_TO_REPLY.format(one=one, other=other),
        min(a.mine[0], b.mine[0]),
        max(a.mine[1], b.mine[1]),
        sentence_at(reply, a.theirs[0][0]),
        is_sure=True,
        weight=3.0,
    )


def _is_same_direction(found: Matching, a: Value, b: Value) -> bool:
    """Whether both texts go from the one to the other: then nothing between them needs to belong to either."""
    mine = _direction(found.golden, a.mine, b.mine)
    return mine != 0 and any(_direction(found.reply, x, y) == mine for x in a.theirs for y in b.theirs)


def _direction(reading: Reading, a: tuple[int, int], b: tuple[int, int]) -> int:
    """1 where the text goes from a to b, -1 from b to a, 0 where it says neither."""
    tokens = reading.tokens
    if tokens[a[0]].sentence != tokens[b[0]].sentence or max(a[0], b[0]) - min(a[1], b[1]) > 9:
        return 0
    roles = _role(reading, a), _role(reading, b)
    first, second = (a, b) if a[0] < b[0] else (b, a)
    between = [token.word for token in tokens[first[1] : second[0]]]
    if roles == ("source", "target") or (roles[0] == "source" and roles[1] != "source" and "target" in roles):
        return 1
    if roles == ("target", "source"):
        return -1
    # "It was 6, down from 9" goes from 9 to 6. Spanish and Portuguese "de" says too little.
    if reading.language == "en" and set(roles) == {"source", ""} and a[0] != b[0]:
        return 1 if roles[0] == "source" else -1
    if between in (["-"], ["–"], ["→"], [">"], ["to"], ["-", ">"]):
        return 1 if a[0] < b[0] else -1
    if roles[1] == "target" and a[0] < b[0] and len(between) <= 2 and roles[0] == "":
        return 1
    if roles[0] == "target" and b[0] < a[0] and len(between) <= 2 and roles[1] == "":
        return -1
    return 0


_FROM = {"en": ("from", "leaving", "departing"), "es": ("de", "desde", "del"), "pt": ("de", "desde", "do", "da")}
_TO = {
    "en": ("to", "into", "until", "till", "through", "for"),
    "es": ("a", "hasta", "al", "para", "hacia"),
    "pt": ("para", "a", "ate", "ao"),
}


def _role(reading: Reading, value: tuple[int, int]) -> str:
    before = [token.word for token in reading.tokens[max(0, value[0] - 2) : value[0]]]
    sources, targets = _FROM.get(reading.language, _FROM["en"]), _TO.get(reading.language, _TO["en"])
    # "Para o Rio": the article stands between.
    if len(before) > 1 and before[-1] in _BETWEEN and before[-2] in (*sources, *targets):
        before.pop()
    if not before:
        return ""
    if before[-1] in sources:
        return "source"
    return "target" if before[-1] in targets else ""


_BETWEEN = frozenset(("the", "el", "la", "las", "los", "o", "a", "as", "os", "$", "€", "£", "un", "um"))


# -- labels --------------------------------------------------------------------------------------------------------


def _check_labels(found: Matching, a: Value, b: Value) -> Finding | None:
    golden, reply = found.golden, found.reply
    if len(a.theirs) != 1 or len(b.theirs) != 1 or _is_one_list(golden, a.mine, b.mine):
        return None
    mine_a, mine_b = _labels(golden, a.mine, b.mine), _labels(golden, b.mine, a.mine)
    mine_a, mine_b = mine_a - mine_b, mine_b - mine_a
    theirs_a, theirs_b = _labels(reply, a.theirs[0], b.theirs[0]), _labels(reply, b.theirs[0], a.theirs[0])
    theirs_a, theirs_b = theirs_a - theirs_b, theirs_b - theirs_a
    # A word that is said of both tells neither apart.
    both = {golden.tokens[at].stem for at in mine_a} & {golden.tokens[at].stem for at in mine_b}
    mine_a = {at for at in mine_a if golden.tokens[at].stem not in both}
    mine_b = {at for at in mine_b if golden.tokens[at].stem not in both}
    straight, told = 0.0, None
    crossing = [0.0, 0.0]
    for side, (labels, same, other) in enumerate(((mine_a, theirs_a, theirs_b), (mine_b, theirs_b, theirs_a))):
        for at in sorted(labels):
            places = found.words.get(at, set())
            is_here, is_there = bool(places & same), bool(places & other)
            if is_here and not is_there:
                straight += golden.tokens[at].weight
            elif is_there and not is_here:
                crossing[side] += golden.tokens[at].weight
                told = at if told is None else told
    # One label alone may stand nearer to another value because the sentence was turned round.
    crossed = sum(crossing)
    if crossed <= straight or min(crossing) == 0 or told is None:
        return None
    one, other_one = written(golden, *a.mine), written(golden, *b.mine)
    owner = one if told in mine_a else other_one
    taker = other_one if told in mine_a else one
    return Finding(
        "contradicted",
        "binding",
        said.BELONGS_TO_GOLDEN_TO_REPLY.format(golden=golden.tokens[told].written, owner=owner, taker=taker),
        min(a.mine[0], b.mine[0]),
        max(a.mine[1], b.mine[1]),
        sentence_at(reply, a.theirs[0][0]),
        is_sure=straight == 0 and crossed >= 1,
        weight=2.5,
    )


def _is_one_list(reading: Reading, a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether two are members of one list, as "CSV" and "Parquet" of "CSV, JSON and Parquet"."""
    first, second = (a, b) if a[0] < b[0] else (b, a)
    joints = words("and", reading.language) | {",", "or", "o", "ou", "u", "/", "&"}
    between = reading.tokens[first[1] : second[0]]
    return all(token.word in joints or token.name >= 0 for token in between)


def _labels(reading: Reading, value: tuple[int, int], rival: tuple[int, int]) -> set[int]:
    """The tokens that say what a value is: those of its segment that are nearer to it than to its rival."""
    tokens = reading.tokens
    segment = tokens[value[0]].segment
    first = last = value[0]
    while first > 0 and _is_joined(tokens[first - 1], tokens[value[0]], segment):
        first -= 1
    while last + 1 < len(tokens) and _is_joined(tokens[last + 1], tokens[value[0]], segment):
        last += 1
    is_shared = first <= rival[0] <= last
    found: set[int] = set()
    for at in range(first, last + 1):
        if not tokens[at].is_content or tokens[at].fact >= 0 or value[0] <= at < value[1] or rival[0] <= at < rival[1]:
            continue
        if is_shared and not _is_nearer(at, value, rival):
            continue
        found.add(at)
    if not found:
        found |= _heading(reading, value, rival)
    return found


def _is_joined(token: Token, value: Token, segment: int) -> bool:
    return token.segment == segment and token.sentence == value.sentence


def _is_nearer(at: int, value: tuple[int, int], rival: tuple[int, int]) -> bool:
    mine = value[0] - at if at < value[0] else at - value[1] + 2
    theirs = rival[0] - at if at < rival[0] else at - rival[1] + 2
    return mine < theirs


def _heading(reading: Reading, value: tuple[int, int], rival: tuple[int, int]) -> set[int]:
    """The label before a mark: "Checking: $300", "Savings, $500"."""
    tokens = reading.tokens
    found: set[int] = set()
    at = value[0] - 1
    while at >= 0 and tokens[at].sentence == tokens[value[0]].sentence and value[0] - at < 8:
        if rival[0] <= at < rival[1] or (tokens[at].fact >= 0 and found):
            break
        if tokens[at].is_content and tokens[at].fact < 0:
            found.add(at)
        elif found and tokens[at].word in (",", ";", "and", "y", "e"):
            break
        at -= 1
    return found


def check_strays(found: Matching) -> Iterator[Finding]:
    """Yield each value that the reply gives for something else, while what it was for has another value there.

    "Savings: $300" beside "savings are $500 and checking is $300": the 300 is there, the label has gone.
    """
    golden, reply = found.golden, found.reply
    for number, fact in enumerate(golden.facts):
        numbers = found.facts.get(number, ())
        if len(numbers) != 1 or fact.kind not in _LABELLED:
            continue
        mine, theirs = golden.fact_tokens[number], reply.fact_tokens[numbers[0]]
        labels = _labels(golden, mine, (-1, -1))
        for at, other in enumerate(reply.facts):
            if at in found.used_facts or other.kind != fact.kind or other.unit != fact.unit:
                continue
            rival = reply.fact_tokens[at]
            here, there = _labels(reply, theirs, rival), _labels(reply, rival, theirs)
            here, there = here - there, there - here
            straight = sum(golden.tokens[one].weight for one in labels if found.words.get(one, set()) & here)
            gone = [one for one in labels if found.words.get(one, set()) & there and not found.words[one] & here]
            strange = any(one not in found.used for one in here)
            if straight == 0 and strange and sum(golden.tokens[one].weight for one in gone) >= 1:
                sentence = said.REPLY_GIVES_FOR_FOR_SOMETHING.format(
                    reply=written(reply, *rival),
                    golden=golden.tokens[min(gone)].written,
                    reply2=written(reply, *theirs),
                )
                quote = sentence_at(reply, rival[0])
                yield Finding("contradicted", "binding", sentence, mine[0], mine[1], quote, weight=2.0)
                break


_LABELLED = ("money", "percent", "number", "quantity", "date", "time")


# -- who does what to whom -----------------------------------------------------------------------------------------


def _check_roles(found: Matching, a: Value, b: Value) -> Finding | None:
    """Two that stand before and after the same verb, and have changed places around it."""
    if a.kind != "name":
        return None
    golden, reply = found.golden, found.reply
    (first, second) = (a, b) if a.mine[0] < b.mine[0] else (b, a)
    if golden.tokens[first.mine[0]].clause != golden.tokens[second.mine[0]].clause:
        return None
    for at in range(first.mine[1], second.mine[0]):
        token = golden.tokens[at]
        if not token.is_content or token.fact >= 0 or token.name >= 0:
            continue
        places = found.words.get(at, set())
        straight = _around(reply, first.theirs, places, second.theirs)
        crossed = _around(reply, second.theirs, places, first.theirs)
        spot = straight or crossed
        if spot is None or (straight is None and _has_converse(found, at, spot[0])):
            continue
        is_turned = _is_passive(golden, at, second.mine[0]) != _is_passive(reply, *spot)
        if straight is not None and golden.tokens[at].stem != reply.tokens[straight[0]].stem:
            continue
        if is_turned == (straight is not None):
            one, other = written(golden, *first.mine), written(golden, *second.mine)
            return Finding(
                "contradicted",
                "binding",
                said.HAVE_CHANGED_THEIR_PARTS_AROUND.format(one=one, other=other, golden=token.written),
                first.mine[0],
                second.mine[1],
                sentence_at(reply, spot[0]),
                weight=2.0,
            )
    return None


def _has_converse(found: Matching, mine: int, theirs: int) -> bool:
    """Whether one clause says "send" and the other "receive": then they must change their parts."""
    golden, reply = found.golden, found.reply
    told, turned = words("converses", golden.language), words("converses", reply.language)
    here = {one.stem for one in golden.tokens if one.clause == golden.tokens[mine].clause and one.word in told}
    there = {one.stem for one in reply.tokens if one.clause == reply.tokens[theirs].clause and one.word in turned}
    return bool(here and there and here.isdisjoint(there))


def _around(
    reading: Reading, before: tuple[tuple[int, int], ...], verbs: set[int], after: tuple[tuple[int, int], ...]
) -> tuple[int, int] | None:
    """A verb with one value before and another after it in its clause, and where the other begins."""
    for verb in sorted(verbs):
        clause = reading.tokens[verb].clause
        if any(end <= verb and reading.tokens[start].clause == clause for start, end in before):
            for start, _ in after:
                if start > verb and reading.tokens[start].clause == clause:
                    return verb, start
    return None


def _is_passive(reading: Reading, verb: int, end: int) -> bool:
    by = {"en": ("by",), "es": ("por",), "pt": ("por", "pelo", "pela")}.get(reading.language, ("by",))
    return any(token.word in by for token in reading.tokens[verb + 1 : min(end, verb + 3)])


def bounds_of(reading: Reading, number: int) -> str:
    """Which side a fact bounds in a text: ">" from below, "<" from above, "" neither."""
    fact, (first, last) = reading.facts[number], reading.fact_tokens[number]
    if fact.bound in (">=", ">"):
        kind = ">"
    elif fact.bound in ("<=", "<"):
        kind = "<"
    else:
        kind = ""
    near = [token.word for token in reading.tokens[max(0, first - 3) : first]]
    while near and near[-1] in ("the", "el", "la", "las", "los", "o", "a", "as", "os", "on", "$", "next"):
        near.pop()
    for size in (3, 2, 1):
        phrase = " ".join(near[-size:]) if len(near) >= size else ""
        if not phrase or (phrase in _WEAK and fact.kind in ("percent", "money", "number")):
            continue
        if phrase in _TIME_WEAK and fact.kind in ("date", "period", "time", "weekday", "datetime"):
            continue
        if phrase in _phrases("at_least", reading.language):
            return ">"
        if phrase in _phrases("at_most", reading.language):
            return "<"
    following = " ".join(token.word for token in reading.tokens[last : last + 2])
    if following in ("or more", "and above", "or older", "o mas", "ou mais", "or above"):
        return ">"
    if following in ("or less", "or fewer", "or under", "o menos", "ou menos", "or below"):
        return "<"
    return kind


_OPEN = ("or more", "or less", "and up", "o mas", "o menos", "ou mais", "ou menos")


def is_open_ended(reading: Reading, number: int) -> bool:
    """Whether "or more" or "or less" follows a number, or is taken for part of it."""
    _, last = reading.fact_tokens[number]
    following = " ".join(token.word for token in reading.tokens[last : last + 2])
    return following in _OPEN and reading.facts[number].kind in ("money", "percent", "number", "quantity")


def way_of(reading: Reading, number: int) -> str:
    """Which way a number went in a text: ">" up, "<" down, "" not said or both."""
    first, last = reading.fact_tokens[number]
    tokens = reading.tokens
    sign = tokens[first].word
    if sign not in ("+", "-") and first > 0 and tokens[first - 1].end == tokens[first].start:
        is_range = (
            first > 1 and tokens[first - 2].end == tokens[first - 1].start and tokens[first - 2].word[-1].isalnum()
        )
        sign = "" if is_range else tokens[first - 1].word
    if sign in ("+", "-"):
        return ">" if sign == "+" else "<"
    up, down = words("upward", reading.language), words("downward", reading.language)
    ways = []
    for at in range(max(0, first - 5), min(len(tokens), last + 4)):
        token = tokens[at]
        if token.fact >= 0 or token.sentence != tokens[first].sentence or token.segment != tokens[first].segment:
            continue
        if token.word in up or token.word in down:
            distance = first - at if at < first else at - last + 1
            ways.append((distance, ">" if token.word in up else "<", token.is_denied))
    after = tokens[last].word if last < len(tokens) else ""
    if after in _MORE or after in _LESS:
        return ">" if after in _MORE else "<"
    if not ways or len({way for _, way, _ in ways}) > 1 or any(is_denied for *_, is_denied in ways):
        return ""
    return min(ways)[1]


_MORE = frozenset(("more", "higher", "mas", "mais"))
_LESS = frozenset(("fewer", "less", "lower", "menos"))
_WEAK = frozenset(("by", "from", "to", "until", "before", "after", "a", "hasta", "ate", "desde", "de", "over"))
_TIME_WEAK = frozenset(("over", "above", "below", "under", "as of", "maximum", "minimum", "tras"))


@lru_cache(maxsize=16)
def _phrases(section: str, language: str) -> frozenset[str]:
    return frozenset(" ".join(phrase) for phrase in phrases(section, language)) | words(section, language)
