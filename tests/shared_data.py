"""Where the tests find the real conversations, which are read in place and never copied into this repository."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared(relative: str) -> Path:
    """The path of a file or folder below ``../shared``; skips the test where it is absent."""
    path = SHARED / relative
    if not path.exists():
        pytest.skip(f"../shared/{relative} is not on this machine")
    return path
