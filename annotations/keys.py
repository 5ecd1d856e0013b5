"""Every action that has a key: its name, which stays, where it works, and its key unless somebody chose another.

Templates name the action, ``{% key "workbench.save" %}`` on the element and ``{% kbd "workbench.save" %}`` beside its
words, and get the key of the person who looks. Two actions that can stand on one page never share a key.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluation.aem.language import mark, say

#: Lists the keys of every page; nobody can give it away.
LIST_KEY = "?"

PAGES: dict[str, str] = {
    "workbench": mark("Annotating a conversation"),
    "queue": mark("Queue"),
    "whole-queue": mark("The whole queue"),
    "goldens": mark("Goldens to review"),
    "merge": mark("Merging goldens"),
    "review": mark("Looking at a trajectory"),
    "decide": mark("Deciding a turn"),
    "adjudication": mark("Turns to decide"),
    "labelling": mark("Trajectories to label"),
    "lesson": mark("What a decision taught"),
    "vocabulary": mark("Vocabulary"),
    "overview": mark("Project overview"),
    "datasets": mark("Datasets"),
    "dataset": mark("One dataset"),
    "version": mark("Version of a dataset"),
    "conversation": mark("One conversation"),
    "import": mark("An import"),
    "guideline": mark("Guideline"),
    "policy": mark("A policy"),
    "policy-edit": mark("Editing a policy"),
}

MOVE, TURN, SAY = mark("Move"), mark("This turn"), mark("Your answer")
DO, LOOK = mark("Do"), mark("Look up")
#: The words of nine actions; each fills in its own number.
SUGGESTION = mark("Accept suggestion {number}")


@dataclass(frozen=True, slots=True)
class Action:
    name: str
    words: str
    """In English, as is the group: :attr:`said` and :attr:`said_group` are for people."""
    group: str
    key: str
    """Without a choice of one's own; empty where the action has no key then."""
    pages: tuple[str, ...]

    def meets(self, other: Action) -> bool:
        """Whether both can stand on one page."""
        return self.name != other.name and not set(self.pages).isdisjoint(other.pages)

    @property
    def said(self) -> str:
        return say(SUGGESTION, number=self.key) if self.words == SUGGESTION else say(self.words)

    @property
    def said_group(self) -> str:
        return say(self.group)

    @property
    def places(self) -> str:
        return ", ".join(say(PAGES[page]) for page in self.pages)


def _actions() -> Iterable[Action]:
    for pages, rows in _TABLE.items():
        for name, key, group, words in rows:
            yield Action(name, words, group, key, pages)
    for digit in "123456789":
        yield Action(f"workbench.suggestion-{digit}", SUGGESTION, TURN, digit, ("workbench",))


_Rows = tuple[tuple[str, str, str, str], ...]
#: By the pages on which they stand: name, key, group, words.
_TABLE: dict[tuple[str, ...], _Rows] = {
    ("workbench",): (
        ("workbench.next", "j", MOVE, mark("Next turn, or back to the turns")),
        ("workbench.previous", "k", MOVE, mark("Previous turn")),
        ("workbench.whole", "w", MOVE, mark("The whole conversation")),
        ("workbench.back", "q", MOVE, mark("Back to the queue, or to the reviews")),
        ("workbench.take", "a", TURN, mark("Take as observed, and go on")),
        ("workbench.save", "s", TURN, mark("Save and stay")),
        ("workbench.edit", "v", TURN, mark("To the next box to write in")),
        ("workbench.optional", "o", TURN, mark("Optional step")),
        ("workbench.refuse", "-", TURN, mark("Refuse the first suggestion")),
        ("workbench.add", "n", TURN, mark("Add a parameter or a claim")),
        ("workbench.add-value", "+", TURN, mark("Another value for the parameter in which the cursor last was")),
        ("workbench.propose", "p", TURN, mark("Propose claims from the text")),
        ("workbench.take-claims", "l", TURN, mark("Take the ticked claims")),
        ("workbench.try-claims", "m", TURN, mark("Try the claims on the recorded reply")),
        ("workbench.more", "f", TURN, mark("Order, dependencies, weight")),
        ("workbench.pick", "0", TURN, mark("Take a value from an earlier result")),
        ("workbench.choose", ".", TURN, mark("Choose this turn, for the order")),
        ("workbench.any-order", "b", TURN, mark("The chosen turns may come in any order")),
        ("workbench.order-counts", "=", TURN, mark("The order of the chosen turns counts again")),
        ("workbench.undo", "u", DO, mark("Undo")),
        ("workbench.redo", "d", DO, mark("Do again what was undone")),
        ("workbench.changes", "h", DO, mark("Your last changes")),
        ("workbench.try", "x", DO, mark("Try the golden on the recorded run")),
        ("workbench.skip", "z", DO, mark("Skip the conversation")),
        ("workbench.submit", "e", DO, mark("Submit")),
        ("workbench.accept", "y", DO, mark("Accept, as a reviewer")),
        ("workbench.return", "r", DO, mark("Return with the comment, as a reviewer")),
        ("workbench.comment", "c", DO, mark("Comment to the annotator")),
        ("workbench.guideline", "g", LOOK, mark("Guideline")),
        ("workbench.tools", "t", LOOK, mark("Tools of the agent")),
        ("workbench.about", "i", LOOK, mark("Goal and prompt")),
        ("workbench.links", ",", LOOK, mark("What builds on what, and what may come in any order")),
        ("workbench.ways", ";", LOOK, mark("How the ways differ")),
    ),
    ("queue",): (
        ("queue.next", "n", DO, mark("Take the next conversation")),
        ("queue.go-on", "j", DO, mark("Go on with the first in work")),
        ("queue.returned", "c", DO, mark("Change the first that was returned")),
        ("queue.whole", "w", MOVE, mark("The whole queue")),
    ),
    ("whole-queue",): (
        ("whole-queue.next-row", "j", MOVE, mark("Next row")),
        ("whole-queue.previous-row", "k", MOVE, mark("Row before")),
        ("whole-queue.find", "/", LOOK, mark("Search")),
        ("whole-queue.acts", "h", LOOK, mark("What was done")),
        ("whole-queue.all", "a", DO, mark("Tick all on this page")),
        ("whole-queue.do", "d", DO, mark("What to do with the ticked ones")),
        ("whole-queue.undo", "u", DO, mark("Undo the act")),
    ),
    ("goldens",): (("goldens.first", "j", DO, mark("Open the first that waits")),),
    ("merge",): (
        ("merge.next", "j", MOVE, mark("Next that differs")),
        ("merge.previous", "k", MOVE, mark("The one before that differs")),
        ("merge.back", "q", MOVE, mark("Back to the reviews")),
        ("merge.take-a", "a", SAY, mark("Take A")),
        ("merge.take-b", "b", SAY, mark("Take B")),
        ("merge.take-c", "c", SAY, mark("Take C")),
        ("merge.choose", "f", SAY, mark("To the next field to choose")),
        ("merge.fields", "s", SAY, mark("Take the chosen fields")),
        ("merge.out", "x", SAY, mark("Leave it out")),
        ("merge.reason", "r", SAY, mark("Reason")),
        ("merge.equal", "e", DO, mark("Accept all that is the same")),
        ("merge.undo", "u", DO, mark("Undo your last decision")),
        ("merge.example", "g", DO, mark("Make the reason an example of the guideline")),
        ("merge.workbench", "w", DO, mark("Edit the result on the workbench")),
        ("merge.accept", "y", DO, mark("Accept the merge")),
    ),
    ("review", "decide"): (
        ("verdict.pass", "1", SAY, mark("Pass")),
        ("verdict.fail", "2", SAY, mark("Fail")),
        ("verdict.unsure", "3", SAY, mark("Unsure")),
        ("verdict.not_agent", "4", SAY, mark("Not the agent's fault")),
        ("verdict.parts", "m", SAY, mark("Sub-metrics")),
    ),
    ("review",): (
        ("review.next-turn", "j", MOVE, mark("Next turn")),
        ("review.previous-turn", "k", MOVE, mark("Turn before")),
        ("review.next-failing", "f", MOVE, mark("Next failing turn")),
        ("review.next", "n", MOVE, mark("Next trajectory")),
        ("review.previous", "p", MOVE, mark("Trajectory before")),
        ("review.next-to-label", "l", MOVE, mark("Next trajectory without a label of yours")),
        ("review.decide", "d", MOVE, mark("Decide this turn")),
        ("review.agree", "y", SAY, mark("Agree with the machine")),
        ("review.undo", "u", SAY, mark("Undo your last label")),
    ),
    ("decide",): (
        ("decide.back", "r", MOVE, mark("Review page")),
        ("decide.transcript", "t", LOOK, mark("The whole conversation")),
        ("decide.accept", "a", SAY, mark("Equal: accept it in this field")),
        ("decide.equal", "e", SAY, mark("Equal in this project")),
        ("decide.different", "d", SAY, mark("Never equal in this project")),
        ("decide.example", "g", SAY, mark("The reason is an example of the guideline")),
    ),
    ("adjudication",): (("adjudication.start", "n", DO, mark("Begin with the first")),),
    ("labelling",): (("labelling.first", "n", DO, mark("Open the first of the list")),),
    ("lesson",): (
        ("lesson.go-on", "g", MOVE, mark("Go on with the decision")),
        ("lesson.take-back", "u", DO, mark("Take back what was learned")),
    ),
    ("vocabulary",): (
        ("vocabulary.find", "/", LOOK, mark("Find an entry")),
        ("vocabulary.look", "l", LOOK, mark("Look a pair up")),
        ("vocabulary.add", "n", DO, mark("Add an entry")),
    ),
    ("overview",): (("overview.next", "n", DO, mark("What to do next")),),
    ("datasets",): (("datasets.import", "i", DO, mark("Import")),),
    ("dataset",): (
        ("dataset.find", "/", LOOK, mark("Search the conversations")),
        ("dataset.export", "x", DO, mark("Export the dataset")),
    ),
    ("version",): (
        ("version.score", "r", DO, mark("Score trajectories")),
        ("version.export", "x", DO, mark("Export the version")),
    ),
    ("conversation",): (("conversation.annotate", "a", DO, mark("Annotate, or go on")),),
    ("import",): (
        ("import.apply", "i", DO, mark("Import what is good")),
        ("import.discard", "x", DO, mark("Import nothing")),
    ),
    ("guideline",): (
        ("guideline.edit", "e", DO, mark("Edit the guideline")),
        ("guideline.changes", "d", LOOK, mark("What has changed in it")),
    ),
    ("policy",): (("policy.edit", "e", DO, mark("Edit the policy")),),
    ("policy-edit",): (
        ("policy-edit.add", "n", DO, mark("Add a rule for a field")),
        ("policy-edit.effect", "t", DO, mark("Show the effect")),
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
        raise KeyRefusedError(say("Press the key that it should have."))
    if len(key) != 1:
        raise KeyRefusedError(say("A key is one letter, digit or sign."))
    if key == LIST_KEY:
        raise KeyRefusedError(say("“?” lists the keys on every page and stays so."))
    if unicodedata.category(key)[0] not in "LNPS":
        raise KeyRefusedError(say("A key is a letter, a digit or a sign that can be seen."))
    return key
