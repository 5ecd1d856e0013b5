"""How fast is a run through Celery, beside one task for each conversation, while somebody annotates?

    .venv/bin/python benchmarks/pipeline.py
    DATABASE_URL=postgresql://… CELERY_BROKER_URL=redis://… .venv/bin/python benchmarks/pipeline.py

Works on a database, a folder and a queue of its own, which are gone when it ends.
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT))

EXCHANGES = 4  # of five turns each
TURNS = 20
SAVE_EVERY_SECONDS = 0.5
GOALS = {"turns_a_second": 8000, "times_naive": 8, "save_p95_ms": 150, "lock_errors": 0, "embedded_share": 0.5}


# The records


def conversations(count: int, *, trials: int, seed: int) -> Iterator[tuple[Any, Any, list[Any]]]:
    """Golden, tools and the trajectories of conversations of twenty turns: four records of `records.py` in a row."""
    from records import records

    parts = records(count * EXCHANGES * trials, runs=trials, seed=seed)
    for _ in range(count):
        golden: list[Any] = []
        observed: list[list[Any]] = [[] for _ in range(trials)]
        tools: dict[str, Any] = {}
        for number in range(1, EXCHANGES + 1):
            exchange = [next(parts) for _ in range(trials)]
            tools |= exchange[0]["tools"]
            turns = exchange[0]["golden"]["paths"][0]["turns"]
            golden += [{**_renamed(turn, f"e{number}"), "id": f"e{number}{turn['id']}"} for turn in turns]
            for trial, record in enumerate(exchange):
                observed[trial] += record["trajectory"]["turns"]
        yield (
            {"paths": [{"id": "main", "turns": golden}], "forbidden": [], "outcome": []},
            tools,
            [{"turns": turns} for turns in observed],
        )


def _renamed(value: Any, prefix: str) -> Any:
    """The same with turn ids, and what names them, that are its exchange's own."""
    if isinstance(value, list):
        return [_renamed(part, prefix) for part in value]
    if not isinstance(value, dict):
        return value
    renamed = {key: _renamed(part, prefix) for key, part in value.items()}
    if "from" in renamed:
        renamed["from"] = [f"{prefix}{source}" for source in renamed["from"]]
    return renamed


def seed(count: int, *, trials: int, seed_number: int) -> Any:
    """A dataset version with ``count`` trajectories, ``trials`` of each conversation."""
    from annotations.models import (
        Conversation,
        Dataset,
        DatasetVersion,
        DatasetVersionItem,
        GoldenRecord,
        Project,
        Trajectory,
    )
    from annotations.services import documents
    from evaluation.formats import jsonio

    project = Project.objects.create(slug="benchmark", name="Benchmark")
    dataset = Dataset.objects.create(project=project, slug="conversations", name="Conversations")
    made = list(conversations(count // trials, trials=trials, seed=seed_number))
    tool_set = documents.get_tool_set(project=project, tools=made[0][1])
    rows = Conversation.objects.bulk_create(
        (Conversation(dataset=dataset, key=f"c{number}", tool_set=tool_set) for number in range(len(made))), 1000
    )
    records = []
    for conversation, (golden, _, _) in zip(rows, made, strict=True):
        body = documents.golden_body(golden=_exact(golden), policy={})
        records.append(
            GoldenRecord(
                conversation=conversation,
                number=1,
                body=body,
                tool_set=tool_set,
                content_hash=documents.golden_hash(body=body, tool_set=tool_set),
                turn_count=TURNS,
            )
        )
    records = GoldenRecord.objects.bulk_create(records, 1000)
    for conversation, record in zip(rows, records, strict=True):
        conversation.golden_record = record
    Conversation.objects.bulk_update(rows, ["golden_record"], 500)
    trajectories = [
        Trajectory(
            conversation=conversation,
            key=f"t{trial}",
            agent="agent",
            agent_version="1",
            trial=trial,
            body=_exact(body),
            content_hash=jsonio.content_hash([trial, _exact(body)]),
            turn_count=TURNS,
        )
        for conversation, (_, _, bodies) in zip(rows, made, strict=True)
        for trial, body in enumerate(bodies)
    ]
    Trajectory.objects.bulk_create(trajectories, 1000)
    version = DatasetVersion.objects.create(
        dataset=dataset, number=1, content_hash=jsonio.content_hash([record.content_hash for record in records])
    )
    DatasetVersionItem.objects.bulk_create(
        (DatasetVersionItem(version=version, position=n, golden_record=record) for n, record in enumerate(records)),
        1000,
    )
    return version


def _exact(value: Any) -> Any:
    """As it would have come in from a file: numbers with a point are exact decimals."""
    from evaluation.formats import jsonio

    return jsonio.loads(json.dumps(value))


# Where it happens


@contextlib.contextmanager
def surroundings() -> Iterator[Path]:
    """A folder, a database and a queue of one's own; Django is set up on them."""
    folder = Path(tempfile.mkdtemp(prefix="aem-bench-"))
    name = f"aem_bench_{uuid.uuid4().hex[:8]}"
    wanted = os.environ.get("DATABASE_URL", "")
    admin = None
    if wanted.startswith("postgres"):
        import psycopg

        admin = psycopg.connect(wanted, autocommit=True)
        admin.execute(f"CREATE DATABASE {name}")
        address, _, options = wanted.partition("?")
        os.environ["DATABASE_URL"] = f"{address.rsplit('/', 1)[0]}/{name}" + (f"?{options}" if options else "")
    else:
        os.environ["DATABASE_URL"] = f"sqlite:///{folder / 'bench.sqlite3'}"
    os.environ.update(
        AEM_DATA_DIR=str(folder),
        AEM_LOCAL="1",
        AEM_QUEUE_NAME=name,
        DJANGO_SETTINGS_MODULE="aem_site.settings",
        PYTHONPATH=os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
    )
    try:
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connections

        call_command("migrate", verbosity=0)
        yield folder
        connections.close_all()
    finally:
        if admin is not None:
            admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            admin.close()
        shutil.rmtree(folder, ignore_errors=True)


class Workers(NamedTuple):
    """Running workers: their process groups and logs."""

    groups: set[int]
    logs: list[Path]

    def processor_seconds(self) -> float | None:
        """What all their processes have used so far; None where there is no /proc to say so."""
        ticks = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                fields = stat.read_text().rpartition(")")[2].split()
                if int(fields[2]) in self.groups:
                    ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK") if ticks else None

    def output(self) -> str:
        return "\n".join(log.read_text(errors="replace") for log in self.logs)


@contextlib.contextmanager
def workers(folder: Path, count: int) -> Iterator[Workers]:
    """Worker processes, ready for work."""
    from evaluation.models import WorkerHeartbeat

    logs = [folder / f"worker{number}.log" for number in range(count)]
    processes = []
    for number, log in enumerate(logs):
        beat = ["--beat", "--schedule", str(folder / "beat")] if number == 0 else []
        with log.open("wb") as output:
            processes.append(
                subprocess.Popen(
                    [
                        sys.executable, "-m", "celery", "-A", "aem_site", "worker", "--include", "naive",
                        "--concurrency", "1", "--hostname", f"bench{number}@here", "--loglevel", "WARNING",
                        "--without-gossip", "--without-mingle", *beat,
                    ],
                    cwd=ROOT,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            )  # fmt: skip
    running = Workers({process.pid for process in processes}, logs)
    try:
        end = time.monotonic() + 60
        while WorkerHeartbeat.objects.count() < count:
            if time.monotonic() > end or any(process.poll() is not None for process in processes):
                raise SystemExit("the workers did not start:\n" + running.output())
            time.sleep(0.1)
        yield running
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


# The annotator


def annotate(golden_id: str) -> None:
    """Save one turn after another until standard input ends; prints a line for each save."""
    import select

    import django

    django.setup()
    from django.contrib.auth import get_user_model
    from django.db import OperationalError, connection

    from annotations.models import GoldTurn
    from annotations.services import goldens

    turns = list(GoldTurn.objects.filter(golden=golden_id, kind="action").values_list("pk", flat=True))
    user = get_user_model().objects.get()
    print("ready", flush=True)
    number = 0
    while not select.select([sys.stdin], [], [], SAVE_EVERY_SECONDS)[0]:
        number += 1
        begin, error = time.perf_counter(), ""
        try:
            turn = GoldTurn.objects.get(pk=turns[number % len(turns)])
            goldens.update_turn(turn=turn, body={**turn.body, "weight": number}, seen=turn.revision, by=user)
        except OperationalError as problem:
            error = str(problem)
            connection.close()
        print(json.dumps({"ms": (time.perf_counter() - begin) * 1000, "error": error}), flush=True)


@contextlib.contextmanager
def annotator(golden_id: Any) -> Iterator[list[dict[str, Any]]]:
    """Somebody who saves a turn every half second. The list is filled when they have stopped."""
    saves: list[dict[str, Any]] = []
    process = subprocess.Popen(
        [sys.executable, __file__, "--annotate", str(golden_id)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    process.stdout.readline()  # it is ready
    try:
        yield saves
    finally:
        output, _ = process.communicate("stop\n", timeout=60)
        saves += [json.loads(line) for line in output.splitlines()]


def make_golden(version: Any) -> Any:
    from annotations.models import Golden, Membership, User
    from annotations.services import goldens

    user = User.objects.create(username="annotator")
    Membership.objects.create(project=version.dataset.project, user=user, role="owner")
    record = version.items.first().golden_record
    golden = Golden.objects.create(conversation=record.conversation, annotator=user)
    goldens.load_body(golden, record.body["golden"], user)
    return golden.pk


# The contestants


def run_in_chunks(version: Any, *, scorer: str = "exact") -> dict[str, Any]:
    """The product's own way: plan, start, ring, wait for the end."""
    from evaluation import tasks
    from evaluation.models import EvaluationRun, RunState
    from evaluation.services import policies, runs

    begin = time.perf_counter()
    project = version.dataset.project
    policy = policies.create(project=project, name=scorer, body={"scorer": scorer}, by=None)
    run = runs.plan(project=project, dataset_version=version, policy=policy, by=None)
    planned = time.perf_counter()
    runs.start(run=run)
    tasks.ring()
    ended = None
    while True:
        state, summary = EvaluationRun.objects.values_list("state", "finished_at").get(pk=run.pk)
        if state not in (RunState.PENDING, RunState.RUNNING):
            ended = ended or time.perf_counter()
            run.refresh_from_db()
            if run.summary is not None:
                break
        del summary
        time.sleep(0.05)
    total = run.summary["all"]
    return {
        "plan_seconds": planned - begin,
        "seconds": ended - planned,
        "adding_up_seconds": time.perf_counter() - ended,
        "state": run.state,
        "scored": run.summary["scored"],
        "evaluated": total["evaluated"],
        "root_causes": total["root_causes"],
        "cascades": total["cascades"],
        "effort": run.effort,
    }


def run_one_by_one(version: Any, count: int) -> dict[str, Any]:
    """The usual way, over the first ``count`` items of a run of its own."""
    from naive import score_item

    from evaluation.models import Verdict
    from evaluation.services import policies, runs

    project = version.dataset.project
    run = runs.plan(project=project, dataset_version=version, policy=policies.get_standard(project=project), by=None)
    begin = time.perf_counter()
    for position in range(1, count + 1):
        score_item.delay(str(run.pk), position)
    published = time.perf_counter() - begin
    while Verdict.objects.filter(item__run=run).count() < count:
        time.sleep(0.05)
    return {"seconds": time.perf_counter() - begin, "publishing_seconds": published, "conversations": count}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    with surroundings() as folder:
        from django.conf import settings
        from django.db import connection

        begin = time.perf_counter()
        version = seed(options.trajectories, trials=options.trials, seed_number=options.seed)
        golden = make_golden(version)
        seeded = time.perf_counter() - begin
        with workers(folder, options.workers) as running:
            with annotator(golden) as saves:
                chunks = _with_processor_time(running, lambda: run_in_chunks(version))
            embedded = None
            if options.embedded:
                embedded = _with_processor_time(running, lambda: run_in_chunks(version, scorer="embedded"))
            naive = None
            if options.naive:
                count = min(options.naive, options.trajectories)
                naive = _with_processor_time(running, lambda: run_one_by_one(version, count))
            output = running.output()
        turns = options.trajectories * TURNS
        found = {
            "database": connection.vendor,
            "broker": settings.CELERY_BROKER_URL.split(":")[0],
            "workers": options.workers,
            "trajectories": options.trajectories,
            "turns": turns,
            "seed_seconds": seeded,
            "run": chunks,
            "turns_a_second": turns / chunks["seconds"],
            "saves": len(saves),
            **_spread([save["ms"] for save in saves]),
            "lock_errors": sum(bool(save["error"]) for save in saves) + output.count("is locked"),
            "tracebacks": output.count("Traceback"),
        }
        if embedded:
            found["embedded"] = embedded
            found["embedded_turns_a_second"] = turns / embedded["seconds"]
            found["embedded_share"] = found["embedded_turns_a_second"] / found["turns_a_second"]
        if naive:
            found["naive"] = naive
            found["naive_turns_a_second"] = naive["conversations"] * TURNS / naive["seconds"]
            found["times_naive"] = found["turns_a_second"] / found["naive_turns_a_second"]
        return found


def _with_processor_time(running: Workers, contestant: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    before = running.processor_seconds()
    found = contestant()
    after = running.processor_seconds()
    found["processor_seconds"] = None if before is None or after is None else after - before
    return found


def _spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        f"save_{name}_ms": ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")
        for name, share in (("p50", 0.5), ("p95", 0.95), ("max", 1.0))
    }


def missed(found: dict[str, Any]) -> list[str]:
    """The goals that were not reached, and results that are not what they must be."""
    problems = []
    if found["turns_a_second"] < GOALS["turns_a_second"]:
        problems.append(f"{found['turns_a_second']:,.0f} turns a second, not {GOALS['turns_a_second']:,}")
    if "times_naive" in found and found["times_naive"] < GOALS["times_naive"]:
        problems.append(f"{found['times_naive']:.1f} times one task a conversation, not {GOALS['times_naive']}")
    if found.get("embedded_share", 1) < GOALS["embedded_share"]:
        problems.append(f"{found['embedded_share']:.2f} of that speed under `embedded`, not {GOALS['embedded_share']}")
    if found["save_p95_ms"] > GOALS["save_p95_ms"]:
        problems.append(f"a save takes {found['save_p95_ms']:.0f} ms (95th percentile), not {GOALS['save_p95_ms']}")
    if found["lock_errors"]:
        problems.append(f"{found['lock_errors']} lock errors")
    if found["tracebacks"]:
        problems.append(f"{found['tracebacks']} tracebacks in the workers' logs")
    if found["run"]["scored"] != found["trajectories"] or found["run"]["state"] != "done":
        problems.append(f"{found['run']['scored']} of {found['trajectories']} scored, run {found['run']['state']}")
    return problems


def show(found: dict[str, Any]) -> None:
    run = found["run"]
    print(f"{found['database']} with {found['broker']}, {found['workers']} workers, {found['turns']:,} turns")
    print(f"  in chunks                 {found['turns_a_second']:>10,.0f} turns/s   ({run['seconds']:.1f} s)")
    if "embedded" in found:
        effort = found["embedded"]["effort"]
        print(
            f"  the same, `embedded`      {found['embedded_turns_a_second']:>10,.0f} turns/s   "
            f"({found['embedded']['seconds']:.1f} s, {found['embedded_share']:.2f} of the speed under `exact`)"
        )
        if effort:
            print(
                f"    {effort['asked']:,} comparisons asked for, {effort['distinct']:,} distinct, "
                f"{effort['made']:,} made"
            )
    if "naive" in found:
        print(
            f"  one task a conversation   {found['naive_turns_a_second']:>10,.0f} turns/s   "
            f"({found['naive']['conversations']:,} conversations in {found['naive']['seconds']:.1f} s)"
        )
        print(f"  ratio                     {found['times_naive']:>10.1f}")
    for name, contestant, turns in (
        ("in chunks", run, found["turns"]),
        ("one task a conversation", found.get("naive"), found.get("naive", {}).get("conversations", 0) * TURNS),
    ):
        if contestant and contestant["processor_seconds"]:
            micros = contestant["processor_seconds"] / turns * 1e6
            print(f"  processor time of the workers, {name}: {micros:.0f} microseconds a turn")
    print(f"  planning, adding up       {run['plan_seconds']:.2f} s, {run['adding_up_seconds']:.2f} s")
    print(
        f"  {found['saves']} saves meanwhile: p50 {found['save_p50_ms']:.0f} ms, p95 {found['save_p95_ms']:.0f} ms, "
        f"max {found['save_max_ms']:.0f} ms; {found['lock_errors']} lock errors"
    )
    print(
        f"  {run['evaluated']:,} turns evaluated, {run['root_causes']:,} root causes, {run['cascades']:,} cascades, "
        f"{run['scored']:,} trajectories scored"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trajectories", type=int, default=5000, help="of twenty turns each")
    parser.add_argument(
        "--trials", type=int, default=4, help="of each conversation; 1 gives every trajectory a golden of its own"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--naive", type=int, default=5000, help="trajectories for one task each; 0 leaves it out")
    parser.add_argument("--embedded", action="store_true", help="score everything under `embedded` as well")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="all figures as one line of JSON")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a goal is missed")
    parser.add_argument("--annotate", metavar="GOLDEN", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.trajectories -= options.trajectories % options.trials
    if options.annotate:
        annotate(options.annotate)
        return 0
    found = measure(options)
    if options.json:
        print(json.dumps(found))
    else:
        show(found)
    problems = missed(found)
    for problem in problems:
        print(f"missed: {problem}", file=sys.stderr)
    return 1 if options.check and problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
