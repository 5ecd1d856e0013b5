"""The errors that a caller of the engine can cause."""


class RecordError(ValueError):
    """Input that cannot be scored: ``path`` names the place in the record, ``reason`` says what is wrong there."""

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(f"{path}: {reason}" if path else reason)


class ScorerUnavailable(ValueError):  # noqa: N818 - the published name of the interface
    """A policy asks for a scorer that is not installed. Another one is never taken in its place."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"the scorer {name!r} is not installed")


class ScorerFailed(RuntimeError):  # noqa: N818 - named like its neighbour
    """A scorer raised, or gave what is no score. No verdict comes of it, least of all a failure."""

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self.reason = reason
        super().__init__(f"the scorer {name!r} failed: {reason:.500}")
