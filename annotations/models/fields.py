"""A column for JSON that keeps every digit."""

from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import models

from evaluation.formats import jsonio

if TYPE_CHECKING:
    _Text = models.TextField[Any, Any]
else:
    _Text = models.TextField  # takes no parameters at run time


class ExactJSONField(_Text):
    """JSON as text: the same bytes on SQLite and PostgreSQL, key order kept, numbers as they were written.

    Database JSON types turn numbers into floats or re-order keys; a value that a verdict hangs on may do neither.
    """

    _pyi_private_set_type: Any  # for the type checker: what may be assigned and what is read is any JSON value
    _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return None if value is None else jsonio.loads(value)

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str):
            try:
                return jsonio.loads(value)
            except jsonio.JsonError as error:
                raise ValidationError(str(error)) from error
        return value

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else jsonio.dumps(value)

    def value_to_string(self, obj: models.Model) -> str:
        return jsonio.dumps(self.value_from_object(obj))


OPENING_LENGTH = 2_000


def opening_of(body: Any) -> str:
    """How the first user message of a trajectory begins; empty where it has none."""
    turns = body.get("turns") if isinstance(body, dict) else None
    for turn in turns if isinstance(turns, list) else []:
        if isinstance(turn, dict) and isinstance(turn.get("user"), str):
            return str(turn["user"])[:OPENING_LENGTH]
    return ""


class OpeningField(_Text):
    """The beginning of the row's body, kept beside it whenever the row is stored, one at a time or many at once."""

    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def pre_save(self, model_instance: Any, add: bool) -> str:
        opening = opening_of(model_instance.body)
        setattr(model_instance, self.attname, opening)
        return opening
