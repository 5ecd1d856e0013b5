"""The demo project as plain values, the same every time: what the loader writes into an empty database.

Nothing here needs Django. People read the project in this order: the first conversation is the one to start with.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from annotations.demo import clinic, insurance, meaning, telecom
from annotations.demo.goldens import DRAFTS, Draft, edited
from annotations.demo.labels import DECISIONS, READINGS, Decision, Label, Reading, Ruling, decide, read
from annotations.demo.script import AGENT, VERSIONS, Json, JsonObject, Script

TITLE: Final = "Demo: three service desks"
DESCRIPTION: Final = (
    "One agent, two versions, three desks: insurance claims (English), a clinic (Spanish) and a telecom operator "
    "(Portuguese). Every conversation was run three times with each version. New here? The guideline reads the first "
    "conversation with you, in five minutes. Annotators then find their work in the queue, adjudicators under "
    "Adjudicate; a run shows where each failure began, and how the versions differ. A fourth dataset is about meaning: "
    "the same values and replies in other words."
)


@dataclass(frozen=True, slots=True)
class Domain:
    """A service desk: its dataset, its language and what its agent can use."""

    slug: str
    name: str
    language: str
    tools: JsonObject
    system_prompt: str
    scripts: tuple[Script, ...]


DOMAINS: Final = {
    "insurance": Domain(
        "insurance-claims",
        "Insurance claims desk (English)",
        "en",
        insurance.TOOLS,
        insurance.SYSTEM_PROMPT,
        insurance.SCRIPTS,
    ),
    "clinic": Domain(
        "clinica-citas-y-relevos",
        "Clínica: citas y relevos (español)",
        "es",
        clinic.TOOLS,
        clinic.SYSTEM_PROMPT,
        clinic.SCRIPTS,
    ),
    "telecom": Domain(
        "telecom-atendimento",
        "Telecom: atendimento (português)",
        "pt",
        telecom.TOOLS,
        telecom.SYSTEM_PROMPT,
        telecom.SCRIPTS,
    ),
}
SCRIPTS: Final = tuple(script for domain in DOMAINS.values() for script in domain.scripts)

STANDARD, MEANING = "standard", "meaning"
"""The policies under which the datasets are scored."""

_MEANING = {
    desk: Domain("in-other-words", "In other words (en, es, pt)", language, meaning.TOOLS[desk], prompt, ())
    for desk, language in meaning.LANGUAGES.items()
    for prompt in [meaning.PROMPTS[desk]]
}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whose work the demo shows; the loader gives them their account."""

    username: str
    name: str
    role: str
    email: str


PEOPLE: Final = (
    Person("ana", "Ana Duarte", "annotator", "ana@example.com"),
    Person("ben", "Ben Whitlock", "annotator", "ben@example.com"),
    Person("carla", "Carla Revuelta", "adjudicator", "carla@example.com"),
)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A named collection of conversations."""

    slug: str
    name: str
    language: str
    policy: str = STANDARD


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One recorded run of one version."""

    key: str
    agent: str
    agent_version: str
    trial: int
    turns: list[JsonObject]
    final_state: Json | None = None


@dataclass(frozen=True, slots=True)
class Annotation:
    """What one annotator wrote as the golden, and how far it got: draft, submitted, returned or accepted."""

    annotator: str
    status: str
    golden: JsonObject
    comment: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation with its golden, its runs and what people said about them."""

    key: str
    title: str
    language: str
    domain: str
    dataset: str
    user_goal: str
    system_prompt: str
    tools: JsonObject
    golden: JsonObject | None
    policy: JsonObject
    trajectories: tuple[Trajectory, ...]
    labels: tuple[Label, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    decisions: tuple[Decision, ...] = ()

    def record(self, trajectory: Trajectory) -> JsonObject:
        """The record of aem/1 for one run; only where there is a golden."""
        observed: JsonObject = {
            "agent": trajectory.agent,
            "agent_version": trajectory.agent_version,
            "trial": trajectory.trial,
            "turns": trajectory.turns,
        }
        if trajectory.final_state is not None:
            observed["final_state"] = trajectory.final_state
        return {
            "format": "aem/1",
            "id": trajectory.key,
            "golden": self.golden,
            "tools": self.tools,
            "trajectory": observed,
            "policy": self.policy,
        }


@dataclass(frozen=True, slots=True)
class DemoContent:
    """Everything that the demo project holds."""

    title: str
    description: str
    guideline: str
    people: tuple[Person, ...]
    datasets: tuple[Dataset, ...]
    conversations: tuple[Conversation, ...]
    policies: dict[str, JsonObject]
    vocabulary: JsonObject
    lesson: meaning.Taught


def build() -> DemoContent:
    """The demo project. Every call builds the same values anew, so that a caller may change its own."""
    return DemoContent(
        title=TITLE,
        description=DESCRIPTION,
        guideline=Path(__file__).with_name("guideline.md").read_text(encoding="utf-8"),
        people=PEOPLE,
        datasets=(
            *(Dataset(domain.slug, domain.name, domain.language) for domain in DOMAINS.values()),
            Dataset(_MEANING["insurance"].slug, _MEANING["insurance"].name, "en", policy=MEANING),
        ),
        conversations=(
            *(_conversation(DOMAINS[script.domain], script, READINGS, DECISIONS) for script in SCRIPTS),
            *(
                _conversation(_MEANING[script.domain], script, meaning.READINGS, meaning.DECISIONS)
                for script in meaning.SCRIPTS
            ),
        ),
        policies={STANDARD: {}, MEANING: deepcopy(meaning.POLICY)},
        vocabulary=deepcopy(meaning.VOCABULARY),
        lesson=meaning.LESSON,
    )


def _conversation(
    domain: Domain, script: Script, readings: Sequence[Reading], rulings: Sequence[Ruling]
) -> Conversation:
    golden = script.golden()
    return Conversation(
        key=script.key,
        title=script.title,
        language=domain.language,
        domain=script.domain,
        dataset=domain.slug,
        user_goal=script.user_goal,
        system_prompt=domain.system_prompt,
        tools=deepcopy(domain.tools),
        golden=deepcopy(golden),
        policy=deepcopy(script.policy),
        trajectories=tuple(_trajectory(script, version, trial) for version in VERSIONS for trial in (1, 2, 3)),
        labels=tuple(label for reading in readings if reading.script == script.key for label in read(script, reading)),
        annotations=tuple(_annotation(golden, draft) for draft in DRAFTS if golden and draft.script == script.key),
        decisions=tuple(decide(script, ruling) for ruling in rulings if ruling.script == script.key),
    )


def _trajectory(script: Script, version: str, trial: int) -> Trajectory:
    variation = script.variation(version, trial)
    return Trajectory(
        key=script.trajectory_key(version, trial),
        agent=AGENT,
        agent_version=version,
        trial=trial,
        turns=deepcopy(script.turns(version, trial)),
        final_state=deepcopy(variation.final_state if variation.final_state is not None else script.final_state),
    )


def _annotation(golden: JsonObject, draft: Draft) -> Annotation:
    return Annotation(draft.annotator, draft.status, edited(deepcopy(golden), draft), draft.comment)
