"""Who gives and who gets, parts of a count, added conditions, and debts, in three languages; and what is none of it."""

from __future__ import annotations

import pytest

from evaluation.evaluators.embedded.replies import judge_reply

# Language, golden, and a reply that says something else; each is judged both ways.
TURNED = [
    ("en", "The dentist gave Marta the X-rays.", "Marta gave the dentist the X-rays."),
    ("es", "El dentista dio las radiografías a Marta.", "Marta dio las radiografías al dentista."),
    ("pt", "O dentista entregou as radiografias à Marta.", "A Marta entregou as radiografias ao dentista."),
    ("en", "Two of the four tyres were changed.", "Four tyres were changed."),
    ("es", "Se cambiaron dos de las cuatro ruedas.", "Se cambiaron las cuatro ruedas."),
    ("pt", "Dois dos quatro pneus foram trocados.", "Os quatro pneus foram trocados."),
    ("en", "The parking is free for the first two hours.", "The parking is free after the first two hours."),
    ("es", "Usted nos debe 40 euros.", "Le debemos 40 euros."),
    ("pt", "O senhor nos deve 40 reais.", "Nós lhe devemos 40 reais."),
    ("es", "Apenas hubo retrasos.", "Hubo muchos retrasos."),
    ("pt", "Restam duas vagas.", "Duas vagas foram ocupadas."),
]
# A condition or a person that only the reply has.
ADDED = [
    ("en", "The tour moves indoors.", "If it rains, the tour moves indoors."),
    ("es", "La visita se hace dentro.", "Si llueve, la visita se hace dentro."),
    ("pt", "O passeio será dentro.", "Se chover, o passeio será dentro."),
    ("en", "You must sign the form.", "Your cousin must sign the form."),
    ("pt", "Você deve assinar o formulário.", "Seu primo deve assinar o formulário."),
]
SAME = [
    ("en", "The technician will call Laura on Monday.", "On Monday Laura will get a call from the technician."),
    ("es", "El casero entregó las llaves a Marta.", "Marta recibió las llaves del casero."),
    ("pt", "O proprietário entregou as chaves à Marta.", "Marta recebeu as chaves do proprietário."),
    ("en", "You can park for free in the first two hours.", "There is no charge for parking in the first two hours."),
    ("pt", "Você deve assinar o formulário.", "O formulário precisa ser assinado por você."),
    ("en", "The room is free from 8 to 10 in the morning.", "The room is free between 8 and 10 a.m."),
    ("en", "We accepted your reading of 48,213 kWh.", "Thank you, we have accepted your reading (48213 kWh)."),
]


@pytest.mark.parametrize(("language", "golden", "reply"), TURNED)
def test_what_has_changed_places_is_not_covered_either_way(language: str, golden: str, reply: str) -> None:
    assert judge_reply(golden, reply, language=language).state != "ok"
    assert judge_reply(reply, golden, language=language).state != "ok"


@pytest.mark.parametrize(("language", "golden", "reply"), ADDED)
def test_a_condition_or_another_person_that_a_copy_adds_is_seen(language: str, golden: str, reply: str) -> None:
    assert judge_reply(golden, reply, language=language).state == "inconsistent"


@pytest.mark.parametrize(("language", "golden", "reply"), SAME)
def test_the_same_from_the_other_side_is_covered(language: str, golden: str, reply: str) -> None:
    assert judge_reply(golden, reply, language=language).state == "ok"
