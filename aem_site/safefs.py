"""A message queue in a folder: the broker of the embedded default, for one machine and with nothing to install.

Kombu's own file transport lets a reader take a file before its text is in it, and has forgotten a message as soon as
it is read. Here

- a message is written beside the queue and renamed into it, so a reader finds all of it or nothing,
- taking a message is one rename into ``held/``, which only one of several workers wins,
- it stays there until it is acknowledged, and goes back into the queue when its holder has died, in whatever way.

A holder is alive as long as it keeps an flock(2) on its file in ``holders/``. The kernel frees that when the process
ends, so neither a reused process number nor a restart of the machine can make a dead holder look alive.

A queue is one folder listing, read at every look: meant for a few short messages that ring a bell, on a local disk.
"""

import fcntl
import os
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from json import JSONDecodeError
from pathlib import Path
from queue import Empty
from threading import Lock
from typing import Any
from urllib.parse import quote, unquote

from kombu.exceptions import ChannelError
from kombu.log import get_logger
from kombu.transport import virtual
from kombu.utils.json import dumps, loads

logger = get_logger(__name__)

Payload = dict[str, Any]
Binding = tuple[str, str, str]  # routing key, pattern, queue

SECONDS_BETWEEN_SEARCHES = 1.0
SECONDS_KEPT_FOR_LISTENERS = 60.0
MESSAGES_PER_LOOK = 20
SECONDS_OF_REST = 5.0
_SUFFIX = ".msg"
_RETURNED = "-returned"
_HELD_AS = "held_as"


def queue_of(name: str) -> str | None:
    """The queue that a file belongs to; None for a file that is no message."""
    stem, dot, rest = name.partition(".")
    if not stem or not dot or not rest.endswith(_SUFFIX):
        return None
    return unquote(rest.removesuffix(_SUFFIX))


def _is_for_listeners(queue: str) -> bool:
    """Whether a queue carries what only matters to who listens now: worker events, remote control."""
    return queue.startswith("celeryev.") or queue.endswith(".pidbox")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing the file frees the lock


class Holder:
    """This process, as the keeper of the messages that it has taken from one folder."""

    def __init__(self, folder: Path) -> None:
        self.name = uuid.uuid4().hex
        self.path = folder / self.name
        # Locked before it gets its name, so that nobody ever sees it there and free.
        beside = folder / f".{self.name}"
        self._file = beside.open("xb")
        fcntl.flock(self._file, fcntl.LOCK_EX)
        beside.rename(self.path)

    def drop(self) -> None:
        """Let go of the lock file in a forked child, where it is the parent's."""
        self._file.close()


class _Holders:
    """One holder for each folder used in this process, made when the first message is taken."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._by_folder: dict[Path, Holder] = {}

    def get(self, folder: Path) -> Holder:
        with self._lock:
            if folder not in self._by_folder:
                self._by_folder[folder] = Holder(folder)
            return self._by_folder[folder]

    def find(self, folder: Path) -> Holder | None:
        return self._by_folder.get(folder)

    def after_fork(self) -> None:
        for holder in self._by_folder.values():
            holder.drop()
        self._lock = Lock()
        self._by_folder = {}


_holders = _Holders()
os.register_at_fork(after_in_child=_holders.after_fork)


class MessageFolder:
    """The files of all queues below one folder. Knows nothing of Kombu."""

    def __init__(self, folder: Path) -> None:
        self.ready = folder / "ready"
        self.held = folder / "held"
        self.holders = folder / "holders"
        self.exchanges = folder / "exchanges"
        self.unreadable = folder / "unreadable"
        self._beside = folder / "beside"
        self._searched_at = 0.0
        self.make()

    def make(self) -> None:
        for path in (self.ready, self.held, self.holders, self.exchanges, self.unreadable, self._beside):
            path.mkdir(parents=True, exist_ok=True)

    def put(self, queue: str, text: str) -> None:
        # The name sorts by time of arrival.
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}.{quote(queue, safe='@')}{_SUFFIX}"
        self._replace(self.ready / name, text)

    def take(self, queue: str) -> tuple[Payload, Path]:
        """The oldest message of a queue and the file that holds it; raises queue.Empty."""
        for name in self.names(queue):
            held = self.held / f"{_holders.get(self.holders).name}~{name}"
            try:
                (self.ready / name).rename(held)
            except FileNotFoundError:
                continue  # somebody else was faster
            try:
                payload: Payload = loads(held.read_bytes().decode())
                payload["properties"]["delivery_info"]["redelivered"] = _RETURNED in name
            except (UnicodeDecodeError, JSONDecodeError, KeyError, TypeError):
                # After a power cut a file may be there without its text.
                logger.exception("Message %s cannot be read; it is kept in %s", name, self.unreadable)
                held.rename(self.unreadable / name)
                continue
            return payload, held
        raise Empty

    def give_back(self, held: Path) -> None:
        """Put a held message back in its old place in the queue."""
        name = held.name.partition("~")[2]
        if _RETURNED not in name:
            stem, dot, rest = name.partition(".")
            name = f"{stem}{_RETURNED}{dot}{rest}"
        with suppress(FileNotFoundError):  # acknowledged or given back already
            held.rename(self.ready / name)

    def give_back_lost(self) -> int:
        """Put back what dead processes hold, at most once a second; the number of messages."""
        now = time.monotonic()
        if now - self._searched_at < SECONDS_BETWEEN_SEARCHES:
            return 0
        self._searched_at = now
        self._remove_unheard()
        held_by: dict[str, list[Path]] = {holder.name: [] for holder in self._listed_holders()}
        for held in self.held.iterdir():
            held_by.setdefault(held.name.partition("~")[0], []).append(held)
        mine = _holders.find(self.holders)
        if mine is not None:
            held_by.pop(mine.name, None)
        returned = 0
        for holder, messages in held_by.items():
            if self._is_alive(holder):
                continue
            for held in messages:
                self.give_back(held)
                returned += 1
            (self.holders / holder).unlink(missing_ok=True)
        return returned

    def names(self, queue: str) -> list[str]:
        """The files of a queue, oldest first."""
        return sorted(name for name in os.listdir(self.ready) if queue_of(name) == queue)  # noqa: PTH208 -- names only

    def purge(self, queue: str) -> int:
        count = 0
        for name in self.names(queue):
            try:
                (self.ready / name).unlink()
            except FileNotFoundError:
                continue
            count += 1
        return count

    def bindings(self, exchange: str) -> list[Binding]:
        try:
            text = self._exchange_path(exchange).read_text()
        except FileNotFoundError:
            return []
        return [(routing_key, pattern, queue) for routing_key, pattern, queue in loads(text)]

    def change_bindings(self, exchange: str, change: Callable[[list[Binding]], list[Binding]]) -> None:
        path = self._exchange_path(exchange)
        with _locked(path.with_suffix(".lock")):
            before = self.bindings(exchange)
            after = change(before)
            if after != before:
                self._replace(path, dumps(after))

    def _exchange_path(self, exchange: str) -> Path:
        return self.exchanges / f"_{quote(exchange, safe='@')}.json"

    def _replace(self, path: Path, text: str) -> None:
        beside = self._beside / uuid.uuid4().hex
        try:
            beside.write_bytes(text.encode())
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)

    def _listed_holders(self) -> Iterator[Path]:
        return (path for path in self.holders.iterdir() if not path.name.startswith("."))

    def _is_alive(self, holder: str) -> bool:
        try:
            with (self.holders / holder).open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        return False

    def _remove_unheard(self) -> None:
        """Drop events and commands for listeners that are gone: nothing else would ever take them."""
        limit = f"{time.time_ns() - int(SECONDS_KEPT_FOR_LISTENERS * 1e9):020d}"
        for name in os.listdir(self.ready):  # noqa: PTH208 -- names only
            queue = queue_of(name)
            if name < limit and queue is not None and _is_for_listeners(queue):
                (self.ready / name).unlink(missing_ok=True)


class QoS(virtual.QoS):
    """Keeps the file of a message until somebody says what became of it."""

    channel: "Channel"

    def ack(self, delivery_tag: str) -> None:
        self.channel.forget(self._find(delivery_tag))
        super().ack(delivery_tag)
        self.channel.look_soon()

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        if not requeue:
            self.channel.forget(self._find(delivery_tag))
        super().reject(delivery_tag, requeue=requeue)  # a requeued message goes through Channel._restore
        self.channel.look_soon()

    def _find(self, delivery_tag: str) -> virtual.Message | None:
        return self._delivered.get(delivery_tag) if self._delivered else None


class Channel(virtual.Channel):
    """Kombu's view of a `MessageFolder`."""

    QoS = QoS
    supports_fanout = True

    def __init__(self, connection: "Transport", **kwargs: Any) -> None:
        super().__init__(connection, **kwargs)
        options: dict[str, Any] = (connection.client and connection.client.transport_options) or {}
        if "folder" not in options:
            raise ChannelError("The transport option 'folder' is missing: where the messages are kept.")
        self.folder = MessageFolder(Path(options["folder"]))
        self._queues_without_ack: set[str] = set()

    def basic_consume(
        self, queue: str, no_ack: bool, callback: Callable[..., Any] | None, consumer_tag: str | None, **kwargs: Any
    ) -> str:
        if no_ack:
            self._queues_without_ack.add(queue)
        else:
            self._queues_without_ack.discard(queue)
        return super().basic_consume(queue, no_ack, callback, consumer_tag, **kwargs)

    def basic_get(self, queue: str, no_ack: bool = False, **kwargs: Any) -> virtual.Message | None:
        message: virtual.Message | None = super().basic_get(queue, no_ack=no_ack, **kwargs)
        if no_ack:
            self.forget(message)
        return message

    def get_table(self, exchange: str) -> list[Binding]:
        return self.folder.bindings(exchange)

    def forget(self, message: virtual.Message | None) -> None:
        """The message is done with: remove its file."""
        if message is not None and _HELD_AS in message.properties:
            Path(message.properties[_HELD_AS]).unlink(missing_ok=True)

    def look_soon(self) -> None:
        """A message is done with, so the worker may take another."""
        transport = self.connection
        if isinstance(transport, Transport):  # None once the channel is closed
            transport.look_soon()

    def _get(self, queue: str, timeout: float | None = None) -> Payload:
        self.folder.give_back_lost()
        payload, held = self.folder.take(queue)
        if queue in self._queues_without_ack:
            held.unlink(missing_ok=True)
        else:
            payload["properties"][_HELD_AS] = str(held)
        return payload

    def _put(self, queue: str, message: Payload, **_: Any) -> None:
        self.folder.put(queue, dumps(message))

    def _put_fanout(self, exchange: str, message: Payload, routing_key: str, **_: Any) -> None:
        for _routing_key, _pattern, queue in self.get_table(exchange):
            self._put(queue, message)

    def _restore(self, message: virtual.Message) -> None:
        if _HELD_AS in message.properties:
            self.folder.give_back(Path(message.properties[_HELD_AS]))
        else:
            super()._restore(message)

    def _size(self, queue: str) -> int:
        return len(self.folder.names(queue))

    def _purge(self, queue: str) -> int:
        return self.folder.purge(queue)

    def _delete(self, queue: str, *args: Any, **kwargs: Any) -> None:
        super()._delete(queue, *args, **kwargs)
        exchange, *_ = args
        self.folder.change_bindings(exchange, lambda bindings: [row for row in bindings if row[2] != queue])

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str | None, queue: str) -> None:
        new = (routing_key or "", pattern or "", queue or "")
        self.folder.change_bindings(exchange, lambda bindings: bindings if new in bindings else [*bindings, new])


class Transport(virtual.Transport):
    """The transport behind ``safefs://``; its one option is ``folder``."""

    Channel = Channel
    polling_interval = 0.05
    driver_type = "filesystem"
    driver_name = "safefs"
    # A full disk or a folder that vanished is worth another try, like a connection that was lost.
    connection_errors = (*virtual.Transport.connection_errors, OSError)
    # With an event loop each pool process has pipes of its own. Without one they share a lock, and one that is killed
    # while it waits for work takes the lock along: no other ever gets work again.
    implements = virtual.Transport.implements.extend(
        asynchronous=True, exchange_type=frozenset({"direct", "topic", "fanout"})
    )

    def __init__(self, client: Any, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        self._loop: Any = None
        self._timer: Any = None
        self._is_look_due = False
        self._resting_until = 0.0

    @property
    def default_connection_params(self) -> dict[str, Any]:
        return {}  # no host, no port, and no complaint that none was named

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        self._stop_looking()
        self._loop = loop
        self._timer = loop.call_repeatedly(self.polling_interval, self._look)

    def look_soon(self) -> None:
        if self._loop is not None and not self._is_look_due:
            self._is_look_due = True
            self._loop.call_soon(self._look)

    def close_connection(self, connection: Any) -> None:
        self._stop_looking()
        super().close_connection(connection)

    def driver_version(self) -> str:
        return "1"

    def _look(self) -> None:
        """Hand out what waits, but let others have their turn in the loop."""
        self._is_look_due = False
        if self._loop is None or self.cycle is None or time.monotonic() < self._resting_until:
            return
        try:
            for _ in range(MESSAGES_PER_LOOK):
                self.cycle.get(self._deliver)
        except Empty:
            return
        except OSError:
            logger.exception("The message folder cannot be read; next try in %g seconds", SECONDS_OF_REST)
            self._resting_until = time.monotonic() + SECONDS_OF_REST
            for channel in self.channels or ():
                if isinstance(channel, Channel):
                    with suppress(OSError):
                        channel.folder.make()
            return
        self.look_soon()

    def _stop_looking(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._loop = self._timer = None
