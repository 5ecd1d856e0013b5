"""Files that were damaged in any way: nothing crashes, every loss is said, and the counts add up."""

import random
from typing import Any

import pytest

from evaluation.formats import jsonio, registry
from evaluation.formats.registry import FORMATS
from tests.formats.samples import jsonl, record, source

FILES = {name: found.example for name, found in FORMATS.items()}
FILES["everything"] = jsonl(record(), record("c1/run-2")).decode()
VALUES = [None, 1, -1, "x", "", [], {}, True, [1], {"a": 1}, [[]], [{}], jsonio.loads("1.5")]
SNIPPETS = ["", '"', "{", "\n", ",", "\0", "\\u0000", "[", "]", "�"]


def damaged_value(value: Any, rng: random.Random) -> Any:
    """The same value with one part of it replaced or left out."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        if rng.random() < 0.15:
            return {name: part for name, part in value.items() if name != key}
        return {**value, key: damaged_value(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        place = rng.randrange(len(value))
        return [*value[:place], damaged_value(value[place], rng), *value[place + 1 :]]
    return rng.choice(VALUES)


def damaged(name: str, rng: random.Random) -> str:
    text = FILES[name]
    if name == "csv" or rng.random() < 0.3:
        place = rng.randrange(len(text))
        return text[:place] + rng.choice(SNIPPETS) + text[place + rng.randrange(3) :]
    values = [jsonio.loads(part) for part in (text.strip().split("\n") if name in {"aem/1", "everything"} else [text])]
    return "\n".join(jsonio.dumps(damaged_value(value, rng)) for value in values)


@pytest.mark.parametrize("name", FILES)
def test_damaged_files(name: str) -> None:
    rng = random.Random(name)
    for _ in range(200):
        text = damaged(name, rng)
        for format_name in (None, name if name in FORMATS else "aem/1", rng.choice(list(FORMATS))):
            parsed = registry.read_files([source(text, "file.txt")], format_name=format_name)
            counts = parsed.counts
            if parsed.format:
                assert counts["records"] in (0, counts["read"] + counts["refused"] + counts["duplicates"])
                assert bool(parsed.errors) == (counts["refused"] > 0 or not counts["records"])
            assert all(problem.reason for problem in parsed.problems)
            for found in FORMATS.values():
                if found.write is not None and found.name != "native":
                    assert all("".join(found.write([conversation])) for conversation in parsed.conversations)
