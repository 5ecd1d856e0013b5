#!/usr/bin/env python
"""Run Django's management commands."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aem_site.settings")
    if "SECRET_KEY" not in os.environ and "DATABASE_URL" not in os.environ and "runserver" not in sys.argv[1:2]:
        # Commands typed in a checkout work on the data of `python3 run.py`; a server still has to be told what it is.
        os.environ.setdefault("AEM_LOCAL", "1")
    from django.core.management import execute_from_command_line  # noqa: PLC0415

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
