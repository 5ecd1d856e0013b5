"""The settings under which tests run: the project's own, on data of their own that goes when they end.

DATABASE_URL and CELERY_BROKER_URL choose database and broker as ever. The test database on SQLite is a file, not
memory, so that worker processes and browsers work on it as they would on the real one.
"""

import atexit
import os
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import Any

_data_dir = Path(tempfile.mkdtemp(prefix="aem-tests-"))
(_data_dir / "static").mkdir()
_made_by = os.getpid()


@atexit.register
def _remove_data() -> None:
    if os.getpid() == _made_by:
        shutil.rmtree(_data_dir, ignore_errors=True)


os.environ["AEM_DATA_DIR"] = str(_data_dir)
os.environ["AEM_LOCAL"] = "1"
# An embedding that happens to be installed would make other guesses.
os.environ["AEM_EMBEDDING"] = "0"
# Several test processes share a Redis or RabbitMQ; each rings its own bell.
os.environ["AEM_QUEUE_NAME"] = f"aem-tests-{uuid.uuid4().hex[:12]}"
_FOREIGN = (
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "CSRF_TRUSTED_ORIGINS",
    "DEBUG",
    "HTTPS",
    "AEM_JUDGE_ALLOWED_HOSTS",
    "AEM_ENCRYPTION_KEY",
)
for _name in _FOREIGN:
    os.environ.pop(_name, None)

from aem_site.settings import *  # noqa: E402, F403
from aem_site.settings import DATABASES  # noqa: E402

_database: dict[str, Any] = DATABASES["default"]
if _database["ENGINE"] == "aem_site.fair_sqlite":
    _database["TEST"] = {"NAME": str(_data_dir / "test.sqlite3")}
    # Nobody needs a test's rows after a power cut.
    _database["OPTIONS"]["init_command"] += "; PRAGMA synchronous=OFF"

# Hashing passwords slowly is the point of the real hashers, and of no test.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
