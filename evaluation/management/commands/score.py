"""``manage.py score``: score files without a database."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from evaluation.formats import scoring_cli


class Command(BaseCommand):
    """Score records and dialogs, one result a line."""

    help = (
        "Score aem/1 records or native dialogs (single, in a list, or one a line) and print one result a line. "
        "Exit status: 0 scored, 1 a test failed and --gate was given, 2 some input was bad (all else is scored)."
    )
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Files, gate and policy."""
        parser.add_argument("files", nargs="+", metavar="FILE", help="a file with records, or - for standard input")
        parser.add_argument("--gate", action="store_true", help="exit with 1 when a test fails")
        parser.add_argument("--policy", metavar="FILE", help="a policy for what the records leave open")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print results to standard output, complaints to standard error."""
        report = scoring_cli.Report(out=self.stdout.write, err=self.stderr.write)
        status = scoring_cli.run(
            options["files"],
            report,
            stdin=sys.stdin.buffer,
            policy_file=options["policy"],
            is_gate=options["gate"],
        )
        if status:
            sys.exit(status)
