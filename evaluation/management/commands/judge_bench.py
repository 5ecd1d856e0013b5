"""`manage.py judge_bench FILE… [--json] [--embedding] [--distinct PATH] [--wrong]`"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.evaluators import judge_bench as bench
from evaluation.evaluators.embedded.model import Embedding
from evaluation.evaluators.embedded.replies import judge_reply
from evaluation.evaluators.embedded.values import compare_values

_FIRST = """
import time; started = time.perf_counter()
from evaluation.evaluators.embedded.values import compare_values
compare_values("third quarter revenue figures for 2024", "Q3 2024 revenue")
compare_values("NYC", "New York City")
print(time.perf_counter() - started)
"""


class Command(BaseCommand):
    help = "Measure the embedded scorer on labelled pairs of values and replies."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="*", type=Path, help="JSON lines: a, b, label or reference, response, label")
        parser.add_argument("--json", action="store_true", help="figures as JSON")
        parser.add_argument("--wrong", action="store_true", help="list the pairs that are judged wrong")
        embedding = parser.add_mutually_exclusive_group()
        embedding.add_argument("--embedding", action="store_true", help="with the optional embedding")
        embedding.add_argument("--no-embedding", action="store_false", dest="embedding", help="without it (default)")
        parser.add_argument(
            "--distinct", type=Path, help="golden actions (a file or folder): distinct values of one parameter"
        )
        parser.add_argument(
            "--per-parameter",
            type=int,
            default=bench.PER_PARAMETER,
            help=f"values of one parameter that are paired; 0 for all (default {bench.PER_PARAMETER})",
        )
        parser.set_defaults(embedding=False)

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["files"] and options["distinct"] is None:
            raise CommandError("Name a file of pairs, or golden actions with --distinct.")
        embedding = _embedding() if options["embedding"] else None
        report: dict[str, Any] = {"embedding": embedding.name if embedding else None, "first_start_s": _first_start()}
        try:
            report["files"] = [self._file(path, embedding) for path in options["files"]]
            if options["distinct"] is not None:
                report["distinct"] = _distinct(options["distinct"], options["per_parameter"] or None, embedding)
        except bench.PairFileError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=2))
        else:
            self._print(report, with_wrong=options["wrong"])

    def _file(self, path: Path, embedding: Embedding | None) -> dict[str, Any]:
        pairs = bench.read_pairs(path)
        # Only there is the kind the name of the parameter; elsewhere it says what sort of value it is.
        has_names = "bfcl" in path.name

        def judge(pair: bench.Pair) -> tuple[str, bool, str]:
            if pair.is_reply:
                reply = judge_reply(pair.a, pair.b, language=pair.language, embedding=embedding)
                return reply.state, reply.is_sure, reply.sentence
            field = pair.kind if has_names else ""
            value = compare_values(pair.a, pair.b, field=field, language=pair.language, embedding=embedding)
            return ("equivalent" if value.is_equal else "different"), value.is_sure, value.sentence

        cold = bench.judged(pairs, judge, time.perf_counter)
        gc.collect()
        # Warm: tables and expressions are there, but no pair is remembered.
        _forget()
        answers = bench.judged(pairs, judge, time.perf_counter)
        return {
            "file": str(path),
            "is_reply": pairs[0].is_reply,
            "all": bench.figures(answers).as_json(),
            "cold_mean_ms": bench.figures(cold).as_json()["mean_ms"],
            "by_language": {k: v.as_json() for k, v in bench.grouped(answers, lambda one: one.pair.language).items()},
            "by_kind": {k: v.as_json() for k, v in bench.grouped(answers, lambda one: one.pair.kind).items()},
            "wrong": [
                {
                    "line": one.pair.line,
                    "kind": one.pair.kind,
                    "language": one.pair.language,
                    "a": one.pair.a,
                    "b": one.pair.b,
                    "label": one.pair.label,
                    "judged": one.label,
                    "is_sure": one.is_sure,
                    "sentence": one.sentence,
                }
                for one in answers
                if not one.is_right
            ],
        }

    def _print(self, report: dict[str, Any], *, with_wrong: bool) -> None:
        self.stdout.write(f"Embedding: {report['embedding'] or 'none'}. First start {report['first_start_s']:.2f} s.")
        for file in report["files"]:
            self._print_file(file, with_wrong=with_wrong)
        if distinct := report.get("distinct"):
            self.stdout.write(
                f"\n{distinct['path']}: {distinct['count']} pairs of distinct values, {len(distinct['equal'])} called "
                f"equal; {distinct['mean_ms']:.3f} ms a pair"
            )
            for name, a, b, sentence in distinct["equal"]:
                self.stdout.write(f"  {name}: {a!r} | {b!r}: {sentence}")

    def _print_file(self, file: dict[str, Any], *, with_wrong: bool) -> None:
        total = file["all"]
        self.stdout.write(f"\n{file['file']}")
        self.stdout.write(
            f"{total['count']} pairs, {total['right']} right; time a pair: median {total['median_ms']:.3f} ms, "
            f"mean {total['mean_ms']:.3f} ms warm, {file['cold_mean_ms']:.3f} ms cold"
        )
        if file["is_reply"]:
            self.stdout.write(
                f"ok, incomplete and inconsistent told apart: {_share(total['label_accuracy'])}; "
                f"faulty replies caught: {total['caught']} of {total['faulty']}"
            )
        self.stdout.write(
            f"{'':<22}{'pairs':>6}{'accuracy':>10}{'F1':>8}{'false equal':>13}{'false failure':>15}"
            f"{'decided':>9}{'right of it':>13}"
        )
        rows = [("all", total), *file["by_language"].items(), *file["by_kind"].items()]
        for name, one in rows:
            self.stdout.write(
                f"{name[:21] or '(none)':<22}{one['count']:>6}{_share(one['accuracy']):>10}{_share(one['f1']):>8}"
                f"{one['false_equals']:>13}{one['false_failures']:>15}{_share(one['decided_share']):>9}"
                f"{_share(one['decided_accuracy']):>13}"
            )
        if with_wrong:
            for one in file["wrong"]:
                certainty = "sure" if one["is_sure"] else "open"
                a, b = (json.dumps(one[key], ensure_ascii=False) for key in ("a", "b"))
                self.stdout.write(
                    f"  line {one['line']} {one['language']} {one['kind']}: {one['label']}, judged {one['judged']} "
                    f"({certainty})\n    {a}\n    {b}\n    {one['sentence']}"
                )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _embedding() -> Embedding:
    from evaluation.evaluators.embedded import embedding as extra  # noqa: PLC0415

    embedding = extra.find_embedding(extra.NAME)
    if embedding is None:
        raise CommandError("The optional embedding is not installed (requirements-embed.txt).")
    return embedding


def _first_start() -> float:
    """Seconds from nothing to the first verdict, in a process of its own."""
    found = subprocess.run([sys.executable, "-c", _FIRST], capture_output=True, text=True, check=False, timeout=120)
    if found.returncode:
        raise CommandError(f"The scorer does not start: {found.stderr.strip()[-300:]}")
    return float(found.stdout.strip())


def _forget() -> None:
    """Drop what is remembered of single pairs and texts; tables stay."""
    from evaluation.evaluators.embedded import values  # noqa: PLC0415

    values.forget()


def _distinct(path: Path, per_parameter: int | None, embedding: Embedding | None) -> dict[str, Any]:
    pairs = bench.distinct_pairs(path, per_parameter)
    equal = []
    started = time.perf_counter()
    for name, a, b in pairs:
        judged = compare_values(a, b, field=name, embedding=embedding)
        if judged.is_equal:
            equal.append((name, a, b, judged.sentence))
    seconds = time.perf_counter() - started
    return {
        "path": str(path),
        "count": len(pairs),
        "equal": equal,
        "mean_ms": 1000 * seconds / len(pairs) if pairs else 0.0,
    }
