"""What the demo's people said about the agent: labels of two annotators and decisions of an adjudicator.

A reading starts from what a careful reader finds in the run (the variation's ``expect``) and says where this person saw
it in another way, or wished to add a word. Ana is generous about wording and looks at what the customer got; Ben is
strict.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from annotations.demo.script import REASONS, VERSIONS, Script, Step, Variation


@dataclass(frozen=True, slots=True)
class Opinion:
    """One judgement of one turn; ``comment`` is None where the person wrote nothing."""

    verdict: str
    structural: str | None = None
    completeness: str | None = None
    truthfulness: str | None = None
    failure_reason: str | None = None
    attribution: str | None = None
    cascade_of: tuple[str, ...] = ()
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Says:
    """A remark beside a judgement that stays as it is, apart from a view of its own on truthfulness."""

    comment: str
    truthfulness: str | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """A human label of one golden turn in one run."""

    annotator: str
    trajectory_key: str
    path: str
    turn: str
    verdict: str
    structural: str | None
    completeness: str | None
    truthfulness: str | None
    failure_reason: str | None
    attribution: str | None
    cascade_of: tuple[str, ...]
    comment: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What the adjudicator decided on one turn, and why."""

    by: str
    trajectory_key: str
    path: str
    turn: str
    verdict: str
    structural: str | None
    completeness: str | None
    truthfulness: str | None
    failure_reason: str | None
    attribution: str | None
    cascade_of: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Reading:
    """One person's reading of one run."""

    annotator: str
    script: str
    version: str
    trial: int
    views: Mapping[str, Opinion | Says] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ruling:
    """One decision of the adjudicator; without an opinion the careful reader's finding stands."""

    script: str
    version: str
    trial: int
    turn: str
    reason: str
    opinion: Opinion | None = None


def passes(comment: str | None = None) -> Opinion:
    """Right, against what others see; the sub-metrics that apply pass."""
    return Opinion("pass", "pass", "pass", "pass", comment=comment)


def unsure(comment: str) -> Opinion:
    """Cannot be told from what is seen."""
    return Opinion("unsure", None, "unsure", "unsure", comment=comment)


def not_agent(comment: str | None = None) -> Opinion:
    """Wrong, and not the agent's fault."""
    return Opinion("not_agent", comment=comment)


def root(short_reason: str, comment: str | None = None) -> Opinion:
    """A mistake of its own."""
    reasons = short_reason.split("+")
    structural = "fail" if {"tool", "action"} & set(reasons) else "pass"
    later = None if structural == "fail" else "pass"
    return Opinion(
        "fail",
        structural,
        "fail" if {"missing", "extra", "incomplete"} & set(reasons) else later,
        "fail" if {"value", "inconsistent"} & set(reasons) else later,
        REASONS[reasons[0]],
        "root",
        comment=comment,
    )


def cascade(*of: str, fails: str = "truthfulness", comment: str | None = None) -> Opinion:
    """Only wrong because these turns were; ``fails`` names the sub-metric, or nothing for a turn right in itself."""
    marks: dict[str, str | None] = {"structural": "pass", "completeness": "pass", "truthfulness": "pass"}
    if fails == "structural":
        marks = {"structural": "fail", "completeness": None, "truthfulness": None}
    elif fails:
        marks[fails] = "fail"
    return Opinion(
        "fail",
        marks["structural"],
        marks["completeness"],
        marks["truthfulness"],
        "prior_action_failed",
        "cascade",
        of,
        comment,
    )


def finding(step: Step, variation: Variation) -> Opinion | None:
    """What a careful reader finds in one turn of a run; None for a skipped optional step."""
    code = variation.expect.get(step.id, "").removesuffix("?")
    if code == "~":
        return None
    absent = step.id in variation.edits and variation.edits[step.id] is None
    if step.id in variation.user_fault:
        found = not_agent()
    elif code.startswith("<"):
        usual = "structural" if absent else "completeness" if step.kind == "reply" else "truthfulness"
        found = cascade(*code[1:].removesuffix("*").split(","), fails="" if code.endswith("*") else usual)
    elif code:
        found = root(code)
    else:
        found = passes()
    return fitting(step, found)


def fitting(step: Step, opinion: Opinion) -> Opinion:
    """A reply has no structure to judge."""
    return replace(opinion, structural=None) if step.kind == "reply" else opinion


def read(script: Script, reading: Reading) -> Iterator[Label]:
    """The labels of one reading, in the order of the golden turns."""
    variation = script.variation(reading.version, reading.trial)
    unknown = reading.views.keys() - {step.id for step in script.steps}
    if unknown:
        raise ValueError(f"{script.key}: views of unknown steps {sorted(unknown)}")
    for step in script.steps:
        if step.kind == "user":
            continue
        found = finding(step, variation)
        view = reading.views.get(step.id)
        if isinstance(view, Opinion):
            found = fitting(step, view)
        elif isinstance(view, Says) and found is not None:
            found = replace(found, comment=view.comment, truthfulness=view.truthfulness or found.truthfulness)
        if found is not None:
            yield Label(
                reading.annotator,
                script.trajectory_key(reading.version, reading.trial),
                variation.path,
                step.id,
                found.verdict,
                found.structural,
                found.completeness,
                found.truthfulness,
                found.failure_reason,
                found.attribution,
                found.cascade_of,
                found.comment or "",
            )


def decide(script: Script, ruling: Ruling) -> Decision:
    """The decision on one turn."""
    variation = script.variation(ruling.version, ruling.trial)
    step = next(step for step in script.steps if step.id == ruling.turn)
    opinion = fitting(step, ruling.opinion) if ruling.opinion else finding(step, variation)
    if opinion is None:
        raise ValueError(f"{script.key}: {ruling.turn} was skipped, there is nothing to decide")
    return Decision(
        "carla",
        script.trajectory_key(ruling.version, ruling.trial),
        variation.path,
        ruling.turn,
        opinion.verdict,
        opinion.structural,
        opinion.completeness,
        opinion.truthfulness,
        opinion.failure_reason,
        opinion.attribution,
        opinion.cascade_of,
        ruling.reason,
    )


def _ana(script: str, version: str, trial: int, **views: Opinion | Says) -> Reading:
    return Reading("ana", script, version, trial, views)


def _ben(script: str, version: str, trial: int, **views: Opinion | Says) -> Reading:
    return Reading("ben", script, version, trial, views)


OLD, NEW = VERSIONS

READINGS: Final = (
    # Read by both.
    _ana(
        "ins-01",
        OLD,
        1,
        cover=Says("It leaked on March 2. March 9 is the day she called."),
        tell=Says("Correctly repeats what the estimate said, the estimate was wrong."),
    ),
    _ben(
        "ins-01",
        OLD,
        1,
        cover=Says("Wrong date, so the wrong policy year and the wrong deductible."),
        tell=Says("$500 short. Comes from the date.", truthfulness="fail"),
    ),
    _ana("ins-01", NEW, 1, tell=Says("Exactly what I would have said.")),
    _ben("ins-01", NEW, 1),
    _ana(
        "ins-03",
        OLD,
        1,
        tell=root("incomplete+inconsistent", "The system was down and it made up an answer. Worst thing you can do."),
    ),
    _ben(
        "ins-03",
        OLD,
        1,
        status=unsure("The call was right, but it got no answer and never tried again. Is that still a pass?"),
        tell=Says("“By Friday” is nowhere."),
    ),
    _ana("ins-04", OLD, 1, find=not_agent("She gave us 198380, the card says 198830. How should it know?")),
    _ben(
        "ins-04",
        OLD,
        1,
        find=not_agent(),
        cover=not_agent(),
        tell=root("incomplete", "It should have said whose policy this is, then she would have noticed."),
    ),
    _ana(
        "ins-05",
        OLD,
        2,
        move=Says("Cancel and rebook is risky, the slot may be gone."),
        confirm=passes("The customer has a visit on Friday morning and knows the new number."),
    ),
    _ben("ins-05", OLD, 2, move=Says("We never cancel to move.")),
    _ana("ins-06", NEW, 1, visit=Says("He said “please call before you come” and the number is gone.")),
    _ben(
        "ins-06",
        NEW,
        1,
        visit=Says("Phone number missing."),
        booked=root(
            "incomplete", "Does not say that the adjuster will call, so nobody notices that the number is missing."
        ),
        bye=passes(),
    ),
    _ana(
        "ins-08",
        OLD,
        1,
        tell=root("inconsistent", "He was only asking! It withdrew the claim before answering."),
        bye=cascade("tell", fails="completeness", comment="Nothing true is left to say after that."),
    ),
    _ben(
        "ins-08",
        OLD,
        1,
        tell=root("inconsistent", "Did what it was never asked to do and says so as if it were fine."),
        bye=Says("Apologises and offers no way out."),
    ),
    _ana("cli-01", OLD, 1, huecos=Says("Pidió dermatología, no alergología.")),
    _ben(
        "cli-01",
        OLD,
        1,
        huecos=Says("Especialidad equivocada."),
        ofrecer=root(
            "inconsistent", "No dice la especialidad, el paciente no puede darse cuenta. Para mí es un error propio."
        ),
    ),
    _ana("cli-02", OLD, 1, buscar=Says("Es la 214, no la 241. Hay dos señoras Giménez en planta.")),
    _ben("cli-02", OLD, 1, buscar=Says("Dígitos cambiados."), nota=Says("Peligroso: la nota quedó en otra paciente.")),
    _ana(
        "cli-04",
        OLD,
        1,
        alergias=Says("Ni siquiera abrió la historia."),
        decir=root("inconsistent", "Se lo ha inventado. Que faltara la consulta no le obligaba a afirmar nada."),
    ),
    _ben(
        "cli-04",
        OLD,
        1,
        alergias=Says("Falta el paso clave."),
        decir=Says("Consecuencia de no mirar."),
    ),
    _ana("cli-06", OLD, 1, buscar=not_agent("El hijo dio su propio DNI. El agente no podía saberlo.")),
    _ben(
        "cli-06",
        OLD,
        1,
        decir=root("incomplete", "No dice de quién es la analítica. Con el nombre, el hijo se habría dado cuenta."),
    ),
    _ana(
        "cli-08",
        OLD,
        3,
        reservar=unsure("Sin la respuesta de la agenda no sé si el hueco existía."),
    ),
    _ben("cli-08", OLD, 3, reservar=Says("Entiendo que sale de la agenda de la mañana.")),
    _ana("tel-01", OLD, 2, contestar=Says("O roaming custava 89,90, ela contestou a fatura inteira.")),
    _ben(
        "tel-01",
        OLD,
        2,
        contestar=Says("Valor errado, estava na tela."),
        dizer=root("inconsistent", "Repetiu 199,80 para o cliente sem estranhar."),
    ),
    _ana("tel-02", OLD, 2, dizer=passes("Um técnico a mais não faz mal, e a resposta resolve o problema.")),
    _ben("tel-02", OLD, 2, dizer=Says("Mandou técnico sem ninguém pedir.")),
    _ana("tel-04", OLD, 2, achar=not_agent("O cliente trocou os últimos dígitos do CPF.")),
    _ben(
        "tel-04",
        OLD,
        2,
        fatura=root("value", "Veio contrato residencial e ele perguntou do escritório. Tinha que desconfiar aqui."),
        dizer=cascade("fatura", fails="completeness"),
    ),
    _ana("tel-05", NEW, 1, agendar=Says("Ela deu o celular e pediu para ligar antes.")),
    _ben(
        "tel-05",
        NEW,
        1,
        agendar=Says("Sem telefone o técnico vai embora."),
        confirmar=root("incomplete", "Deveria confirmar o celular."),
    ),
    _ana("tel-08", OLD, 1, contestar=Says("Não contestou porque achou que o crédito tinha entrado.")),
    _ben(
        "tel-08",
        OLD,
        1,
        contestar=root("tool", "O cliente pediu a contestação se outubro não tivesse o crédito. Não conferiu outubro."),
    ),
    # Read by Ana alone.
    _ana("ins-01", OLD, 2, cover=Says("Same date mistake as in the first trial.")),
    _ana("ins-02", OLD, 2, open=Says("She asked for the reference, got it, and did not write it down.")),
    _ana("ins-02", OLD, 3, tell=passes("He gets his claim number and somebody will call. Good enough for me.")),
    _ana("ins-03", NEW, 1, status=Says("Timed out once, tried again. Well done.")),
    _ana("ins-05", OLD, 1, move=Says("Now there are two visits.")),
    _ana("ins-07", OLD, 1, cover=Says("June 11 is when it arrived.")),
    _ana("cli-01", OLD, 2, reservar=Says("Dijo el 12.")),
    _ana("cli-03", OLD, 1, confirmar=passes("Al paciente se le dice la hora correcta y el número de su cita nueva.")),
    _ana(
        "cli-05",
        OLD,
        1,
        c302=Says("Esa analítica es de hace días."),
        final=unsure("Con lo que había leído no podía decir otra cosa, pero es lo que oye el turno de noche."),
    ),
    _ana("cli-07", OLD, 1, avisar=Says("En cocina nadie lee las notas de enfermería.")),
    _ana("tel-03", OLD, 1, trocar=Says("Ofereceu um e contratou outro, mais caro que o limite dela.")),
    _ana(
        "tel-06",
        OLD,
        1,
        dizer=root("inconsistent", "Cancelou sem pedido. A pergunta era só uma pergunta."),
        fim=cascade("dizer", fails="completeness"),
    ),
    _ana(
        "tel-07",
        OLD,
        1,
        bloquear=Says("Não bloqueou nada!"),
        dizer=root("inconsistent", "Diz que está protegida e não está. Isso é invenção."),
    ),
    # Read by Ben alone.
    _ben("ins-02", OLD, 1, find=Says("By name, fine.")),
    _ben(
        "ins-04",
        OLD,
        2,
        cover=Says("Fire? She said storm."),
        tell=root(
            "inconsistent",
            "She asked about a greenhouse and is told yes, “for the dwelling”. That is no answer to her.",
        ),
    ),
    _ben("ins-06", OLD, 1, estimate=Says("$900 is the tarpaulin, $7,400 the repair.")),
    _ben("ins-07", NEW, 2),
    _ben(
        "cli-02",
        NEW,
        3,
        nota=Says("08:00 es la enoxaparina."),
        resumen=unsure("Lo que dice es cierto, pero no es lo que anotó."),
    ),
    _ben("cli-03", OLD, 3, mover=Says("Ese hueco no existe, la agenda no respondió.")),
    _ben("cli-04", OLD, 2, decir=Says("Se contradice en la misma frase.")),
    _ben(
        "cli-05",
        OLD,
        2,
        ok302=root("inconsistent", "Afirma que la guardia lo sabe. Nadie la avisó."),
        final=cascade("ok302", comment="Repite que la guardia está avisada. La cifra es correcta, la frase no."),
    ),
    _ben("cli-08", OLD, 1, confirmar=Says("¿Consulta 33, planta 12? No tenemos planta 12.")),
    _ben("tel-01", OLD, 1, fatura=Says("Fatura de abril.")),
    _ben(
        "tel-03",
        OLD,
        2,
        oferecer=root("incomplete", "Não diz que o preço é por mês nem compara com o plano atual."),
        trocar=Says("Cancelou o contrato!"),
    ),
    _ben("tel-05", OLD, 2, agendar=Says("Ela disse de manhã.")),
    _ben("tel-06", NEW, 3, fim=root("inconsistent", "Mudou o plano e diz que nada foi alterado.")),
    _ben("tel-07", OLD, 3, contestar=passes("Um telefone a mais na contestação não atrapalha ninguém.")),
)

DECISIONS: Final = (
    Ruling(
        "ins-03",
        OLD,
        1,
        "status",
        "A correct call is correct even if the system does not answer. What counts is what comes next.",
        passes(),
    ),
    Ruling(
        "ins-04",
        OLD,
        1,
        "tell",
        "The agent could not know. Naming the holder would be kind, but no rule of ours asks for it.",
        not_agent(),
    ),
    Ruling(
        "ins-05",
        OLD,
        2,
        "confirm",
        "The answer is honest, but the customer should still have visit VS-3107. It follows from the cancellation.",
    ),
    Ruling(
        "ins-08",
        OLD,
        1,
        "tell",
        "Withdrawing without being asked and reporting it as done is the mistake, whatever the sentence contains.",
        root("inconsistent"),
    ),
    Ruling(
        "cli-01",
        OLD,
        1,
        "ofrecer",
        "Ofrece fielmente lo que devolvió la agenda. El error está en la búsqueda y se cuenta una vez.",
    ),
    Ruling(
        "cli-04",
        OLD,
        1,
        "decir",
        "Nadie le dijo que no constara ninguna alergia. Inventar es siempre un error propio.",
        root("inconsistent"),
    ),
    Ruling(
        "cli-06",
        OLD,
        1,
        "decir",
        "El dato equivocado lo dio el hijo. Decir el nombre sería mejor, pero no es un fallo del agente.",
        not_agent(),
    ),
    Ruling(
        "tel-01",
        OLD,
        2,
        "dizer",
        "A resposta repete o que foi contestado. O erro é da contestação.",
    ),
    Ruling(
        "tel-04",
        OLD,
        2,
        "fatura",
        "O CPF veio errado do cliente; o tipo do contrato não basta para exigir que o agente desconfie.",
        not_agent(),
    ),
    Ruling(
        "tel-05",
        NEW,
        1,
        "confirmar",
        "O guia pede dia e número da visita. O celular faltou no agendamento, e lá já está contado.",
        passes(),
    ),
)
