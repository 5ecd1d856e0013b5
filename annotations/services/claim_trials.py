"""The claims of a golden reply tried on a recorded reply, with the words of the project."""

from __future__ import annotations

from typing import Any

from annotations import claims
from annotations.models import Golden
from annotations.services import effects
from evaluation.evaluators.embedded.scorer import EmbeddedScorer
from evaluation.evaluators.embedded.vocabulary import STANDARD, Vocabulary


def try_claims(golden: Golden, turn: dict[str, Any], reply: str, *, is_blinded: bool) -> list[claims.Answer] | None:
    """What a run's offline comparison would say of each claim, as :func:`annotations.claims.try_claims` tells it.

    Nothing is stored. No embedding is asked, even where one is installed: the answer has to come at once.
    """
    conversation = golden.conversation
    words = _words(conversation.dataset.project, conversation.language, is_blinded=is_blinded)
    return claims.try_claims(turn, reply, language=conversation.language, vocabulary=words)


def _words(project: Any, language: str, *, is_blinded: bool) -> Vocabulary:
    """The built-in lists with what the project added; who is blinded does without what others have decided."""
    found = effects.terms_of(project, is_blinded=is_blinded).find_scorer("embedded", language)
    return found[0].vocabulary if found is not None and isinstance(found[0], EmbeddedScorer) else STANDARD
