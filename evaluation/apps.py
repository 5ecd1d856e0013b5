from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
    verbose_name = "Evaluation"

    def ready(self) -> None:
        """The engine knows the evaluators wherever it is asked, also without a run."""
        from evaluation.evaluators import registry  # noqa: PLC0415 - apps must be loaded first

        registry.install()
