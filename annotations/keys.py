"""Every action that has a key: its name, which stays, where it works, and its key unless somebody chose another.

Templates name the action, ``{% key "workbench.save" %}`` on the element and ``{% kbd "workbench.save" %}`` beside its
words, and get the key of the person who looks. Two actions that can stand on one page never share a key.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

#: Lists the keys of every page; nobody can give it away.
LIST_KEY = "?"

PAGES: dict[str, str] = {
    "workbench": "Annotating a conversation",
    "queue": "Queue",
    "whole-queue": "The whole queue",
    "goldens": "Goldens to review",
    "merge": "Merging goldens",
    "review": "Looking at a trajectory",
    "decide": "Deciding a turn",
    "adjudication": "Turns to decide",
    "labelling": "Trajectories to label",
    "lesson": "What a decision taught",
    "vocabulary": "Vocabulary",
    "overview": "Project overview",
    "datasets": "Datasets",
    "dataset": "One dataset",
    "version": "Version of a dataset",
    "conversation": "One conversation",
    "import": "An import",
    "guideline": "Guideline",
    "policy": "A policy",
    "policy-edit": "Editing a policy",
}

MOVE, TURN, SAY, DO, LOOK = "Move", "This turn", "Your answer", "Do", "Look up"


@dataclass(frozen=True, slots=True)
class Action:
    name: str
    words: str
    group: str
    key: str
    """Without a choice of one's own; empty where the action has no key then."""
    pages: tuple[str, ...]

    def meets(self, other: Action) -> bool:
        """Whether both can stand on one page."""
        return self.name != other.name and not set(self.pages).isdisjoint(other.pages)

    @property
    def places(self) -> str:
        return ", ".join(PAGES[page] for page in self.pages)


def _actions() -> Iterable[Action]:
    for pages, rows in _TABLE.items():
        for name, key, group, words in rows:
            yield Action(name, words, group, key, pages)
    for digit in "123456789":
        yield Action(f"workbench.suggestion-{digit}", f"Accept suggestion {digit}", TURN, digit, ("workbench",))


_Rows = tuple[tuple[str, str, str, str], ...]
#: By the pages on which they stand: name, key, group, words.
_TABLE: dict[tuple[str, ...], _Rows] = {
    ("workbench",): (
        ("workbench.next", "j", MOVE, "Next turn, or back to the turns"),
        ("workbench.previous", "k", MOVE, "Previous turn"),
        ("workbench.whole", "w", MOVE, "The whole conversation"),
        ("workbench.back", "q", MOVE, "Back to the queue, or to the reviews"),
        ("workbench.take", "a", TURN, "Take as observed, and go on"),
        ("workbench.save", "s", TURN, "Save and stay"),
        ("workbench.edit", "v", TURN, "To the next box to write in"),
        ("workbench.optional", "o", TURN, "Optional step"),
        ("workbench.refuse", "-", TURN, "Refuse the first suggestion"),
        ("workbench.add", "n", TURN, "Add a parameter or a claim"),
        ("workbench.propose", "p", TURN, "Propose claims from the text"),
        ("workbench.take-claims", "l", TURN, "Take the ticked claims"),
        ("workbench.try-claims", "m", TURN, "Try the claims on the recorded reply"),
        ("workbench.more", "f", TURN, "Order, dependencies, weight"),
        ("workbench.pick", "0", TURN, "Take a value from an earlier result"),
        ("workbench.choose", ".", TURN, "Choose this turn, for the order"),
        ("workbench.any-order", "b", TURN, "The chosen turns may come in any order"),
        ("workbench.order-counts", "=", TURN, "The order of the chosen turns counts again"),
        ("workbench.undo", "u", DO, "Undo"),
        ("workbench.redo", "d", DO, "Do again what was undone"),
        ("workbench.changes", "h", DO, "Your last changes"),
        ("workbench.try", "x", DO, "Try the golden on the recorded run"),
        ("workbench.skip", "z", DO, "Skip the conversation"),
        ("workbench.submit", "e", DO, "Submit"),
        ("workbench.accept", "y", DO, "Accept, as a reviewer"),
        ("workbench.return", "r", DO, "Return with the comment, as a reviewer"),
        ("workbench.comment", "c", DO, "Comment to the annotator"),
        ("workbench.guideline", "g", LOOK, "Guideline"),
        ("workbench.tools", "t", LOOK, "Tools of the agent"),
        ("workbench.about", "i", LOOK, "Goal and prompt"),
        ("workbench.links", ",", LOOK, "What builds on what, and what may come in any order"),
        ("workbench.ways", ";", LOOK, "How the ways differ"),
    ),
    ("queue",): (
        ("queue.next", "n", DO, "Take the next conversation"),
        ("queue.go-on", "j", DO, "Go on with the first in work"),
        ("queue.returned", "c", DO, "Change the first that was returned"),
        ("queue.whole", "w", MOVE, "The whole queue"),
    ),
    ("whole-queue",): (
        ("whole-queue.next-row", "j", MOVE, "Next row"),
        ("whole-queue.previous-row", "k", MOVE, "Row before"),
        ("whole-queue.find", "/", LOOK, "Search"),
        ("whole-queue.acts", "h", LOOK, "What was done"),
        ("whole-queue.all", "a", DO, "Tick all on this page"),
        ("whole-queue.do", "d", DO, "What to do with the ticked ones"),
        ("whole-queue.undo", "u", DO, "Undo the act"),
    ),
    ("goldens",): (("goldens.first", "j", DO, "Open the first that waits"),),
    ("merge",): (
        ("merge.next", "j", MOVE, "Next that differs"),
        ("merge.previous", "k", MOVE, "The one before that differs"),
        ("merge.back", "q", MOVE, "Back to the reviews"),
        ("merge.take-a", "a", SAY, "Take A"),
        ("merge.take-b", "b", SAY, "Take B"),
        ("merge.take-c", "c", SAY, "Take C"),
        ("merge.choose", "f", SAY, "To the next field to choose"),
        ("merge.fields", "s", SAY, "Take the chosen fields"),
        ("merge.out", "x", SAY, "Leave it out"),
        ("merge.reason", "r", SAY, "Reason"),
        ("merge.equal", "e", DO, "Accept all that is the same"),
        ("merge.undo", "u", DO, "Undo your last decision"),
        ("merge.example", "g", DO, "Make the reason an example of the guideline"),
        ("merge.workbench", "w", DO, "Edit the result on the workbench"),
        ("merge.accept", "y", DO, "Accept the merge"),
    ),
    ("review", "decide"): (
        ("verdict.pass", "1", SAY, "Pass"),
        ("verdict.fail", "2", SAY, "Fail"),
        ("verdict.unsure", "3", SAY, "Unsure"),
        ("verdict.not_agent", "4", SAY, "Not the agent's fault"),
        ("verdict.parts", "m", SAY, "Sub-metrics"),
    ),
    ("review",): (
        ("review.next-turn", "j", MOVE, "Next turn"),
        ("review.previous-turn", "k", MOVE, "Turn before"),
        ("review.next-failing", "f", MOVE, "Next failing turn"),
        ("review.next", "n", MOVE, "Next trajectory"),
        ("review.previous", "p", MOVE, "Trajectory before"),
        ("review.next-to-label", "l", MOVE, "Next trajectory without a label of yours"),
        ("review.decide", "d", MOVE, "Decide this turn"),
        ("review.agree", "y", SAY, "Agree with the machine"),
        ("review.undo", "u", SAY, "Undo your last label"),
    ),
    ("decide",): (
        ("decide.back", "r", MOVE, "Review page"),
        ("decide.transcript", "t", LOOK, "The whole conversation"),
        ("decide.accept", "a", SAY, "Equal: accept it in this field"),
        ("decide.equal", "e", SAY, "Equal in this project"),
        ("decide.different", "d", SAY, "Never equal in this project"),
        ("decide.example", "g", SAY, "The reason is an example of the guideline"),
    ),
    ("adjudication",): (("adjudication.start", "n", DO, "Begin with the first"),),
    ("labelling",): (("labelling.first", "n", DO, "Open the first of the list"),),
    ("lesson",): (
        ("lesson.go-on", "g", MOVE, "Go on with the decision"),
        ("lesson.take-back", "u", DO, "Take back what was learned"),
    ),
    ("vocabulary",): (
        ("vocabulary.find", "/", LOOK, "Find an entry"),
        ("vocabulary.look", "l", LOOK, "Look a pair up"),
        ("vocabulary.add", "n", DO, "Add an entry"),
    ),
    ("overview",): (("overview.next", "n", DO, "What to do next"),),
    ("datasets",): (("datasets.import", "i", DO, "Import"),),
    ("dataset",): (
        ("dataset.find", "/", LOOK, "Search the conversations"),
        ("dataset.export", "x", DO, "Export the dataset"),
    ),
    ("version",): (
        ("version.score", "r", DO, "Score trajectories"),
        ("version.export", "x", DO, "Export the version"),
    ),
    ("conversation",): (("conversation.annotate", "a", DO, "Annotate, or go on"),),
    ("import",): (
        ("import.apply", "i", DO, "Import what is good"),
        ("import.discard", "x", DO, "Import nothing"),
    ),
    ("guideline",): (
        ("guideline.edit", "e", DO, "Edit the guideline"),
        ("guideline.changes", "d", LOOK, "What has changed in it"),
    ),
    ("policy",): (("policy.edit", "e", DO, "Edit the policy"),),
    ("policy-edit",): (
        ("policy-edit.add", "n", DO, "Add a rule for a field"),
        ("policy-edit.effect", "t", DO, "Show the effect"),
    ),
}

ACTIONS: dict[str, Action] = {action.name: action for action in _actions()}
DEFAULTS: dict[str, str] = {action.name: action.key for action in ACTIONS.values()}


class KeyRefusedError(ValueError):
    """A key that cannot be given to an action: the message says why, ``taken_by`` names who has it."""

    def __init__(self, reason: str, *, taken_by: Action | None = None) -> None:
        self.taken_by = taken_by
        super().__init__(reason)


def bound(chosen: Mapping[str, str]) -> dict[str, str]:
    """The key of each action for somebody who chose these; empty for an action without one.

    What was chosen goes first. An action whose own key somebody chose for another one has none until it gets one: so
    no page has a clash, also after an action came to it that was not there when the choice was made.
    """
    if not chosen:
        return DEFAULTS
    found: dict[str, str] = {}
    own = [(name, key) for name, key in chosen.items() if name in ACTIONS]
    for name, key in [*own, *((name, key) for name, key in DEFAULTS.items() if name not in chosen)]:
        found[name] = "" if find_taken(ACTIONS[name], key, found) else key
    return {name: found[name] for name in ACTIONS}


def find_taken(action: Action, key: str, among: Mapping[str, str]) -> Action | None:
    """The action that has this key on a page where this one stands too."""
    if not key:
        return None
    holders = (ACTIONS[name] for name, held in among.items() if held == key)
    return next((other for other in holders if other.meets(action)), None)


def read_key(text: str) -> str:
    """A key as it is stored: one letter in small, one digit or one sign. Raises KeyRefusedError, saying why."""
    key = unicodedata.normalize("NFC", text.strip()).lower()
    if not key:
        raise KeyRefusedError("Press the key that it should have.")
    if len(key) != 1:
        raise KeyRefusedError("A key is one letter, digit or sign.")
    if key == LIST_KEY:
        raise KeyRefusedError("“?” lists the keys on every page and stays so.")
    if unicodedata.category(key)[0] not in "LNPS":
        raise KeyRefusedError("A key is a letter, a digit or a sign that can be seen.")
    return key
