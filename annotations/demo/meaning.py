"""The same thing in other words: short conversations in English, Spanish and Portuguese, for judging meaning.

In every run the agent writes values and replies in its own way. Some ways mean what the golden says, some only look
like it, and some are for people: `Variation.expect` says what a careful reader finds, not what the scorer finds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from annotations.demo.labels import Reading, Ruling, Says, passes, root, unsure
from annotations.demo.script import (
    VERSIONS,
    Json,
    JsonObject,
    Script,
    Variation,
    alt,
    call,
    claim,
    reply,
    say,
    user,
)

#: How the runs of these conversations are scored. The threshold is a generous first guess, so that calibration has
#: something to put right.
POLICY: Final[JsonObject] = {"scorer": "embedded", "threshold": Decimal("0.4")}

#: What the project holds equal or different from the start, beside the built-in lists.
VOCABULARY: Final[JsonObject] = {
    "equal": [
        {"terms": ["Northgate", "workshop 7"], "field": "workshop"},
        {"terms": ["HBL", "Harborline"]},
        {"terms": ["Plano Vento 500", "V500"]},
    ],
    "different": [{"terms": ["cleaning", "restoration"], "field": "service"}],
}


@dataclass(frozen=True, slots=True)
class Taught:
    """A pair that a decision taught the project: the turn and parameter in which it came up, and why it holds."""

    trajectory_key: str
    turn: str
    field: str
    reason: str


LESSON: Final = Taught(
    "sow-02-v2.2-t1",
    "call",
    "part",
    "Our workshops use both words for the same sheet of metal; say it once for all claims.",
)


def _schema(required: list[str], **properties: str) -> JsonObject:
    described = {name: {"type": "string", "description": text} for name, text in properties.items()}
    return {"type": "object", "properties": described, "required": required, "additionalProperties": True}


def _tool(description: str, required: list[str], **properties: str) -> JsonObject:
    return {"effect": "write", "description": description, "schema": _schema(required, **properties)}


TOOLS: Final[dict[str, JsonObject]] = {
    "insurance": {
        "report_damage": _tool(
            "Note a damage.", ["happened_on"], happened_on="Day", city="City", part="What is broken"
        ),
        "book_repair": _tool(
            "Book a repair.", ["service"], service="What is to be done", workshop="Where", limit="Most"
        ),
        "order_report": _tool("Order a report.", ["subject"], subject="What about", period="For which time"),
    },
    "clinic": {
        "cita": _tool("Reserva una cita.", ["motivo"], motivo="Motivo", dia="Día", hora="Hora", ciudad="Sede"),
        "nota": _tool("Nota de enfermería.", ["sintoma"], sintoma="Síntoma", dosis="Dosis", desde="Desde cuándo"),
        "presupuesto": _tool("Pide un presupuesto.", ["importe"], importe="Importe", prueba="Prueba"),
    },
    "telecom": {
        "chamado": _tool("Abre um chamado.", ["problema"], problema="Problema", inicio="Desde quando", cidade="Cidade"),
        "estorno": _tool("Devolve um valor.", ["valor"], valor="Valor", motivo="Motivo", mes="Mês da fatura"),
        "plano": _tool("Troca o plano.", ["velocidade"], velocidade="Velocidade", plano="Plano", inicio="A partir de"),
    },
}

PROMPTS: Final[dict[str, str]] = {
    "insurance": "You are the claims desk of Harborline Insurance. Note what the customer says, and repeat the number.",
    "clinic": "Eres el asistente de la Clínica Santa Aurelia. Anota lo que se te dice y repite el número.",
    "telecom": "Você é o atendimento da Ventania Telecom. Registre o que foi dito e repita o protocolo.",
}
LANGUAGES: Final = {"insurance": "en", "clinic": "es", "telecom": "pt"}


def _run(says: str | None = None, *, finds: str = "", found: str = "", why: str = "", **args: Json) -> Variation:
    """A run with other ``args`` or another reply; ``finds`` and ``found`` are what is wrong with call and reply."""
    edits: dict[str, Json] = {}
    if args:
        edits["call"] = alt(args=args)
    if says is not None:
        edits["reply"] = say(says)
    return Variation(edits, {turn: code for turn, code in (("call", finds), ("reply", found)) if code}, why=why)


def _case(
    key: str,
    title: str,
    domain: str,
    *,
    asks: str,
    tool: str,
    args: JsonObject,
    result: JsonObject,
    says: str,
    claims: dict[str, str],
    runs: list[Variation],
) -> Script:
    # The first fact of a reply is the number to keep, which has one spelling; the others are judged by meaning.
    number, *_ = result.values()
    facts = [claim(name, text, [number] if at == 0 else ()) for at, (name, text) in enumerate(claims.items())]
    names = [f"run{number}" for number in range(1, 7)]
    old, new = tuple(names[:3]), tuple(names[3:])
    return Script(
        key=key,
        title=title,
        domain=domain,
        user_goal=asks,
        steps=(
            user("ask", asks),
            call("call", tool, args, result, needs=[]),
            reply("reply", says, claims=facts, needs=[]),
        ),
        variations=dict(zip(names, runs, strict=True)),
        runs={"2.2": old, "2.3": new},  # type: ignore[dict-item]
    )


SCRIPTS: Final = (
    _case(
        "sow-01",
        "In other words: a door and a lamp post in New York",
        "insurance",
        asks="Somebody reversed into my car in New York City on March 2, 2026. The front door is dented.",
        tool="report_damage",
        args={"city": "New York City", "happened_on": "March 2, 2026", "part": "dented front door"},
        result={"claim": "C-4410", "deductible": "$500", "visit": "2026-03-06"},
        says="Your claim is C-4410. The deductible is $500. An adjuster will visit you on March 6, 2026.",
        claims={
            "number": "The claim is C-4410",
            "deductible": "The deductible is $500",
            "visit": "An adjuster will visit you on March 6, 2026",
        },
        runs=[
            _run(
                "All noted under C-4410. You pay 500 dollars yourself, and an adjuster comes by on 6 March 2026.",
                city="NYC",
                happened_on="2026-03-02",
                part="dent in the front door",
            ),
            _run(
                "Your claim number is C-4410. The deductible is $1,500. The adjuster visits you on March 6, 2026.",
                found="inconsistent",
                city="Newark",
                finds="value",
                why="Another city, and the deductible is tripled.",
            ),
            _run(
                "C-4410 is your claim, with a deductible of $500.",
                found="incomplete",
                city="New York",
                happened_on="03/02/2026",
                why="The customer is not told about the visit.",
            ),
            _run(city="New York, NY", happened_on="2 March 2026"),
            _run(
                "I have opened claim C-4410. Of the repair you pay the first $500. Expect an adjuster on Friday, "
                "March 6, 2026.",
                city="NYC",
            ),
            _run(happened_on="March 3, 2026", finds="value", why="One day late."),
        ],
    ),
    _case(
        "sow-02",
        "In other words: a bent bonnet",
        "insurance",
        asks="A branch fell on my car yesterday, 11 May 2026, in Philadelphia. The hood is bent.",
        tool="report_damage",
        args={"city": "Philadelphia", "happened_on": "11 May 2026", "part": "engine cover"},
        result={"claim": "C-4427", "workshop": "Northgate", "days": 3},
        says="Claim C-4427 is open. The Northgate workshop repairs it within three days.",
        claims={"number": "The claim is C-4427", "where": "The Northgate workshop repairs it within three days"},
        runs=[
            _run("Claim C-4427 is open. Northgate will repair it in 3 days.", part="bonnet panel"),
            _run("Claim C-4427 is open. Northgate repairs it within three weeks.", found="inconsistent", why="Weeks."),
            _run(part="rear cover", finds="value", why="The wrong end of the car."),
            _run(
                "Your number is C-4427. It will be repaired at Northgate and takes 72 hours.", happened_on="2026-05-11"
            ),
            _run(part="bonnet panel", city="Philly"),
            _run("C-4427 is the number. Northgate does the work.", found="incomplete", why="No word about the time."),
        ],
    ),
    _case(
        "sow-03",
        "In other words: cleaning after the flood",
        "insurance",
        asks="After the flood I need the basement dried and cleaned. Northgate, please, and no more than $1,850.",
        tool="book_repair",
        args={"service": "drying and cleaning", "workshop": "Northgate", "limit": "$1,850"},
        result={"job": "J-77", "start": "2026-04-14", "hours": 6},
        says="Job J-77 is booked for April 14, 2026. The crew needs about six hours.",
        claims={
            "job": "The job is J-77",
            "start": "Job J-77 is booked for April 14, 2026",
            "hours": "The crew needs about six hours",
        },
        runs=[
            _run("J-77 is booked, 14 April 2026; plan for 6 hours.", limit="1850 dollars", workshop="workshop 7"),
            _run(service="drying only", finds="value", why="The cleaning is missing."),
            _run(
                "Job J-77 is booked for April 4, 2026, six hours.",
                found="inconsistent",
                limit="USD 1,850.00",
                why="Ten days early.",
            ),
            _run(service="cleaning and drying", limit="1,850 US dollars"),
            _run("Your job J-77 starts on 14 April 2026 and should take around 6 hours.", service="dry out and clean"),
            _run(limit="$1,580", finds="value", why="Digits changed places."),
        ],
    ),
    _case(
        "sow-04",
        "In other words: figures for the broker",
        "insurance",
        asks="I am the broker of Tarn Logistics and need the third quarter revenue figures for 2024.",
        tool="order_report",
        args={"subject": "third quarter revenue figures for 2024", "period": "Q3 2024"},
        result={"report": "R-905", "ready": "2026-02-20", "pages": 12},
        says="Report R-905 will be ready on February 20, 2026.",
        claims={"number": "The report is R-905", "ready": "Report R-905 will be ready on February 20, 2026"},
        runs=[
            _run(
                "Your report R-905 comes on 20 February 2026.",
                subject="Q3 2024 revenue",
                period="third quarter of 2024",
            ),
            _run(subject="Q3 2024 profit", finds="value", why="Profit is not revenue."),
            _run("Report R-905 is on its way.", found="incomplete", period="July to September 2024", why="No day."),
            _run(subject="revenue in Q3 2024", period="2024-Q3"),
            _run(
                "R-905 will be finished by February 20, 2026.", subject="revenue report for the third quarter of 2024"
            ),
            _run(period="Q3 2023", finds="value", why="The year before."),
        ],
    ),
    _case(
        "sow-05",
        "In other words: a sore knee after the fall",
        "insurance",
        asks="I fell at work on 19 June 2026 and my knee hurts. It happened in Los Angeles.",
        tool="report_damage",
        args={"city": "Los Angeles", "happened_on": "19 June 2026", "part": "knee pain"},
        result={"claim": "A-118", "form": "F12", "deadline": "2026-07-03"},
        says="Your accident report is A-118. Please send form F12 by July 3, 2026.",
        claims={"number": "The report is A-118", "form": "Please send form F12 by July 3, 2026"},
        runs=[
            _run("A-118 is your report. We need form F12 by 3 July 2026.", part="sore knee", city="LA"),
            _run(part="elbow pain", finds="value", why="It is the knee."),
            _run(
                "Your report is A-118. You need not send form F12.",
                found="inconsistent",
                part="hurting knee",
                why="Denied.",
            ),
            _run(part="painful knee", happened_on="June 19, 2026"),
            _run("Report A-118 is filed; form F12 has to reach us by 3 July 2026.", city="Los Angeles, California"),
            _run(part="sore knee", happened_on="2026-06-19"),
        ],
    ),
    _case(
        "sow-06",
        "In other words: what to do with the money",
        "insurance",
        asks="The repair was cheaper than paid. I want to send the rest back: a partial refund of $240 for May 2026.",
        tool="book_repair",
        args={"service": "partial refund", "limit": "$240", "workshop": "Northgate"},
        result={"job": "J-91", "days": 5},
        says="J-91 is noted. The money is with us within five working days.",
        claims={"job": "The number is J-91", "days": "The money is with us within five working days"},
        runs=[
            _run(service="refund", finds="value", why="A part only, not all of it."),
            _run("J-91 is noted; allow five working days.", service="part refund", limit="240 USD"),
            _run(
                "J-91 is noted. The money is with us within 15 working days.", found="inconsistent", why="15, not five."
            ),
            _run("Noted as J-91. This takes 5 business days.", service="refund of a part", limit="$240.00"),
            _run(limit="$2,400", finds="value", why="Ten times as much."),
            _run(service="partial reimbursement"),
        ],
    ),
    _case(
        "sow-07",
        "Con otras palabras: revisión anual",
        "clinic",
        asks="Quería una revisión anual el 9 de marzo de 2026 a las cuatro y media de la tarde, en Sevilla.",
        tool="cita",
        args={"motivo": "revisión anual", "dia": "9 de marzo de 2026", "hora": "16:30", "ciudad": "Sevilla"},
        result={"cita": "C-3301", "medico": "Dra. Olmedo", "ayunas": False},
        says="Cita C-3301, el 9 de marzo de 2026 a las 16:30 con la Dra. Olmedo. No hace falta venir en ayunas.",
        claims={
            "numero": "La cita es la C-3301",
            "medico": "El 9 de marzo de 2026 a las 16:30 con la Dra. Olmedo",
            "ayunas": "No hace falta venir en ayunas",
        },
        runs=[
            _run(
                "Cita C-3301 con la doctora Olmedo, el 9/3/2026 a las 16:30. No es necesario venir en ayunas.",
                motivo="chequeo anual",
                dia="2026-03-09",
            ),
            _run(hora="4:30", finds="value", why="De madrugada."),
            _run(
                "Su cita es la C-3301 con la Dra. Olmedo, el 9 de marzo de 2026. Hay que venir en ayunas.",
                found="inconsistent",
                dia="9/3/2026",
                why="Lo contrario de lo que dice la agenda.",
            ),
            _run(hora="4:30 de la tarde", dia="lunes 9 de marzo de 2026"),
            _run(motivo="control anual", ciudad="Seville"),
            _run("Le espera la Dra. Olmedo; la cita es la C-3301.", found="incomplete", why="Nada de las ayunas."),
        ],
    ),
    _case(
        "sow-08",
        "Con otras palabras: dolor de cabeza",
        "clinic",
        asks="Anota, por favor: dolor de cabeza desde hace tres días, paracetamol un gramo cada ocho horas.",
        tool="nota",
        args={"sintoma": "dolor de cabeza", "dosis": "1 g cada 8 horas", "desde": "hace tres días"},
        result={"nota": "N-512", "revision": "2026-05-04"},
        says="Nota N-512 guardada. La próxima revisión es el 4 de mayo de 2026.",
        claims={"nota": "La nota es la N-512", "revision": "La próxima revisión es el 4 de mayo de 2026"},
        runs=[
            _run(
                "He guardado la nota N-512. Revisión: 4 de mayo de 2026.", sintoma="cefalea", dosis="1000 mg cada 8 h"
            ),
            _run(dosis="1 mg cada 8 horas", finds="value", why="Mil veces menos."),
            _run(
                "Nota N-512 guardada. La próxima revisión es el 4 de junio de 2026.",
                found="inconsistent",
                why="Otro mes.",
            ),
            _run("N-512 queda anotada; la revisión será el 04/05/2026.", desde="hace 3 días"),
            _run(sintoma="dolor de espalda", finds="value", why="No es la espalda."),
            _run(dosis="1 gramo cada ocho horas", sintoma="le duele la cabeza"),
        ],
    ),
    _case(
        "sow-09",
        "Con otras palabras: presupuesto de una resonancia",
        "clinic",
        asks="¿Me preparan un presupuesto de la resonancia de rodilla? Mi seguro cubre hasta 1.250 euros.",
        tool="presupuesto",
        args={"importe": "1.250 euros", "prueba": "resonancia de rodilla"},
        result={"presupuesto": "P-64", "validez": "30 días"},
        says="El presupuesto es el P-64 y vale durante 30 días.",
        claims={"numero": "El presupuesto es el P-64", "validez": "Vale durante 30 días"},
        runs=[
            _run("Presupuesto P-64, válido durante treinta días.", importe="1250 €", prueba="RM de rodilla"),
            _run(importe="1,25 euros", finds="value", why="El punto separa los miles."),
            _run(prueba="radiografía de rodilla", finds="value", why="Otra prueba."),
            _run(
                "Le dejo el presupuesto P-64. Tiene una validez de 30 días.",
                prueba="resonancia magnética de la rodilla",
            ),
            _run("El presupuesto P-64 vale durante 13 días.", found="inconsistent", importe="EUR 1.250", why="Trece."),
            _run(importe="mil doscientos cincuenta euros"),
        ],
    ),
    _case(
        "sow-10",
        "Con otras palabras: cambio de hora",
        "clinic",
        asks="Necesito cita con alergología el 17 de abril de 2026 por la mañana, en Madrid. Es por una urticaria.",
        tool="cita",
        args={"motivo": "urticaria", "dia": "17 de abril de 2026", "hora": "por la mañana", "ciudad": "Madrid"},
        result={"cita": "C-3344", "hora": "10:15", "sala": "B-14"},
        says="Cita C-3344 a las 10:15 en la sala B-14.",
        claims={"numero": "La cita es la C-3344", "hora": "A las 10:15", "sala": "En la sala B-14"},
        runs=[
            _run("La cita C-3344 es en la sala B-14 a las diez y cuarto.", motivo="ronchas en la piel"),
            _run(hora="por la tarde", finds="value", why="Pidió la mañana."),
            _run("Cita C-3344 a las 10:15.", found="incomplete", dia="17/04/2026", why="Falta la sala."),
            _run("C-3344, sala B-14, 10:15 horas.", hora="de mañana", dia="2026-04-17"),
            _run(motivo="habones", hora="mañana"),
            _run("Cita C-3344 a las 10:15 en la sala B-41.", found="inconsistent", why="Sala equivocada."),
        ],
    ),
    _case(
        "sow-11",
        "Em outras palavras: sem sinal",
        "telecom",
        asks="Estou sem sinal desde ontem à noite, aqui em São Paulo. A luz do modem está vermelha.",
        tool="chamado",
        args={"problema": "sem sinal", "inicio": "ontem à noite", "cidade": "São Paulo"},
        result={"protocolo": "T-8801", "visita": "2026-03-12", "janela": "8:00-12:00"},
        says="Protocolo T-8801. O técnico vai no dia 12 de março de 2026, entre 8h e 12h.",
        claims={"protocolo": "O protocolo é T-8801", "visita": "O técnico vai no dia 12 de março de 2026"},
        runs=[
            _run("Seu protocolo é T-8801. Um técnico passa em 12/03/2026, das 8h às 12h.", problema="sem conexão"),
            _run(inicio="ontem de manhã", finds="value", why="Foi à noite."),
            _run("Protocolo T-8801. O técnico não vai no dia 12 de março de 2026.", found="inconsistent", why="Negou."),
            _run("T-8801 é o protocolo; a visita técnica fica para 12 de março de 2026.", cidade="Sao Paulo"),
            _run(cidade="São Paulo, SP", problema="falta de sinal"),
            _run(cidade="São Bernardo", finds="value", why="Outra cidade."),
        ],
    ),
    _case(
        "sow-12",
        "Em outras palavras: cobrança em dobro",
        "telecom",
        asks="Fui cobrado em dobro na fatura de fevereiro de 2026: R$ 99,90 a mais. Quero o valor de volta.",
        tool="estorno",
        args={"valor": "R$ 99,90", "motivo": "cobrança em dobro", "mes": "fevereiro de 2026"},
        result={"protocolo": "T-8832", "prazo": "7 dias úteis"},
        says="O estorno foi registrado, protocolo T-8832. O crédito entra em sete dias úteis.",
        claims={"protocolo": "O protocolo é T-8832", "prazo": "O crédito entra em sete dias úteis"},
        runs=[
            _run("Registrei o estorno: T-8832. Em 7 dias úteis o crédito entra.", valor="99,90 reais", mes="02/2026"),
            _run(valor="R$ 9,99", finds="value", why="Um décimo do valor."),
            _run(
                "O estorno foi registrado com o protocolo T-8832.", found="incomplete", mes="fev/2026", why="Sem prazo."
            ),
            _run(motivo="cobrança duplicada", valor="BRL 99,90"),
            _run("Protocolo T-8832. O crédito entra em sete dias úteis.", motivo="cobraram duas vezes"),
            _run(mes="março de 2026", finds="value", why="Mês seguinte."),
        ],
    ),
    _case(
        "sow-13",
        "Em outras palavras: mais velocidade",
        "telecom",
        asks="Quero mudar para o Plano Vento 500, com 500 megas, a partir de 1º de junho de 2026.",
        tool="plano",
        args={"velocidade": "500 Mbps", "plano": "Plano Vento 500", "inicio": "1º de junho de 2026"},
        result={"pedido": "P-207", "mensalidade": "R$ 129,00"},
        says="Pedido P-207 confirmado. A mensalidade passa a ser de R$ 129,00.",
        claims={"pedido": "O pedido é P-207", "preco": "A mensalidade passa a ser de R$ 129,00"},
        runs=[
            _run("Confirmei o pedido P-207; você paga 129 reais por mês.", velocidade="0,5 Gbps", plano="V500"),
            _run(velocidade="500 kbps", finds="value", why="Mil vezes mais lento."),
            _run(
                "Pedido P-207 confirmado. A mensalidade passa a ser de R$ 192,00.", found="inconsistent", why="Trocado."
            ),
            _run("P-207 está confirmado, e a mensalidade fica em R$ 129.", inicio="01/06/2026"),
            _run(inicio="1 de julho de 2026", finds="value", why="Um mês depois."),
            _run(velocidade="500 megabits por segundo", inicio="primeiro de junho de 2026"),
        ],
    ),
    _case(
        "sow-14",
        "Em outras palavras: internet lenta",
        "telecom",
        asks="A internet está lenta em Belo Horizonte desde segunda-feira, 4 de maio de 2026.",
        tool="chamado",
        args={"problema": "internet lenta", "inicio": "4 de maio de 2026", "cidade": "Belo Horizonte"},
        result={"protocolo": "T-8890", "prazo": "48 horas"},
        says="Protocolo T-8890. Resolvemos em até 48 horas.",
        claims={"protocolo": "O protocolo é T-8890", "prazo": "Resolvemos em até 48 horas"},
        runs=[
            _run("Anotei: T-8890. Em até dois dias está resolvido.", problema="conexão lenta"),
            _run(problema="internet caiu", finds="value", why="Lenta não é caída."),
            _run("Protocolo T-8890. Resolvemos em até 84 horas.", found="inconsistent", inicio="04/05/2026", why="84."),
            _run("T-8890 é o seu protocolo, e o prazo é de até 48 horas.", problema="lentidão na internet"),
            _run(cidade="BH", problema="internet devagar"),
            _run("Protocolo T-8890 aberto.", found="incomplete", why="Sem prazo."),
        ],
    ),
)


# what people said about the runs

#: Runs that nobody has read yet: what is ambiguous in them waits under Adjudicate.
UNREAD: Final = {("sow-05", "2.3", 3), ("sow-08", "2.3", 3), ("sow-10", "2.3", 2), ("sow-14", "2.3", 2)}

_ANA: Final[Mapping[tuple[str, str, int], Mapping[str, object]]] = {
    ("sow-01", "2.2", 1): {"call": Says("Not the words I would use, but all of it is right.")},
    ("sow-05", "2.2", 1): {"call": Says("A sore knee is a knee that hurts.")},
    ("sow-06", "2.2", 1): {"call": passes("The limit says that it is not all of it.")},
    ("sow-11", "2.2", 1): {"call": unsure("Sem conexão pode ser só a internet. Eu teria perguntado.")},
    ("sow-10", "2.2", 1): {"call": Says("Es lo que contaría una paciente.")},
}
_BEN: Final[Mapping[tuple[str, str, int], Mapping[str, object]]] = {
    ("sow-02", "2.2", 1): {"call": root("value", "I had to look it up. Is that really the same part?")},
    ("sow-06", "2.2", 1): {"call": Says("Partial is the whole point of the request.")},
    ("sow-07", "2.3", 2): {"call": root("value", "Un control no es una revisión: dura la mitad.")},
    ("sow-14", "2.3", 1): {"call": Says("É a mesma coisa.")},
}


def readings() -> tuple[Reading, ...]:
    """Ana read all runs but a few, Ben the first two trials of each version."""
    found = []
    for script in SCRIPTS:
        for version in VERSIONS:
            for trial in (1, 2, 3):
                run = (script.key, version, trial)
                if run in UNREAD:
                    continue
                found.append(Reading("ana", *run, views=_ANA.get(run, {})))  # type: ignore[arg-type]
                if trial < 3:
                    found.append(Reading("ben", *run, views=_BEN.get(run, {})))  # type: ignore[arg-type]
    return tuple(found)


READINGS: Final = readings()

DECISIONS: Final = (
    Ruling("sow-02", "2.2", 1, "call", "Bonnet panel is what the British workshops call it.", passes()),
    Ruling("sow-06", "2.2", 1, "call", "A refund without a word would give back everything. It has to say partial."),
)
