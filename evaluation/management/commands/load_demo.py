"""`manage.py load_demo`: the demo project, once."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evaluation.services import demo, runs, scoring


class Command(BaseCommand):
    help = "Load the demo project with its logins and score its trajectories. Run again, it changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--public-passwords",
            action="store_true",
            help="needed outside the local default: the demo logins have passwords that everybody knows",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not (settings.AEM_LOCAL or settings.DEBUG or options["public_passwords"]):
            raise CommandError("The demo logins have public passwords. Say --public-passwords if that is wanted here.")
        loaded = demo.load(now=timezone.now())
        if loaded is None:
            self.stdout.write("The demo is loaded already.")
            return
        project, started = loaded
        for run in started:
            runs.start(run=run, by=run.created_by)
        while scoring.work(worker="load_demo") is not None:
            pass
        scoring.finish(now=timezone.now())
        demo.teach(project=project)
        self.stdout.write(f"{project} is loaded: {len(started)} runs.")
