"""What must be true before a web server or a worker may start."""

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_urlsafe

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

SAMPLE_SECRET_KEYS = frozenset(
    {"change-me", "changeme", "secret", "insecure", "sample", "replace-this-with-a-long-random-text"}
)
MINIMUM_KEY_LENGTH = 32


def secret_key_problem(secret_key: str) -> str | None:
    """Why this key may not be used outside debug; None when it may."""
    if not secret_key:
        return f"SECRET_KEY is not set. Set it to a long random text, for example: SECRET_KEY={token_urlsafe(8)}…"
    if secret_key in SAMPLE_SECRET_KEYS or secret_key.startswith("django-insecure"):
        return "SECRET_KEY is the sample one. Set it to a long random text of your own."
    if len(secret_key) < MINIMUM_KEY_LENGTH:
        return f"SECRET_KEY has {len(secret_key)} characters; it must have at least {MINIMUM_KEY_LENGTH}."
    return None


def require_safe_settings() -> None:
    """Refuse to start outside debug without a secret key of one's own.

    Raises ImproperlyConfigured with one sentence that says what to set.
    """
    if settings.DEBUG:
        return
    problem = secret_key_problem(settings.SECRET_KEY_GIVEN)
    if problem:
        raise ImproperlyConfigured(problem)


def local_secret_key(data_dir: Path) -> str:
    """The key of the embedded default: made once, readable by its owner only."""
    path = data_dir / "secret_key"
    data_dir.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        # Whole and private before it gets its name: two processes may start at the same moment.
        beside = data_dir / f".secret_key-{token_urlsafe(8)}"
        with os.fdopen(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(token_urlsafe(50))
        with suppress(FileExistsError):
            path.hardlink_to(beside)
        beside.unlink()
    return path.read_text(encoding="ascii")
