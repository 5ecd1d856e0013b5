#!/usr/bin/env python3
"""Start, test and check AEM Workbench with nothing installed but Python.

    python3 run.py                  start everything on this machine; Ctrl-C stops it
    python3 run.py test [ARGS]      install what the tests need and run them (ARGS go to pytest)
    python3 run.py web              the web server alone
    python3 run.py worker [ARGS]    a worker alone (ARGS go to celery)
    python3 run.py beat             the clock of the workers alone
    python3 run.py manage ARGS      a management command
    python3 run.py score FILE...    score records in files; needs no database
    python3 run.py doctor           say what is missing for production

Without SECRET_KEY and ALLOWED_HOSTS in the environment the site is local: it answers on this machine only, with a
secret key of its own. docs/deployment.md lists all settings.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import hashlib
import importlib.util
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

NEEDED = (3, 11)
ROOT = Path(__file__).resolve().parent
DEFAULT_PORT = 8000
PORTS_TRIED = 20
SECONDS_TO_HEALTH = 90
SECONDS_TO_STOP = 15
LOG_BYTES = 5_000_000
FIRST_PAUSE, LONGEST_PAUSE, STEADY_SECONDS = 1.0, 30.0, 60.0


class RunError(Exception):
    """Something that the person at the keyboard can put right; its text says what."""


class Stopped(BaseException):
    """SIGTERM or SIGHUP came; like KeyboardInterrupt, nothing should swallow it."""


# --- what this machine must have -------------------------------------------------------------------------------------


def require_python(version: tuple[int, int]) -> None:
    if version < NEEDED:
        wanted = ".".join(map(str, NEEDED))
        raise RunError(
            f"AEM Workbench needs Python {wanted} or newer, and this is Python {version[0]}.{version[1]}. "
            f"Where a newer one is installed, start it by its name: python{wanted} run.py"
        )


def require_posix() -> None:
    if fcntl is None:
        raise RunError(
            f"The embedded web server and worker run on Linux and macOS, not on {platform.system()}. "
            "There, use the Windows Subsystem for Linux or compose.yaml."
        )


def require_venv_module() -> None:
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        raise RunError(
            "This Python cannot make virtual environments, because its ensurepip module is missing. "
            "On Debian and Ubuntu install it with: apt-get install python3-venv"
        )


# --- the environment --------------------------------------------------------------------------------------------------


def venv_dir() -> Path:
    return Path(os.environ.get("AEM_VENV") or ROOT / ".venv")


def venv_python() -> Path:
    return venv_dir() / "bin" / "python"


def requirements_hash(files: Sequence[Path]) -> str:
    digest = hashlib.sha256(f"{sys.version_info[:2]}".encode())
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def data_dir() -> Path:
    return Path(os.environ.get("AEM_DATA_DIR") or ROOT / "var").resolve()


def is_local() -> bool:
    """Whether this is somebody's own machine. One who sets a key or a host name means to serve others."""
    if "AEM_LOCAL" in os.environ:
        return os.environ["AEM_LOCAL"].lower() in {"1", "true", "yes", "on"}
    return not (os.environ.get("SECRET_KEY") or os.environ.get("ALLOWED_HOSTS"))


def child_environment() -> dict[str, str]:
    environment = dict(os.environ, AEM_DATA_DIR=str(data_dir()), AEM_LOCAL="1" if is_local() else "0")
    environment.setdefault("DJANGO_SETTINGS_MODULE", "aem_site.settings")
    environment["PYTHONUNBUFFERED"] = "1"
    return environment


@contextlib.contextmanager
def step(name: str) -> Iterator[None]:
    print(f"{name} … ", end="", flush=True)
    started = time.monotonic()
    try:
        yield
    except BaseException:
        print("not done", flush=True)
        raise
    print(f"{time.monotonic() - started:.1f} s", flush=True)


@contextlib.contextmanager
def locked(path: Path, busy: str) -> Iterator[Any]:
    """Hold a file for this process alone; the kernel frees it however the process ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.seek(0)
                raise RunError(busy.format(who=file.read().strip() or "unknown")) from None
        file.truncate(0)
        file.write(f"process {os.getpid()}")
        file.flush()
        yield file


def run(command: Sequence[str | Path], problem: str) -> str:
    """Run a step quietly and return what it printed; all its output is shown when it fails."""
    # Its own standard input, so that nothing can wait for an answer.
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env=child_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    printed = done.stdout.decode(errors="replace")
    if done.returncode:
        output = (printed + done.stderr.decode(errors="replace")).strip()
        raise RunError(f"{output}\n\n{problem}" if output else problem)
    return printed


def ensure_environment(*, development: bool = False) -> None:
    """Make the virtual environment and install what the requirement files name, unless that is done already."""
    if os.environ.get("AEM_INSTALL") == "0":
        return
    wanted = [ROOT / "requirements.txt"]
    if development:
        wanted.append(ROOT / "requirements-dev.txt")
    # The development file includes the other one.
    stamps = {path.name: requirements_hash([wanted[0], path]) for path in wanted}
    if installed_stamps().items() >= stamps.items():
        return
    busy = "Another run.py ({who}) is installing into this environment. Wait for it, then start again."
    with locked(venv_dir().with_name(venv_dir().name + ".lock"), busy):
        uv = shutil.which("uv")
        if not environment_works(needs_pip=uv is None):
            with step("Making the Python environment"):
                make_environment(uv)
        with step(f"Installing {wanted[-1].name}"):
            install(wanted[-1], uv)
        stamp_path().write_text(json.dumps({**installed_stamps(), **stamps}, indent=1), encoding="utf-8")


def stamp_path() -> Path:
    return venv_dir() / ".aem-installed.json"


def installed_stamps() -> dict[str, str]:
    try:
        stamps = json.loads(stamp_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return dict(stamps) if isinstance(stamps, dict) and environment_works(needs_pip=False) else {}


def environment_works(*, needs_pip: bool) -> bool:
    """False as well for an environment that was interrupted in the making or moved with its folder."""
    probe = "import sys; assert sys.version_info[:2] >= (3, 11)" + ("; import pip" if needs_pip else "")
    try:
        return subprocess.run([str(venv_python()), "-c", probe], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def make_environment(uv: str | None) -> None:
    problem = f"The environment {venv_dir()} could not be made."
    if uv is not None:
        run([uv, "venv", "--quiet", "--clear", "--seed", "--python", sys.executable, venv_dir()], problem)
        return
    require_venv_module()
    run([sys.executable, "-m", "venv", "--clear", venv_dir()], problem)


def install(requirements: Path, uv: str | None) -> None:
    problem = f"Not everything in {requirements.name} could be installed. Is there a network?"
    if uv is not None:
        try:
            run([uv, "pip", "install", "--quiet", "--python", venv_python(), "-r", requirements], problem)
        except RunError:
            # uv does not read pip's configuration, where a mirror may be named.
            print("uv could not; trying pip … ", end="", flush=True)
        else:
            return
    # Compiling everything at once would take longer than compiling what is imported.
    pip: list[str | Path] = [
        venv_python(),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        "--disable-pip-version-check",
    ]
    run([*pip, "-r", requirements], problem)


# --- the parts that run -----------------------------------------------------------------------------------------------


def web_command(host: str, port: int) -> list[str]:
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    # No connection is kept: it would bind a person to one process, and most of them may wait for the same.
    return [
        str(venv_python()), "-m", "gunicorn", "aem_site.wsgi:application",
        "--bind", bind, "--workers", os.environ.get("WEB_CONCURRENCY") or "2", "--threads", "2",
        "--keep-alive", "0", "--timeout", "60", "--graceful-timeout", "5", "--log-level", "warning",
        "--no-control-socket",
    ]  # fmt: skip


def worker_command(arguments: Sequence[str] = (), *, beat: bool = False) -> list[str]:
    command = [
        str(venv_python()), "-m", "celery", "-A", "aem_site", "worker", "--loglevel", "WARNING",
        "--without-gossip", "--without-mingle", "--without-heartbeat",
    ]  # fmt: skip
    if beat:
        command += ["--beat", "--schedule", str(data_dir() / "celerybeat-schedule")]
    if not any(argument.startswith(("-c", "--concurrency")) for argument in arguments):
        command += ["--concurrency", "2"]
    return [*command, *arguments]


def beat_command() -> list[str]:
    schedule = str(data_dir() / "celerybeat-schedule")
    return [
        str(venv_python()), "-m", "celery", "-A", "aem_site", "beat", "--loglevel", "WARNING",
        "--schedule", schedule, "--pidfile", "",
    ]  # fmt: skip


def end_with_parent() -> None:
    """In a child before it starts: end when run.py ends, even by SIGKILL (Linux only)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Part:
    """One child process in a group of its own, kept running, with its output in a log file."""

    def __init__(self, name: str, command: list[str], log: Path) -> None:
        self.name = name
        self.log = log
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._restart_at: float | None = None
        self.deaths = 0
        self._pause = FIRST_PAUSE

    def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        if self.log.exists() and self.log.stat().st_size > LOG_BYTES:
            self.log.replace(self.log.with_suffix(".old.log"))
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env=child_environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C comes to run.py alone, which stops the parts in good order
                preexec_fn=end_with_parent,  # noqa: PLW1509 -- run.py has no threads
            )
        self._started_at = time.monotonic()
        self._restart_at = None

    def tend(self) -> None:
        """Start the part again when it has died, after a pause that grows with each death in a row."""
        if self._process is None:
            return
        now = time.monotonic()
        if self._restart_at is None:
            code = self._process.poll()
            if code is None:
                return
            self._kill_group()  # what the dead one started
            self.deaths += 1
            if now - self._started_at > STEADY_SECONDS:
                self._pause = FIRST_PAUSE
            print(f"The {self.name} ended ({how(code)}); starting it again in {self._pause:.0f} s. See {self.log}")
            self._restart_at = now + self._pause
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
        elif now >= self._restart_at:
            self.start()

    def ask_to_stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def wait_stopped(self, until: float) -> None:
        """Wait for a good end, then take away whatever is left of the group."""
        if self._process is None:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.1, until - time.monotonic()))
        self._kill_group()
        self._process.wait()
        self._process = None

    def last_lines(self, count: int = 15) -> str:
        try:
            return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-count:])
        except OSError:
            return ""

    def _kill_group(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)


def how(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def stop_all(parts: Sequence[Part]) -> None:
    until = time.monotonic() + SECONDS_TO_STOP
    for part in parts:
        part.ask_to_stop()
    for part in parts:
        part.wait_stopped(until)


# --- addresses --------------------------------------------------------------------------------------------------------


def port_problem(host: str, port: int) -> str | None:
    """Why this port cannot be had; None when it can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            return str(error)
    return None


def choose_port(host: str, wanted: int | None) -> int:
    """The port asked for, or else the first free one from 8000 on."""
    problem = port_problem(host, wanted) if wanted is not None else None
    if wanted is not None:
        if problem:
            raise RunError(f"Port {wanted} on {host} cannot be used ({problem}). Choose another one with --port.")
        return wanted
    for port in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED):
        problem = port_problem(host, port)
        if problem is None:
            if port != DEFAULT_PORT:
                print(f"Port {DEFAULT_PORT} is taken by another program; using {port}.")
            return port
    raise RunError(
        f"No port from {DEFAULT_PORT} to {DEFAULT_PORT + PORTS_TRIED - 1} on {host} can be used ({problem}). "
        "Choose one with --port."
    )


def health(host: str, port: int) -> dict[str, Any] | None:
    """What /healthz answers; None when nothing answers."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    address = f"[{reachable}]" if ":" in reachable else reachable
    names = [name for name in os.environ.get("ALLOWED_HOSTS", "").split(",") if name.strip(" .*")]
    request = urllib.request.Request(f"http://{address}:{port}/healthz")
    request.add_header("Host", "localhost" if is_local() or not names else names[0].strip().lstrip("."))
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as answer:
            return dict(json.load(answer))
    except urllib.error.HTTPError as error:
        with contextlib.suppress(ValueError, TypeError):
            return dict(json.load(error))
        return {"ok": False, "web server": {"ok": False, "reason": f"/healthz answers with status {error.code}."}}
    except (OSError, ValueError):
        return None


def wait_for_health(host: str, port: int, parts: Sequence[Part]) -> None:
    end = time.monotonic() + SECONDS_TO_HEALTH
    answer: dict[str, Any] | None = None
    while time.monotonic() < end and all(part.deaths < 3 for part in parts):
        for part in parts:
            part.tend()
        answer = health(host, port)
        if answer is not None and answer.get("ok"):
            return
        time.sleep(0.2)
    reasons = [f"The web server does not answer on port {port}."]
    if answer is not None:
        reasons = [check["reason"] for check in answer.values() if isinstance(check, dict) and not check.get("ok")]
    logs = "\n".join(f"--- {part.log}\n{part.last_lines()}" for part in parts)
    raise RunError(f"{logs}\n\nThe site did not get ready. " + " ".join(reasons))


# --- commands ---------------------------------------------------------------------------------------------------------


def command_start(host: str, wanted_port: int | None) -> int:
    started = time.monotonic()
    require_posix()
    ensure_environment()
    data = data_dir()
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    busy = f"AEM Workbench already runs on {data} ({{who}}). Stop it first, or name another folder in AEM_DATA_DIR."
    with locked(data / "run.lock", busy) as lock:
        port = choose_port(host, wanted_port)
        lock.write(f", port {port}")
        lock.flush()
        with step("Preparing the database"):
            logins = run([venv_python(), "-m", "aem_site.prepare"], "Nothing was started.")
        parts = [
            Part("web server", web_command(host, port), data / "log" / "web.log"),
            Part("worker", worker_command(beat=True), data / "log" / "worker.log"),
        ]
        try:
            with step("Starting web server and worker"):
                for part in parts:
                    part.start()
                wait_for_health(host, port, parts)
            greet(host, port, time.monotonic() - started, logins)
            while True:
                time.sleep(0.5)
                for part in parts:
                    part.tend()
        finally:
            # A second Ctrl-C must not leave anything behind.
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            print("\nStopping … ", end="", flush=True)
            stop_all(parts)
            print("stopped. Nothing is lost; start again with: python3 run.py")


def greet(host: str, port: int, seconds: float, logins: str) -> None:
    shown = "localhost" if host in {"127.0.0.1", "0.0.0.0", "::1", "::"} else host
    print(f"\nAEM Workbench is ready after {seconds:.1f} s:  http://{shown}:{port}/\n")
    if logins:
        print(f"Demo logins:\n{logins}")
    if is_local() and host not in {"127.0.0.1", "::1", "localhost"}:
        print("Other machines are refused until SECRET_KEY and ALLOWED_HOSTS are set; see docs/deployment.md.")
    print(f"Data and logs are in {data_dir()}. Ctrl-C stops everything.", flush=True)


def command_test(arguments: Sequence[str]) -> int:
    ensure_environment(development=True)
    # Two at a time, a file at once: each process has its own database, data folder and queue.
    defaults = [] if arguments else ["-q", "-n", "2", "--dist", "loadfile"]
    environment = child_environment()
    environment.pop("DJANGO_SETTINGS_MODULE")
    return call([str(venv_python()), "-m", "pytest", *defaults, *arguments], environment)


def command_manage(arguments: Sequence[str]) -> int:
    ensure_environment()
    return call([str(venv_python()), str(ROOT / "manage.py"), *arguments], child_environment(), folder=Path.cwd())


def command_doctor() -> int:
    ensure_environment()
    return call([str(venv_python()), "-m", "aem_site.doctor"], child_environment())


def command_serve(command: Callable[[], list[str]]) -> NoReturn:
    """Become one part: signals and exit code are its own."""
    require_posix()
    ensure_environment()
    data_dir().mkdir(parents=True, exist_ok=True, mode=0o700)
    arguments = command()
    sys.stdout.flush()
    os.chdir(ROOT)
    os.execve(arguments[0], arguments, child_environment())


def call(command: Sequence[str], environment: dict[str, str], *, folder: Path = ROOT) -> int:
    """Run a command in the foreground and pass its exit code on."""
    process = subprocess.Popen(command, cwd=folder, env=environment)
    while True:
        try:
            code = process.wait()
        except KeyboardInterrupt:
            continue  # it got the same Ctrl-C, and ends in its own way
        except Stopped:
            process.terminate()
            continue
        return code if code >= 0 else 128 - code


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="run.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.set_defaults(command="start")
    address = argparse.ArgumentParser(add_help=False)
    address.add_argument("--host", default=os.environ.get("AEM_HOST") or "127.0.0.1", help="where to listen")
    address.add_argument("--port", type=int, help=f"default: the first free one from {DEFAULT_PORT} on")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, text in (("start", "start everything (the default)"), ("web", "the web server alone")):
        commands.add_parser(name, help=text, parents=[address])
    for name, text in (("beat", "the clock of the workers alone"), ("doctor", "check the settings for production")):
        commands.add_parser(name, help=text)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    require_python(sys.version_info[:2])
    name, rest = (arguments[0], list(arguments[1:])) if arguments else ("start", [])
    # These hand their arguments on, whatever they look like.
    if name == "test":
        return command_test(rest)
    if name == "manage":
        return command_manage(rest)
    if name == "score":
        return command_manage(["score", *rest])
    if name == "worker":
        command_serve(lambda: worker_command(rest))
    # `run.py --port 9000` is `run.py start --port 9000`.
    if name.startswith("-") and name not in {"-h", "--help"}:
        arguments = ["start", *arguments]
    options = parse(list(arguments) or ["start"])
    if options.command == "web":
        command_serve(lambda: web_command(options.host, choose_port(options.host, options.port)))
    if options.command == "beat":
        command_serve(beat_command)
    if options.command == "doctor":
        return command_doctor()
    return command_start(options.host, options.port)


def stop(*_: object) -> None:
    raise Stopped


if __name__ == "__main__":
    for terminating in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, terminating):
            signal.signal(getattr(signal, terminating), stop)
    try:
        sys.exit(main(sys.argv[1:]))
    except RunError as problem:
        print(f"\n{problem}", file=sys.stderr)
        sys.exit(1)
    except (KeyboardInterrupt, Stopped):
        print("\nStopped. The same command goes on where this one ended.", file=sys.stderr)
        sys.exit(130)
