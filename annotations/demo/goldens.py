"""Second goldens: what two annotators wrote for one conversation, by what sets each apart from the accepted golden."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from annotations.demo.script import JsonObject

Change = Callable[[JsonObject], None]


@dataclass(frozen=True, slots=True)
class Draft:
    """One annotator's golden: the accepted one with some changes."""

    script: str
    annotator: str
    status: str
    comment: str = ""
    changes: tuple[Change, ...] = ()


def edited(golden: JsonObject, draft: Draft) -> JsonObject:
    """The golden of this draft; changes the golden that it is given."""
    for change in draft.changes:
        change(golden)
    return golden


def _turns(golden: JsonObject, turn_id: str) -> list[JsonObject]:
    found = [turn for path in golden["paths"] for turn in path["turns"] if turn["id"] == turn_id]
    if not found:
        raise ValueError(f"no golden turn {turn_id}")
    return found


def _param(turn_id: str, key: str, **said: object) -> Change:
    """Say something more of one parameter."""

    def change(golden: JsonObject) -> None:
        for turn in _turns(golden, turn_id):
            turn["params"][key] = {**turn["params"][key], **said}

    return change


def _only(turn_id: str, key: str, value: object) -> Change:
    """Accept this one value."""

    def change(golden: JsonObject) -> None:
        for turn in _turns(golden, turn_id):
            turn["params"][key] = {"value": value}

    return change


def _set(turn_id: str, **said: object) -> Change:
    """Say something more of one turn; None takes it away."""

    def change(golden: JsonObject) -> None:
        for turn in _turns(golden, turn_id):
            turn.update(said)
            for key in [key for key, value in said.items() if value is None]:
                del turn[key]

    return change


def _claim(turn_id: str, claim_id: str, **said: object) -> Change:
    """Say something more of one claim."""

    def change(golden: JsonObject) -> None:
        for turn in _turns(golden, turn_id):
            for claim in turn["claims"]:
                if claim["id"] == claim_id:
                    claim.update(said)

    return change


def _main_path_only(golden: JsonObject) -> None:
    del golden["paths"][1:]


def _nothing_forbidden(golden: JsonObject) -> None:
    golden["forbidden"] = []


DRAFTS: Final = (
    Draft("ins-01", "ana", "accepted", "The day of the loss decides, not the day of the call."),
    Draft(
        "ins-01",
        "ben",
        "submitted",
        "I would also want the deductible named, customers always ask about it.",
        (_claim("tell", "payout", contains=[2700, 500]),),
    ),
    Draft(
        "ins-02",
        "ana",
        "submitted",
        "Looking up by number is what we do at the desk.",
        (_main_path_only,),
    ),
    Draft("ins-02", "ben", "accepted", "Added the search by name, half of our callers have no card at hand."),
    Draft(
        "ins-05",
        "ana",
        "submitted",
        "The number of the claim is enough to find the visit.",
        (_set("status", optional=True), _claim("confirm", "day", contains=["May 8"])),
    ),
    Draft(
        "ins-05",
        "ben",
        "submitted",
        "Any hour before noon is the morning for us.",
        (
            _param("move", "slot", value="before noon"),
            _param("move", "day", required=False),
            _claim("confirm", "visit", required=False),
            _nothing_forbidden,
        ),
    ),
    Draft(
        "ins-06",
        "ana",
        "returned",
        "Is the phone number really needed? I made it optional.",
        (_param("visit", "contact_phone", required=False),),
    ),
    Draft("ins-06", "ben", "accepted", "Phone number required: the customer asked to be called."),
    Draft(
        "ins-07",
        "ana",
        "submitted",
        "I always read the terms first.",
        (_set("terms", optional=None), _set("open", extra="allow", allowed_extra=None)),
    ),
    Draft("ins-07", "ben", "accepted", "Three look-ups in any order; the terms are nice to have."),
    Draft("cli-01", "ana", "accepted", "La consulta hay que decirla; el número de cita sale en el correo."),
    Draft(
        "cli-01",
        "ben",
        "submitted",
        "Yo exigiría también el número de cita.",
        (_claim("confirmar", "numero", required=True),),
    ),
    Draft(
        "cli-04",
        "ana",
        "submitted",
        "Solo la guardia puede valorar el contraste.",
        (_only("avisar", "destinatario", "guardia"),),
    ),
    Draft("cli-04", "ben", "accepted", "Por la tarde no hay guardia en radiología y supervisión lo recoge."),
    Draft(
        "cli-07",
        "ben",
        "submitted",
        "",
        (_set("alergias", optional=None), _nothing_forbidden),
    ),
    Draft("cli-07", "ana", "accepted", "Mirar las alergias está bien, pero lo dice la propia enfermera."),
    Draft(
        "tel-03",
        "ana",
        "returned",
        "Sem ver a fatura não dá para comparar preços.",
        (_set("atual", optional=None),),
    ),
    Draft("tel-03", "ben", "accepted", "O preço atual não muda a resposta; deixei como opcional."),
    Draft("tel-07", "ana", "accepted", "Tanto faz a ordem, desde que a linha fique bloqueada."),
    Draft(
        "tel-07",
        "ben",
        "submitted",
        "Para mim o bloqueio vem primeiro, sempre.",
        (_set("bloquear", group=None), _set("fatura", group=None)),
    ),
)
