"""By what a run was judged, beside what a new run with the same choice would be judged by now: in words."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.aem import ENGINE_VERSION
from evaluation.aem.language import say
from evaluation.models import EvaluationRun, JudgeSettings, JudgeUse, Vocabulary
from evaluation.services import judges, meaning, vocabularies

_RULES, _LISTS, _WORDS = "rules ", "lists ", "vocabulary "


def engine_changed(run: EvaluationRun) -> bool:
    return run.engine_version != ENGINE_VERSION


def scorer_changes(run: EvaluationRun) -> tuple[str, ...]:
    """Why a verdict that compares meanings could be another one now, each reason a sentence; none where nothing is.

    A run that compared exactly hangs on none of it.
    """
    if not run.scorer_version:
        return ()
    newest = vocabularies.latest(run.project)
    return (*_of_scorer(run, newest, meaning.version_of(newest)), *_of_judge(run))


def _of_scorer(run: EvaluationRun, newest: Vocabulary | None, version: str) -> Iterator[str]:
    if version == run.scorer_version:
        return
    then, now = _parts(run.scorer_version), _parts(version)
    if then[_RULES] != now[_RULES]:
        yield say(
            "Meanings are compared by other rules: {before} then, {after} now.",
            before=then[_RULES] or say("unknown"),
            after=now[_RULES],
        )
    has_other_lists = then[_LISTS] != now[_LISTS]
    if has_other_lists:
        yield say("The built-in word lists have changed.")
    if run.vocabulary_id != (newest.pk if newest else None):
        before = run.vocabulary.number if run.vocabulary else None
        if before is not None and newest is not None:
            yield say(
                "The project's vocabulary has changed: number {before} then, number {after} now.",
                before=before,
                after=newest.number,
            )
        elif newest is not None:
            yield say("The project's vocabulary has changed: none then, number {after} now.", after=newest.number)
        else:
            yield say("The project's vocabulary has changed: number {before} then, none now.", before=before)
    elif then[_WORDS] != now[_WORDS] and not has_other_lists:
        yield say("The built-in vocabulary has changed.")
    if then[""] != now[""]:
        yield (
            say("The embedding is another: {before} then, {after} now.", before=then[""], after=now[""])
            if then[""] and now[""]
            else say("The embedding {name} is used now, and was not then.", name=now[""])
            if now[""]
            else say("The embedding {name} was used then, and is not now.", name=then[""])
        )


def _parts(version: str) -> dict[str, str]:
    """Rules, lists, words and, under the empty name, the embedding of a scorer's version; empty where it has none."""
    found = dict.fromkeys((_RULES, _LISTS, _WORDS, ""), "")
    for part in version.split(", "):
        name = next((known for known in (_RULES, _LISTS, _WORDS) if part.startswith(known)), "")
        found[name] = part.removeprefix(name)
    return found


def _of_judge(run: EvaluationRun) -> Iterator[str]:
    use = JudgeUse.objects.select_related("settings").filter(run=run).first()
    newest = None if use is None else judges.find(project=run.project)
    if use is None or newest is None or newest.pk == use.settings_id:
        return
    if _judged_by(newest) != _judged_by(use.settings):
        yield say("The judge is asked otherwise: {before} then, {after} now.", before=use.settings, after=newest)


def _judged_by(settings: JudgeSettings) -> tuple[object, ...]:
    """What its answers hang on; how fast it is asked and what it may cost is none of it."""
    config = judges.read(settings.body)
    return config.fingerprint, config.use, config.votes, config.quorum
