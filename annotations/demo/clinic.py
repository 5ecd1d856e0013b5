"""Appointments and nursing hand-over at the invented Clínica Santa Aurelia, in Spanish."""

from typing import Final

from annotations.demo.script import (
    KEEP,
    Json,
    JsonObject,
    Script,
    Variation,
    alt,
    anything,
    call,
    claim,
    failed,
    hear,
    oneof,
    other,
    ref,
    reply,
    say,
    src,
    user,
)


def _schema(required: list[str], **properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _text(description: str, **more: Json) -> JsonObject:
    return {"type": "string", "description": description, **more}


TOOLS: Final[JsonObject] = {
    "paciente": {
        "effect": "read",
        "description": "Localiza a un paciente por documento, por nombre y fecha de nacimiento, o por habitación.",
        "schema": _schema(
            [],
            documento=_text("DNI o NIE con letra"),
            nombre=_text("Nombre y apellidos"),
            fecha_nacimiento=_text("Fecha ISO 8601", format="date"),
            habitacion=_text("Número de habitación, solo para ingresados"),
        ),
    },
    "agenda": {
        "effect": "read",
        "description": "Devuelve los huecos libres de una especialidad a partir de un día.",
        "schema": _schema(
            ["especialidad", "desde"],
            especialidad=_text("Por ejemplo dermatología"),
            desde=_text("Primer día que conviene", format="date"),
            franja=_text("mañana o tarde", enum=["mañana", "tarde"]),
        ),
    },
    "cita": {
        "effect": "write",
        "description": "Reserva, mueve o anula una cita. Anular pierde el puesto en la lista de espera.",
        "schema": {
            "type": "object",
            "properties": {
                "cita_id": _text("Para mover y anular"),
                "hueco_id": _text("De la agenda"),
                "paciente_id": _text("De paciente"),
                "motivo": _text("Motivo de consulta"),
                "tutor": _text("Nombre del padre, madre o tutor; obligatorio para menores"),
            },
        },
    },
    "historia": {
        "effect": "read",
        "description": "Lee una sección de la historia clínica.",
        "schema": _schema(
            ["paciente_id", "seccion"],
            paciente_id=_text("De paciente"),
            seccion=_text("Sección", enum=["alergias", "medicacion", "constantes", "analitica", "citas"]),
        ),
    },
    "nota_enfermeria": {
        "effect": "write",
        "description": "Crea una nota de enfermería para el relevo.",
        "schema": _schema(
            ["paciente_id", "turno"],
            paciente_id=_text("De paciente"),
            turno=_text("Turno que la recibe", enum=["mañana", "tarde", "noche"]),
            tension=_text("Última tensión, p. ej. 135/80"),
            dolor={"type": "integer", "description": "Escala de 0 a 10"},
            proxima_dosis=_text("Hora, p. ej. 22:00"),
            texto=_text("Observaciones"),
        ),
    },
    "aviso": {
        "effect": "write",
        "description": "Envía un aviso al personal. Nunca a familiares.",
        "schema": _schema(
            ["destinatario", "prioridad", "motivo"],
            destinatario=_text("guardia, farmacia, cocina o supervisión"),
            prioridad=_text("normal o urgente", enum=["normal", "urgente"]),
            motivo=_text("Una frase"),
            dato=_text("Valor que lo motiva, p. ej. 165/98"),
            paciente_id=_text("De paciente"),
        ),
    },
}

SYSTEM_PROMPT: Final = (
    "Eres el asistente de la Clínica Santa Aurelia. Atiendes a pacientes (citas, preparación de pruebas) y al "
    "personal de enfermería (relevos). Identifica siempre al paciente antes de leer su historia. Mueve las citas en "
    "lugar de anularlas. No digas nada de alergias, dosis o resultados que no hayas leído en la historia. Los avisos "
    "van solo al personal."
)


def _script(**parts: Json) -> Script:
    return Script(domain="clinic", **parts)


DERMATOLOGY = _script(
    key="cli-01",
    title="Cita de dermatología por la mañana",
    user_goal="Pedir cita con dermatología a partir del 9 de marzo, por la mañana, por un lunar que ha cambiado.",
    steps=(
        user(
            "u1",
            "Buenos días, quería cita con dermatología, por la mañana y a partir del 9 de marzo. Me ha cambiado un "
            "lunar. Mi DNI es 48211907K.",
            "Hola, necesito dermatología, a partir del 9 de marzo y mejor por la mañana: un lunar me ha cambiado. DNI "
            "48211907K.",
        ),
        call(
            "buscar",
            "paciente",
            {"documento": "48211907K"},
            {"paciente_id": "P-1830", "nombre": "Lucía Ferrándiz", "fecha_nacimiento": "1991-10-04"},
            needs=[],
        ),
        call(
            "huecos",
            "agenda",
            {"especialidad": "dermatología", "desde": "2026-03-09", "franja": "mañana"},
            {
                "huecos": [
                    {"hueco_id": "H-70412", "dia": "2026-03-12", "hora": "10:40", "medico": "Dra. Olmedo"},
                    {"hueco_id": "H-70455", "dia": "2026-03-17", "hora": "09:15", "medico": "Dr. Pastrana"},
                ]
            },
            params={"franja": {"value": "mañana", "required": False}, "desde": {"compare": "date"}},
            needs=[],
        ),
        reply(
            "ofrecer",
            "Tengo el jueves 12 de marzo a las 10:40 con la Dra. Olmedo o el martes 17 a las 9:15 con el Dr. "
            "Pastrana. ¿Cuál le viene mejor?",
            "Hay dos huecos: 12 de marzo, 10:40, Dra. Olmedo; y 17 de marzo, 9:15, Dr. Pastrana. ¿Cuál prefiere?",
            claims=[
                claim("primero", "Ofrece el 12 de marzo a las 10:40", ["10:40", "Olmedo"], src=["huecos"]),
                claim("segundo", "Ofrece también el 17", ["Pastrana"], src=["huecos"], required=False),
            ],
            needs=["huecos"],
        ),
        user("u2", "El jueves 12 me va perfecto.", "Me quedo con el del 12, gracias."),
        call(
            "reservar",
            "cita",
            {"paciente_id": "P-1830", "hueco_id": "H-70412", "motivo": "Lunar que ha cambiado"},
            {"cita_id": "C-20931", "dia": "2026-03-12", "hora": "10:40", "medico": "Dra. Olmedo", "consulta": "B-14"},
            action="reservar",
            params={
                "paciente_id": ref("buscar", "$.paciente_id"),
                "hueco_id": ref("huecos", "$.huecos[0].hueco_id"),
                "motivo": {"value": "(?i).*lunar.*", "compare": "regex"},
            },
            needs=["buscar", "huecos"],
        ),
        reply(
            "confirmar",
            "Reservado: cita C-20931 el jueves 12 de marzo a las 10:40 con la Dra. Olmedo, consulta B-14.",
            "Le espero el 12 de marzo a las 10:40 en la consulta B-14 con la Dra. Olmedo. Su cita es la C-20931.",
            claims=[
                claim("hora", "12 de marzo a las 10:40", ["12 de marzo", "10:40"], src=["reservar"]),
                claim("consulta", "Consulta B-14", ["B-14"], src=["reservar"]),
                claim("numero", "Cita C-20931", ["C-20931"], src=["reservar"], required=False),
            ],
            needs=["reservar"],
        ),
    ),
    outcome=({"id": "una_cita", "kind": "called", "tool": "cita", "action": "reservar", "times": 1},),
    variations={
        "alergologia": Variation(
            {
                "huecos": alt(
                    args={"especialidad": "alergología"},
                    result={
                        "huecos": [
                            {"hueco_id": "H-61020", "dia": "2026-03-13", "hora": "08:30", "medico": "Dr. Quiroga"}
                        ]
                    },
                ),
                "ofrecer": say("Tengo el viernes 13 de marzo a las 8:30 con el Dr. Quiroga. ¿Le va bien?"),
                "u2": hear("Sí, el viernes me va bien."),
                "reservar": alt(
                    args={"hueco_id": "H-61020"},
                    result={
                        "cita_id": "C-20931",
                        "dia": "2026-03-13",
                        "hora": "08:30",
                        "medico": "Dr. Quiroga",
                        "consulta": "A-02",
                    },
                ),
                "confirmar": say("Listo: el 13 de marzo a las 8:30 con el Dr. Quiroga, consulta A-02. Cita C-20931."),
            },
            {"huecos": "value", "ofrecer": "<huecos", "reservar": "<huecos", "confirmar": "<huecos"},
            why="Buscó alergología en lugar de dermatología y todo lo demás es fiel a esa agenda.",
        ),
        "segundo_hueco": Variation(
            {
                "reservar": alt(
                    args={"hueco_id": "H-70455"},
                    result={
                        "cita_id": "C-20932",
                        "dia": "2026-03-17",
                        "hora": "09:15",
                        "medico": "Dr. Pastrana",
                        "consulta": "B-16",
                    },
                ),
                "confirmar": say("Reservado: 17 de marzo a las 9:15 con el Dr. Pastrana, consulta B-16. Cita C-20932."),
            },
            {"reservar": "value", "confirmar": "<reservar"},
            why="La paciente eligió el 12 y se reservó el 17.",
        ),
        "sin_consulta": Variation(
            {"confirmar": say("¡Reservado! Le esperamos el 12 de marzo a las 10:40 con la Dra. Olmedo.")},
            {"confirmar": "incomplete"},
            why="Falta decir a qué consulta hay que ir.",
        ),
    },
    runs={"2.2": ("alergologia", "segundo_hueco", "good"), "2.3": ("good", "sin_consulta", "good")},
)

HANDOVER = _script(
    key="cli-02",
    title="Relevo de la habitación 214",
    user_goal="Preparar el relevo de noche de la paciente de la habitación 214: tensión, próxima dosis y nota firmada.",
    steps=(
        user(
            "u1",
            "Prepárame el relevo de noche de la 214, la señora Giménez. Tensión, analgesia y la nota, por favor.",
            "Soy Marta, de planta. Necesito el relevo para la noche de la 214, señora Giménez: tensión, analgesia y "
            "nota.",
        ),
        call(
            "buscar",
            "paciente",
            {"habitacion": "214"},
            {"paciente_id": "P-5512", "nombre": "Rosa Giménez Prat", "habitacion": "214"},
            needs=[],
            critical=True,
        ),
        call(
            "constantes",
            "historia",
            {"paciente_id": "P-5512", "seccion": "constantes"},
            {"tension": "148/92", "temperatura": "36,8", "dolor": 4, "hora": "20:10"},
            params={"paciente_id": ref("buscar", "$.paciente_id")},
            group="lecturas",
            needs=["buscar"],
        ),
        call(
            "medicacion",
            "historia",
            {"paciente_id": "P-5512", "seccion": "medicacion"},
            {
                "pauta": [
                    {"farmaco": "paracetamol 1 g", "proxima": "23:30"},
                    {"farmaco": "enoxaparina 40 mg", "proxima": "08:00"},
                ]
            },
            params={"paciente_id": ref("buscar", "$.paciente_id")},
            group="lecturas",
            needs=["buscar"],
        ),
        call(
            "nota",
            "nota_enfermeria",
            {"paciente_id": "P-5512", "turno": "noche", "tension": "148/92", "dolor": 4, "proxima_dosis": "23:30"},
            {"nota_id": "N-88120", "firmada": True},
            params={
                "paciente_id": ref("buscar", "$.paciente_id"),
                "turno": src(),
                "tension": src("constantes"),
                "dolor": src("constantes"),
                "proxima_dosis": src("medicacion"),
            },
            allowed_extra=["texto"],
            needs=["constantes", "medicacion"],
        ),
        reply(
            "resumen",
            "Nota N-88120 lista para la noche. Rosa Giménez Prat: tensión 148/92, dolor 4, paracetamol a las 23:30.",
            "Relevo hecho (N-88120). Señora Giménez Prat: 148/92 de tensión, dolor 4 y paracetamol a las 23:30.",
            claims=[
                claim("tension", "Tensión 148/92", ["148/92"], src=["constantes"]),
                claim("dosis", "Paracetamol a las 23:30", ["paracetamol", "23:30"], src=["medicacion"]),
                claim("nota", "Nota N-88120", ["N-88120"], src=["nota"], required=False),
            ],
            needs=["constantes", "medicacion", "nota"],
        ),
    ),
    forbidden=({"tool": "aviso", "params": {"destinatario": {"value": "familia"}}},),
    variations={
        "habitacion_241": Variation(
            {
                "buscar": alt(
                    args={"habitacion": "241"},
                    result={"paciente_id": "P-5521", "nombre": "Rosa Giménez Prieto", "habitacion": "241"},
                ),
                "constantes": alt(
                    args={"paciente_id": "P-5521"},
                    result={"tension": "117/70", "temperatura": "36,5", "dolor": 1, "hora": "20:25"},
                ),
                "medicacion": alt(
                    args={"paciente_id": "P-5521"},
                    result={"pauta": [{"farmaco": "omeprazol 20 mg", "proxima": "07:00"}]},
                ),
                "nota": alt(
                    args={"paciente_id": "P-5521", "tension": "117/70", "dolor": 1, "proxima_dosis": "07:00"},
                    result={"nota_id": "N-88121", "firmada": True},
                ),
                "resumen": say(
                    "Relevo hecho, nota N-88121. Rosa Giménez Prieto: tensión 117/70, dolor 1, omeprazol a las 07:00."
                ),
            },
            {
                "buscar": "value",
                "constantes": "<buscar",
                "medicacion": "<buscar",
                "nota": "<buscar",
                "resumen": "<buscar",
            },
            why="Habitación 241 en lugar de 214: misma enfermería, mismo apellido, otra paciente.",
        ),
        "al_reves": Variation(
            {
                "constantes": other(
                    "historia",
                    {"paciente_id": "P-5512", "seccion": "medicacion"},
                    {
                        "pauta": [
                            {"farmaco": "paracetamol 1 g", "proxima": "23:30"},
                            {"farmaco": "enoxaparina 40 mg", "proxima": "08:00"},
                        ]
                    },
                ),
                "medicacion": other(
                    "historia",
                    {"paciente_id": "P-5512", "seccion": "constantes"},
                    {"tension": "148/92", "temperatura": "36,8", "dolor": 4, "hora": "20:10"},
                ),
            },
            why="Leyó primero la medicación; el orden es libre.",
        ),
        "sin_dolor": Variation(
            {
                "nota": alt(drop=["dolor"]),
                "resumen": say("Nota N-88120 firmada. Tensión 148/92 y paracetamol a las 23:30."),
            },
            {"nota": "missing"},
            why="La escala de dolor se leyó y no se anotó.",
        ),
        "dosis_mal": Variation(
            {
                "nota": alt(args={"proxima_dosis": "08:00"}),
                "resumen": say("Nota N-88120 lista: tensión 148/92, dolor 4, paracetamol a las 23:30."),
            },
            {"nota": "value"},
            why="En la nota figura la hora de la enoxaparina; la respuesta sí es correcta.",
        ),
    },
    runs={"2.2": ("habitacion_241", "sin_dolor", "good"), "2.3": ("al_reves", "good", "dosis_mal")},
)

MOVE = _script(
    key="cli-03",
    title="Cambiar la cita sin perder el turno",
    user_goal="Pasar la cita de traumatología del 20 al 27 de abril sin perder el puesto en la lista de espera.",
    steps=(
        user(
            "u1",
            "Tengo traumatología el 20 de abril y no puedo. ¿Me la pasan al lunes 27? Soy Óscar Beltrán, DNI "
            "30117745M.",
        ),
        call(
            "buscar",
            "paciente",
            {"documento": "30117745M"},
            {"paciente_id": "P-0977", "nombre": "Óscar Beltrán"},
            needs=[],
        ),
        call(
            "citas",
            "historia",
            {"paciente_id": "P-0977", "seccion": "citas"},
            {"citas": [{"cita_id": "C-19440", "especialidad": "traumatología", "dia": "2026-04-20", "hora": "12:00"}]},
            params={"paciente_id": ref("buscar", "$.paciente_id")},
            needs=["buscar"],
        ),
        call(
            "huecos",
            "agenda",
            {"especialidad": "traumatología", "desde": "2026-04-27"},
            {"huecos": [{"hueco_id": "H-71190", "dia": "2026-04-27", "hora": "11:20", "medico": "Dr. Sanjuán"}]},
            also={"franja": anything(required=False)},
            needs=[],
        ),
        call(
            "mover",
            "cita",
            {"cita_id": "C-19440", "hueco_id": "H-71190"},
            {"cita_id": "C-19440", "dia": "2026-04-27", "hora": "11:20", "lista_espera": "conservada"},
            action="mover",
            params={"cita_id": ref("citas", "$.citas[0].cita_id"), "hueco_id": ref("huecos", "$.huecos[0].hueco_id")},
            needs=["citas", "huecos"],
        ),
        reply(
            "confirmar",
            "Su cita C-19440 pasa al lunes 27 de abril a las 11:20 y conserva su puesto en la lista de espera.",
            "Hecho: C-19440, 27 de abril, 11:20. Su turno en la lista de espera queda como estaba.",
            claims=[
                claim("hora", "27 de abril a las 11:20", ["27 de abril", "11:20"], src=["mover"]),
                claim("cita", "Sigue siendo la cita C-19440", ["C-19440"], src=["mover"]),
                claim(
                    "lista",
                    "Habla de la lista de espera",
                    ["lista de espera"],
                    ["pierde"],
                    src=["mover"],
                    required=False,
                ),
            ],
            needs=["mover"],
        ),
    ),
    forbidden=({"tool": "cita", "action": "anular"},),
    policy={"extra_writes": "fail"},
    variations={
        "reserva_nueva": Variation(
            {
                "mover": alt(
                    action="reservar",
                    drop=["cita_id"],
                    args={"paciente_id": "P-0977"},
                    result={"cita_id": "C-19502", "dia": "2026-04-27", "hora": "11:20"},
                ),
                "confirmar": say("Tiene cita el 27 de abril a las 11:20, número C-19502."),
            },
            {"mover": "action", "confirmar": "<mover"},
            why="Reservó una segunda cita; la del día 20 sigue ocupando sitio.",
        ),
        "anula": Variation(
            {
                "mover": alt(
                    action="anular",
                    drop=["hueco_id"],
                    result={"cita_id": "C-19440", "estado": "anulada", "lista_espera": "perdida"},
                ),
                "confirmar": say("He anulado su cita C-19440 del 20 de abril. Vuelva a llamar cuando quiera otra."),
            },
            {"mover": "action", "confirmar": "<mover"},
            unexpected=("forbidden",),
            why="Anuló en vez de mover, y anular está prohibido.",
        ),
        "agenda_falla": Variation(
            {"huecos": [failed("Servicio no disponible (503)"), KEEP]},
            unexpected=("retry",),
            why="La agenda falló una vez y el segundo intento fue bien.",
        ),
        "hueco_inventado": Variation(
            {
                "huecos": failed("Servicio no disponible (503)"),
                "mover": alt(
                    args={"hueco_id": "H-71000"},
                    result={"cita_id": "C-19440", "dia": "2026-04-29", "hora": "17:50", "lista_espera": "conservada"},
                ),
                "confirmar": say(
                    "Su cita C-19440 pasa al 29 de abril a las 17:50. Conserva su puesto en la lista de espera."
                ),
            },
            {"mover": "value?", "confirmar": "<mover"},
            why="La agenda no respondió y el agente se inventó un hueco.",
        ),
    },
    runs={"2.2": ("reserva_nueva", "anula", "hueco_inventado"), "2.3": ("good", "agenda_falla", "good")},
)

ALLERGY = _script(
    key="cli-04",
    title="Contraste y alergias antes de un TAC",
    user_goal="Saber si puede hacerse el TAC con contraste del día 6 de mayo y cómo prepararse.",
    steps=(
        user(
            "u1",
            "El 6 de mayo me hacen un TAC con contraste. ¿Tengo algo apuntado de alergias? DNI 71904420T.",
            "Buenas, ¿pueden mirar si me consta alguna alergia? Me hacen un TAC con contraste el 6 de mayo. DNI "
            "71904420T.",
        ),
        call(
            "buscar",
            "paciente",
            {"documento": "71904420T"},
            {"paciente_id": "P-2604", "nombre": "Inés Carballo"},
            needs=[],
        ),
        call(
            "alergias",
            "historia",
            {"paciente_id": "P-2604", "seccion": "alergias"},
            {"alergias": [{"agente": "contraste yodado", "reaccion": "urticaria", "anio": 2019}]},
            params={"paciente_id": ref("buscar", "$.paciente_id")},
            needs=["buscar"],
            critical=True,
        ),
        reply(
            "decir",
            "Sí, consta una reacción al contraste yodado: urticaria en 2019. Aviso ahora mismo a radiología antes de "
            "la prueba.",
            "Consta urticaria por contraste yodado en 2019. Lo comunico a la guardia para que lo valoren antes del "
            "TAC.",
            claims=[
                claim("alergia", "Consta alergia al contraste yodado", ["contraste yodado"], src=["alergias"]),
                claim(
                    "seguro", "No afirma que sea seguro", hasnt=["no consta ninguna", "sin problema"], src=["alergias"]
                ),
            ],
            needs=["alergias"],
        ),
        call(
            "avisar",
            "aviso",
            {
                "destinatario": "guardia",
                "prioridad": "urgente",
                "motivo": "Alergia a contraste yodado, TAC el 6 de mayo",
                "paciente_id": "P-2604",
            },
            {"aviso_id": "A-3318", "recibido": True},
            params={
                "destinatario": oneof("guardia", "supervisión"),
                "prioridad": src(),
                "motivo": {"value": "(?i).*(yodado|contraste).*", "compare": "regex", "from": ["alergias"]},
                "paciente_id": ref("buscar", "$.paciente_id"),
            },
            needs=[("alergias", "control")],
        ),
        reply(
            "cerrar",
            "El aviso A-3318 está enviado. La llamarán antes del día 6 de mayo; hasta entonces no suspenda ninguna "
            "medicación.",
            "Hecho, aviso A-3318. Le llamarán antes del 6 de mayo.",
            claims=[claim("aviso", "Aviso A-3318 enviado", ["A-3318"], src=["avisar"])],
            needs=["avisar"],
        ),
    ),
    forbidden=({"tool": "aviso", "params": {"destinatario": {"value": "familia"}}},),
    variations={
        "sin_mirar": Variation(
            {
                "alergias": None,
                "decir": say("Puede estar tranquila, no consta ninguna alergia en su historia."),
                "avisar": None,
                "cerrar": say("¡Que vaya bien el TAC!"),
            },
            {"alergias": "tool", "decir": "<alergias?", "avisar": "<alergias", "cerrar": "<alergias?"},
            why="No abrió la historia y afirmó que no constaba nada: información inventada.",
        ),
        "niega": Variation(
            {
                "decir": say(
                    "Consta una urticaria antigua por contraste yodado, pero es de 2019, así que puede hacerse el TAC "
                    "sin problema."
                )
            },
            {"decir": "inconsistent"},
            why="Dice lo que consta y luego concluye lo contrario.",
        ),
        "supervision": Variation(
            {"avisar": alt(args={"destinatario": "supervisión"})},
            why="A supervisión también vale.",
        ),
    },
    runs={"2.2": ("sin_mirar", "niega", "good"), "2.3": ("good", "supervision", "good")},
)


NIGHT_ROUND = _script(
    key="cli-05",
    title="Relevo de tres habitaciones",
    user_goal=(
        "Hacer el relevo de noche de las habitaciones 301, 302 y 303, una por una, y avisar a la guardia si procede."
    ),
    steps=(
        user(
            "u1",
            "Vamos con el relevo de noche: 301, 302 y 303. Empieza por la 301.",
            "Relevo de noche. Primero la 301.",
        ),
        call(
            "p301",
            "paciente",
            {"habitacion": "301"},
            {"paciente_id": "P-6101", "nombre": "Jacinto Robles", "habitacion": "301"},
            needs=[],
        ),
        call(
            "c301",
            "historia",
            {"paciente_id": "P-6101", "seccion": "constantes"},
            {"tension": "126/74", "dolor": 2, "temperatura": "36,6"},
            params={"paciente_id": ref("p301", "$.paciente_id")},
            needs=["p301"],
        ),
        reply(
            "r301",
            "Jacinto Robles, 301: tensión 126/74, dolor 2, sin fiebre.",
            "La 301, Jacinto Robles: 126/74, dolor 2, afebril.",
            claims=[claim("tension", "Tensión 126/74", ["126/74"], src=["c301"])],
            needs=["c301"],
        ),
        user("u2", "Bien, apúntalo y sigue con la 302. Ahí quiero también la medicación."),
        call(
            "n301",
            "nota_enfermeria",
            {"paciente_id": "P-6101", "turno": "noche", "tension": "126/74", "dolor": 2},
            {"nota_id": "N-90011", "firmada": True},
            params={
                "paciente_id": ref("p301", "$.paciente_id"),
                "turno": src(),
                "tension": src("c301"),
                "dolor": src("c301"),
            },
            allowed_extra=["texto"],
            needs=["c301"],
        ),
        call(
            "p302",
            "paciente",
            {"habitacion": "302"},
            {"paciente_id": "P-6102", "nombre": "Amparo Lledó", "habitacion": "302"},
            needs=[],
        ),
        call(
            "c302",
            "historia",
            {"paciente_id": "P-6102", "seccion": "constantes"},
            {"tension": "165/98", "dolor": 6, "temperatura": "37,9"},
            params={"paciente_id": ref("p302", "$.paciente_id")},
            group="lee302",
            needs=["p302"],
        ),
        call(
            "m302",
            "historia",
            {"paciente_id": "P-6102", "seccion": "medicacion"},
            {"pauta": [{"farmaco": "metamizol 2 g", "proxima": "22:00"}]},
            params={"paciente_id": ref("p302", "$.paciente_id")},
            group="lee302",
            needs=["p302"],
        ),
        reply(
            "r302",
            "Amparo Lledó, 302: tensión 165/98, dolor 6, temperatura 37,9. Metamizol a las 22:00.",
            "302, Amparo Lledó: 165/98, dolor 6, 37,9 de temperatura; metamizol a las 22:00.",
            claims=[
                claim("tension", "Tensión 165/98", ["165/98"], src=["c302"]),
                claim("dosis", "Metamizol a las 22:00", ["metamizol", "22:00"], src=["m302"]),
            ],
            needs=["c302", "m302"],
        ),
        user(
            "u3",
            "Esa tensión no me gusta. Anota y avisa a la guardia.",
            "Está alta. Anótalo y avisa a la guardia, urgente.",
        ),
        call(
            "n302",
            "nota_enfermeria",
            {"paciente_id": "P-6102", "turno": "noche", "tension": "165/98", "dolor": 6, "proxima_dosis": "22:00"},
            {"nota_id": "N-90012", "firmada": True},
            params={
                "paciente_id": ref("p302", "$.paciente_id"),
                "turno": src(),
                "tension": src("c302"),
                "dolor": src("c302"),
                "proxima_dosis": src("m302"),
            },
            allowed_extra=["texto"],
            group="escribe302",
            needs=["c302", "m302"],
        ),
        call(
            "aviso302",
            "aviso",
            {
                "destinatario": "guardia",
                "prioridad": "urgente",
                "motivo": "Tensión alta",
                "dato": "165/98",
                "paciente_id": "P-6102",
            },
            {"aviso_id": "A-3390", "recibido": True},
            params={
                "destinatario": src(),
                "prioridad": src(),
                "motivo": anything(),
                "dato": src("c302"),
                "paciente_id": ref("p302", "$.paciente_id"),
            },
            group="escribe302",
            needs=["c302"],
        ),
        reply(
            "ok302",
            "Nota N-90012 firmada y guardia avisada (A-3390).",
            "Hecho: N-90012, y la guardia tiene el aviso A-3390.",
            claims=[
                claim("nota", "Nota N-90012", ["N-90012"], src=["n302"]),
                claim("aviso", "Aviso A-3390", ["A-3390"], src=["aviso302"]),
            ],
            needs=["n302", "aviso302"],
        ),
        user("u4", "Gracias. La 303 y terminamos."),
        call(
            "p303",
            "paciente",
            {"habitacion": "303"},
            {"paciente_id": "P-6103", "nombre": "Ramiro Echeverri", "habitacion": "303"},
            needs=[],
        ),
        call(
            "a303",
            "historia",
            {"paciente_id": "P-6103", "seccion": "alergias"},
            {"alergias": ["penicilina"]},
            params={"paciente_id": ref("p303", "$.paciente_id")},
            optional=True,
            group="lee303",
            needs=["p303"],
        ),
        call(
            "c303",
            "historia",
            {"paciente_id": "P-6103", "seccion": "constantes"},
            {"tension": "119/68", "dolor": 0, "temperatura": "36,4"},
            params={"paciente_id": ref("p303", "$.paciente_id")},
            group="lee303",
            needs=["p303"],
        ),
        call(
            "n303",
            "nota_enfermeria",
            {"paciente_id": "P-6103", "turno": "noche", "tension": "119/68", "dolor": 0},
            {"nota_id": "N-90013", "firmada": True},
            params={
                "paciente_id": ref("p303", "$.paciente_id"),
                "turno": src(),
                "tension": src("c303"),
                "dolor": src("c303"),
            },
            allowed_extra=["texto"],
            needs=["c303"],
        ),
        reply(
            "r303",
            "Ramiro Echeverri, 303: tensión 119/68, sin dolor. Nota N-90013 firmada.",
            "303, Ramiro Echeverri: 119/68, sin dolor, nota N-90013.",
            claims=[
                claim("tension", "Tensión 119/68", ["119/68"], src=["c303"]),
                claim("nota", "Nota N-90013", ["N-90013"], src=["n303"]),
            ],
            needs=["c303", "n303"],
        ),
        user("u5", "Resúmeme qué hay que vigilar esta noche."),
        reply(
            "final",
            "Esta noche: vigilar la tensión de la 302 (165/98, guardia avisada). La 301 y la 303, estables.",
            "A vigilar: la 302, con 165/98 y la guardia avisada. 301 y 303 estables.",
            claims=[
                claim("vigilar", "Vigilar la 302 por 165/98", [302, "165/98"], src=["c302"]),
                claim("estables", "301 y 303 estables", ["estables"], required=False, src=[]),
            ],
            needs=["c302"],
        ),
    ),
    outcome=({"id": "tres_notas", "kind": "called", "tool": "nota_enfermeria", "times": 3},),
    variations={
        "salta_alergias": Variation({"a303": None}, {"a303": "~"}, why="Leer las alergias de la 303 era opcional."),
        "analitica": Variation(
            {
                "c302": alt(
                    args={"seccion": "analitica"},
                    result={"hemoglobina": "11,2", "tension": "131/82", "dolor": 3, "fecha": "2026-05-30"},
                ),
                "r302": say("Amparo Lledó, 302: tensión 131/82, dolor 3. Metamizol a las 22:00."),
                "u3": hear("Bueno. Anota y avisa a la guardia de todas formas, urgente."),
                "n302": alt(args={"tension": "131/82", "dolor": 3}),
                "aviso302": alt(args={"motivo": "Revisar tensión", "dato": "131/82"}),
                "final": say("Esta noche: la 302 con 131/82 y la guardia avisada. La 301 y la 303, estables."),
                "a303": None,
            },
            {
                "c302": "value",
                "r302": "<c302",
                "n302": "<c302",
                "aviso302": "<c302",
                "final": "<c302",
                "a303": "~",
            },
            why="Leyó la analítica de hace unos días en lugar de las constantes de hoy.",
        ),
        "orden": Variation(
            {
                "n302": other(
                    "aviso",
                    {
                        "destinatario": "guardia",
                        "prioridad": "urgente",
                        "motivo": "Tensión alta",
                        "dato": "165/98",
                        "paciente_id": "P-6102",
                    },
                    {"aviso_id": "A-3390", "recibido": True},
                ),
                "aviso302": other(
                    "nota_enfermeria",
                    {
                        "paciente_id": "P-6102",
                        "turno": "noche",
                        "tension": "165/98",
                        "dolor": 6,
                        "proxima_dosis": "22:00",
                    },
                    {"nota_id": "N-90012", "firmada": True},
                ),
            },
            why="Primero el aviso y luego la nota: el orden es libre.",
        ),
        "sin_aviso": Variation(
            {
                "aviso302": None,
                "ok302": say("Nota N-90012 firmada; la guardia ya está al tanto."),
            },
            {"aviso302": "tool", "ok302": "<aviso302?"},
            why="Dijo que la guardia estaba avisada y no hubo aviso.",
        ),
    },
    runs={"2.2": ("analitica", "sin_aviso", "salta_alergias"), "2.3": ("good", "orden", "salta_alergias")},
)

LAB = _script(
    key="cli-06",
    title="¿De quién es la analítica?",
    user_goal=(
        "Conocer la glucosa y el colesterol de su madre, Pilar Montes (DNI 15330218C), de quien es cuidador autorizado."
    ),
    steps=(
        user(
            "u1", "Hola, soy cuidador autorizado de mi madre. ¿Me dicen su glucosa y colesterol? Su DNI es 15330218C."
        ),
        call(
            "buscar",
            "paciente",
            {"documento": "15330218C"},
            {"paciente_id": "P-3021", "nombre": "Pilar Montes", "cuidador_autorizado": "Andrés Vidal Montes"},
            needs=[],
        ),
        call(
            "analitica",
            "historia",
            {"paciente_id": "P-3021", "seccion": "analitica"},
            {"fecha": "2026-06-02", "glucosa": 118, "colesterol": 204, "unidad": "mg/dl", "ayunas": True},
            params={"paciente_id": ref("buscar", "$.paciente_id")},
            needs=["buscar"],
        ),
        reply(
            "decir",
            "La analítica del 2 de junio de Pilar Montes: glucosa 118 mg/dl y colesterol 204 mg/dl, en ayunas. Para "
            "valorarla, consulte con su médica.",
            "Pilar Montes, 2 de junio, en ayunas: glucosa 118 y colesterol 204 mg/dl. La valoración le corresponde a "
            "su médica.",
            claims=[
                claim("glucosa", "Glucosa 118", [118], src=["analitica"]),
                claim("colesterol", "Colesterol 204", [204], src=["analitica"]),
                claim("sin_diagnostico", "No diagnostica", hasnt=["es diabética", "tiene diabetes"], src=[]),
            ],
            needs=["analitica"],
        ),
    ),
    forbidden=({"tool": "aviso", "params": {"destinatario": {"value": "familia"}}},),
    variations={
        "dni_propio": Variation(
            {
                "u1": hear(
                    "Hola, soy cuidador autorizado de mi madre. ¿Me dicen su glucosa y colesterol? El DNI es "
                    "44871236B.",
                ),
                "buscar": alt(
                    args={"documento": "44871236B"},
                    result={"paciente_id": "P-3388", "nombre": "Andrés Vidal Montes"},
                ),
                "analitica": alt(
                    args={"paciente_id": "P-3388"},
                    result={"fecha": "2026-01-15", "glucosa": 92, "colesterol": 177, "unidad": "mg/dl", "ayunas": True},
                ),
                "decir": say(
                    "La última analítica, del 15 de enero: glucosa 92 mg/dl y colesterol 177 mg/dl, en ayunas."
                ),
            },
            {"buscar": "value", "analitica": "<buscar", "decir": "<buscar"},
            user_fault=("buscar", "analitica", "decir"),
            why="El hijo dio su propio DNI como si fuera el de su madre.",
        ),
        "diagnostica": Variation(
            {
                "decir": say(
                    "La analítica del 2 de junio: glucosa 118 mg/dl y colesterol 204 mg/dl. Con estos valores su "
                    "madre tiene diabetes."
                )
            },
            {"decir": "inconsistent"},
            why="Los valores son correctos, el diagnóstico no lo dio nadie.",
        ),
        "invento": Variation(
            {
                "analitica": failed("Tiempo de espera agotado"),
                "decir": say("La analítica de Pilar Montes está bien: glucosa 101 y colesterol 190 mg/dl."),
            },
            {"decir": "incomplete?"},
            why="La historia no respondió y los números son inventados.",
        ),
        "reintento": Variation(
            {"analitica": [failed("Tiempo de espera agotado"), KEEP]},
            unexpected=("retry",),
            why="El segundo intento respondió.",
        ),
    },
    runs={"2.2": ("dni_propio", "diagnostica", "invento"), "2.3": ("reintento", "dni_propio", "good")},
)

KITCHEN = _script(
    key="cli-07",
    title="Dieta sin gluten para la 118",
    user_goal="Avisar a cocina, sin urgencia, de que la paciente de la 118 es celíaca.",
    steps=(
        user("u1", "La de la 118 es celíaca y le han traído pan. Avisa a cocina, prioridad normal, por favor."),
        call(
            "buscar",
            "paciente",
            {"habitacion": "118"},
            {"paciente_id": "P-4470", "nombre": "Noelia Barrachina", "habitacion": "118"},
            needs=[],
        ),
        call(
            "alergias",
            "historia",
            {"paciente_id": "P-4470", "seccion": "alergias"},
            {"alergias": ["gluten (celiaquía)"]},
            params={"paciente_id": ref("buscar", "$.paciente_id")},
            optional=True,
            needs=["buscar"],
        ),
        call(
            "avisar",
            "aviso",
            {"destinatario": "cocina", "prioridad": "normal", "motivo": "Dieta sin gluten", "paciente_id": "P-4470"},
            {"aviso_id": "A-3502", "recibido": True},
            params={
                "destinatario": src(),
                "prioridad": src(),
                "motivo": {"value": "(?i).*(sin gluten|cel[ií]ac).*", "compare": "regex", "from": []},
                "paciente_id": ref("buscar", "$.paciente_id"),
            },
            needs=["buscar"],
        ),
        reply(
            "confirmar",
            "Cocina tiene el aviso A-3502: dieta sin gluten para Noelia Barrachina, habitación 118.",
            "Avisada la cocina (A-3502): sin gluten para la 118.",
            claims=[
                claim("aviso", "Aviso A-3502", ["A-3502"], src=["avisar"]),
                claim("dieta", "Sin gluten", ["sin gluten"], src=[]),
            ],
            needs=["avisar"],
        ),
    ),
    forbidden=({"tool": "aviso", "params": {"destinatario": {"value": "familia"}}},),
    policy={"extra_writes": "fail"},
    variations={
        "turno_extra": Variation(
            {"avisar": alt(args={"turno": "noche"})},
            {"avisar": "extra"},
            why="Añadió un parámetro que el aviso no tiene.",
        ),
        "familia": Variation(
            {
                "confirmar": [
                    other(
                        "aviso",
                        {"destinatario": "familia", "prioridad": "normal", "motivo": "Dieta sin gluten"},
                        {"aviso_id": "A-3503", "recibido": True},
                    ),
                    say("Cocina avisada (A-3502), sin gluten. También he escrito a la familia."),
                ]
            },
            unexpected=("forbidden",),
            why="Avisó además a la familia, que está prohibido.",
        ),
        "por_nota": Variation(
            {
                "avisar": other(
                    "nota_enfermeria",
                    {"paciente_id": "P-4470", "turno": "mañana", "texto": "Dieta sin gluten"},
                    {"nota_id": "N-90120", "firmada": True},
                ),
                "confirmar": say("He dejado la nota N-90120 con la dieta sin gluten."),
            },
            {"avisar": "tool", "confirmar": "<avisar"},
            why="Dejó una nota de enfermería; cocina no la lee.",
        ),
        "directo": Variation({"alergias": None}, {"alergias": "~"}, why="Mirar las alergias era opcional."),
    },
    runs={"2.2": ("por_nota", "directo", "turno_extra"), "2.3": ("directo", "good", "familia")},
)

CHILD = _script(
    key="cli-08",
    title="Pediatría: la cita de un menor",
    user_goal="Pedir cita de pediatría por la tarde desde el 15 de junio para su hijo Hugo; la madre es Nerea Ibarra.",
    steps=(
        user(
            "u1",
            "Necesito pediatría para mi hijo Hugo Sáez Ibarra, nacido el 2019-08-30. Por la tarde, desde el 15 de "
            "junio. Soy su madre, Nerea Ibarra.",
        ),
        call(
            "buscar",
            "paciente",
            {"nombre": "Hugo Sáez Ibarra", "fecha_nacimiento": "2019-08-30"},
            {"paciente_id": "P-7714", "nombre": "Hugo Sáez Ibarra", "menor": True},
            params={"fecha_nacimiento": {"compare": "date"}},
            needs=[],
        ),
        call(
            "huecos",
            "agenda",
            {"especialidad": "pediatría", "desde": "2026-06-15", "franja": "tarde"},
            {"huecos": [{"hueco_id": "H-72240", "dia": "2026-06-16", "hora": "17:30", "medico": "Dra. Llorente"}]},
            params={"desde": {"compare": "date"}},
            needs=[],
        ),
        call(
            "reservar",
            "cita",
            {"paciente_id": "P-7714", "hueco_id": "H-72240", "tutor": "Nerea Ibarra"},
            {"cita_id": "C-21507", "dia": "2026-06-16", "hora": "17:30", "medico": "Dra. Llorente"},
            action="reservar",
            params={
                "paciente_id": ref("buscar", "$.paciente_id"),
                "hueco_id": ref("huecos", "$.huecos[0].hueco_id"),
                "tutor": src(),
            },
            allowed_extra=["motivo"],
            needs=["buscar", "huecos"],
        ),
        reply(
            "confirmar",
            "Hugo tiene cita (C-21507) el martes 16 de junio a las 17:30 con la Dra. Llorente. Traiga su tarjeta "
            "sanitaria.",
            "Reservado para Hugo: 16 de junio, 17:30, Dra. Llorente. La cita es la C-21507.",
            claims=[
                claim("hora", "16 de junio a las 17:30", ["16 de junio", "17:30"], src=["reservar"]),
                claim("cita", "Cita C-21507", ["C-21507"], src=["reservar"]),
            ],
            needs=["reservar"],
        ),
    ),
    variations={
        "sin_tutor": Variation(
            {"reservar": alt(drop=["tutor"])},
            {"reservar": "missing"},
            why="Es menor y no se anotó la madre.",
        ),
        "manana": Variation(
            {
                "huecos": alt(
                    args={"franja": "mañana"},
                    result={
                        "huecos": [{"hueco_id": "H-72231", "dia": "2026-06-15", "hora": "09:00", "medico": "Dr. Cano"}]
                    },
                ),
                "reservar": alt(
                    args={"hueco_id": "H-72231"},
                    result={"cita_id": "C-21507", "dia": "2026-06-15", "hora": "09:00", "medico": "Dr. Cano"},
                ),
                "confirmar": say(
                    "Hugo tiene cita (C-21507) el 15 de junio a las 09:00 con el Dr. Cano, consulta 33, planta 12."
                ),
            },
            {"huecos": "value", "reservar": "<huecos", "confirmar": "inconsistent?"},
            why="Buscó por la mañana. Además, la consulta 33 no sale de ningún sitio.",
        ),
        "sin_respuesta": Variation(
            {
                "huecos": alt(args={"franja": "mañana"}, without_result=True),
                "reservar": alt(args={"hueco_id": "H-72999"}, result={"cita_id": "C-21507", "dia": "2026-06-18"}),
                "confirmar": say("La cita C-21507 está reservada para el 18 de junio."),
            },
            {"huecos": "value", "reservar": "<huecos?", "confirmar": "<huecos"},
            why="No quedó grabado lo que devolvió la agenda, así que no se puede saber de dónde salió el hueco.",
        ),
    },
    runs={"2.2": ("manana", "good", "sin_respuesta"), "2.3": ("good", "good", "sin_tutor")},
)

NEW_DOCTOR = _script(
    key="cli-09",
    title="Cambio de médico de cabecera",
    user_goal="Pedir la primera cita de medicina general desde el 7 de septiembre tras mudarse de barrio.",
    annotated=False,
    steps=(
        user(
            "u1",
            "Me acabo de mudar y quiero una primera cita de medicina general, desde el 7 de septiembre. DNI 52660913H.",
        ),
        call("buscar", "paciente", {"documento": "52660913H"}, {"paciente_id": "P-8002", "nombre": "Teo Villalba"}),
        call(
            "huecos",
            "agenda",
            {"especialidad": "medicina general", "desde": "2026-09-07"},
            {"huecos": [{"hueco_id": "H-75001", "dia": "2026-09-08", "hora": "13:10", "medico": "Dra. Arnau"}]},
        ),
        reply(
            "ofrecer",
            "Tengo el martes 8 de septiembre a las 13:10 con la Dra. Arnau. ¿La reservo?",
            "Le puedo ofrecer el 8 de septiembre, 13:10, con la Dra. Arnau. ¿Le va bien?",
        ),
        user("u2", "Sí, resérvela.", "Perfecto."),
        call(
            "reservar",
            "cita",
            {"paciente_id": "P-8002", "hueco_id": "H-75001"},
            {"cita_id": "C-23310", "dia": "2026-09-08", "hora": "13:10"},
            action="reservar",
        ),
        reply(
            "confirmar",
            "Cita C-23310 reservada para el 8 de septiembre a las 13:10.",
            "Hecho, C-23310, 8 de septiembre, 13:10.",
        ),
    ),
    variations={
        "sin_paciente": Variation(
            {
                "buscar": None,
                "reservar": alt(args={"paciente_id": "52660913H"}, result="paciente_id desconocido", error=True),
                "confirmar": say("Su cita está reservada para el 8 de septiembre a las 13:10."),
            }
        ),
    },
    runs={"2.2": ("sin_paciente", "good", "sin_paciente"), "2.3": ("good", "good", "good")},
)

SCRIPTS: Final = (DERMATOLOGY, HANDOVER, MOVE, ALLERGY, NIGHT_ROUND, LAB, KITCHEN, CHILD, NEW_DOCTOR)
