"""What a small word, an ending or the order of words changes: also for only, was for will be, who for whom."""

import re
from collections.abc import Iterator
from functools import lru_cache

from evaluation.evaluators.embedded import said
from evaluation.evaluators.embedded.findings import Finding, sentence_at, written
from evaluation.evaluators.embedded.literal import Likeness
from evaluation.evaluators.embedded.matching import Matching, are_opposed, are_related
from evaluation.evaluators.embedded.reading import Reading, Token, matches_phrase
from evaluation.evaluators.embedded.replywords import families, forms, phrases, words

_LIKE = 0.6  # of both sentences: what differs in their small words is what they tell
_COPY = 0.75

# -- families ------------------------------------------------------------------------------------------------------


def check_families(found: Matching, alike: Likeness) -> Iterator[Finding]:
    """Yield each small word of a sentence for which its copy has another of the family: "in total" for "each"."""
    golden, reply = found.golden, found.reply
    if golden.language != reply.language:
        return
    for number, other, ratio in alike.pairs:
        if not _LIKE <= ratio < 1:
            continue
        mine, theirs = _places(golden, number), _places(reply, other)
        for family in families(golden.language):
            here, there = _members(golden, mine, family), _members(reply, theirs, family)
            lost, gained = here.keys() - there.keys(), there.keys() - here.keys()
            lost = {one for one in lost if not _has_all(golden, here[one], reply, theirs)}
            gained = {one for one in gained if not _has_all(reply, there[one], golden, mine)}
            if not lost or not gained or (_conditional(family) and _is_anyway(golden, mine, reply, theirs)):
                continue
            first, last = here[min(lost)]
            start, end = there[min(gained)]
            sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(
                reply=written(reply, start, end), golden=written(golden, first, last)
            )
            yield Finding(
                "contradicted",
                "relation",
                sentence,
                first,
                last,
                reply.sentences[other],
                is_sure=ratio >= _COPY,
                weight=1.9,
            )


def _conditional(family: dict[tuple[str, ...], int]) -> bool:
    return any(word in family for word in (("if",), ("si",), ("se",)))


def _is_anyway(golden: Reading, mine: list[int], reply: Reading, theirs: list[int]) -> bool:
    """Whether a condition changes nothing in one of two sentences: "if nobody is in, it is charged all the same"."""
    told = {golden.tokens[at].word for at in mine} | {reply.tokens[at].word for at in theirs}
    return bool(told & words("anyway", golden.language))


def _places(reading: Reading, sentence: int) -> list[int]:
    return [at for at, token in enumerate(reading.tokens) if token.sentence == sentence]


def _has_all(reading: Reading, run: tuple[int, int], other: Reading, places: list[int]) -> bool:
    """Whether the words of a phrase stand in a sentence, though apart: "not … yet"."""
    return {token.word for token in reading.tokens[run[0] : run[1]]} <= {other.tokens[at].word for at in places}


def _members(reading: Reading, places: list[int], family: dict[tuple[str, ...], int]) -> dict[int, tuple[int, int]]:
    """The members of a family in a sentence, each with its tokens; the longest phrase at a place counts."""
    listed = [reading.tokens[at].word for at in places]
    found: dict[int, tuple[int, int]] = {}
    offset = 0
    while offset < len(listed):
        size = next(
            (
                size
                for size in range(min(4, len(listed) - offset), 0, -1)
                if tuple(listed[offset : offset + size]) in family
            ),
            0,
        )
        if size:
            member = family[tuple(listed[offset : offset + size])]
            found.setdefault(member, (places[offset], places[offset + size - 1] + 1))
        offset += max(size, 1)
    return found


def check_shares(found: Matching) -> Iterator[Finding]:
    """Yield each amount that the golden gives for each and the reply for all of them, or the reverse."""
    golden, reply = found.golden, found.reply
    for number, fact in enumerate(golden.facts):
        if fact.kind not in ("money", "number", "quantity", "percent") or not found.facts.get(number):
            continue
        first, last = golden.fact_tokens[number]
        mine = _share_of(golden, first)
        theirs = [(at, _share_of(reply, reply.fact_tokens[at][0])) for at in found.facts[number]]
        if mine and all(told not in ("", mine) for _, told in theirs):
            start, end = reply.fact_tokens[theirs[0][0]]
            text = said.EACH_AND_ALL if mine == "each_one" else said.ALL_AND_EACH
            sentence = text.format(golden=written(golden, first, last), reply=written(reply, start, end))
            yield Finding("contradicted", "relation", sentence, first, last, sentence_at(reply, start), weight=2.0)


def _share_of(reading: Reading, at: int) -> str:
    """Whether the clause of an amount says "each" or "in total"; empty where it says neither or both."""
    clause = reading.clauses[reading.tokens[at].clause]
    listed = [token.word for token in reading.tokens[clause.first : clause.last]]
    told = [section for section in ("each_one", "in_total") if matches_phrase(listed, section, reading.language)]
    return told[0] if len(told) == 1 else ""


# -- tenses --------------------------------------------------------------------------------------------------------

_FUTURE = {
    "es": re.compile(r"\w{2,}(?:ré|rás|rá|remos|réis|rán)$"),
    "pt": re.compile(r"\w{2,}(?:rei|rás|rá|remos|rão)$"),
}
_PAST = {
    "es": re.compile(r"\w{2,}(?:ó|aron|ieron|eron)$"),
    "pt": re.compile(r"\w{2,}(?:ou|eu|iu|aram|eram|iram)$"),
}
_ED = re.compile(r"\w{2,}ed$")
_INFINITIVE = re.compile(r"\w{2,}[aei]r(?:se|l[aoe]s?)?$")
_BACK = 3


def tense_of(reading: Reading, at: int) -> str:
    """Whether a verb speaks of what was ("past") or of what will be ("future"); "" for neither, and for no verb."""
    return _tense(reading, at) if reading.language in ("en", "es", "pt") else ""


def _tense(reading: Reading, at: int) -> str:
    token, language = reading.tokens[at], reading.language
    spelled = token.written.casefold()
    if language != "en":
        if _FUTURE[language].fullmatch(spelled):
            return "future"
        if _PAST[language].fullmatch(spelled) and token.word not in words("no_past", language):
            return "past"
        # "Pode" is also what one may.
        if token.word in words("preterite", language) and token.weight == 0 and spelled != "pode":
            return "past"
    coming, gone = words("will", language), words("was", language)
    between = words("adverbs", language) | words("auxiliaries", language)
    is_finite = False
    for place in range(at - 1, max(-1, at - 1 - _BACK), -1):
        one = reading.tokens[place]
        if one.clause != token.clause:
            break
        if one.word in coming:
            return "" if language != "en" and one.word.startswith("v") and not _INFINITIVE.match(spelled) else "future"
        if one.word in gone:
            return "past" if _is_participle(token, language) else ""
        is_finite = is_finite or one.word in words("auxiliaries", language)
        if one.word not in between and not one.word.endswith("ly"):
            break
    if language == "en" and not is_finite:
        before = reading.tokens[at - 1].word if at and reading.tokens[at - 1].clause == token.clause else ""
        is_past = _ED.fullmatch(token.word) or token.word in words("past", "en")
        if is_past and before and before not in words("no_subject", "en"):
            return "past"
    return ""


_PARTICIPLE = re.compile(r"\w{2,}(?:[aií]d[oa]s?)$")


def _is_participle(token: Token, language: str) -> bool:
    if language == "en":
        return token.word.endswith(("ed", "en", "wn", "ne")) or token.word in words("past", "en")
    return bool(_PARTICIPLE.fullmatch(token.written.casefold())) or token.word in words("past", language)


_TOLD = {"past": said.WAS_AND_WILL_BE, "future": said.WILL_BE_AND_WAS}


def check_tenses(found: Matching, alike: Likeness) -> Iterator[Finding]:
    """Yield each verb that says in the golden what was and in the reply what will be, or the reverse."""
    golden, reply = found.golden, found.reply
    small = _small_verbs(found, alike)
    for at, token in enumerate(golden.tokens):
        if token.fact >= 0 or token.name >= 0 or (not token.is_content and at not in small):
            continue
        linked = small.get(at) or [place for place in found.words.get(at, ()) if reply.tokens[place].is_content]
        mine = tense_of(golden, at)
        if not mine:
            yield from _present(found, at, linked, alike)
            yield from _happened(found, at, linked, alike)
            continue
        if mine == "future":
            yield from _present(found, at, linked, alike)
        # Synonyms may be other verbs of the reply, unless the sentences are nearly the same.
        linked = [
            place
            for place in linked
            if at in small
            or alike.are_alike(token.sentence, reply.tokens[place].sentence)
            or are_related(token.stem, reply.tokens[place].stem, is_one_language=golden.language == reply.language)
        ]
        theirs = [(place, tense_of(reply, place)) for place in linked if reply.tokens[place].fact < 0]
        if any(told == mine for _, told in theirs):
            continue
        others = [place for place, told in theirs if told]
        if not others or len(others) < len([one for one in theirs if reply.tokens[one[0]].weight >= 1 or one[1]]):
            continue
        place = others[0]
        clause, other = golden.clauses[token.clause], reply.clauses[reply.tokens[place].clause]
        is_alike = alike.are_alike(token.sentence, reply.tokens[place].sentence)
        sentence = _TOLD[mine].format(reply=written(reply, other.first, other.last))
        yield Finding(
            "contradicted",
            "modality",
            sentence,
            clause.first,
            clause.last,
            sentence_at(reply, place),
            is_sure=is_alike,
            weight=1.6,
        )


def _small_verbs(found: Matching, alike: Likeness) -> dict[int, list[int]]:
    """Verbs that are small words, with the forms of the same verb in a copy of the sentence: "came", "will come"."""
    golden, reply = found.golden, found.reply
    if golden.language != reply.language:
        return {}
    lemmas, pairs = forms(golden.language), {}
    for number, other, ratio in alike.pairs:
        if not _LIKE <= ratio < 1:
            continue
        mine = [at for at in _places(golden, number) if golden.tokens[at].word in lemmas]
        theirs = [at for at in _places(reply, other) if reply.tokens[at].word in lemmas]
        for at in mine:
            same = [one for one in theirs if lemmas[reply.tokens[one].word] == lemmas[golden.tokens[at].word]]
            if same and len([one for one in mine if golden.tokens[one].word == golden.tokens[at].word]) == 1:
                pairs[at] = same
    return pairs


def _present(found: Matching, at: int, linked: list[int], alike: Likeness) -> Iterator[Finding]:
    """ "Transferimos" may be what we do or did; what we shall do in a copy is another thing."""
    golden, reply = found.golden, found.reply
    token = golden.tokens[at]
    if golden.language == "en" or not linked:
        return
    for place in linked:
        other = reply.tokens[place]
        is_copy = any(pair[:2] == (token.sentence, other.sentence) and pair[2] >= _COPY for pair in alike.pairs)
        if not (is_copy and token.word.endswith("mos") and other.word.endswith("mos")):
            continue
        if {tense_of(golden, at), tense_of(reply, place)} == {"", "future"}:
            sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(reply=other.written, golden=token.written)
            yield Finding("contradicted", "modality", sentence, at, at + 1, sentence_at(reply, place), weight=1.4)
            return


_NO_PRESENT = re.compile(r"\w+(?:ing|ed|[aei]r|[aei]ndo|[ai]d[oa]s?)$")


def _happened(found: Matching, at: int, linked: list[int], alike: Likeness) -> Iterator[Finding]:
    """ "Se paga" in the golden, and "se pagó" in a close copy: what is paid is not what was paid."""
    golden, reply = found.golden, found.reply
    token = golden.tokens[at]
    if _NO_PRESENT.fullmatch(token.word) or token.word in words("past", golden.language):
        return
    for place in linked:
        other = reply.tokens[place]
        before = reply.tokens[place - 1].word if place else ""
        is_own = tense_of(reply, place) == "past" and before not in words("was", reply.language)
        is_root = are_related(token.stem, other.stem, is_one_language=True) and token.word != other.word
        if is_own and is_root and alike.is_close(token.sentence, other.sentence):
            sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(reply=other.written, golden=token.written)
            yield Finding("contradicted", "tense", sentence, at, at + 1, sentence_at(reply, place), weight=1.2)
            return


# -- cause and effect, before and after ----------------------------------------------------------------------------

# What stands behind the first comes first ("because", "after", "if"), what stands before the second does.
_FIRST_BEHIND = ("cause", "after", "conditional")
_FIRST_AHEAD = ("effect", "before")
_KINDS = (("cause", "effect"), ("after", "before"), ("conditional",))


def check_orders(found: Matching) -> Iterator[Finding]:
    """Yield each sentence whose two sides have changed places: what caused what, and what came before what."""
    golden, reply = found.golden, found.reply
    for kinds in _KINDS:
        mine, theirs = list(_orders(golden, kinds)), list(_orders(reply, kinds))
        for place, before, after in mine:
            for spot, ahead, behind in theirs:
                straight = _weight(found, before, ahead) + _weight(found, after, behind)
                crossed = _weight(found, before, behind), _weight(found, after, ahead)
                if min(crossed) >= 1 and straight < 0.5 * sum(crossed):
                    one, other = (
                        written(golden, min(before), max(before) + 1),
                        written(golden, min(after), max(after) + 1),
                    )
                    sentence = said.HAVE_CHANGED_PLACES_AROUND.format(
                        one=one, other=other, reply=reply.tokens[spot].written
                    )
                    first = min(*before, *after, place)
                    last = max(*before, *after, place) + 1
                    quote = sentence_at(reply, spot)
                    yield Finding(
                        "contradicted", "binding", sentence, first, last, quote, is_sure=straight == 0, weight=2.2
                    )


def _weight(found: Matching, mine: set[int], theirs: set[int]) -> float:
    return sum(
        found.golden.tokens[at].weight
        for at in mine
        if found.golden.tokens[at].fact < 0 and found.words.get(at, set()) & theirs
    )


def _orders(reading: Reading, kinds: tuple[str, ...]) -> Iterator[tuple[int, set[int], set[int]]]:
    """Each connective of some kinds with the content that comes first, in time or as a cause, and what follows."""
    for sentence in range(len(reading.sentences)):
        if sentence in reading.courtesies:
            continue
        places = _places(reading, sentence)
        listed = [reading.tokens[at].word for at in places]
        hits = [
            (offset, len(phrase), kind)
            for kind in kinds
            for phrase in phrases(kind, reading.language)
            for offset in range(len(listed) - len(phrase) + 1)
            if tuple(listed[offset : offset + len(phrase)]) == phrase
        ]
        covered = [hit for hit in hits if not any(_contains(other, hit) for other in hits)]
        if len(covered) != 1:
            continue
        offset, size, kind = covered[0]
        ahead, behind = places[:offset], places[offset + size :]
        if not any(reading.tokens[at].is_content for at in ahead):
            # "Because it rained, we stayed": what follows ends at the comma.
            comma = next((at for at in behind if reading.tokens[at].word == ","), None)
            if comma is None:
                continue
            ahead, behind = [at for at in behind if at > comma], [at for at in behind if at < comma]
        elif kind == "before":
            # "Before that day, and the fee is paid online": what is placed in time ends at the comma.
            comma = next((at for at in behind if reading.tokens[at].word in (",", ";")), None)
            behind = [at for at in behind if comma is None or at < comma]
        one, other = (
            {at for at in side if reading.tokens[at].is_content and reading.tokens[at].fact < 0}
            for side in (ahead, behind)
        )
        if one and other:
            yield (places[offset], other, one) if kind in _FIRST_BEHIND else (places[offset], one, other)


def _contains(a: tuple[int, int, str], b: tuple[int, int, str]) -> bool:
    return a != b and a[0] <= b[0] and b[0] + b[1] <= a[0] + a[1] and a[1] > b[1]


# -- what is left out, and what alone is meant --------------------------------------------------------------------


def check_restrictions(found: Matching, alike: Likeness) -> Iterator[Finding]:
    """Yield each "only" that a copy leaves out, and what only is meant in the golden and excepted in the reply."""
    golden, reply = found.golden, found.reply
    for number, other, ratio in alike.pairs:
        if not _LIKE <= ratio < 1:
            continue
        only = [at for at in _places(golden, number) if golden.tokens[at].word in words("only", golden.language)]
        theirs = {reply.tokens[at].word for at in _places(reply, other)}
        if only and not theirs & words("restricting", reply.language):
            sentence = said.REPLY_LEAVES_OUT.format(golden=golden.tokens[only[0]].written)
            quote = reply.sentences[other]
            yield Finding("contradicted", "restriction", sentence, only[0], only[0] + 1, quote, weight=1.1)
        added = [at for at in _places(reply, other) if reply.tokens[at].word in words("only", reply.language)]
        own = {golden.tokens[at].word for at in _places(golden, number)}
        told = own & (words("negators", golden.language) | words("excepting", golden.language))
        if added and not told and not any(token.word in words("only", golden.language) for token in golden.tokens):
            sentence = said.REPLY_PUTS_WHERE_GOLDEN_LEAVES.format(reply=reply.tokens[added[0]].written)
            first, last = _places(golden, number)[0], _places(golden, number)[-1] + 1
            yield Finding("contradicted", "restriction", sentence, first, last, reply.sentences[other], weight=1.1)
    for at, token in enumerate(golden.tokens):
        if not token.is_content or _marker(golden, at, "only") is None:
            continue
        places = [place for place in found.words.get(at, ()) if reply.tokens[place].is_content]
        if places and all(_marker(reply, place, "excepting") is not None for place in places):
            first = _marker(golden, at, "only") or 0
            sentence = said.GOLDEN_SAYS_REPLY.format(
                golden=written(golden, first, at + 1),
                reply=written(reply, _marker(reply, places[0], "excepting") or 0, places[0] + 1),
            )
            yield Finding(
                "contradicted", "restriction", sentence, first, at + 1, sentence_at(reply, places[0]), weight=2.0
            )


def _marker(reading: Reading, at: int, section: str) -> int | None:
    """Where shortly before a token, with no content between, a word or phrase of a section stands."""
    first, own = at, words(section, reading.language)
    while (
        first > 0
        and at - first < _REACH
        and (not reading.tokens[first - 1].is_content or reading.tokens[first - 1].word in own)
    ):
        first -= 1
        if reading.tokens[first].sentence != reading.tokens[at].sentence:
            return None
    listed = [token.word for token in reading.tokens[first:at]]
    hits = matches_phrase(listed, section, reading.language)
    return first + hits[-1] if hits else None


_REACH = 4


_ONE = frozenset(("a", "an", "one", "single", "un", "una", "unico", "unica", "um", "uma"))


def check_counts(found: Matching) -> Iterator[Finding]:
    """Yield each counted thing of which the reply has one: "two beds", "a bed"."""
    golden, reply = found.golden, found.reply
    for number, fact in enumerate(golden.facts):
        first, last = golden.fact_tokens[number]
        if fact.kind != "number" or found.facts.get(number) or last >= len(golden.tokens):
            continue
        if any(found.has(at) for at in range(first, last)) or not golden.tokens[last].is_content:
            continue
        places = [place for place in found.words.get(last, ()) if reply.tokens[place].stem == golden.tokens[last].stem]
        if places and all(place and reply.tokens[place - 1].word in _ONE for place in places):
            sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(
                reply=written(reply, places[0] - 1, places[0] + 1), golden=written(golden, first, last + 1)
            )
            yield Finding("contradicted", "facts", sentence, first, last, sentence_at(reply, places[0]), weight=2.0)


# -- opposites of one thing ----------------------------------------------------------------------------------------


def check_objects(found: Matching) -> Iterator[Finding]:
    """Yield each thing of which the reply says what the golden says of another: "denied both" for "A, but not B"."""
    golden, reply = found.golden, found.reply
    # Who sends it makes another receive it: that is told by the names.
    converses = words("converses", "")
    mine = [one for one in golden.terms if one.meaning.opposites and golden.tokens[one.first].word not in converses]
    theirs = [one for one in reply.terms if one.meaning.opposites and reply.tokens[one.first].word not in converses]
    for term in mine:
        thing = _thing(golden, term.last)
        if thing is None:
            continue
        for other in theirs:
            if not are_opposed(term.meaning, other.meaning):
                continue
            answer = _thing(reply, other.last)
            if answer is None or answer not in found.words.get(thing, ()):
                continue
            is_turned = golden.tokens[term.first].is_denied != reply.tokens[other.first].is_denied
            # "The lowest churn, and Sales the highest": the golden says that word of the thing, too, or may do so.
            is_told = any(
                _thing(golden, one.last) in {None, thing}
                for one in mine
                if are_opposed(one.meaning, term.meaning)
                and golden.tokens[one.first].sentence == golden.tokens[term.first].sentence
            )
            if is_turned or is_told or reply.clauses[reply.tokens[answer].clause].negations % 2:
                continue
            sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(
                reply=written(reply, other.first, answer + 1), golden=written(golden, term.first, thing + 1)
            )
            quote = sentence_at(reply, answer)
            yield Finding("contradicted", "polarity", sentence, term.first, thing + 1, quote, weight=2.4)


def _thing(reading: Reading, start: int) -> int | None:
    """The content word right behind a verb and its article."""
    for at in range(start, min(len(reading.tokens), start + 3)):
        token = reading.tokens[at]
        if token.clause != reading.tokens[start - 1].clause or token.fact >= 0:
            return None
        if token.is_content:
            return at
    return None


# -- who acts ------------------------------------------------------------------------------------------------------


def check_actors(found: Matching) -> Iterator[Finding]:
    """Yield each verb whose doer the reply makes its object, with "you" in its place: "you must call the agent"."""
    golden, reply = found.golden, found.reply
    persons, by = words("persons", reply.language), words("by", "")
    verbs = words("transitive", golden.language)
    for at, token in enumerate(golden.tokens):
        if token.word not in verbs or token.fact >= 0:
            continue
        doer = _doer(golden, at)
        if doer is None:
            continue
        for place in found.words.get(at, ()):
            other = reply.tokens[place]
            if other.stem != token.stem or other.fact >= 0:
                continue
            clause = reply.clauses[other.clause]
            before = range(max(clause.first, place - 4), place)
            there = found.words.get(doer, set())
            is_addressed = any(reply.tokens[one].word in persons for one in before)
            if not is_addressed or not there or there & set(range(clause.first, place)):
                continue
            behind = range(place + 1, min(clause.last, place + 4))
            if there & set(behind) and not any(reply.tokens[one].word in by for one in behind):
                sentence = said.IN_GOLDEN_DOES_REPLY_DONE.format(
                    golden=golden.tokens[doer].written, reply=written(reply, clause.first, clause.last)
                )
                yield Finding("contradicted", "binding", sentence, doer, at + 1, sentence_at(reply, place), weight=1.8)


def _doer(reading: Reading, verb: int) -> int | None:
    """The noun right before a verb, or before its "will"; None where it is something else, or the verb passive."""
    language = reading.language
    skipped = words("will", language) | words("auxiliaries", language) | words("adverbs", language)
    passive = words("was", language) | words("copulas", language)
    for at in range(verb - 1, max(-1, verb - 4), -1):
        token = reading.tokens[at]
        if token.clause != reading.tokens[verb].clause or token.word in passive:
            return None
        if token.is_content and token.fact < 0 and token.word not in skipped:
            return at
        if token.word not in skipped:
            return None
    return None


def check_successions(found: Matching) -> Iterator[Finding]:
    """Yield each two names of which the reply has the wrong one come in place of the other."""
    golden, reply = found.golden, found.reply
    mine, theirs = list(_successions(golden)), list(_successions(reply))
    for new, old in mine:
        for came, went in theirs:
            straight = came in found.names.get(new, ()) or went in found.names.get(old, ())
            if not straight and came in found.names.get(old, ()) and went in found.names.get(new, ()):
                first = min(golden.names[new].first, golden.names[old].first)
                last = max(golden.names[new].last, golden.names[old].last)
                one, other = (written(reply, reply.names[at].first, reply.names[at].last) for at in (came, went))
                sentence = said.IN_REPLY_COMES_PLACE_GOLDEN.format(one=one, other=other)
                quote = sentence_at(reply, reply.names[came].first)
                yield Finding("contradicted", "binding", sentence, first, last, quote, weight=2.6)


def check_agents(found: Matching) -> Iterator[Finding]:
    """Yield each doer of a passive that the reply makes its goal: "sent by the seller", "sent to the seller"."""
    golden, reply = found.golden, found.reply
    by, towards = words("by", ""), words("towards", reply.language)
    for at, token in enumerate(golden.tokens):
        if token.word not in by or not 0 < at < len(golden.tokens) - 1 or not golden.tokens[at - 1].is_content:
            continue
        verb, noun = at - 1, _thing(golden, at + 1)
        if noun is None or golden.tokens[verb].fact >= 0:
            continue
        for place in found.words.get(verb, ()):
            if reply.tokens[place].word != golden.tokens[verb].word or place + 1 >= len(reply.tokens):
                continue
            there = _thing(reply, place + 2)
            if reply.tokens[place + 1].word in towards and there is not None and there in found.words.get(noun, ()):
                sentence = said.REPLY_SAYS_WHERE_GOLDEN_SAYS.format(
                    reply=written(reply, place, there + 1), golden=written(golden, verb, noun + 1)
                )
                yield Finding(
                    "contradicted", "binding", sentence, verb, noun + 1, sentence_at(reply, place), weight=2.2
                )


_FROM = frozenset(("from", "de", "del", "desde", "da", "do"))
_TO = frozenset(("to", "into", "a", "al", "hacia", "hasta", "para", "ao", "aos"))


def check_routes(found: Matching, alike: Likeness) -> Iterator[Finding]:
    """Yield each two ends of a move that have changed places, and each name that a copy turns from giver to taker."""
    golden, reply = found.golden, found.reply
    sources, targets = _ends(golden, _FROM), _ends(golden, _TO)
    came, went = _ends(reply, _FROM), _ends(reply, _TO)
    for source in sources:
        for target in targets:
            if not 0 < target - source < 8 or golden.tokens[source].clause != golden.tokens[target].clause:
                continue
            places = found.words.get(source, set()), found.words.get(target, set())
            if places[0] & went and places[1] & came and not (places[0] & came or places[1] & went):
                one, other = golden.tokens[source].written, golden.tokens[target].written
                sentence = said.GOLDEN_GOES_FROM_TO_REPLY.format(one=one, other=other)
                quote = sentence_at(reply, min(places[0]))
                yield Finding("contradicted", "binding", sentence, source, target + 1, quote, weight=2.4)
    for number, name in enumerate(golden.names):
        at = name.first
        theirs = {reply.names[one].first for one in found.names.get(number, ())}
        is_turned = (at in sources and theirs and theirs <= went - came) or (
            at in targets and theirs and theirs <= came - went
        )
        if is_turned and (
            alike.is_close(golden.tokens[at].sentence, reply.tokens[min(theirs)].sentence)
            or _is_of_one_noun(found, at, min(theirs))
        ):
            start = min(theirs)
            sentence = said.GOLDEN_SAYS_REPLY.format(
                golden=written(golden, at - 1, name.last), reply=written(reply, start - 1, start + name.last - at)
            )
            yield Finding("contradicted", "direction", sentence, at, name.last, sentence_at(reply, start), weight=2.0)


def _is_of_one_noun(found: Matching, at: int, place: int) -> bool:
    """Whether the same noun, and the same value behind it, lead to a name: "a transfer of 1,200 euros to Ana"."""
    golden, reply = found.golden, found.reply
    if at < 2 or place < 2 or golden.tokens[at - 2].fact < 0 or reply.tokens[place - 2].fact < 0:
        return False
    number, other = golden.tokens[at - 2].fact, reply.tokens[place - 2].fact
    if other not in found.facts.get(number, ()):
        return False
    first, start = golden.fact_tokens[number][0], reply.fact_tokens[other][0]
    nouns = [
        next((one for one in range(begin - 1, max(-1, begin - 4), -1) if reading.tokens[one].is_content), None)
        for reading, begin in ((golden, first), (reply, start))
    ]
    return nouns[0] is not None and nouns[1] is not None and nouns[1] in found.words.get(nouns[0], ())


def _ends(reading: Reading, small: frozenset[str]) -> set[int]:
    """The first content word behind each small word of some, with at most an article between."""
    found = set()
    for at, token in enumerate(reading.tokens):
        if token.word in small and token.fact < 0 and token.name < 0 and not token.is_content:
            end = next((one for one in range(at + 1, min(len(reading.tokens), at + 3)) if _is_end(reading, one)), None)
            if end is not None and reading.tokens[end].clause == token.clause:
                found.add(end)
    return found


def _is_end(reading: Reading, at: int) -> bool:
    return reading.tokens[at].is_content


def check_denied_words(found: Matching, alike: Likeness) -> Iterator[Finding]:
    """Yield two words of which the golden denies the one and a copy the other: "free in store, but not by mail"."""
    golden, reply = found.golden, found.reply
    for number, other, ratio in alike.pairs:
        if not _LIKE <= ratio < 1:
            continue
        turned: dict[bool, int] = {}
        for at in _places(golden, number):
            token = golden.tokens[at]
            theirs = [one for one in found.words.get(at, ()) if reply.tokens[one].sentence == other]
            if not token.is_content or token.weight < 1 or token.name >= 0 or token.fact >= 0:
                continue
            same = [one for one in theirs if reply.tokens[one].word == token.word]
            if same and all(reply.tokens[one].is_denied != token.is_denied for one in same):
                turned.setdefault(token.is_denied, at)
        if len(turned) == 2:
            one, two = golden.tokens[turned[False]].written, golden.tokens[turned[True]].written
            sentence = said.GOLDEN_DENIES_NOT_REPLY_REVERSE.format(two=two, one=one)
            first, last = min(turned.values()), max(turned.values()) + 1
            yield Finding("contradicted", "polarity", sentence, first, last, reply.sentences[other], weight=2.0)


_YOU, _WE = frozenset(("you",)), frozenset(("we", "i"))


def check_persons(found: Matching) -> Iterator[Finding]:
    """Yield each verb that "you" do in the golden and "we" in the reply, or the reverse: "you owe", "we owe you"."""
    golden, reply = found.golden, found.reply
    owing = words("owing", "en")
    if golden.language != "en" or reply.language != "en":
        return
    for at, token in enumerate(golden.tokens):
        mine = _person(golden, at) if token.word in owing and token.fact < 0 else ""
        if not mine:
            continue
        theirs = [
            (place, _person(reply, place))
            for place in found.words.get(at, ())
            if reply.tokens[place].stem == token.stem
        ]
        if theirs and all(person and person != mine for _, person in theirs):
            place = theirs[0][0]
            sentence = said.IN_GOLDEN_DO_REPLY.format(mine=mine, theirs=theirs[0][1], golden=token.written)
            yield Finding("contradicted", "binding", sentence, at, at + 1, sentence_at(reply, place), weight=1.8)


def _person(reading: Reading, verb: int) -> str:
    """Whether "you" or "we" stands right before a verb, with at most a small word between; empty for neither."""
    skipped = words("auxiliaries", "en") | words("adverbs", "en") | words("will", "en") | {"have", "has", "had", "must"}
    passive = words("copulas", "en") | {"'re", "am", "'m", "'s", "get", "gets"}
    for at in range(verb - 1, max(-1, verb - 4), -1):
        word = reading.tokens[at].word
        if reading.tokens[at].clause != reading.tokens[verb].clause or word in passive:
            return ""
        if word in _YOU or word in _WE:
            return "you" if word in _YOU else "we"
        if word not in skipped:
            return ""
    return ""


def check_denied_names(found: Matching) -> Iterator[Finding]:
    """Yield two names of which the golden denies the one and the reply the other: "Eva, not Luis, signs"."""
    golden, reply = found.golden, found.reply
    turned: dict[bool, int] = {}
    for number, name in enumerate(golden.names):
        theirs = found.names.get(number, ())
        mine = golden.tokens[name.last - 1].is_denied
        if theirs and all(reply.tokens[reply.names[at].last - 1].is_denied != mine for at in theirs):
            turned.setdefault(mine, number)
    if len(turned) < 2:
        return
    one, other = (golden.names[turned[is_denied]] for is_denied in (False, True))
    sentence = said.GOLDEN_SAYS_NOT_REPLY_REVERSE.format(
        golden=written(golden, one.first, one.last), golden2=written(golden, other.first, other.last)
    )
    quote = sentence_at(reply, reply.names[found.names[turned[True]][0]].first)
    first, last = min(one.first, other.first), max(one.last, other.last)
    yield Finding("contradicted", "binding", sentence, first, last, quote, weight=2.6)


def _successions(reading: Reading) -> Iterator[tuple[int, int]]:
    """By their numbers: a name, and the one in whose place it comes."""
    listed = [token.word for token in reading.tokens]
    by = words("by", reading.language)
    for at in sorted(set(matches_phrase(listed, "succeed", reading.language))):
        sentence = reading.tokens[at].sentence
        names = [
            (number, name)
            for number, name in enumerate(reading.names)
            if reading.tokens[name.first].sentence == sentence
        ]
        before = [number for number, name in names if name.last <= at]
        after = [number for number, name in names if name.first > at]
        if not before or not after:
            continue
        one, other = before[-1], after[0]
        between = {token.word for token in reading.tokens[at : reading.names[other].first]}
        was = {token.word for token in reading.tokens[max(0, at - 3) : at]} & words("was", reading.language)
        is_passive = bool(between & by) and bool(was or reading.tokens[at].word.endswith(("ed", "do", "da")))
        # "A Eva la sustituirá Luis": what is done to her stands first.
        is_turned = reading.language == "es" and at > 0 and reading.tokens[at - 1].word in _OBJECTS
        yield (other, one) if is_passive or is_turned else (one, other)


_OBJECTS = frozenset(("lo", "la", "le", "los", "las", "les"))


# -- the same to the small words -----------------------------------------------------------------------------------


def is_worded_alike(found: Matching, mine: list[int], theirs: list[int]) -> bool:
    """Whether two runs of tokens say the same in the same order with the same small words that tell.

    What may differ: articles, "of" and "in", the number of a noun, and where a date or time stands.
    """
    golden, reply = found.golden, found.reply
    if golden.language != reply.language:
        return False
    if _telling(golden, mine) != _telling(reply, theirs):
        return False
    there, last = set(theirs), -1
    for at in mine:
        token = golden.tokens[at]
        if not token.is_content:
            continue
        places = sorted(found.words.get(at, set()) & there)
        if not places:
            continue
        if token.fact < 0 and token.name < 0:
            if tense_of(golden, at) not in {tense_of(reply, place) for place in places}:
                return False
            if not any(_is_same_form(token, reply.tokens[place], golden.language) for place in places):
                return False
        if token.fact >= 0 and golden.facts[token.fact].kind in _MOVABLE:
            continue
        if places[-1] < last:
            return False
        last = min((place for place in places if place >= last), default=last)
    return True


_MOVABLE = frozenset(("date", "datetime", "time", "weekday", "period", "relative", "recurrence"))


def _telling(reading: Reading, places: list[int]) -> frozenset[str]:
    """The small words of a run that may change what it says."""
    small = words("function", reading.language) | words("negators", reading.language)
    idle = words("idle_words", reading.language)
    groups = _groups(reading.language)
    return frozenset(
        groups.get(token.word, token.word)
        for at in places
        if (token := reading.tokens[at]).fact < 0
        and token.name < 0
        and token.weight == 0
        and token.word in small
        and token.word not in idle
    )


@lru_cache(maxsize=4)
def _groups(language: str) -> dict[str, str]:
    """Small words that stand for each other: "within" and "in at most" do not, "because" and "since" do."""
    found = {}
    for section in ("will", "was", "single_cause"):
        for word in words(section, language):
            found[word] = section
    return found


def _is_same_form(mine: Token, theirs: Token, language: str) -> bool:
    """Whether two words are the same but for number and gender; of other stems they are synonyms, judged elsewhere."""
    if mine.word == theirs.word or mine.stem != theirs.stem:
        return True
    if language == "en":
        return mine.word.removesuffix("s").removesuffix("e") == theirs.word.removesuffix("s").removesuffix("e")
    return _bare(mine.word) == _bare(theirs.word)


def _bare(word: str) -> str:
    return re.sub(r"(?:[oae]?s?|es)$", "", word)
