"""How long do people wait for the queue, and does it stay exact, while twenty claim and save at once?

    DATABASE_URL=postgresql://… .venv/bin/python benchmarks/queue_load.py
    .venv/bin/python benchmarks/queue_load.py --sqlite

Works on a database, a folder and a web server of its own (as `run.py web` starts it), which are gone when it ends.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT), str(HERE)]

GOALS = {"wait_p95_ms": 500}
KEPT_SECONDS = 1  # a server that keeps connections ends one that nobody uses for two
SAVES = 3  # of turns, for each conversation that somebody takes
SUBMITTED, SKIPPED = 0.5, 0.1  # of what somebody takes; the rest is left for later


# The server


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Server(NamedTuple):
    host: str
    port: int
    group: int

    def processor_seconds(self) -> dict[int, float]:
        """What each of its processes has used so far; empty where there is no /proc to say so."""
        return {pid: used for pid, (group, used) in _processes().items() if group == self.group}


def _processes() -> dict[int, tuple[int, float]]:
    """The process group of each process, and the processor seconds that it has used."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            ticks = int(fields[11]) + int(fields[12])
            found[int(stat.parent.name)] = (int(fields[2]), ticks / os.sysconf("SC_CLK_TCK"))
    return found


def database_seconds(name: str) -> dict[int, float]:
    """What the processes of PostgreSQL have used that serve this database, where they run on this machine."""
    found = {}
    for pid, (_, used) in _processes().items():
        with contextlib.suppress(OSError):
            title = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
            if title.startswith("postgres:") and f" {name} " in title:
                found[pid] = used
    return found


def _since(before: Mapping[int, float], after: Mapping[int, float]) -> list[float]:
    return [used - before.get(pid, 0.0) for pid, used in after.items()]


@contextlib.contextmanager
def server(environment: Mapping[str, str], log: Path) -> Iterator["Server"]:
    """The web server as `run.py web` starts it, with two processes."""
    import run

    port = free_port()
    command = [sys.executable, *run.web_command("127.0.0.1", port)[1:]]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**environment, "WEB_CONCURRENCY": "2"},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=run.end_with_parent,  # noqa: PLW1509 - who stops the benchmark stops its server
        )
    try:
        _wait_for(port, process, log)
        yield Server("127.0.0.1", port, process.pid)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def _wait_for(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + 60
    while True:
        with contextlib.suppress(OSError):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            return
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"the web server did not start:\n{log.read_text(errors='replace')}")
        time.sleep(0.1)


# The people


@dataclass
class Person:
    """Somebody with a token, on a connection of their own; remembers what the server said it did."""

    server: Server
    token: str
    waits: dict[str, list[float]] = field(default_factory=lambda: {"claim": [], "save": [], "submit": [], "skip": []})
    claimed: list[int] = field(default_factory=list)
    saved: dict[int, tuple[int, int]] = field(default_factory=dict)
    submitted: list[int] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    empty: int = 0
    _connection: http.client.HTTPConnection | None = None
    _used: float = 0.0

    def ask(self, kind: str, method: str, path: str, body: Any = None) -> Any:
        """The answer, or None with an error noted; the wait counts from the request to the last byte."""
        begun = time.perf_counter()
        try:
            if self._connection is None or time.monotonic() - self._used > KEPT_SECONDS:
                self._connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=60)
            self._connection.request(
                method,
                f"/api/v1/{path}",
                json.dumps(body) if body is not None else None,
                {"Authorization": f"Token {self.token}", "Content-Type": "application/json"},
            )
            response = self._connection.getresponse()
            content = response.read()
            self._used = time.monotonic()
        except (OSError, http.client.HTTPException) as error:
            self.errors.append(f"{method} {path}: {error!r}")
            self._connection = None
            return None
        self.waits[kind].append((time.perf_counter() - begun) * 1000)
        if response.status >= 400:
            self.errors.append(f"{method} {path}: {response.status} {content[:200]!r}")
            return None
        return json.loads(content)

    def take(self, slug: str) -> Any:
        """The next conversation with its golden; None when nothing is left."""
        answer = self.ask("claim", "POST", f"projects/{slug}/queue/next/", {})
        if answer is None:
            return None
        if answer["assignment"] is None:
            self.empty += 1
            return None
        self.claimed.append(answer["assignment"]["conversation"])
        return answer

    def work(self, taken: Any, chance: random.Random, pause: Callable[[], None]) -> None:
        """Save some turns of what was taken, then submit it, skip it or leave it."""
        golden, conversation = taken["golden"], taken["assignment"]["conversation"]
        turns = [turn for turn in golden["turns"] if turn["kind"] != "user"]
        for turn in (chance.choice(turns) for _ in range(SAVES)):
            pause()
            weight = chance.randrange(1, 10**6)
            body = {**turn["body"], "weight": weight}
            path = f"goldens/{golden['id']}/turns/{turn['id']}/"
            answer = self.ask("save", "PUT", path, {"seen_revision": turn["revision"], "body": body})
            if answer is not None:
                turn.update(revision=answer["revision"], body=answer["body"])
                self.saved[turn["id"]] = (answer["revision"], weight)
        pause()
        what = chance.random()
        if what < SUBMITTED:
            if self.ask("submit", "POST", f"goldens/{golden['id']}/submit/", {}) is not None:
                self.submitted.append(conversation)
        elif what < SUBMITTED + SKIPPED and (
            self.ask("skip", "POST", f"conversations/{conversation}/skip/", {"reason": "not my field"}) is not None
        ):
            self.skipped.append(conversation)


def at_once(people: list[Person], action: Callable[[Person], None]) -> float:
    """Everybody does it, all beginning at the same instant; seconds until the last one is done."""
    barrier = threading.Barrier(len(people) + 1)

    def run(person: Person) -> None:
        barrier.wait(timeout=60)
        try:
            action(person)
        except Exception as error:
            person.errors.append(repr(error))

    threads = [threading.Thread(target=run, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    barrier.wait(timeout=60)
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begun


# The work


def seed(conversations: int, *, overlap: int, people: int, slug: str = "load") -> tuple[Any, list[str]]:
    """A project with conversations, a recorded run each, and people with tokens. Every tenth conversation is assigned
    to somebody, every seventh has a high priority."""
    from django.utils import timezone
    from records import records

    from annotations.models import ApiToken, Conversation, Dataset, Membership, Project, Role, Trajectory, User
    from annotations.services import documents, queue_actions
    from evaluation.formats import jsonio

    project = Project.objects.create(slug=slug, name="Load", overlap=overlap)
    dataset = Dataset.objects.create(project=project, slug="conversations", name="Conversations")
    made = list(records(conversations, seed=1))
    tool_set = documents.get_tool_set(project=project, tools=jsonio.loads(json.dumps(made[0]["tools"])))
    rows = Conversation.objects.bulk_create(
        (Conversation(dataset=dataset, key=f"c{number}", tool_set=tool_set) for number in range(conversations)), 1000
    )
    Trajectory.objects.bulk_create(
        (
            Trajectory(
                conversation=row,
                key="t",
                agent="agent",
                body=jsonio.loads(json.dumps(record["trajectory"])),
                content_hash=str(row.pk),
                turn_count=5,
            )
            for row, record in zip(rows, made, strict=True)
        ),
        500,
    )
    owner = User.objects.create(username=f"{slug}-owner")
    Membership.objects.create(project=project, user=owner, role=Role.OWNER)
    tokens, members = [], []
    for number in range(people):
        user = User.objects.create(username=f"{slug}-{number}")
        Membership.objects.create(project=project, user=user, role=Role.ANNOTATOR)
        tokens.append(ApiToken.objects.create(user=user, expiry=None, name="load")[1])
        members.append(user)
    every = Conversation.objects.filter(dataset=dataset)
    now = timezone.now()
    kept = every.filter(pk__in=[row.pk for row in rows[::10]])
    queue_actions.assign(project=project, by=owner, chosen=kept, people=members, each=False, now=now)
    urgent = every.filter(pk__in=[row.pk for row in rows[::7]])
    queue_actions.set_priority(project=project, by=owner, chosen=urgent, priority=10, now=now)
    return project, tokens


def faults(project: Any, people: list[Person], usernames: list[str]) -> list[str]:
    """What is not as the server said it was: claims, saves, submissions lost or doubled, places beyond the overlap."""
    from annotations.models import Assignment, AssignmentState, Golden, GoldTurn

    found = []
    rows = {
        (row.annotator.username, row.conversation_id): row
        for row in Assignment.objects.filter(conversation__dataset__project=project).select_related("annotator")
    }
    for person, name in zip(people, usernames, strict=True):
        twice = [number for number, times in Counter(person.claimed).items() if times > 1]
        found += [f"{name} was given conversation {number} twice" for number in twice]
        found += [f"the claim of {number} by {name} is lost" for number in person.claimed if (name, number) not in rows]
        for numbers, state in (
            (person.submitted, AssignmentState.DONE),
            (person.skipped, AssignmentState.SKIPPED),
        ):
            found += [
                f"{number} by {name} is {rows[name, number].state}, not {state}"
                for number in numbers
                if rows[name, number].state != state
            ]
        stored = GoldTurn.objects.in_bulk(list(person.saved))
        for pk, (revision, weight) in person.saved.items():
            turn = stored[pk]
            if (turn.revision, int(turn.body.get("weight", 0))) != (revision, weight):
                found.append(f"turn {pk} of {name}: revision {turn.revision} is stored, {revision} was saved")
    known = sum(len(person.claimed) for person in people)
    if Golden.objects.filter(conversation__dataset__project=project).count() != known:
        found.append(f"{known} claims, and another number of goldens")
    held = Counter(row.conversation_id for row in rows.values() if row.place is not None)
    found += [f"{number} has {places} people" for number, places in held.items() if places > project.overlap]
    return found


def drain(project: Any, usernames: list[str]) -> list[str]:
    """Hand out all that is left; says which conversations do not end with exactly as many people as asked for."""
    from django.utils import timezone

    from annotations.models import Assignment, Conversation, User
    from annotations.services import assignments

    users = list(User.objects.filter(username__in=usernames).order_by("pk"))
    left = list(users)
    while left:
        left = [user for user in left if assignments.claim_next(project, user, timezone.now()) is not None]
    held = Assignment.objects.filter(conversation__dataset__project=project, place__isnull=False)
    counted = Counter(held.values_list("conversation_id", flat=True))
    every = Conversation.objects.in_project(project).values_list("pk", flat=True)
    return [f"{pk} ends with {counted[pk]} people" for pk in every if counted[pk] != project.overlap]


# Measuring


def percentiles(waits: list[float]) -> dict[str, float]:
    ordered = sorted(waits)
    if not ordered:
        return {}
    at = {"p50": 0.5, "p95": 0.95, "max": 1.0}
    return {name: ordered[min(len(ordered) - 1, int(share * len(ordered)))] for name, share in at.items()}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    from pipeline import surroundings

    with surroundings() as folder:
        from django.db import connection

        project, tokens = seed(options.conversations, overlap=options.overlap, people=options.people)
        names = [f"load-{number}" for number in range(options.people)]
        with server(os.environ, folder / "web.log") as web:
            people = [Person(web, token) for token in tokens]
            at_once(people, lambda person: person.ask("skip", "GET", "me/"))  # both processes are awake
            for person in people:
                person.waits["skip"].clear()
            chances = {id(person): random.Random(number) for number, person in enumerate(people)}
            end = time.perf_counter() + options.seconds

            def busy(person: Person) -> None:
                chance = chances[id(person)]

                def pause() -> None:
                    if options.pause:
                        time.sleep(chance.uniform(0.5, 1.5) * options.pause)

                while time.perf_counter() < end:
                    taken = person.take(project.slug)
                    if taken is not None:
                        person.work(taken, chance, pause)
                    pause()

            name = str(connection.settings_dict["NAME"])
            load = os.getloadavg()[0]
            before, own = (web.processor_seconds(), database_seconds(name)), time.process_time()
            seconds = at_once(people, busy)
            own = time.process_time() - own
            used, database = _since(before[0], web.processor_seconds()), _since(before[1], database_seconds(name))
            log = (folder / "web.log").read_text(errors="replace")
        problems = faults(project, people, names)
        uneven = drain(project, names)
        return {
            "database": connection.vendor,
            "people": options.people,
            "seconds": seconds,
            "pause": options.pause,
            "conversations": options.conversations,
            "overlap": options.overlap,
            "counts": {
                "claims": sum(len(person.claimed) for person in people),
                "saves": sum(len(person.waits["save"]) for person in people),
                "submitted": sum(len(person.submitted) for person in people),
                "skipped": sum(len(person.skipped) for person in people),
                "found nothing": sum(person.empty for person in people),
            },
            "waits": {
                kind: percentiles([wait for person in people for wait in person.waits[kind]])
                for kind in ("claim", "save", "submit", "skip")
            },
            "wait": percentiles([wait for person in people for waits in person.waits.values() for wait in waits]),
            "each": sorted(
                percentiles([wait for waits in person.waits.values() for wait in waits]).get("p50", 0.0)
                for person in people
            ),
            "requests": sum(len(waits) for person in people for waits in person.waits.values()),
            "errors": [error for person in people for error in person.errors],
            "tracebacks": log.count("Traceback"),
            "faults": problems,
            "uneven": uneven,
            "load": [load, os.getloadavg()[0]],
            "processor_seconds": {"web server": sum(used), "database": sum(database), "people": own},
            "processes": sorted((share for share in used if share > 0.05 * sum(used)), reverse=True),
        }


def missed(found: dict[str, Any]) -> list[str]:
    problems = []
    if found["wait"].get("p95", float("inf")) > GOALS["wait_p95_ms"]:
        problems.append(
            f"the 95th percentile of all waits is {found['wait']['p95']:.0f} ms, not {GOALS['wait_p95_ms']}"
        )
    for name in ("errors", "faults", "uneven"):
        problems += [f"{name}: {entry}" for entry in found[name][:5]]
    if found["tracebacks"]:
        problems.append(f"{found['tracebacks']} tracebacks in the web server's log")
    return problems


def show(found: dict[str, Any]) -> None:
    counts = found["counts"]
    print(
        f"{found['database']}: {found['people']} people for {found['seconds']:.0f} s, "
        f"{found['conversations']:,} conversations, {found['overlap']} people each, "
        f"{found['pause']:g} s between two requests of one person"
    )
    print(
        f"  {counts['claims']:,} claims, {counts['saves']:,} saves, {counts['submitted']:,} submitted, "
        f"{counts['skipped']:,} skipped, {counts['found nothing']:,} times nothing left: "
        f"{found['requests'] / found['seconds']:.0f} requests a second"
    )
    for kind, waits in [*found["waits"].items(), ("all", found["wait"])]:
        if waits:
            print(
                f"  {kind:<7} p50 {waits['p50']:>5.0f} ms   p95 {waits['p95']:>5.0f} ms   max {waits['max']:>5.0f} ms"
            )
    print(f"  p50 of the person who waits least {found['each'][0]:.0f} ms, most {found['each'][-1]:.0f} ms")
    print(
        f"  {len(found['errors'])} errors, {found['tracebacks']} tracebacks, {len(found['faults'])} lost or doubled, "
        f"{len(found['uneven'])} conversations without exactly {found['overlap']} people after the rest was handed out"
    )
    per = 1000 / found["requests"] if found["requests"] else float("nan")
    each = ", ".join(f"{who} {used * per:.1f} ms" for who, used in found["processor_seconds"].items())
    shares = " + ".join(f"{used:.1f} s" for used in found["processes"])
    print(f"  processor time a request: {each}; of the web server's processes: {shares}")
    print(f"  load of the machine: {found['load'][0]:.1f} before, {found['load'][1]:.1f} after")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--conversations", type=int, default=600)
    parser.add_argument("--overlap", type=int, default=2)
    parser.add_argument(
        "--pause", type=float, default=0.0, help="seconds between two requests of one person, on average"
    )
    parser.add_argument("--sqlite", action="store_true", help="on SQLite, whatever DATABASE_URL says")
    parser.add_argument("--json", action="store_true", help="all figures as one line of JSON")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a goal is missed")
    options = parser.parse_args()
    if options.sqlite:
        os.environ.pop("DATABASE_URL", None)
    found = measure(options)
    print(json.dumps(found)) if options.json else show(found)
    problems = missed(found)
    for problem in problems:
        print(f"missed: {problem}", file=sys.stderr)
    return 1 if options.check and problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
