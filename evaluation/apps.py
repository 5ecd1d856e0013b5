from typing import Any

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
    verbose_name = "Evaluation"

    def ready(self) -> None:
        """The engine knows the evaluators wherever it is asked, also without a run; goldens are tried as runs judge."""
        from aem_site import language as site_language  # noqa: PLC0415
        from annotations.services import effects, prefills, second_look  # noqa: PLC0415 - apps must be loaded first
        from evaluation.aem import language  # noqa: PLC0415
        from evaluation.evaluators import registry  # noqa: PLC0415

        language.use(site_language.translate)
        registry.install()
        effects.use_terms(_terms_of)
        prefills.register_outcomes(_passed)
        second_look.use_places(_places_of)


def _terms_of(project: Any, is_blinded: bool) -> Any:
    from evaluation.services import terms  # noqa: PLC0415 - read where a golden is tried, not by every command

    return terms.terms_of(project, is_blinded)


def _passed(conversation: Any) -> Any:
    from evaluation.services import outcomes  # noqa: PLC0415 - read where a golden is begun, not by every command

    return outcomes.passed(conversation)


def _places_of(labels: Any) -> Any:
    from evaluation.services import label_places  # noqa: PLC0415 - read where somebody is asked again

    return label_places.places_of(labels)
