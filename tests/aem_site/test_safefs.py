"""The file queue through Kombu, with real processes: nothing is lost, nothing is taken twice."""

import multiprocessing
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection, Consumer, Exchange, Queue
from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES

from aem_site import safefs
from aem_site.safefs import Holder, MessageFolder, queue_of

TRANSPORT_ALIASES["safefs"] = "aem_site.safefs:Transport"
processes = multiprocessing.get_context("spawn")


@pytest.fixture(autouse=True)
def search_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safefs, "SECONDS_BETWEEN_SEARCHES", 0.0)


@contextmanager
def connect(folder: Path) -> Iterator[Connection]:
    TRANSPORT_ALIASES["safefs"] = "aem_site.safefs:Transport"
    with Connection("safefs://", transport_options={"folder": str(folder), "polling_interval": 0.01}) as connection:
        yield connection


def publish(folder: str, first: int, count: int) -> None:
    with connect(Path(folder)) as connection:
        queue = connection.SimpleQueue("bell")
        for number in range(first, first + count):
            queue.put({"number": number})
        queue.close()


def consume(folder: str, log: str, stop_at: str) -> None:
    """Append each number to a log, acknowledge, and go on until the stop file is there and the queue is empty."""
    with connect(Path(folder)) as connection, Path(log).open("a", buffering=1) as lines:
        queue = connection.SimpleQueue("bell")
        while True:
            try:
                message = queue.get(timeout=0.2)
            except Empty:
                if Path(stop_at).exists():
                    return
                continue
            lines.write(f"{message.payload['number']}\n")
            message.ack()


def hold_one(folder: str, ready: str) -> None:
    with connect(Path(folder)) as connection:
        message = connection.SimpleQueue("bell").get(timeout=10)
        Path(ready).write_text(str(message.payload["number"]))
        time.sleep(600)


def start(target: Callable[..., None], *args: object) -> BaseProcess:
    process = processes.Process(target=target, args=args)
    process.start()
    return process


def wait_until(condition: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def numbers(connection: Connection) -> list[int]:
    """Take and acknowledge all that waits."""
    queue = connection.SimpleQueue("bell")
    found = []
    with suppress(Empty):
        while True:
            message = queue.get(block=False)
            found.append(message.payload["number"])
            message.ack()
    return found


def test_messages_come_out_once_and_in_order(tmp_path: Path) -> None:
    with connect(tmp_path) as connection:
        queue = connection.SimpleQueue("bell")
        for number in range(20):
            queue.put({"number": number, "text": "é漢"})
        assert queue.qsize() == 20
        first = queue.get()
        assert first.payload == {"number": 0, "text": "é漢"}
        assert not first.delivery_info["redelivered"]
        first.ack()
        assert numbers(connection) == list(range(1, 20))
    assert files_in(tmp_path / "ready") == files_in(tmp_path / "held") == files_in(tmp_path / "beside") == []


def test_an_unacknowledged_message_goes_back_to_its_place_when_the_connection_closes(tmp_path: Path) -> None:
    publish(str(tmp_path), 0, 3)
    with connect(tmp_path) as connection:
        connection.SimpleQueue("bell").get()
    with connect(tmp_path) as connection:
        message = connection.SimpleQueue("bell").get()
        assert message.payload == {"number": 0}
        assert message.delivery_info["redelivered"]
        message.requeue()
        message = connection.SimpleQueue("bell").get()
        assert message.payload == {"number": 0}
        message.reject()
        assert numbers(connection) == [1, 2]
    assert files_in(tmp_path / "ready") == files_in(tmp_path / "held") == []


@pytest.mark.slow
def test_two_processes_share_a_queue_without_losing_or_doubling(tmp_path: Path) -> None:
    folder, stop = str(tmp_path / "queue"), str(tmp_path / "stop")
    logs = [tmp_path / "a", tmp_path / "b"]
    readers = [start(consume, folder, str(log), stop) for log in logs]
    wait_until(lambda: all(log.exists() for log in logs))  # both are there before there is work
    writers = [start(publish, folder, first, 150) for first in (0, 1000)]
    for writer in writers:
        writer.join(60)
    Path(stop).touch()
    for reader in readers:
        reader.join(60)
    assert [process.exitcode for process in (*writers, *readers)] == [0, 0, 0, 0]
    taken = [[int(line) for line in log.read_text().split()] for log in logs]
    assert all(taken), "both readers had work"
    assert sorted(taken[0] + taken[1]) == [*range(150), *range(1000, 1150)]


def test_the_message_of_a_killed_holder_comes_back(tmp_path: Path) -> None:
    folder, ready = tmp_path / "queue", tmp_path / "ready"
    publish(str(folder), 7, 1)
    holder = start(hold_one, str(folder), str(ready))
    try:
        wait_until(ready.exists)
        with connect(folder) as connection:
            queue = connection.SimpleQueue("bell")
            with pytest.raises(Empty):  # its holder lives
                queue.get(timeout=0.3)
            assert holder.pid is not None
            os.kill(holder.pid, signal.SIGKILL)
            message = queue.get(timeout=10)
            assert message.payload == {"number": 7}
            assert message.delivery_info["redelivered"]
            message.ack()
    finally:
        holder.kill()
        holder.join()
    assert files_in(folder / "held") == []
    assert len(files_in(folder / "holders")) == 1, "the dead holder's file is gone, ours is there"


def test_what_a_restarted_machine_finds_held_comes_back(tmp_path: Path) -> None:
    folder = MessageFolder(tmp_path)
    folder.put("bell", '{"body": "", "properties": {"delivery_info": {}}}')
    (name,) = files_in(folder.ready)
    # After a restart the holder's file is there, but no process has it locked; or it never reached the disk.
    (folder.holders / "before").touch()
    (folder.ready / name).rename(folder.held / f"before~{name}")
    assert folder.give_back_lost() == 1
    assert files_in(folder.holders) == []
    (returned,) = files_in(folder.ready)
    (folder.ready / returned).rename(folder.held / f"gone~{returned}")
    assert folder.give_back_lost() == 1
    assert files_in(folder.ready) == [returned]
    assert queue_of(returned) == "bell"


def test_a_forked_child_does_not_keep_its_parents_messages_alive(tmp_path: Path) -> None:
    folder = MessageFolder(tmp_path)
    folder.put("bell", '{"body": "", "properties": {"delivery_info": {}}}')
    reader, writer = os.pipe()
    parent = os.fork()
    if parent == 0:  # takes the message, leaves a child behind, dies
        folder.take("bell")
        if os.fork() == 0:
            os.write(writer, str(os.getpid()).encode())
            time.sleep(600)
        os._exit(0)
    os.waitpid(parent, 0)
    grandchild = int(os.read(reader, 20))
    try:
        assert folder.give_back_lost() == 1
    finally:
        os.kill(grandchild, signal.SIGKILL)
        os.close(reader)
        os.close(writer)


def test_a_half_written_message_is_put_aside_and_the_next_one_served(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    MessageFolder(tmp_path).put("bell", "")
    MessageFolder(tmp_path).put("bell", "[]")
    publish(str(tmp_path), 1, 1)
    with connect(tmp_path) as connection:
        assert numbers(connection) == [1]
    assert len(files_in(tmp_path / "unreadable")) == 2
    assert "cannot be read" in caplog.text


def test_queues_are_apart_whatever_their_names(tmp_path: Path) -> None:
    names = ["bell", "bell.b", "b", "../out", "celery@host.celery.pidbox", "näme"]
    with connect(tmp_path) as connection:
        for name in names:
            connection.SimpleQueue(name).put({"for": name})
        for name in names:
            message = connection.SimpleQueue(name).get(timeout=1)
            assert message.payload == {"for": name}
            message.ack()
    assert files_in(tmp_path / "ready") == files_in(tmp_path / "held") == []
    assert not (tmp_path.parent / "out.msg").exists()


def test_purge_and_delete(tmp_path: Path) -> None:
    publish(str(tmp_path), 0, 3)
    with connect(tmp_path) as connection:
        queue = connection.SimpleQueue("bell")
        assert queue.clear() == 3
        queue.put({"number": 1})
        assert MessageFolder(tmp_path).bindings("bell") != []
        queue.queue.delete()
        assert MessageFolder(tmp_path).bindings("bell") == []
    assert files_in(tmp_path / "ready") == []


def test_a_broadcast_reaches_each_listener_and_leaves_nothing(tmp_path: Path) -> None:
    news = Exchange("news", type="fanout")
    with connect(tmp_path) as connection, connect(tmp_path) as other:
        heard: list[tuple[str, Any]] = []

        def listener(name: str) -> Callable[[Any, Any], None]:
            return lambda body, _message: heard.append((name, body))

        consumers = [
            Consumer(
                channel,
                [Queue(name, exchange=news)],
                no_ack=True,
                callbacks=[listener(name)],
            )
            for name, channel in (("a", connection.channel()), ("b", other.channel()))
        ]
        for consumer in consumers:
            consumer.consume()
        connection.Producer().publish({"tick": 1}, exchange=news)
        for one in (connection, other):
            one.drain_events(timeout=2)
            with pytest.raises(socket.timeout):
                one.drain_events(timeout=0.05)
    assert heard == [("a", {"tick": 1}), ("b", {"tick": 1})]
    assert files_in(tmp_path / "ready") == files_in(tmp_path / "held") == []


def test_events_without_a_listener_do_not_pile_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = MessageFolder(tmp_path)
    for queue in ("celeryev.123", "bell", "celery@host.celery.pidbox"):
        folder.put(queue, "{}")
    folder.give_back_lost()
    assert len(files_in(folder.ready)) == 3
    monkeypatch.setattr(safefs, "SECONDS_KEPT_FOR_LISTENERS", 0.0)
    folder.give_back_lost()
    assert [queue_of(name) for name in files_in(folder.ready)] == ["bell"]


def test_strange_files_are_no_messages(tmp_path: Path) -> None:
    folder = MessageFolder(tmp_path)
    for name in (".hidden.bell.msg", "notes.txt", "msg", ".msg"):
        (folder.ready / name).touch()
    assert folder.names("bell") == []
    assert queue_of("1_a.bell.msg") == "bell"


def test_a_holder_is_never_seen_unlocked(tmp_path: Path) -> None:
    folder = MessageFolder(tmp_path)
    holder = Holder(folder.holders)
    assert folder.give_back_lost() == 0
    assert holder.path.exists()
    holder.drop()
    folder.give_back_lost()
    assert not holder.path.exists()


def test_the_folder_must_be_named() -> None:
    with Connection("safefs://") as connection, pytest.raises(ChannelError, match="'folder' is missing"):
        connection.channel()
