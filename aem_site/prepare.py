"""`python -m aem_site.prepare`: what `run.py` does to the database before it starts web server and worker.

The demo project is loaded into a database that this command has just made, on somebody's own machine; never into one
with data in it or one that serves others, since its logins are known to everybody. Who deletes it does not get it back.
Prints the demo logins that there are, for `run.py` to show.
"""

import os
import sys
from pathlib import Path

import django


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aem_site.settings")
    django.setup()
    from django.conf import settings  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import DatabaseError, connection  # noqa: PLC0415

    from aem_site.startup import require_safe_settings  # noqa: PLC0415
    from evaluation.services import demo  # noqa: PLC0415

    require_safe_settings()
    data_dir: Path = settings.AEM_DATA_DIR
    (data_dir / "static").mkdir(parents=True, exist_ok=True)
    # Stands until the demo is in, so that an interrupted first start is made good by the next one.
    pending = data_dir / "demo-pending"
    try:
        is_new = not connection.introspection.table_names()
    except DatabaseError as error:
        print(f"The database does not answer: {error}", file=sys.stderr)
        return 1
    if is_new and settings.AEM_LOCAL:
        pending.touch()
    call_command("migrate", interactive=False, verbosity=0)
    if pending.exists() and settings.AEM_LOCAL:
        call_command("load_demo", stdout=sys.stderr)
        pending.unlink()
    for login in demo.available_logins():
        print(f"  {login.username:8} password {login.password:14} {login.what}")
    return 0


if __name__ == "__main__":
    from django.core.exceptions import ImproperlyConfigured

    try:
        sys.exit(main())
    except ImproperlyConfigured as error:
        sys.exit(str(error))
