"""How fast is the engine alone, beside its peers, on the same records and in the same run?

    .venv/bin/python benchmarks/engine.py

Prints a table and writes nothing else, apart from the peers' environments below var/bench-venvs, which are made once.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

from records import TURNS, records

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = HERE.parent / "var" / "bench-venvs"

OURS = "aem engine"
# Peer, its version, and how many times as many turns a second the engine has to do.
PEERS = {"deepeval": ("4.3.1", 10), "agentevals": ("0.0.9", 20)}
SCRIPTS = {"deepeval": HERE / "peers" / "deepeval_tools.py", "agentevals": HERE / "peers" / "agentevals_match.py"}


class ContestantError(Exception):
    """A contestant could not be installed or did not finish, with the reason."""


def environment(package: str, version: str) -> Path:
    """The Python of a virtual environment that holds the peer alone; made where it is not there yet."""
    folder = ENVIRONMENTS / f"{package}-{version}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    # Written last, so that an installation that was cut short is done again.
    stamp = folder / "complete"
    if stamp.exists():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    sys.stderr.write(f"installing {package} {version} below {ENVIRONMENTS.relative_to(HERE.parent)} ...\n")
    requirement = f"{package}=={version}"
    uv = shutil.which("uv")
    if uv:
        venv.create(folder, with_pip=False)
        install = [uv, "pip", "install", "--quiet", "--python", str(python), requirement]
    else:
        venv.create(folder, with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--no-compile", requirement]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ContestantError(f"{requirement} could not be installed:\n{done.stderr.strip()}")
    stamp.touch()
    return python


def run(python: Path | str, script: Path, task: str) -> list[dict[str, Any]]:
    """Run one contestant in a process of its own, from a folder that is thrown away: some peers leave files behind."""
    with tempfile.TemporaryDirectory() as folder:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
        switches = {
            "HOME": folder,
            "PYTHONDONTWRITEBYTECODE": "1",
            "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
            "LANGSMITH_TRACING": "false",
        }
        done = subprocess.run(
            [str(python), str(script)],
            input=task,
            capture_output=True,
            text=True,
            cwd=folder,
            env=kept | switches,
            check=False,
        )
    if done.returncode:
        raise ContestantError(f"{script.name} failed:\n{done.stderr.strip()[-2000:]}")
    results: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return results


def table(results: list[dict[str, Any]], count: int) -> str:
    """Turns a second and how many times as fast the engine is, like beside like."""
    turns = count * TURNS
    head = ("contestant", "judging: turns/s", "engine is", "from records: turns/s", "engine is", "passed")
    rows = [
        (
            result["name"],
            f"{turns / result['judged']:,.0f}",
            "" if result["name"] == OURS else f"{ratio(results, result, 'judged'):.1f} x",
            f"{turns / result['whole']:,.0f}",
            "" if result["name"] == OURS else f"{ratio(results, result, 'whole'):.1f} x",
            f"{result['passed']} of {count}",
        )
        for result in results
    ]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width) for column, (cell, width) in enumerate(cells))
        for cells in (list(zip(row, widths, strict=True)) for row in (head, *rows))
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def ratio(results: list[dict[str, Any]], peer: dict[str, Any], what: str) -> float:
    ours = next(result for result in results if result["name"] == OURS)
    return float(peer[what] / ours[what])


def verdicts(results: list[dict[str, Any]]) -> list[tuple[str, bool]]:
    """For each peer in its default mode, whether the engine reaches its goal in both columns."""
    found = []
    for package, (_, goal) in PEERS.items():
        for peer in [result for result in results if result["name"].startswith(package)][:1]:
            judging, whole = ratio(results, peer, "judged"), ratio(results, peer, "whole")
            words = f"{goal} x {peer['name']}: {judging:.1f} x judging, {whole:.1f} x from records"
            found.append((words, min(judging, whole) >= goal))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trajectories", type=int, default=2000, metavar="N", help="runs of five turns a round (2000)")
    parser.add_argument("--runs", type=int, default=4, metavar="N", help="runs of each conversation (4)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="the fastest of so many rounds counts (3)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the made-up records (1)")
    parser.add_argument("--only-engine", action="store_true", help="leave the peers out")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a goal is missed")
    options = parser.parse_args()
    if min(options.trajectories, options.runs, options.rounds) < 1:
        parser.error("there must be at least one trajectory, one run and one round")

    rounds = [
        list(records(options.trajectories, runs=options.runs, seed=options.seed + extra))
        for extra in range(options.rounds)
    ]
    task = json.dumps(rounds)
    peers = {} if options.only_engine else PEERS
    try:
        environments = {package: environment(package, version) for package, (version, _) in peers.items()}
        results = run(sys.executable, HERE / "peers" / "aem_engine.py", task)
        for package, python in environments.items():
            results += run(python, SCRIPTS[package], task)
    except ContestantError as problem:
        sys.stderr.write(f"{problem}\n")
        return 2
    print(
        f"{options.trajectories} trajectories x {TURNS} turns, {options.runs} of each conversation; "
        f"a process for each contestant, fastest of {options.rounds} rounds\n"
    )
    print(table(results, options.trajectories))
    print()
    for words, reached in verdicts(results):
        print(f"{'reached' if reached else 'MISSED'}  {words}")
    return int(options.check and not all(reached for _, reached in verdicts(results)))


if __name__ == "__main__":
    raise SystemExit(main())
