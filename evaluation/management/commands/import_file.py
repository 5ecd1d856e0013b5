"""`manage.py import_file --project SLUG [--format NAME] [--dataset SLUG] FILE…`"""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotations.models import Project
from annotations.services import documents
from annotations.services.errors import WorkbenchError
from evaluation.formats.model import SourceFile
from evaluation.formats.registry import FORMATS
from evaluation.models import ImportState
from evaluation.services import imports

_SLUG = re.compile(r"[-a-zA-Z0-9_]{1,60}")


class Command(BaseCommand):
    help = "Import conversations, goldens and trajectories: the good records, with a report of the others."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--project", required=True, help="the project's short name")
        parser.add_argument(
            "--dataset", default="", help="the dataset's short name; made if there is none (default: main)"
        )
        parser.add_argument("--format", default="", choices=["", *FORMATS], help="default: found from the content")
        parser.add_argument("--encoding", default="", help="default: found from the bytes")
        parser.add_argument(
            "--keep-changed", action="store_true", help="leave what is here with other content as it is"
        )
        parser.add_argument("--all-or-nothing", action="store_true", help="import nothing when a record is bad")
        parser.add_argument("--preview", action="store_true", help="only say what would be done")

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            known = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no project {options['project']}. There are: {known}.")
        try:
            files = [SourceFile(name=path.name, data=path.read_bytes()) for path in options["files"]]
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}") from error
        slug = options["dataset"] or "main"
        if not _SLUG.fullmatch(slug):
            raise CommandError(f"A dataset's short name has at most 60 letters, digits, - and _; not {slug}.")
        self._require_encoding(options["encoding"])
        is_new = not project.datasets.filter(slug=slug).exists()
        dataset = documents.get_dataset(project=project, slug=slug)
        try:
            job = imports.preview(
                project=project,
                dataset=dataset,
                by=None,
                files=files,
                format_name=options["format"],
                encoding=options["encoding"],
                is_new_dataset=is_new,
            )
            self._say_problems(job.report)
            if job.state == ImportState.FAILED:
                raise CommandError("Nothing in it could be read as a record; nothing was written.")
            if options["preview"]:
                self._say_effect(job.report, "would be written")
                imports.discard(job=job, by=None, now=timezone.now())
                return
            if options["all_or_nothing"] and job.report["errors"]:
                imports.discard(job=job, by=None, now=timezone.now())
                raise CommandError(f"{job.report['errors']} bad records; nothing was written.")
            job = imports.apply(job=job, by=None, now=timezone.now(), take_changes=not options["keep_changed"])
        except WorkbenchError as error:
            raise CommandError(str(error)) from error
        self._say_effect(job.report, "written")

    def _require_encoding(self, name: str) -> None:
        try:
            codecs.lookup(name or "utf-8")
        except LookupError as error:
            raise CommandError(f"No encoding is called {name}.") from error

    def _say_problems(self, report: dict[str, Any]) -> None:
        for problem in report["problems"]:
            mark = "error" if problem["severity"] == "error" else "warning"
            self.stderr.write(f"{mark}: {problem['sentence']}")
        if report["problems_not_shown"]:
            self.stderr.write(f"and {report['problems_not_shown']} more problems")

    def _say_effect(self, report: dict[str, Any], verb: str) -> None:
        self.stdout.write(
            f"format {report['format']}; {report['errors']} errors, {report['warnings']} warnings; {verb}:"
        )
        for what, count in report["effect"]["counts"].items():
            self.stdout.write(f"  {count:>7,} {what}")
        for note in report["effect"]["notes"]:
            self.stdout.write(f"  note: {note}")
