"""Replies judged against goldens, by the phenomena that decide: facts, labels, denial, phrases, coverage."""

import json
from time import process_time

import pytest

from evaluation.evaluators.embedded.replies import judge_claim, judge_reply, unknown_facts
from tests.shared_data import shared

LOAN = (
    "Your loan of $8,400 was approved at a fixed rate of 4.9%. The first payment of $310.50 is due on March 3. "
    "Your contract number is LN-20417."
)


def state(golden: str, reply: str, language: str = "") -> str:
    return judge_reply(golden, reply, language=language).state


# -- values --------------------------------------------------------------------------------------------------------


def test_golden_itself_is_covered_for_sure() -> None:
    judged = judge_reply(LOAN, LOAN)
    assert judged.state == "ok"
    assert judged.is_sure
    assert judged.score == 1
    assert [one.state for _, one in judged.claims] == ["covered"] * 3


@pytest.mark.parametrize(
    ("value", "other"),
    [
        ("$8,400", "$4,800"),
        ("4.9%", "9.4%"),
        ("March 3", "March 13"),
        ("March 3", "May 3"),
        ("LN-20417", "LN-20471"),
        ("$310.50", "$301.50"),
    ],
)
def test_other_value_contradicts(value: str, other: str) -> None:
    judged = judge_reply(LOAN, LOAN.replace(value, other))
    assert judged.state == "inconsistent"
    assert judged.is_sure
    assert other in judged.sentence
    assert value in judged.sentence


@pytest.mark.parametrize("sentence", [0, 1, 2])
def test_left_out_sentence_is_not_said(sentence: int) -> None:
    sentences = [f"{part}." for part in LOAN.rstrip(".").split(". ")]
    reply = " ".join(part for at, part in enumerate(sentences) if at != sentence)
    judged = judge_reply(LOAN, reply)
    assert judged.state == "incomplete"
    assert [one.state for _, one in judged.claims].count("not_said") == 1
    assert judged.claims[sentence][1].state == "not_said"


@pytest.mark.parametrize(
    ("golden", "reply"),
    [
        ("Revenue was $4.2 million.", "Revenue came to $4,200,000."),
        ("Revenue was $4.2 million.", "Revenue: 4.2M USD."),
        ("The repair takes two days.", "Repairs take 48 hours."),
        ("You have a week to return it.", "You can return it within 7 days."),
        ("The visit is at 2 PM.", "The visit is at 14:00."),
        ("The visit is on 4 March.", "The visit is on March 4th."),
        ("Take it twice a day.", "Take it two times daily."),
        ("It takes 5 to 7 days.", "It takes 5-7 days."),
        ("Sessions grew from 3.2 to 4.1 minutes.", "Sessions now last 4.1 minutes instead of 3.2: they grew."),
        ("We open from 9 AM to 5 PM.", "We are open 9 AM-5 PM."),
        ("The room is on level 3.", "The room is on the third level."),
        ("Sales were up 8% from Q1 2024.", "Sales rose 8% over the same quarter of 2024 (the first)."),
        ("Expect an update within four hours.", "Expect an update in the next 4 hours."),
        ("You get 15 days if you have fewer than two years.", "You get 15 days with less than 2 years."),
        ("Overtime is paid at 150% of the rate.", "Overtime is paid at 1.5 times the rate."),
        ("It costs $35 a month.", "It costs $35 per month."),
    ],
)
def test_value_may_be_written_otherwise(golden: str, reply: str) -> None:
    assert state(golden, reply, "en") == "ok"


# -- what belongs to what ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("golden", "swapped", "reordered"),
    [
        (
            "Your checking balance is $310 and your savings balance is $95.",
            "Your checking balance is $95 and your savings balance is $310.",
            "You have $95 in savings and $310 in checking.",
        ),
        (
            "The flight goes from Oslo to Porto on May 2.",
            "The flight goes from Porto to Oslo on May 2.",
            "On May 2 there is a flight Oslo-Porto.",
        ),
        (
            "Churn fell from 14% to 9% last year.",
            "Churn fell from 9% to 14% last year.",
            "Last year churn dropped to 9% from 14%.",
        ),
        (
            "Design had the lowest churn and Sales the highest.",
            "Design had the highest churn and Sales the lowest.",
            "Churn was highest in Sales and lowest in Design.",
        ),
        (
            "The tenant pays for electricity and the landlord pays for heating.",
            "The landlord pays for electricity and the tenant pays for heating.",
            "Heating is paid by the landlord, electricity by the tenant.",
        ),
        (
            "Marta Silva replaces Joe Brandt as team lead.",
            "Joe Brandt replaces Marta Silva as team lead.",
            "Joe Brandt is replaced by Marta Silva as team lead.",
        ),
        (
            "La máxima será de 31 grados y la mínima de 18 grados.",
            "La máxima será de 18 grados y la mínima de 31 grados.",
            "Mínima de 18 grados, máxima de 31 grados.",
        ),
        (
            "Your test shows a low iron level, while the vitamin level is normal.",
            "Your test shows a normal iron level, while the vitamin level is low.",
            "The vitamin level is normal, and iron is low.",
        ),
    ],
)
def test_values_keep_their_labels(golden: str, swapped: str, reordered: str) -> None:
    assert state(golden, swapped) == "inconsistent"
    assert state(golden, reordered) == "ok"


def test_order_of_a_list_says_nothing() -> None:
    assert state("We export to CSV, JSON and Parquet.", "You can export to Parquet, CSV or JSON.") == "ok"
    assert state("We export to CSV, JSON and Parquet.", "We export to CSV and JSON.") == "incomplete"


@pytest.mark.parametrize(
    ("golden", "reply"),
    [
        ("Sales were $2 million, up 12% from May.", "Sales were $2 million, down 12% from May."),
        ("Sales rose 12% in May.", "In May there was a 12% drop in sales."),
        ("Ventas: +12% en mayo.", "Las ventas bajaron un 12% en mayo."),
        ("As vendas caíram 5% em junho.", "As vendas subiram 5% em junho."),
        ("The agent will call you before Friday.", "The agent will call you after Friday."),
        ("Allow at least 90 minutes.", "Allow at most 90 minutes."),
        ("Files over 2 GB are split.", "Files under 2 GB are split."),
        ("La tasa pasó del 2,1 % al 2,8 %.", "La tasa pasó del 2,8 % al 2,1 %."),
        ("Las visitas pasaron de 12.500 a 11.300.", "Las visitas pasaron de 11.300 a 12.500."),
        ("The tenant pays the broker.", "The broker pays the tenant."),
        ("O Sul vendeu mais que o Norte.", "O Norte vendeu mais que o Sul."),
        ("You may carry over up to five days.", "You may carry over up to fifteen days."),
    ],
)
def test_direction_and_bound_decide(golden: str, reply: str) -> None:
    assert state(golden, reply) == "inconsistent"


# -- denial and extent ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("golden", "reply"),
    [
        ("Flood damage is covered.", "Flood damage is not covered."),
        ("I cannot change the name on the ticket.", "I have changed the name on the ticket as you asked."),
        ("Pets are allowed.", "Pets are not allowed in the rooms."),
        ("The transfer was completed.", "The transfer failed."),
        ("The transfer was completed.", "We were unable to complete the transfer."),
        ("Su pago fue aceptado.", "Su pago no pudo ser aceptado."),
        ("La póliza no cubre incendios.", "La póliza cubre incendios."),
        ("A instalação é gratuita.", "A instalação custa R$ 50."),
        ("O pedido foi aprovado.", "O pedido não foi aprovado."),
        ("All services work normally.", "Some services are still degraded."),
        ("Leave is at full pay.", "Leave is at half pay."),
        ("Employees may work from home two days a week.", "Employees may not work from home two days a week."),
        ("Attendance on Mondays is mandatory.", "Attendance on Mondays is optional."),
    ],
)
def test_denial_of_what_is_affirmed_contradicts(golden: str, reply: str) -> None:
    assert state(golden, reply) == "inconsistent"


@pytest.mark.parametrize(
    ("golden", "reply"),
    [
        ("I cannot share another customer's details.", "I'm unable to give out details of other customers."),
        ("The data will not be affected.", "Your data stays untouched."),
        ("Please do not eat for 8 hours before the test.", "You must fast for 8 hours before the test."),
        ("Flood damage is not covered.", "Damage by flooding is excluded."),
        ("A taxa de instalação é gratuita.", "Não há taxa de instalação."),
        ("O seguro não cobre alagamento.", "Alagamento, não: o seguro não cobre."),
        ("The request was denied.", "Your request was not approved."),
        ("You will not be charged until it ships.", "We only charge you once it ships."),
        ("Remember to bring your ID.", "Don't forget to bring your ID."),
        ("It arrives by March 9.", "It arrives no later than March 9."),
    ],
)
def test_same_denial_in_other_words_is_covered(golden: str, reply: str) -> None:
    assert state(golden, reply) == "ok"


# -- names and phrases ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("golden", "value", "other"),
    [
        ("The refund goes to your PayPal account within 5 days.", "PayPal account", "credit card"),
        ("The policy now covers your spouse from May 1.", "spouse", "child"),
        ("The transfer of $50 to Maria Lopez was completed.", "Maria Lopez", "Maria Gomez"),
        ("The ship left Rotterdam on 2 May.", "Rotterdam", "Hamburg"),
        ("Ticket INC-22 is with the network team.", "network", "database"),
        ("The delay is due to bad weather.", "bad weather", "a strike"),
        ("Only the account owner can change the billing address.", "billing", "shipping"),
        ("You may take two days off after the probation period.", "after", "during"),
        ("Most of them came from the referral program.", "Most", "Few"),
        ("The company pays 80% of the costs above the limit.", "The company pays", "You pay"),
        ("Su cita es con la doctora Ruiz el lunes.", "Ruiz", "Vega"),
        ("O voo foi cancelado devido ao mau tempo.", "ao mau tempo", "à greve"),
    ],
)
def test_other_name_or_phrase_contradicts(golden: str, value: str, other: str) -> None:
    judged = judge_reply(golden, golden.replace(value, other))
    assert judged.state == "inconsistent"


@pytest.mark.parametrize(
    "reply",
    [
        "The ship left Rotterdam on 2 May with 300 containers on board.",
        "As of 2 May the vessel is on its way: it departed from Rotterdam. The next port is Lisbon, expected on 9 May.",
        "Good news! The ship left Rotterdam on 2 May. If you need papers, call 555-010-4477. Anything else?",
    ],
)
def test_further_claims_are_no_failure(reply: str) -> None:
    assert state("The ship left Rotterdam on 2 May.", reply) == "ok"


# -- coverage and paraphrase ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("golden", "reply"),
    [
        (
            "We could not verify your identity because the photo was blurry.",
            "Your identity couldn't be verified since the picture is out of focus.",
        ),
        (
            "Your order was shipped on March 4 and should arrive by March 9.",
            "The order went out on 4 March; expect it no later than March 9.",
        ),
        (
            "A refund of $20 will be issued to your card.",
            "We will refund $20 to your card.",
        ),
        (
            "You will receive a full refund because you bought insurance.",
            "Since you had insurance, the entire amount will be refunded.",
        ),
        (
            "La transferencia de 250 euros a Carlos Ruiz se realizó correctamente.",
            "Listo: se transfirieron 250 € a Carlos Ruiz.",
        ),
        (
            "O técnico visitará sua casa amanhã entre 9h e 11h.",
            "A visita do técnico à sua residência será amanhã, das 9h às 11h.",
        ),
    ],
)
def test_paraphrase_is_covered(golden: str, reply: str) -> None:
    assert state(golden, reply) == "ok"


@pytest.mark.parametrize(
    ("golden", "reply"),
    [
        ("The ship is delayed by 3 days due to bad weather.", "The ship is delayed by 3 days."),
        ("The bill is due on 20 April and will be debited automatically.", "The bill is due on 20 April."),
        ("The office is closed today. Save your work before you leave.", "The office is closed today."),
        ("The room is free on Friday. Your badge opens the door.", "Hello! How are you?"),
    ],
)
def test_part_that_is_left_out_is_not_said(golden: str, reply: str) -> None:
    assert state(golden, reply) == "incomplete"


# -- languages -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("golden", "reply", "expected"),
    [
        (
            "Your claim CL-882 was approved. You will receive $1,250 within 3 days.",
            "Su reclamación CL-882 ha sido aprobada. Recibirá 1.250 dólares en un plazo de 3 días.",
            "ok",
        ),
        (
            "Your claim CL-882 was approved. You will receive $1,250 within 3 days.",
            "Seu sinistro CL-882 foi aprovado. Você receberá US$ 1.250 em até 3 dias.",
            "ok",
        ),
        (
            "Your claim CL-882 was approved. You will receive $1,250 within 3 days.",
            "Su reclamación CL-882 ha sido rechazada. Recibirá 1.250 dólares en un plazo de 3 días.",
            "inconsistent",
        ),
        (
            "Your claim CL-882 was approved. You will receive $1,250 within 3 days.",
            "Seu sinistro CL-882 foi aprovado.",
            "incomplete",
        ),
        ("A loja fecha às 18h. Aos domingos não abrimos.", "The store closes at 6 PM. We are closed on Sundays.", "ok"),
        ("La póliza no cubre inundaciones.", "The policy does not cover floods.", "ok"),
        ("La póliza no cubre inundaciones.", "The policy covers floods.", "inconsistent"),
    ],
)
def test_reply_may_be_in_another_language(golden: str, reply: str, expected: str) -> None:
    assert state(golden, reply) == expected


# -- one claim -----------------------------------------------------------------------------------------------------


def test_claim_is_judged_with_the_sentence_that_answers_it() -> None:
    reply = "Hello. The parcel left Ghent on Monday. It will arrive on March 19."
    judged = judge_claim("The parcel arrives on March 9.", reply)
    assert judged.state == "contradicted"
    assert judged.score == 0
    assert judged.quote is not None
    assert reply[slice(*judged.quote)] == "It will arrive on March 19."
    assert judged.sentence == "The reply gives March 19 where the golden says March 9."


def test_each_finding_beside_the_told_one_is_a_note() -> None:
    judged = judge_claim("The fee of $5 is due on May 2.", "The fee of $6 is due on May 3.")
    assert judged.state == "contradicted"
    assert judged.notes


def test_empty_reply_says_nothing() -> None:
    assert judge_claim("The fee is $5.", "").state == "not_said"
    assert judge_reply("The fee is $5.", "").state == "incomplete"


def test_golden_without_claims_is_met() -> None:
    assert judge_reply("", "Anything.").state == "ok"
    assert judge_reply("Hello!", "Hi there!").state in ("ok", "incomplete")


def test_project_vocabulary_is_heard() -> None:
    from evaluation.evaluators.embedded.vocabulary import STANDARD

    golden, reply = "The zorbel is due on May 2.", "The quandle is due on May 2."
    own = STANDARD.extended({"equal": [{"terms": ["zorbel", "quandle"]}]})
    assert judge_reply(golden, reply).state == "inconsistent"
    assert judge_reply(golden, reply, vocabulary=own).state == "ok"


# -- any text ------------------------------------------------------------------------------------------------------

ODD = [
    "",
    " ",
    "\ud800 lone \udfff",
    "😀" * 50,
    "no " * 2_000,
    "The fee is $5. " * 5_000,
    "x" * 50_000,
    "$" * 3_000,
    "1 2 3 " * 2_000,
    "(((([[[[",
    "\x00\x01",
    "ＦＵＬＬ　ｗｉｄｔｈ ５",
    "A\u0301\u0301\u0301 B",
    "- \n- \n* \n",
    "1,0 to 00 rows, 0 to 5, from 9:00–99:00",
]


@pytest.mark.parametrize("text", ODD)
def test_any_text_can_be_judged(text: str) -> None:
    for golden, reply in ((text, "The fee is $5."), ("The fee is $5.", text), (text, text)):
        judged = judge_reply(golden, reply)
        assert judged.state in ("ok", "incomplete", "inconsistent")
        for claim, one in judged.claims:
            assert golden[claim.start : claim.end] == claim.text
            assert one.quote is None or 0 <= one.quote[0] < one.quote[1] <= len(reply)


def test_what_is_too_long_is_not_sure() -> None:
    long = "The fee is $5. " + "Nothing of note here. " * 2_000
    started = process_time()
    judged = judge_reply("The fee is $7. The gate is B12.", long)
    assert not judged.is_sure
    assert process_time() - started < 5


# -- invented numbers ----------------------------------------------------------------------------------------------


def test_numbers_from_nowhere_are_found() -> None:
    reply = "Your total is $1,200.00 for 3 items, paid with card 4471; call 5550104477."
    spans = unknown_facts(reply, seen=["total: 1200", '{"card": "4471"}'], language="en")
    assert [reply[span.start : span.end] for span in spans] == ["5550104477"]


def test_small_numbers_are_not_marked() -> None:
    assert unknown_facts("There are 10 items and 2 boxes.", seen=[]) == ()
    assert len(unknown_facts("There are 11 items.", seen=[])) == 1


# -- as a whole ----------------------------------------------------------------------------------------------------


def test_given_replies_are_judged_as_people_do() -> None:
    lines = shared("data/judge/responses.given.jsonl").read_text("utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    right = caught = faulty = sure_and_wrong = 0
    for pair in pairs:
        judged = judge_reply(pair["reference"], pair["response"], language=pair["lang"])
        is_right = (judged.state == "ok") == (pair["label"] == "ok")
        right += is_right
        faulty += pair["label"] != "ok"
        caught += pair["label"] != "ok" and judged.state != "ok"
        sure_and_wrong += judged.is_sure and not is_right
    assert right >= 0.95 * len(pairs)
    assert caught >= 0.95 * faulty
    assert sure_and_wrong == 0


@pytest.mark.parametrize(
    ("golden", "right", "faulty"),
    [
        (
            "Luis Pardo will send the contract to Rui Costa by 3 August.",
            "Rui Costa will receive the contract from Luis Pardo by Aug 3.",
            "Luis Pardo will receive the contract from Rui Costa by Aug 3.",
        ),
        (
            "Both the hotel and the car are booked.",
            "Your hotel and your car are reserved.",
            "The hotel or the car is booked.",
        ),
        (
            "Tanto el hotel como el coche están reservados.",
            "Reservamos el hotel y el coche.",
            "El hotel está reservado, pero el coche no.",
        ),
        (
            "Order EB13921 was shipped on September 15.",
            "EB13921 went out on Sep 15.",
            "Order EB13921 might have been shipped on Sep 15.",
        ),
        (
            "Your account is active and autopay is turned on.",
            "Autopay is on and your account is active.",
            "Your account is inactive and autopay is turned on.",
        ),
        (
            "Su cuenta está activa y el pago automático está activado.",
            "El pago automático está habilitado y la cuenta sigue activa.",
            "Su cuenta está inactiva y el pago automático está activado.",
        ),
        (
            "Se reembolsarán 89 dólares a su método de pago original.",
            "Le devolveremos 89 dólares al método de pago original.",
            "Se reembolsarán 89 dólares en una tarjeta de regalo.",
        ),
        (
            "Revenue rose 20 percent while costs fell 23%.",
            "Revenue was up 20% and costs were down 23%.",
            "Revenue rose to 20 percent while costs fell 23%.",
        ),
        (
            "Cambiar la fecha cuesta 15 dólares. Su cuenta está activa.",
            "El cambio de fecha cuesta 15 dólares. La cuenta sigue activa.",
            "Cambiar el nombre cuesta 15 dólares. La cuenta sigue activa.",
        ),
        (
            "Changing the date costs $15. Your flight departs at 8 pm.",
            "A date change costs $15. You take off at 8 pm.",
            "Changing the date costs $15 or more. You take off at 8 pm.",
        ),
        (
            "You must return the device before Nov 9. You get the discount because you joined before Nov 9.",
            "You joined before Nov 9, so you get the discount. The device must be returned before Nov 9.",
            "The device must be returned before Dec 9. You joined before Nov 9, so you get the discount.",
        ),
        (
            "You must return the device before Nov 9. You get the discount because you joined before Nov 9.",
            "Before Nov 9 you must return the device. You joined before Nov 9, so you get the discount.",
            "You must return the device after Nov 9. You joined before Nov 9, so you get the discount.",
        ),
    ],
)
def test_one_change_is_told_from_other_words(golden: str, right: str, faulty: str) -> None:
    assert state(golden, right) == "ok"
    assert state(golden, faulty) == "inconsistent"


def test_days_from_one_to_another_are_their_ends() -> None:
    assert state("The room is booked from 6 to 9 June.", "Your booking of the room: June 6-9.") == "ok"
    assert state("The room is booked from 6 to 9 June.", "Your booking of the room: June 6-8.") != "ok"


@pytest.mark.parametrize(
    ("claim", "reply"),
    [
        ("Breakfast is included.", "Lunch is not included."),
        ("The flight leaves at 8:00.", "The train leaves at 9:00."),
        ("Your savings balance is $500.", "Your checking balance is $300."),
        ("Delivery to Lima costs $5.", "Delivery to Quito costs $9."),
        ("Sales rose 5%.", "Costs fell 5%."),
        ("The parking is free of charge.", "Your fee is $5. It is due on May 3."),
    ],
)
def test_what_is_said_of_another_thing_contradicts_nothing_for_sure(claim: str, reply: str) -> None:
    judged = judge_claim(claim, reply)
    assert judged.state != "covered"
    assert not (judged.state == "contradicted" and judged.is_sure)


def test_other_words_for_a_value_and_its_label_cover_for_sure() -> None:
    judged = judge_claim("The average order value is $57.30.", "1204 rows came back. The mean order value: $57.30.")
    assert judged.state == "covered"
    assert judged.is_sure
    assert not judge_claim("The fee is $5.", "The fee is at most $5.").is_sure


REPEATED = [
    "one hundred and ", "y media ", "x and ", "12 Main Street, ", "mil ", "at least ", "next ", "monday, ", "q1 ",
    "not ", "if you want, ", "between 1 and 2 ", "a.com ", "XIV ", "$1", "the refund was late and not free; ",
]  # fmt: skip


@pytest.mark.parametrize("piece", REPEATED)
def test_time_is_bounded_for_repetitive_texts(piece: str) -> None:
    text = (piece * 10_000)[:10_000]
    judge_reply("Warm 5 km.", "Up.")
    for golden, reply in ((text, text[:-5] + " 7."), ("Your order 5 ships on May 3.", text), (text, "It ships.")):
        started = process_time()
        judge_reply(golden, reply)
        assert process_time() - started < 1.0  # a tenth of it here; machines and their loads differ


def test_what_repeats_itself_without_end_is_never_judged_for_sure() -> None:
    text = "The refund was sent. " * 400
    assert not judge_reply("The fee is $5.", text).is_sure


class Near:
    """An embedding that finds everything alike."""

    name = "near"

    def similarity(self, a: str, b: str) -> float:
        return 1.0


def test_embedding_helps_with_words_but_not_with_values() -> None:
    golden = "The boiler in the cellar leaks onto the carpet and the curtain."
    reply = "There is a wet boiler in the cellar."
    assert judge_claim(golden, reply).state != "covered"
    assert judge_claim(golden, reply, embedding=Near()).state == "covered"
    assert judge_claim("The fee is $5.", "The fee is $6.", embedding=Near()).state == "contradicted"


# -- small words, endings and the order of words -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("You can pay only at the main desk.", "You can also pay at the main desk.", "en"),
        ("Each bulb costs $7 in the shop.", "The bulbs cost $7 in total in the shop.", "en"),
        ("The nurse rang twice on Monday.", "The nurse rang once on Monday.", "en"),
        ("You get it back unless you smoke.", "You get it back if you smoke.", "en"),
        ("Parking is free except in August.", "Parking is free even in August.", "en"),
        ("The lift is slow because it is old.", "The lift is slow although it is old.", "en"),
        ("The lift came back at noon.", "The lift went down at noon.", "en"),
        ("You have 4 days left.", "You have 4 days used.", "en"),
        ("Solo se paga en caja.", "También se paga en caja.", "es"),
        ("Cada entrada cuesta 8 euros.", "Las entradas cuestan 8 euros en total.", "es"),
        ("El plazo ya no está abierto.", "El plazo todavía no está abierto.", "es"),
        ("Abre todos los días, excepto en enero.", "Abre todos los días, incluso en enero.", "es"),
        ("O prazo já não está aberto.", "O prazo ainda não está aberto.", "pt"),
        ("Abre todo mês, exceto em janeiro.", "Abre todo mês, inclusive em janeiro.", "pt"),
        ("Não paga, a menos que cancele.", "Não paga, desde que cancele.", "pt"),
        ("O pedido 51 foi aberto por Rita Lemos.", "O pedido 51 foi aberto para Rita Lemos.", "pt"),
    ],
)
def test_small_word_of_a_copy_is_another_of_its_family(golden: str, reply: str, language: str) -> None:
    assert state(golden, golden, language) == "ok"
    assert state(golden, reply, language) == "inconsistent"


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("The form will arrive at the office on 4 May.", "The form arrived at the office on 4 May.", "en"),
        ("The lift came back at noon today.", "The lift will come back at noon today.", "en"),
        ("El informe se entregará el 4 de mayo.", "El informe se entregó el 4 de mayo.", "es"),
        ("Revisamos su caso el lunes.", "Revisaremos su caso el lunes.", "es"),
        ("O navio saiu de Santos na terça.", "O navio sairá de Santos na terça.", "pt"),
        ("O bônus virá em junho.", "O bônus veio em junho.", "pt"),
    ],
)
def test_tense_of_a_verb_tells(golden: str, reply: str, language: str) -> None:
    assert state(golden, reply, language) == "inconsistent"
    assert state(reply, golden, language) == "inconsistent"


def test_verb_of_another_thing_may_have_another_tense() -> None:
    golden = "The concert has been moved to 19 May."
    assert state(golden, "The concert was moved: it will be on 19 May.", "en") == "ok"


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("The mast fell because the rope broke.", "The rope broke because the mast fell.", "en"),
        ("Because the rope broke, the mast fell.", "Because the mast fell, the rope broke.", "en"),
        ("El mástil cayó porque la cuerda se rompió.", "La cuerda se rompió porque el mástil cayó.", "es"),
        ("A corda rompeu antes de o mastro cair.", "O mastro caiu antes de a corda romper.", "pt"),
    ],
)
def test_cause_and_effect_change_places(golden: str, reply: str, language: str) -> None:
    assert state(golden, reply, language) == "inconsistent"


def test_cause_may_stand_before_or_behind() -> None:
    assert state("The mast fell because the rope broke.", "Because the rope broke, the mast fell.", "en") == "ok"


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("Ada Bell was replaced by Ian Moss in May.", "Ian Moss was replaced by Ada Bell in May.", "en"),
        ("Ada Bell was replaced by Ian Moss in May.", "Ada Bell replaced Ian Moss in May.", "en"),
        ("The guard called the visitor twice.", "The visitor called the guard twice.", "en"),
        ("Eva Gil sustituyó a Luis Mora.", "Eva Gil fue sustituida por Luis Mora.", "es"),
        ("El médico llamará antes de ir.", "Usted debe llamar al médico antes de ir.", "es"),
        ("We moved you from seat 3A to 9C.", "We moved you from seat 9C to 3A.", "en"),
    ],
)
def test_parts_change_places(golden: str, reply: str, language: str) -> None:
    assert state(golden, reply, language) == "inconsistent"


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("Ada Bell was replaced by Ian Moss in May.", "In May Ian Moss replaced Ada Bell.", "en"),
        ("El tren de Lugo a Vigo sale a las 9:15.", "A las 9:15 sale de Lugo el tren a Vigo.", "es"),
        ("Lo avisará el guarda.", "El guarda lo avisará.", "es"),
    ],
)
def test_parts_stay_in_another_order(golden: str, reply: str, language: str) -> None:
    assert state(golden, reply, language) == "ok"


# -- denial in other words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("The lamp goes to the shop, not to the depot.", "The lamp goes to the shop rather than to the depot.", "en"),
        ("It is paid in full. Otherwise only a part is paid.", "It is paid in full; if not, only a part is.", "en"),
        ("Report it and you get $90. Otherwise you get $40.", "If you report it you get $90; if you don't, $40.", "en"),
        ("The water is shut off on Monday.", "On Monday there is no water.", "en"),
        ("Conservará la misma llave.", "No cambia de llave: es la misma.", "es"),
        ("Faltan dos sellos en el acta.", "Se necesitan dos sellos más en el acta.", "es"),
        ("Todavía no se han pintado dos salas.", "Aún quedan dos salas por pintar.", "es"),
        ("La llave está agotada en plata.", "Ya no hay llaves en plata.", "es"),
        ("Nenhum vaso foi avariado.", "Todos os vasos estão intactos.", "pt"),
    ],
)
def test_denial_is_said_in_other_words(golden: str, reply: str, language: str) -> None:
    assert state(golden, reply, language) == "ok"


# -- what is sure --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("Your visit on 4 May was confirmed by mail.", "Your visit on 4 May is confirmed for mail.", "en"),
        ("Keep the 3 seals until Monday.", "Have the 3 seals on Monday.", "en"),
        ("El acta 31 la firma el notario.", "El acta 31 es para el notario.", "es"),
    ],
)
def test_copy_with_other_small_words_is_never_covered_for_sure(golden: str, reply: str, language: str) -> None:
    judged = judge_reply(golden, reply, language=language)
    assert judged.state != "ok" or not judged.is_sure


def test_synonym_in_a_copy_is_never_a_contradiction_for_sure() -> None:
    judged = judge_reply(
        "The porter will polish the brass door on Monday.", "The porter will buff the brass door on Monday."
    )
    assert not judged.is_sure


def test_other_bound_in_a_copy_is_a_contradiction_for_sure() -> None:
    judged = judge_reply("Children under 6 travel free with us.", "Children over 6 travel free with us.", language="en")
    assert judged.state == "inconsistent"
    assert judged.is_sure


def test_word_stands_for_itself_before_it_stands_for_another() -> None:
    golden = "The room was changed because of a swap of guests."
    assert state(golden, "The room was changed.", "en") == "incomplete"


@pytest.mark.parametrize("language", ["", "fr", "en", "es", "pt"])
@pytest.mark.parametrize("golden", ["0", "Sin decir nada", "Quedan por", "rather than", "will"])
def test_any_beginning_of_a_rule_is_read(golden: str, language: str) -> None:
    assert judge_reply(golden, "NO. will be", language=language).state in {"ok", "incomplete", "inconsistent"}


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("Bo Lind was replaced by Ida Rask.", "Bo Lind took over from Ida Rask.", "en"),
        ("Ida Rask took over from Bo Lind.", "Bo Lind is here in place of Ida Rask.", "en"),
        ("Luz Vera sustituyó a Juan Pino.", "Juan Pino está en lugar de Luz Vera.", "es"),
        ("Rui Paz foi substituído por Ana Reis.", "Rui Paz entrou no lugar de Ana Reis.", "pt"),
    ],
)
def test_who_comes_in_whose_place(golden: str, reply: str, language: str) -> None:
    assert state(golden, reply, language) == "inconsistent"


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("Only guards can open the vault.", "Guards can open the vault.", "en"),
        ("Delivery is offered only in Salem.", "We offer delivery everywhere except Salem.", "en"),
        ("Solo los socios pueden votar en junio.", "Los socios pueden votar en junio.", "es"),
        ("Só sócios podem votar em junho.", "Todos podem votar em junho, exceto sócios.", "pt"),
    ],
)
def test_only_is_not_left_out(golden: str, reply: str, language: str) -> None:
    assert state(golden, reply, language) == "inconsistent"


def test_only_may_be_said_otherwise() -> None:
    assert state("Only guards can open the vault.", "Nobody but guards can open the vault.", "en") == "ok"


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("They approved the scan but denied the therapy.", "They denied the scan and the therapy.", "en"),
        ("O plano aprovou o exame, mas negou a cirurgia.", "O plano negou o exame e a cirurgia.", "pt"),
    ],
)
def test_denial_of_one_thing_is_not_said_of_both(golden: str, reply: str, language: str) -> None:
    assert state(golden, reply, language) == "inconsistent"


@pytest.mark.parametrize(
    ("golden", "reply", "expected"),
    [
        ("Si el sobre llegó abierto, no lo acepte.", "No acepte el sobre si llegó abierto.", "ok"),
        ("Si el sobre llegó abierto, no lo acepte.", "Si el sobre llegó abierto, acéptelo.", "inconsistent"),
        ("Puede pagar la multa en dos plazos.", "La multa puede pagarla en dos plazos.", "ok"),
    ],
)
def test_spanish_verb_with_its_object_is_the_verb(golden: str, reply: str, expected: str) -> None:
    assert state(golden, reply, "es") == expected


def test_price_before_next_year_is_a_price() -> None:
    assert state("The fee rises from $60 to $75 next year.", "Next year you will pay $75, up from $60.", "en") == "ok"
    assert state("The fee rises from $60 to $75 next year.", "Next year you will pay $85, up from $60.", "en") != "ok"


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("The card is sold at any kiosk in town.", "The card is sold only at one kiosk in town.", "en"),
        ("The tour begins three hours later.", "The tour begins three hours earlier.", "en"),
        ("Dr. Cole, not Dr. Hart, signs it.", "Dr. Hart, not Dr. Cole, signs it.", "en"),
        ("La casa tiene dos patios y luz.", "La casa tiene un patio y luz.", "es"),
        ("La ayuda se paga en octubre y en abril.", "La ayuda se pagó en octubre y en abril.", "es"),
        ("Las bebidas se cobran aparte.", "Las bebidas están incluidas.", "es"),
        ("A guarda Rosa avisará se houver vaga.", "Você deve avisar a guarda Rosa se houver vaga.", "pt"),
    ],
)
def test_one_small_thing_of_a_copy_is_another(golden: str, reply: str, language: str) -> None:
    assert state(golden, golden, language) == "ok"
    assert state(golden, reply, language) == "inconsistent"


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("Dr. Cole, not Dr. Hart, signs it.", "Dr. Cole signs it rather than Dr. Hart.", "en"),
        ("Todos pagan, salvo los menores.", "Los menores no pagan; los demás pagan todos.", "es"),
        ("Quem já votou não paga.", "Todos pagam, menos quem já votou.", "pt"),
    ],
)
def test_exception_is_a_denial(golden: str, reply: str, language: str) -> None:
    assert state(golden, reply, language) == "ok"


def test_denial_in_other_words_is_no_contradiction_for_sure() -> None:
    golden = "El pintor cambió las puertas, pero no los marcos."
    judged = judge_reply(golden, "El pintor cambió las puertas y dejó los marcos como estaban.", language="es")
    assert judged.state == "ok" or not judged.is_sure


def test_what_is_denied_and_what_is_not_change_places_never_for_sure_covered() -> None:
    golden = "La beca cubre la matrícula, pero no los libros."
    judged = judge_reply(golden, "La beca cubre los libros, pero no la matrícula.", language="es")
    assert judged.state == "inconsistent"


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("You owe $31 for the seeds.", "We owe you $31 for the seeds.", "en"),
        ("The seeds were sent by the farm in May.", "The seeds were sent to the farm in May.", "en"),
        ("The speed was lowered to 4 Mbps.", "The speed was lowered by 4 Mbps.", "en"),
        ("Ben moves to room 4, and Kai stays with us.", "Ben moves to room 4, and Kai leaves us.", "en"),
        ("O lote foi enviado pelo moinho em maio.", "O lote foi enviado ao moinho em maio.", "pt"),
    ],
)
def test_who_does_it_and_where_it_goes(golden: str, reply: str, language: str) -> None:
    assert state(golden, golden, language) == "ok"
    assert state(golden, reply, language) == "inconsistent"


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("The badge is not mandatory in summer.", "In summer the badge is optional.", "en"),
        ("Si llueve, se juega igualmente.", "Aunque llueva, se juega.", "es"),
        ("O crachá não é obrigatório no verão.", "No verão o crachá é opcional.", "pt"),
    ],
)
def test_what_need_not_be_is_optional_and_what_happens_anyway_has_no_condition(
    golden: str, reply: str, language: str
) -> None:
    assert state(golden, reply, language) == "ok"


def test_name_that_opens_a_sentence_is_one_where_the_other_text_has_it_inside() -> None:
    golden = "Nora moves to the Owls group in May, and Otto stays with the Ants."
    judged = judge_reply(
        golden, "In May Otto will move to the Owls group while Nora stays with the Ants.", language="en"
    )
    assert judged.state == "inconsistent" or not judged.is_sure
    assert state(golden, "In May Nora moves to the Owls group; Otto stays with the Ants.", "en") == "ok"


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("The choir moved from hall 7 to the old barn.", "The choir moved from the old barn to hall 7.", "en"),
        ("O coral passou da sala 7 para o celeiro.", "O coral passou do celeiro para a sala 7.", "pt"),
        ("O envio de R$ 60 para Nara Lopes é hoje.", "O envio de R$ 60 de Nara Lopes é hoje.", "pt"),
        (
            "El cambio es gratis en tienda, pero no por correo.",
            "El cambio es gratis por correo, pero no en tienda.",
            "es",
        ),
    ],
)
def test_ends_and_denials_change_places(golden: str, reply: str, language: str) -> None:
    assert state(golden, reply, language) == "inconsistent"


@pytest.mark.parametrize(
    ("golden", "reply", "language"),
    [
        ("The choir was moved from hall 7 to the barn.", "The choir sings in the barn instead of hall 7.", "en"),
        ("It cannot exceed your balance.", "It must not exceed your balance.", "en"),
        ("It cannot exceed your balance.", "It can't be more than your balance.", "en"),
        ("El visado no es necesario.", "No hace falta visado.", "es"),
        ("A troca é grátis na loja, mas pelo correio não.", "Na loja a troca é grátis; pelo correio há custo.", "pt"),
    ],
)
def test_what_is_not_needed_and_what_is_instead_is_no_contradiction(golden: str, reply: str, language: str) -> None:
    assert state(golden, reply, language) != "inconsistent"
