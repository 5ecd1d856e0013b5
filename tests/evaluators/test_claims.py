"""Claims proposed from a golden reply: what is one, what is none, and where it stands."""

import pytest

from evaluation.evaluators.embedded.claims import propose_claims


def texts(golden: str, language: str = "") -> list[str]:
    return [claim.text for claim in propose_claims(golden, language=language)]


@pytest.mark.parametrize(
    ("golden", "claims"),
    [
        ("The fee is $5. It is due on May 2.", ["The fee is $5.", "It is due on May 2."]),
        (
            "The lamp costs $40 and the shade is sold separately.",
            ["The lamp costs $40", "the shade is sold separately."],
        ),
        ("The lift is broken; a technician comes at noon.", ["The lift is broken", "a technician comes at noon."]),
        ("The parcel left Ghent on Monday and arrives on Friday.", None),
        ("Bring an ID and two photos.", None),
        ("If you cancel and the room is resold, you pay nothing.", None),
        ("Dr. Okafor is in at 8 a.m. on Mondays.", None),
        ("The balance is 1.340,20 euros.", None),
        ("El horno está averiado y el técnico viene hoy.", ["El horno está averiado", "el técnico viene hoy."]),
        ("O forno está com defeito, mas o técnico vem hoje.", ["O forno está com defeito", "o técnico vem hoje."]),
        ("O prazo é de 5 dias e a taxa é de R$ 12.", ["O prazo é de 5 dias", "a taxa é de R$ 12."]),
    ],
)
def test_clauses_that_stand_alone_are_claims(golden: str, claims: list[str] | None) -> None:
    assert texts(golden) == (claims if claims is not None else [golden])


def test_items_of_a_list_are_claims() -> None:
    golden = "Your balances:\n- Checking: $310.20\n- Savings: $95.00\n1. Card: $0.00"
    assert texts(golden) == ["Checking: $310.20", "Savings: $95.00", "Card: $0.00"]


@pytest.mark.parametrize(
    "courtesy",
    [
        "Hello!",
        "Thanks for your patience!",
        "Is there anything else I can help with?",
        "Please let me know if you have any questions.",
        "I'm happy to help!",
        "¡Hola!",
        "Gracias por su paciencia.",
        "¿Puedo ayudarle en algo más?",
        "Lamentamos las molestias.",
        "Olá!",
        "Posso ajudar em algo mais?",
        "Pedimos desculpas pelo transtorno.",
        "Shall I book it for you?",
    ],
)
def test_courtesies_and_questions_are_no_claims(courtesy: str) -> None:
    assert texts(f"{courtesy} The gate is B12. {courtesy}") == ["The gate is B12."]


def test_what_is_offered_in_particular_is_a_claim() -> None:
    golden = "I cannot open the account. I can connect you with a colleague if you wish."
    assert len(texts(golden)) == 2


def test_reply_that_only_asks_makes_its_questions_claims() -> None:
    assert texts("Hi! Could you send me your booking reference?") == ["Could you send me your booking reference?"]


def test_spans_are_places_in_the_golden() -> None:
    golden = "Hello.\n  * The fee is $5, and it is due on May 2.\r\n– Ünïcode 😀 is kept.\n"
    claims = propose_claims(golden)
    assert len(claims) == 3
    for claim in claims:
        assert golden[claim.start : claim.end] == claim.text
        assert claim.is_required


@pytest.mark.parametrize(
    "text", ["", "   \n", "!!!", "\ud800", "😀", "a" * 100_000, "no. " * 20_000, "- \n- \n", ".", "?"]
)
def test_any_text_can_be_split(text: str) -> None:
    for claim in propose_claims(text):
        assert text[claim.start : claim.end] == claim.text
