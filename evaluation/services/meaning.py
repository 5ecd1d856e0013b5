"""Comparing meanings while scoring: which scorer a policy gets, and that each question is answered once.

The engine is run with what is known. Questions that came up are answered together, kept for every worker and every
later run, and the engine is run again. A question is claimed before it is answered, so that of two workers which meet
the same pair at once one compares and the other reads the answer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotations.models import GoldenRecord
from evaluation import aem
from evaluation.aem.language import kept
from evaluation.evaluators import remembered
from evaluation.evaluators.embedded.vocabulary import Vocabulary as Words
from evaluation.evaluators.judge import JudgeScorer, Outcome, not_asked
from evaluation.evaluators.judge import Question as JudgeQuestion
from evaluation.evaluators.remembered import Question, RememberingScorer, Score
from evaluation.formats import jsonio
from evaluation.models import Answer, EvaluationRun, JudgeSettings, RunAnswer, Vocabulary
from evaluation.services import embeddings, judges, judging, vocabularies

if TYPE_CHECKING:
    from evaluation.evaluators.embedded.scorer import EmbeddedScorer

logger = logging.getLogger(__name__)
_T = TypeVar("_T")

EMBEDDED, JUDGE = "embedded", "judge"
_HALF = Fraction(1, 2)
# Workers store these; pages tell them again.
_NO_JUDGE = kept("no judge was set up in the project when the run was planned, so nothing can be judged by one")
_OTHER_SCORER = kept("The run was planned for the scorer {planned}; this is {now}.")
_NOT_ASKED = kept("the judge was not asked, since nothing is asked here.")
#: Questions of one transaction. Comparing happens in it, and others wait for it: forty pairs take about as many
#: milliseconds.
PAIRS_AT_ONCE = 40
CLAIMS_AT_ONCE = 4
CHARACTERS_AT_ONCE = 4000
_AT_ONCE = 400
#: Answers that a worker process keeps at hand, and the characters of their questions.
_KEPT, _KEPT_CHARACTERS = 200_000, 30_000_000
#: Longer questions are kept by their hash alone.
_KEPT_LENGTH = 400


@dataclass(slots=True)
class Effort:
    """What scoring asked of the scorers: how often in all, and how often of each kind."""

    values: int = 0
    claims: int = 0

    def add(self, asked: Mapping[Question, int]) -> None:
        for question, times in asked.items():
            if question.kind == "value":
                self.values += times
            else:
                self.claims += times

    def as_json(self) -> dict[str, int]:
        return {"values": self.values, "claims": self.claims}


@lru_cache(maxsize=32)
def scorer_of(language: str, vocabulary: Words, embedding: str) -> EmbeddedScorer:
    """The scorer that really compares."""
    from evaluation.evaluators.embedded.scorer import EmbeddedScorer  # noqa: PLC0415 - only where meanings are compared

    return EmbeddedScorer(language=language, vocabulary=vocabulary, embedding=embeddings.find(embedding))


def scorers_asked_for(policy: Mapping[str, Any], records: Collection[int]) -> set[str]:
    """The scorers that a run needs: that of its policy, and those of its golden records, which win for themselves.

    ``records`` are their primary keys.
    """
    found = {aem.parse_policy(policy).scorer}
    for portion in _portions(sorted(records), _AT_ONCE):
        own = GoldenRecord.objects.filter(pk__in=portion, body__contains='"scorer"').values_list("body", flat=True)
        named = ((body["policy"] or {}).get("scorer") for body in own.iterator())
        found |= {name for name in named if name is not None}
    return found


def version_of(vocabulary: Vocabulary | None) -> str:
    """What a run is planned with, as text: the scorer, the words, the embedding if there is one."""
    return scorer_of("", vocabularies.words_of(vocabulary), embeddings.installed()).version


class _Known:
    """The answers that a worker process has at hand, for one project and version of everything that they hang on."""

    __slots__ = ("answers", "characters", "scores")

    def __init__(self) -> None:
        self.characters = 0
        self.scores: dict[Question, Score] = {}
        #: The rows in which they are kept.
        self.answers: dict[Question, int] = {}

    def add(self, question: Question, answer: int, score: Score) -> None:
        if question not in self.scores:
            self.characters += len(question.expected) + len(question.observed)
        self.scores[question] = score
        self.answers[question] = answer


_known: dict[tuple[int, str], _Known] = {}
#: Holds something once this process has compared.
_warm: list[bool] = []


def forget() -> None:
    """Drop what this process has at hand; it is read again where it is needed."""
    _known.clear()


def _known_of(project_id: int, version: str) -> _Known:
    kept = list(_known.values())
    if sum(len(one.scores) for one in kept) > _KEPT or sum(one.characters for one in kept) > _KEPT_CHARACTERS:
        forget()
    return _known.setdefault((project_id, version), _Known())


class NoJudgeError(aem.ScorerUnavailable):
    """A policy asks for a judge where none was set up."""

    def __str__(self) -> str:
        return _NO_JUDGE


class OtherScorerError(aem.ScorerUnavailable):
    """The run was planned for another version of what compares: other rules, words or embedding."""

    def __init__(self, planned: str, version: str) -> None:
        super().__init__(EMBEDDED)
        self.args = (_OTHER_SCORER.format(planned=planned, now=version),)


@dataclass(slots=True)
class Meanings:
    """The scorers of a run, or of a trial of a policy. With ``run`` the answers it needs are counted for it.

    ``is_reading``: nothing is written, as where a page explains what was scored; answers that are gone are made again.
    ``asks``: whether a judge may be asked; else only what it has answered before is known.
    """

    project_id: int
    vocabulary: Vocabulary | None = None
    run: EvaluationRun | None = None
    is_reading: bool = False
    judge: JudgeSettings | None = None
    asks: bool = False
    #: Questions to a judge that nobody has answered and that were not put.
    not_asked: int = field(init=False, default=0)
    effort: Effort = field(init=False, default_factory=Effort)
    _known: _Known | None = field(init=False, default=None)
    _scorers: dict[str, RememberingScorer] = field(init=False, default_factory=dict)
    _judges: dict[str, JudgeScorer] = field(init=False, default_factory=dict)
    _outcomes: dict[str, Outcome] = field(init=False, default_factory=dict)
    _for_judge: dict[str, JudgeQuestion] = field(init=False, default_factory=dict)
    #: Answers that are noted as needed by the run already.
    _noted: set[int] = field(init=False, default_factory=set)
    #: Those that are still to be noted.
    _needed: set[int] = field(init=False, default_factory=set)
    #: Questions on which the scorer failed. They are not kept: the next run asks again.
    _failed: dict[Question, Exception] = field(init=False, default_factory=dict)
    _is_right_version: bool = field(init=False, default=False)

    @property
    def version(self) -> str:
        """What compares: scorer, words and embedding. Under `exact` it is never asked for, and nothing is loaded."""
        return version_of(self.vocabulary)

    @property
    def known(self) -> _Known:
        """The answers that this process has at hand. What a page works out by itself is in no row: it stays its own."""
        if self._known is None:
            self._known = _Known() if self.is_reading else _known_of(self.project_id, self.version)
        return self._known

    def score(
        self, golden: aem.Golden, trajectory: aem.Trajectory, *, policy: aem.Policy, tools: aem.Tools, language: str
    ) -> aem.ConversationVerdict | None:
        """The verdict; None where questions are open, until :meth:`settle` has answered them.

        Raises ScorerUnavailable for a scorer that is not there, or not in the version that the run was planned for,
        and what the engine raises.
        """
        if policy.scorer == "exact":
            return aem.score(golden, trajectory, policy=policy, tools=tools)
        self._check_version()
        offline = self._offline(language)
        judge = self._judge(language) if policy.scorer == JUDGE else None
        if judge is None and policy.scorer != EMBEDDED:
            raise aem.ScorerUnavailable(policy.scorer)
        offline.restart()
        verdict = aem.score(golden, trajectory, policy=policy, tools=tools, scorer=judge or offline)
        if judge is not None and judge.pending:
            if not offline.is_waiting:
                self._for_judge |= judge.pending
            # Else the judge was only asked because the offline layers had not said anything yet.
            judge.pending.clear()
            return None
        if offline.is_waiting:
            return None
        if self.run is not None and not self.is_reading:
            self._needed.update(self.known.answers[question] for question in offline.asked)
        self.effort.add(offline.asked)
        return verdict

    def _forget(self) -> None:
        forget()
        self._known = None
        self._scorers.clear()
        self._judges.clear()

    def score_now(
        self, golden: aem.Golden, trajectory: aem.Trajectory, *, policy: aem.Policy, tools: aem.Tools, language: str
    ) -> aem.ConversationVerdict:
        """The verdict, once every question that comes up is answered."""
        while True:
            found = self.score(golden, trajectory, policy=policy, tools=tools, language=language)
            if found is not None:
                return found
            self.settle()

    def _check_version(self) -> None:
        if self._is_right_version:
            return
        planned = "" if self.run is None else self.run.scorer_version
        if planned and planned != self.version:
            raise OtherScorerError(planned, self.version)
        self._is_right_version = True

    def settle(self, *, keep_alive: Callable[[], None] = lambda: None) -> bool:
        """Answer the open questions; False where there were none. ``keep_alive`` is called between portions."""
        questions = [question for scorer in self._scorers.values() for question in scorer.open]
        for scorer in self._scorers.values():
            scorer.open.clear()
        for portion in _portions(questions, _AT_ONCE):
            self._read(portion)
            keep_alive()
        asked = self._settle_judge(keep_alive)
        missing = [question for question in questions if question not in self.known.scores]
        if self.is_reading:
            for question in missing:
                score = self._answer(question)
                if score is not None:
                    self.known.scores[question] = score
            return bool(questions) or asked
        if missing:
            self._warm_up()
        for kind, most in (("value", PAIRS_AT_ONCE), ("claim", CLAIMS_AT_ONCE)):
            for portion in _portions_of([question for question in missing if question.kind == kind], most):
                self._compare(portion)
                keep_alive()
        return bool(questions) or asked

    def _settle_judge(self, keep_alive: Callable[[], None]) -> bool:
        """Put the open questions to the judge, or look up what it said; what has no score says why."""
        questions, self._for_judge = self._for_judge, {}
        if not questions or self.judge is None:
            return False
        if self.asks:
            self._outcomes |= judging.ask(questions.values(), settings=self.judge, run=self.run, tick=keep_alive)
            return True
        known = judging.known(questions.values(), settings=self.judge, run=self.run)
        self.not_asked += len(questions) - len(known)
        unasked = not_asked(_NOT_ASKED, "stopped")
        self._outcomes |= {key: known.get(key, unasked) for key in questions}
        return True

    def _judge(self, language: str) -> JudgeScorer:
        if self.judge is None:
            raise NoJudgeError(JUDGE)
        code = language_code(language)
        found = self._judges.get(code)
        if found is None:
            config = judges.read(self.judge.body)
            first = self._offline(language) if config.use == "ambiguous" else None
            found = JudgeScorer(self._outcomes, fingerprint=config.fingerprint, first=first)
            self._judges[code] = found
        return found

    def _offline(self, language: str) -> RememberingScorer:
        code = language_code(language)
        found = self._scorers.get(code)
        if found is None:
            found = RememberingScorer(EMBEDDED, language=code, known=self.known.scores, failed=self._failed)
            self._scorers[code] = found
        return found

    # --- answers ----------------------------------------------------------------------------------------------------

    def _read(self, questions: Sequence[Question]) -> None:
        """Take what others have answered."""
        by_key = {question.key(self.version): question for question in questions}
        rows = Answer.objects.filter(project=self.project_id, key__in=by_key, answer__isnull=False)
        for pk, key, body in rows.values_list("pk", "key", "answer"):
            self.known.add(by_key[key], pk, remembered.from_json(body or {}))

    def _compare(self, questions: Sequence[Question]) -> None:
        """Claim the questions, compare what became ours, and read the rest, which others had claimed before."""
        keys = sorted((question.key(self.version), question) for question in questions)
        with transaction.atomic():
            ours = _claim(keys, project_id=self.project_id, run_id=None if self.run is None else self.run.pk)
            answers = [(key, question, ours[key], self._answer(question)) for key, question in keys if key in ours]
            made = [(key, question, pk, score) for key, question, pk, score in answers if score is not None]
            failed = [pk for _, _, pk, score in answers if score is None]
            if failed:
                Answer.objects.filter(pk__in=failed).delete()
            Answer.objects.bulk_update(
                [Answer(pk=pk, answer=remembered.as_json(score)) for _, _, pk, score in made], ["answer"]
            )
        for _, question, pk, score in made:
            self.known.add(question, pk, score)
        others = [question for key, question in keys if key not in ours]
        if others:
            self._read(others)

    def _warm_up(self) -> None:
        """Read the word lists before a transaction is open: the first comparison of a process takes long."""
        if not _warm:
            from evaluation.evaluators.embedded.scorer import EmbeddedScorer  # noqa: PLC0415

            _warm.append(True)
            scorer = EmbeddedScorer(embedding=embeddings.find(embeddings.installed()))
            scorer.compare("a list", "the lists", field="", threshold=_HALF)
            scorer.claim("A total of 1 was paid.", "You paid 2.", threshold=_HALF)

    def _scorer(self, language: str) -> EmbeddedScorer:
        return scorer_of(language, vocabularies.words_of(self.vocabulary), embeddings.installed())

    def _answer(self, question: Question) -> Score | None:
        """The score; None where the scorer fails, which is then the fault of the trajectories that ask."""
        scorer = self._scorer(question.language)
        try:
            if question.kind == "claim":
                return scorer.claim(question.expected, question.observed, threshold=_HALF)
            expected, observed = jsonio.loads(question.expected), jsonio.loads(question.observed)
            return scorer.compare(expected, observed, field=question.field, threshold=_HALF)
        except MemoryError:
            raise
        except Exception as error:
            logger.exception("the scorer failed on a %s of field %r", question.kind, question.field)
            self._failed[question] = error
            return None

    def note(self) -> bool:
        """Note for the run which answers it needs, each once.

        False where somebody deleted answers that this process still had at hand; they are forgotten, and what was
        scored with them is to be scored again.
        """
        needed, self._needed = self._needed - self._noted, set()
        if needed:
            rows = [RunAnswer(run=self.run, answer_id=pk) for pk in sorted(needed)]
            try:
                RunAnswer.objects.bulk_create(rows, ignore_conflicts=True)
            except IntegrityError:
                self._forget()
                return False
            self._noted |= needed
        return True


def effort_of(run: EvaluationRun, efforts: Iterable[Mapping[str, int] | None]) -> dict[str, Any] | None:
    """What a run saved: comparisons its verdicts asked for, distinct ones, made in it, and taken from earlier runs.

    ``efforts`` are those of its chunks. What a judge took stands under ``judge``. None where no comparison of meaning
    was asked for.
    """
    sums = {"values": 0, "claims": 0}
    for effort in efforts:
        for name in sums:
            sums[name] += (effort or {}).get(name, 0)
    asked = sum(sums.values())
    judge = judging.effort(run)
    if not asked and judge is None:
        return None
    needed = RunAnswer.objects.filter(run=run)
    distinct, made = needed.count(), needed.filter(answer__run=run).count()
    return {
        **sums,
        "asked": asked,
        "distinct": distinct,
        "made": made,
        "from_before": distinct - made,
        **({"judge": judge} if judge is not None else {}),
    }


def language_code(language: str) -> str:
    """The code that scorers know: `pt-BR` is `pt`; one that they do not know is left open.

    >>> language_code("pt-BR"), language_code("EN"), language_code("de")
    ('pt', 'en', '')
    """
    code = language.replace("_", "-").partition("-")[0].lower()
    return code if code in {"en", "es", "pt"} else ""


def _portions(values: Sequence[_T], most: int) -> Iterable[Sequence[_T]]:
    return (values[start : start + most] for start in range(0, len(values), most))


def _portions_of(questions: Sequence[Question], most: int) -> Iterator[Sequence[Question]]:
    """At most so many questions and, past the first, so many characters."""
    portion: list[Question] = []
    characters = 0
    for question in questions:
        length = len(question.expected) + len(question.observed)
        if portion and (len(portion) == most or characters + length > CHARACTERS_AT_ONCE):
            yield portion
            portion, characters = [], 0
        portion.append(question)
        characters += length
    if portion:
        yield portion


def _claim(keys: Sequence[tuple[str, Question]], *, project_id: int, run_id: UUID | None) -> dict[str, int]:
    """Insert the questions that nobody has; the primary keys of what became ours, by key.

    On PostgreSQL this waits for whoever claimed the same question and has not committed yet; on SQLite nobody else
    writes meanwhile. Keys come in order, so that two workers do not wait for each other.
    """
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    run = Answer._meta.get_field("run").get_db_prep_value(run_id, connection)
    row = "(%s, %s, %s, 'answered', %s, '', 0, 0, %s, %s)"
    values: list[Any] = []
    for key, question in keys:
        values += [project_id, key, EMBEDDED, _kept(question), run, now]
    table = connection.ops.quote_name(Answer._meta.db_table)
    statement = f"""
        INSERT INTO {table}
            (project_id, key, scorer, state, question, error, tokens_in, tokens_out, run_id, created_at)
        VALUES {", ".join([row] * len(keys))}
        ON CONFLICT (project_id, key) DO NOTHING RETURNING key, id
    """  # noqa: S608 - the table of our model
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return dict(cursor.fetchall())


def _kept(question: Question) -> str:
    """The question as it is kept beside its answer; a long one by its kind alone, the hash names it."""
    body = question.as_json()
    if len(question.expected) + len(question.observed) > _KEPT_LENGTH:
        body.pop("expected")
        body.pop("observed")
    return jsonio.dumps(body)
