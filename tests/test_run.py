"""`run.py`: what it says when something is missing, and one whole life of the embedded site."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import run

ROOT = Path(run.__file__).parent


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


@pytest.mark.parametrize("version", [(3, 9), (3, 10)])
def test_an_old_python_is_refused_in_a_sentence(version: tuple[int, int]) -> None:
    with pytest.raises(run.RunError, match=rf"needs Python 3\.11 or newer, and this is Python 3\.{version[1]}\."):
        run.require_python(version)


def test_this_and_newer_pythons_are_fine() -> None:
    run.require_python((3, 11))
    run.require_python((4, 0))


def test_a_missing_ensurepip_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(run.RunError, match="apt-get install python3-venv"):
        run.require_venv_module()


def test_no_connection_binds_a_person_to_one_process_of_the_web_server() -> None:
    """In both ways in which it is started: connections that are kept are shared out unevenly, and stay so."""
    command = run.web_command("127.0.0.1", 8000)
    assert command[command.index("--keep-alive") + 1] == "0"
    dockerfile = (Path(run.__file__).parent / "Dockerfile").read_text(encoding="utf-8")
    started = json.loads(dockerfile.partition("\nCMD ")[2].replace("\\\n", ""))
    assert started[started.index("--keep-alive") + 1] == "0"


def test_without_flock_it_says_where_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "fcntl", None)
    with pytest.raises(run.RunError, match=r"Linux and macOS.*compose\.yaml"):
        run.require_posix()


def test_requirements_are_installed_again_only_when_they_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed: list[str] = []
    (tmp_path / "requirements.txt").write_text("a==1\n")
    (tmp_path / "requirements-dev.txt").write_text("-r requirements.txt\nb==1\n")
    (tmp_path / ".venv").mkdir()
    monkeypatch.delenv("AEM_INSTALL", raising=False)
    monkeypatch.delenv("AEM_VENV", raising=False)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "environment_works", lambda *, needs_pip: True)
    monkeypatch.setattr(run, "install", lambda path, uv: installed.append(path.name))

    run.ensure_environment()
    run.ensure_environment()
    assert installed == ["requirements.txt"]
    run.ensure_environment(development=True)
    run.ensure_environment(development=True)
    run.ensure_environment()
    assert installed == ["requirements.txt", "requirements-dev.txt"]
    (tmp_path / "requirements.txt").write_text("a==2\n")
    run.ensure_environment(development=True)
    run.ensure_environment()
    assert installed == ["requirements.txt", "requirements-dev.txt", "requirements-dev.txt"]


def test_an_interrupted_installation_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "requirements.txt").write_text("a==1\n")
    (tmp_path / ".venv").mkdir()
    monkeypatch.delenv("AEM_INSTALL", raising=False)
    monkeypatch.delenv("AEM_VENV", raising=False)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "environment_works", lambda *, needs_pip: True)

    def interrupted(path: Path, uv: str | None) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "install", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run.ensure_environment()
    assert run.installed_stamps() == {}
    installed: list[str] = []
    monkeypatch.setattr(run, "install", lambda path, uv: installed.append(path.name))
    run.ensure_environment()
    assert installed == ["requirements.txt"]


def test_a_broken_environment_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AEM_VENV", str(tmp_path))
    run.stamp_path().write_text(json.dumps({"requirements.txt": "as it should be"}))
    assert run.installed_stamps() == {}


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def test_a_port_asked_for_that_is_taken_is_refused_in_a_sentence(taken_port: int) -> None:
    with pytest.raises(run.RunError, match=rf"Port {taken_port} on 127\.0\.0\.1 cannot be used .* --port"):
        run.choose_port("127.0.0.1", taken_port)


def test_without_a_wish_the_next_free_port_is_taken(
    taken_port: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "DEFAULT_PORT", taken_port)
    assert run.choose_port("127.0.0.1", None) > taken_port
    assert f"Port {taken_port} is taken" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("environment", "local"),
    [
        ({}, True),
        ({"SECRET_KEY": "x"}, False),
        ({"ALLOWED_HOSTS": "aem.example.org"}, False),
        ({"SECRET_KEY": "x", "AEM_LOCAL": "1"}, True),
        ({"AEM_LOCAL": "0"}, False),
    ],
)
def test_who_sets_a_key_or_a_host_means_to_serve_others(
    environment: dict[str, str], local: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SECRET_KEY", "ALLOWED_HOSTS", "AEM_LOCAL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert run.is_local() is local


def test_arguments_are_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []
    monkeypatch.setattr(run, "ensure_environment", lambda *, development=False: None)

    def call(command: list[str], environment: dict[str, str], *, folder: Path = ROOT) -> int:
        calls.append(command)
        return 3

    monkeypatch.setattr(run, "call", call)
    assert run.main(["test", "tests/x.py", "-k", "a and b"]) == 3
    assert run.main(["score", "--gate", "a.json"]) == 3
    assert run.main(["manage", "migrate", "--help"]) == 3
    assert [call[-3:] for call in calls] == [
        ["tests/x.py", "-k", "a and b"],
        ["score", "--gate", "a.json"],
        [str(ROOT / "manage.py"), "migrate", "--help"],
    ]


class Site:
    """`python3 run.py` as a process of its own."""

    def __init__(self, data: Path, **environment: str) -> None:
        self.data = data
        self.output = data.parent / "output.txt"
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("AEM_", "DJANGO_", "PYTEST_", "DATABASE_URL", "CELERY_"))
        }
        settings = {"AEM_DATA_DIR": str(data), "AEM_VENV": sys.prefix, "AEM_INSTALL": "0", **environment}
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-u", str(ROOT / "run.py")],
                cwd=data.parent,
                env={**inherited, **settings},
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def text(self) -> str:
        return self.output.read_text(encoding="utf-8")

    def wait_ready(self) -> int:
        wait_until(lambda: "is ready after" in self.text() or self.process.poll() is not None, 120)
        assert "is ready after" in self.text(), self.text()
        return int(self.text().partition("http://localhost:")[2].partition("/")[0])

    def children(self) -> list[int]:
        """Everything that it started and that still runs, in whatever generation."""
        found = subprocess.run(["ps", "axo", "pid=,ppid="], capture_output=True, check=True)
        parents = {int(pid): int(ppid) for pid, ppid in map(str.split, found.stdout.decode().splitlines())}
        family = {self.process.pid}
        while grown := {pid for pid, parent in parents.items() if parent in family} - family:
            family |= grown
        return sorted(family - {self.process.pid})

    def stop(self, number: int) -> str:
        self.process.send_signal(number)
        self.process.wait(60)
        return self.text()


def alive(pids: list[int]) -> list[int]:
    """Without those that have ended and that nobody has asked for yet."""
    found = subprocess.run(["ps", "axo", "pid=,stat="], capture_output=True, check=True)
    states = dict(map(str.split, found.stdout.decode().splitlines()))
    return [pid for pid in pids if "Z" not in states.get(str(pid), "Z")]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
def test_the_embedded_site_starts_mends_itself_and_leaves_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    site = Site(data)
    try:
        port = site.wait_ready()
        health: dict[str, Any] = run.health("127.0.0.1", port) or {}
        assert health["ok"], health
        assert "ana" in site.text(), "the demo logins are shown"
        assert (data / "secret_key").stat().st_mode & 0o777 == 0o600

        second = Site(data)
        assert second.process.wait(60) == 1
        assert "already runs" in second.text()

        parts = [int(line.split()[0]) for line in _children_of(site.process.pid)]
        assert len(parts) == 2
        for pid in parts:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: len(_children_of(site.process.pid)) == 2 and not alive(parts))
        wait_until(lambda: (run.health("127.0.0.1", port) or {}).get("ok"))

        family = site.children()
        started = time.monotonic()
        site.stop(signal.SIGINT)
        assert time.monotonic() - started < run.SECONDS_TO_STOP + 5
        assert alive(family) == []
    finally:
        site.process.kill()
        site.process.wait()

    again = Site(data)
    try:
        again.wait_ready()
        assert "ana" in again.text()
        family = again.children()
        again.process.kill()  # run.py itself, which then can tidy up nothing
        again.process.wait()
        wait_until(lambda: alive(family) == [], 30)
    finally:
        again.process.kill()


def _children_of(pid: int) -> list[str]:
    found = subprocess.run(["ps", "-o", "pid=,stat=", "--ppid", str(pid)], capture_output=True, check=False)
    return [line for line in found.stdout.decode().splitlines() if line.strip() and "Z" not in line]


@pytest.mark.parametrize(
    ("key", "reason"), [("change-me", "the sample one"), ("short", "at least 32"), ("", "SECRET_KEY is not set")]
)
def test_production_without_a_key_of_ones_own_is_refused_in_a_sentence(tmp_path: Path, key: str, reason: str) -> None:
    site = Site(tmp_path / "data", SECRET_KEY=key, ALLOWED_HOSTS="aem.example.org")
    assert site.process.wait(60) == 1
    assert reason in site.text()
    assert "Traceback" not in site.text()
