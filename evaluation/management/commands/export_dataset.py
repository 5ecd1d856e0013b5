"""`manage.py export_dataset --project SLUG --dataset SLUG [--version N] [--format NAME] [--output FILE]`"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotations.models import Dataset
from evaluation.formats.model import CannotWriteError
from evaluation.services import exports


class Command(BaseCommand):
    help = "Export a dataset, or a released version of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", required=True, help="the project's short name")
        parser.add_argument("--dataset", required=True, help="the dataset's short name")
        # --version is Django's own; this one names the release.
        parser.add_argument("--release", type=int, help="a released version's number; default: the state of now")
        parser.add_argument("--format", default="aem-1", help=f"one of {', '.join(exports.writable())}")
        parser.add_argument("--without-people", action="store_true", help="goldens and trajectories only")
        parser.add_argument("--output", type=Path, help="default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        dataset = Dataset.objects.filter(project__slug=options["project"], slug=options["dataset"]).first()
        if dataset is None:
            raise CommandError(f"There is no dataset {options['dataset']} in a project {options['project']}.")
        version = None
        if options["release"] is not None:
            version = dataset.versions.filter(number=options["release"]).first()
            if version is None:
                raise CommandError(f"{dataset} has no version {options['release']}.")
        try:
            written = exports.written(
                dataset=dataset,
                version=version,
                name=options["format"],
                with_people=not options["without_people"],
            )
        except KeyError:
            raise CommandError(f"Formats are {', '.join(exports.writable())}; not {options['format']}.") from None
        except CannotWriteError as error:
            raise CommandError("The format cannot carry this: " + "; ".join(error.reasons)) from error
        if options["output"] is None:
            for chunk in written.chunks:
                self.stdout.write(chunk.decode("utf-8"), ending="")
            return
        temporary = options["output"].with_name(options["output"].name + ".part")
        try:
            with temporary.open("wb") as file:
                for chunk in written.chunks:
                    file.write(chunk)
            temporary.replace(options["output"])
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise CommandError(f"{options['output']} cannot be written: {error.strerror}") from error
        self.stderr.write(f"{options['output']} is written.")
