"""How well values and replies are compared: pairs with labels read, judged, and counted. Pure; the clock is given."""

import itertools
import json
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

VALUE_LABELS = ("equivalent", "different")
REPLY_LABELS = ("ok", "incomplete", "inconsistent")
PER_PARAMETER = 25  # distinct values that are paired of one parameter
Clock = Callable[[], float]


class PairFileError(ValueError):
    """A file of pairs that cannot be read: names the file, the line (0 for the whole file) and the reason."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        self.path, self.line, self.reason = path, line, reason
        super().__init__(f"{path}, line {line}: {reason}" if line else f"{path}: {reason}")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two values, or a reference and a response, with what people say of them."""

    a: Any
    b: Any
    label: str
    kind: str
    language: str
    line: int

    @property
    def is_reply(self) -> bool:
        """Whether it is a pair of replies."""
        return self.label in REPLY_LABELS

    @property
    def passes(self) -> bool:
        """Whether people say that the second passes for the first."""
        return self.label in ("equivalent", "ok")


@dataclass(frozen=True, slots=True)
class Answer:
    """What was judged of a pair: its label, how sure it is, how long it took (seconds), and why."""

    pair: Pair
    label: str
    is_sure: bool
    seconds: float
    sentence: str

    @property
    def passes(self) -> bool:
        """Whether the second passes for the first."""
        return self.label in ("equivalent", "ok")

    @property
    def is_right(self) -> bool:
        """Whether pass or fail is what people say."""
        return self.passes == self.pair.passes


@dataclass(slots=True)
class Figures:
    """Counts over some answers. ``false_equals`` pass against the label, ``false_failures`` fail against it."""

    count: int = 0
    right: int = 0
    true_passes: int = 0
    false_equals: int = 0
    false_failures: int = 0
    sure: int = 0
    sure_right: int = 0
    labels_right: int = 0
    seconds: list[float] = field(default_factory=list)

    def add(self, answer: Answer) -> None:
        """Count one more answer."""
        self.count += 1
        self.right += answer.is_right
        self.true_passes += answer.passes and answer.pair.passes
        self.false_equals += answer.passes and not answer.pair.passes
        self.false_failures += not answer.passes and answer.pair.passes
        self.sure += answer.is_sure
        self.sure_right += answer.is_sure and answer.is_right
        self.labels_right += answer.label == answer.pair.label
        self.seconds.append(answer.seconds)

    @property
    def accuracy(self) -> float | None:
        """Share that is right; None where there are none."""
        return self.right / self.count if self.count else None

    @property
    def f1(self) -> float | None:
        """F1 of "equal" (or "ok"); None where nothing is equal and nothing was called so."""
        total = 2 * self.true_passes + self.false_equals + self.false_failures
        return 2 * self.true_passes / total if total else None

    @property
    def caught(self) -> tuple[int, int]:
        """How many of those that should fail do fail."""
        faulty = self.count - self.true_passes - self.false_failures
        return faulty - self.false_equals, faulty

    def as_json(self) -> dict[str, Any]:
        """The figures with plain names; times in milliseconds."""
        caught, faulty = self.caught
        return {
            "count": self.count,
            "right": self.right,
            "accuracy": self.accuracy,
            "f1": self.f1,
            "false_equals": self.false_equals,
            "false_failures": self.false_failures,
            "caught": caught,
            "faulty": faulty,
            "decided": self.sure,
            "decided_share": self.sure / self.count if self.count else None,
            "decided_accuracy": self.sure_right / self.sure if self.sure else None,
            "label_accuracy": self.labels_right / self.count if self.count else None,
            "mean_ms": 1000 * statistics.fmean(self.seconds) if self.seconds else None,
            "median_ms": 1000 * statistics.median(self.seconds) if self.seconds else None,
        }


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a JSON-lines file: values (a, b, label) or replies (reference, response, label).

    Raises PairFileError.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise PairFileError(path, 0, error.strerror or "it cannot be read") from error
    except UnicodeDecodeError as error:
        raise PairFileError(path, text_line(path, error.start), "it is not UTF-8") from error
    pairs = [_pair(path, number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not pairs:
        raise PairFileError(path, 0, "there are no pairs in it")
    if len({pair.is_reply for pair in pairs}) > 1:
        other = next(pair.line for pair in pairs if pair.is_reply != pairs[0].is_reply)
        raise PairFileError(path, other, "values and replies stand in one file")
    return pairs


def text_line(path: Path, place: int) -> int:
    """The line in which a byte of a file stands, from 1."""
    return path.read_bytes()[:place].count(b"\n") + 1


def _pair(path: Path, number: int, line: str) -> Pair:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise PairFileError(path, number, f"it is no JSON ({error})") from error
    if not isinstance(row, dict):
        raise PairFileError(path, number, "it is no JSON object")
    names, labels = (("reference", "response"), REPLY_LABELS) if "reference" in row else (("a", "b"), VALUE_LABELS)
    missing = [name for name in (*names, "label") if name not in row]
    if missing:
        raise PairFileError(path, number, f"{missing[0]} is missing")
    if row["label"] not in labels:
        raise PairFileError(path, number, f"label is {row['label']!r}; it can be {', '.join(labels)}")
    if names[0] == "reference" and not (isinstance(row["reference"], str) and isinstance(row["response"], str)):
        raise PairFileError(path, number, "reference and response have to be texts")
    return Pair(row[names[0]], row[names[1]], row["label"], str(row.get("kind", "")), str(row.get("lang", "")), number)


def judged(pairs: Iterable[Pair], judge: Callable[[Pair], tuple[str, bool, str]], clock: Clock) -> list[Answer]:
    """Judge pairs one after the other; ``judge`` gives label, whether it is sure, and a sentence."""
    answers = []
    for pair in pairs:
        started = clock()
        label, is_sure, sentence = judge(pair)
        answers.append(Answer(pair, label, is_sure, clock() - started, sentence))
    return answers


def figures(answers: Iterable[Answer]) -> Figures:
    """Counts over answers."""
    total = Figures()
    for answer in answers:
        total.add(answer)
    return total


def grouped(answers: Sequence[Answer], name: Callable[[Answer], str]) -> dict[str, Figures]:
    """Figures by a name of each answer, in order of the names."""
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(name(answer), []).append(answer)
    return {key: figures(groups[key]) for key in sorted(groups)}


# --- distinct values ----------------------------------------------------------------------------------------------


def distinct_pairs(path: Path, per_parameter: int | None = PER_PARAMETER) -> list[tuple[str, Any, Any]]:
    """Pairs of distinct values of one parameter in golden actions: parameter, one value, another.

    ``path`` is a file of golden actions, or a folder with some (``*golden_actions.json``). Values that are lists or
    objects count by their parts. Of each parameter at most ``per_parameter`` values are paired, in their JSON's order.
    Raises PairFileError.
    """
    files = sorted(path.glob("*golden_actions.json")) if path.is_dir() else [path]
    if not files:
        raise PairFileError(path, 0, "there is no file of golden actions in it (*golden_actions.json)")
    values: dict[str, dict[str, Any]] = {}
    for file in files:
        for name, value in _arguments(file):
            values.setdefault(name, {}).setdefault(json.dumps(value, ensure_ascii=False), value)
    pairs: list[tuple[str, Any, Any]] = []
    for name in sorted(values):
        listed = [values[name][key] for key in sorted(values[name])][:per_parameter]
        pairs += [(name, a, b) for a, b in itertools.combinations(listed, 2)]
    return pairs


def _arguments(file: Path) -> Iterator[tuple[str, Any]]:
    try:
        tasks = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise PairFileError(file, 0, error.strerror or "it cannot be read") from error
    except (ValueError, RecursionError) as error:
        raise PairFileError(file, getattr(error, "lineno", 0), f"it is no JSON ({error})") from error
    try:
        for task in tasks:
            for action in task["actions"]:
                yield from _scalars("", action["kwargs"])
    except (TypeError, KeyError, AttributeError) as error:
        raise PairFileError(file, 0, "it holds no golden actions (tasks with actions with kwargs)") from error


def _scalars(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _scalars(key, part)
    elif isinstance(value, list):
        for part in value:
            yield from _scalars(name, part)
    elif value is not None and not isinstance(value, bool):
        yield name, value
