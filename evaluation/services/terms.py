"""How goldens are tried before they are saved: as the project's runs judge, as far as that is for the viewer to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotations.models import Project
from evaluation.aem import Scorer
from evaluation.aem.language import say
from evaluation.models import Vocabulary
from evaluation.services import embeddings, meaning, policies, vocabularies


@dataclass(frozen=True)
class ProjectTerms:
    """The newest number of the project's standard policy, and its scorers.

    Those who are blinded do without the project's own words: what counts as the same is what others have decided.
    """

    project: Project
    is_blinded: bool

    @cached_property
    def base(self) -> Mapping[str, Any]:
        """The settings of the standard policy; nothing where there is none yet."""
        found = policies.find_newest(project=self.project, name=policies.STANDARD)
        return {} if found is None else found.body

    @property
    def note(self) -> str:
        """What a run would do otherwise."""
        scorer = self.base.get("scorer")
        if scorer == meaning.JUDGE:
            return say("A run asks the project's judge where this comparison is not sure; here nobody is asked.")
        if scorer == meaning.EMBEDDED and self.is_blinded:
            return say("The project's own list of words is not used here; a run uses it.")
        return ""

    def find_scorer(self, name: str, language: str) -> tuple[Scorer, str] | None:
        """What compares meanings offline; a judge is not asked, the layers before it are."""
        if name not in (meaning.EMBEDDED, meaning.JUDGE):
            return None
        code = meaning.language_code(language)
        words = vocabularies.words_of(self._vocabulary)
        scorer = meaning.scorer_of(code, words, embeddings.installed())
        return scorer, f"{meaning.version_of(self._vocabulary)} {code}"

    @cached_property
    def _vocabulary(self) -> Vocabulary | None:
        return None if self.is_blinded else vocabularies.latest(self.project)


def terms_of(project: Project, is_blinded: bool) -> ProjectTerms:
    """How this project's goldens are tried."""
    return ProjectTerms(project, is_blinded)
