"""A lock between processes whose waiters sleep in the kernel: flock(2) on a file, with a limit on the wait."""

import errno
import os
from pathlib import Path
from threading import Event, Lock, Thread

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

AVAILABLE = fcntl is not None

# What a file system answers that has no flock(2); SQLite's own locks then decide alone.
_NOT_SUPPORTED = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL})


class LockTimeoutError(Exception):
    """The lock stayed with somebody else for the whole time one was ready to wait."""


class _Waiter:
    """Waits for the lock in a thread of its own, since flock(2) itself knows no time limit.

    Whoever gives up leaves the descriptor to the thread, which closes it as soon as the kernel hands the lock over.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._mutex = Lock()
        self._done = Event()
        self._abandoned = False
        self._error: OSError | None = None
        Thread(target=self._wait, name="sqlite-write-lock", daemon=True).start()

    def _wait(self) -> None:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX)
        except OSError as error:
            self._error = error
        with self._mutex:
            if self._abandoned:
                os.close(self._fd)
            self._done.set()

    def wait(self, seconds: float) -> bool:
        """Whether the lock is ours. Unless it is, the descriptor is gone and not to be used any more."""
        held = False
        try:
            held = self._done.wait(seconds) and self._error is None
        finally:
            # Also reached by an exception thrown into this thread (Ctrl-C, a task's time limit).
            if not held:
                self._abandon()
        if self._error is not None:
            raise self._error
        return held

    def _abandon(self) -> None:
        with self._mutex:
            self._abandoned = True
            if self._done.is_set():
                os.close(self._fd)


class WriteLock:
    """One connection's hold on the lock file. Each connection has its own descriptor, so that threads
    exclude each other.

    The kernel frees the lock when its process ends in whatever way, so a killed writer blocks nobody.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None
        self._pid = 0
        self._held = False
        self._supported = AVAILABLE

    @property
    def held(self) -> bool:
        return self._held

    def acquire(self, *, timeout: float) -> None:
        """Take the lock, waiting at most `timeout` seconds; raises LockTimeoutError, or OSError for the file itself."""
        if self._held or not self._supported:
            return
        try:
            self._take(timeout)
        except OSError as error:
            if error.errno not in _NOT_SUPPORTED:
                raise
            self._supported = False
        else:
            self._held = True

    def release(self) -> None:
        if self._held and self._fd is not None:
            self._held = False
            # A child shares its parent's lock; were it to unlock, the parent would lose it in mid-transaction.
            if self._pid == os.getpid():
                fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        self.release()
        if self._fd is not None:
            fd, self._fd = self._fd, None
            os.close(fd)

    def __del__(self) -> None:
        # A thread that ends drops its connection without closing it.
        if self._fd is not None:
            os.close(self._fd)

    def _take(self, timeout: float) -> None:
        fd = self._descriptor()
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._fd = None  # the waiter's until it has the lock
            if not _Waiter(fd).wait(timeout):
                raise LockTimeoutError(f"another writer held {self._path} for {timeout:g} seconds") from None
            self._fd = fd

    def _descriptor(self) -> int:
        if self._fd is not None and self._pid != os.getpid():
            os.close(self._fd)  # inherited through fork: the same open file, which would not exclude the parent
            self._fd = None
        if self._fd is None:
            self._fd = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o660)
            self._pid = os.getpid()
        return self._fd
