"""The embedded scorer: values and replies compared by meaning, offline, behind the engine's scorer protocol."""

import hashlib
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from evaluation.aem.scorers import ClaimScore, TextScore
from evaluation.evaluators.embedded import said as _sentences  # noqa: F401 - pages tell kept sentences again
from evaluation.evaluators.embedded.model import Embedding
from evaluation.evaluators.embedded.vocabulary import DATA, STANDARD, Vocabulary

RULES = "4"
"""Raised with every change that moves a verdict: of the layers, the facts or the built-in word lists."""


@cache
def lists_version(folder: Path = DATA) -> str:
    """Twelve hexadecimal digits that change with any word list or table in the folder, those of replies included."""
    content = hashlib.sha256()
    for path in sorted(folder.rglob("*.txt")):
        content.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return content.hexdigest()[:12]


@dataclass(frozen=True)
class EmbeddedScorer:
    """Compares by typed facts, contradictions, vocabulary and words; an embedding guesses where those leave it open.

    ``language`` is that of the texts (en, es, pt; empty for unknown). A score of 1 or 0 is certain; between them the
    layers could not decide, and ``is_split`` says so.
    """

    language: str = ""
    vocabulary: Vocabulary = STANDARD
    embedding: Embedding | None = None
    name: str = field(default="embedded", init=False)
    is_semantic: bool = field(default=True, init=False)

    @property
    def version(self) -> str:
        """What verdicts hang on: the rules, the word lists, the vocabulary with a project's entries, the embedding."""
        parts = [f"rules {RULES}", f"lists {lists_version()}", f"vocabulary {self.vocabulary.version}"]
        return ", ".join([*parts, self.embedding.name] if self.embedding else parts)

    def compare(self, expected: Any, observed: Any, *, field: str, threshold: Fraction) -> TextScore:
        """Whether two JSON values mean the same; ``field`` is the parameter's name."""
        # Every process has a scorer; few compare, and what reads texts takes a third of a second to load.
        from evaluation.evaluators.embedded.values import compare_values  # noqa: PLC0415

        judged = compare_values(
            expected,
            observed,
            field=field,
            language=self.language,
            vocabulary=self.vocabulary,
            embedding=self.embedding,
        )
        return TextScore(judged.score, judged.sentence, is_split=not judged.is_sure, layer=judged.layer)

    def claim(self, claim: str, reply: str, *, threshold: Fraction) -> ClaimScore:
        """Whether a reply says, denies or leaves out a claim.

        Where a golden has no claims the engine asks with the whole golden reply; it is then judged by the claims that
        its text makes, each by itself.
        """
        # Replies bring their own word lists; values are compared without them.
        from evaluation.evaluators.embedded.replies import judge_reply  # noqa: PLC0415

        judged = judge_reply(claim, reply, language=self.language, vocabulary=self.vocabulary, embedding=self.embedding)
        state = {"ok": "covered", "incomplete": "not_said", "inconsistent": "contradicted"}[judged.state]
        score = judged.score if state == "covered" else min(judged.score, Fraction(49, 100))
        if judged.is_sure:
            score = Fraction(int(state == "covered"))
        return ClaimScore(
            state,  # type: ignore[arg-type]
            score,
            judged.sentence,
            is_split=not judged.is_sure,
            layer="replies",
            quote=judged.quote,
        )
