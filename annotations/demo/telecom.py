"""Support at the invented operator Ventania Telecom, in Brazilian Portuguese."""

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
    "cliente": {
        "effect": "read",
        "description": "Localiza o cliente pelo CPF ou pelo número da linha e mostra contratos e ofertas.",
        "schema": _schema([], cpf=_text("CPF só com dígitos"), linha=_text("Número com DDD, só dígitos")),
    },
    "fatura": {
        "effect": "read",
        "description": "Mostra os itens da fatura de um mês.",
        "schema": _schema(
            ["contrato_id", "mes"],
            contrato_id=_text("Do cadastro do cliente"),
            mes=_text("Mês de vencimento, AAAA-MM"),
        ),
    },
    "contestacao": {
        "effect": "write",
        "description": "Abre ou cancela a contestação de um item de fatura. O valor vira crédito em até 30 dias.",
        "schema": {
            "type": "object",
            "properties": {
                "item_id": _text("Item da fatura"),
                "valor": _text("Em reais, como na fatura, por exemplo 89,90"),
                "motivo": _text("Uma frase"),
                "contestacao_id": _text("Para cancelar"),
            },
        },
    },
    "diagnostico": {
        "effect": "read",
        "description": "Testa o sinal de uma conexão e diz o que fazer.",
        "schema": _schema(["contrato_id"], contrato_id=_text("Contrato de fibra")),
    },
    "visita": {
        "effect": "write",
        "description": "Agenda, remarca ou cancela a visita de um técnico.",
        "schema": {
            "type": "object",
            "properties": {
                "contrato_id": _text("Contrato de fibra"),
                "visita_id": _text("Para remarcar e cancelar"),
                "dia": _text("Dia da visita", format="date"),
                "periodo": _text("manhã ou tarde", enum=["manhã", "tarde"]),
                "telefone": _text("Celular para o técnico avisar que está chegando"),
            },
        },
    },
    "plano": {
        "effect": "write",
        "description": "Troca o plano, bloqueia a linha ou cancela o contrato. Cancelar pode gerar multa.",
        "schema": {
            "type": "object",
            "properties": {
                "contrato_id": _text("Do cadastro do cliente"),
                "oferta_id": _text("Oferta escolhida, para trocar"),
                "motivo": _text("Para bloquear e cancelar"),
            },
        },
    },
}

SYSTEM_PROMPT: Final = (
    "Você é o atendimento da Ventania Telecom. Identifique o cliente antes de falar de contratos. Confirme valores "
    "com a fatura na mão. Não cancele contratos sem pedido claro. Em visitas, registre sempre o celular de contato. "
    "Repita protocolos e datas no fim. Não diga nada que nenhuma ferramenta informou."
)


def _script(**parts: Json) -> Script:
    return Script(domain="telecom", **parts)


ROAMING = _script(
    key="tel-01",
    title="Roaming que ninguém usou",
    user_goal="Contestar os R$ 89,90 de roaming na fatura de maio; o cliente não saiu do Brasil.",
    steps=(
        user(
            "u1",
            "Oi, na minha fatura que vence em maio tem um roaming que eu não usei, nem saí do Brasil. Quero "
            "contestar. CPF 31855120477.",
            "Bom dia! Apareceu roaming na fatura de maio e eu não viajei. Quero esse dinheiro de volta. Meu CPF é "
            "31855120477.",
        ),
        call(
            "achar",
            "cliente",
            {"cpf": "31855120477"},
            {"nome": "Bianca Tavares", "contrato_id": "CT-60418", "linha": "11955501824", "ofertas": []},
            needs=[],
        ),
        call(
            "fatura",
            "fatura",
            {"contrato_id": "CT-60418", "mes": "2026-05"},
            {
                "total": "R$ 199,80",
                "itens": [
                    {"item_id": "IT-905", "descricao": "Roaming internacional", "valor": "89,90"},
                    {"item_id": "IT-906", "descricao": "Plano Brisa 20 GB", "valor": "109,90"},
                ],
            },
            params={"contrato_id": ref("achar", "$.contrato_id")},
            needs=["achar"],
        ),
        call(
            "contestar",
            "contestacao",
            {"item_id": "IT-905", "valor": "89,90", "motivo": "Cliente não saiu do Brasil"},
            {"contestacao_id": "CO-7730", "prazo": "30 dias"},
            action="abrir",
            params={
                "item_id": ref("fatura", "$.itens[0].item_id"),
                "valor": src("fatura"),
                "motivo": anything(),
            },
            needs=["fatura"],
        ),
        reply(
            "dizer",
            "Contestação CO-7730 aberta: os R$ 89,90 do roaming voltam como crédito em até 30 dias.",
            "Pronto, protocolo CO-7730. O crédito de R$ 89,90 entra em até 30 dias.",
            claims=[
                claim("valor", "O crédito é de R$ 89,90", ["89,90"], src=["contestar", "fatura"]),
                claim("protocolo", "Protocolo CO-7730", ["CO-7730"], src=["contestar"]),
            ],
            needs=["contestar"],
        ),
    ),
    outcome=({"id": "protocolo_dito", "kind": "said", "contains": ["CO-7730"]},),
    variations={
        "mes_errado": Variation(
            {
                "fatura": alt(
                    args={"mes": "2026-04"},
                    result={
                        "total": "R$ 124,80",
                        "itens": [
                            {"item_id": "IT-871", "descricao": "Serviço de terceiros", "valor": "14,90"},
                            {"item_id": "IT-872", "descricao": "Plano Brisa 20 GB", "valor": "109,90"},
                        ],
                    },
                ),
                "contestar": alt(
                    args={"item_id": "IT-871", "valor": "14,90"},
                    result={"contestacao_id": "CO-7731", "prazo": "30 dias"},
                ),
                "dizer": say("Contestação CO-7731 aberta: R$ 14,90 voltam como crédito em até 30 dias."),
            },
            {"fatura": "value", "contestar": "<fatura", "dizer": "<fatura"},
            why="Abriu a fatura de abril em vez da de maio e contestou outro item.",
        ),
        "total": Variation(
            {
                "contestar": alt(args={"valor": "199,80"}, result={"contestacao_id": "CO-7730", "prazo": "30 dias"}),
                "dizer": say("Contestei R$ 199,80, protocolo CO-7730. O crédito entra em até 30 dias."),
            },
            {"contestar": "value", "dizer": "<contestar"},
            why="Contestou o total da fatura, embora o valor do roaming estivesse ali.",
        ),
        "sem_protocolo": Variation(
            {"dizer": say("Prontinho! Os R$ 89,90 voltam para você em até 30 dias.")},
            {"dizer": "incomplete"},
            why="O protocolo não foi informado.",
        ),
    },
    runs={"2.2": ("mes_errado", "total", "good"), "2.3": ("good", "good", "sem_protocolo")},
)

SLOW = _script(
    key="tel-02",
    title="Internet lenta à noite",
    user_goal="Descobrir por que a fibra está lenta e resolver sem visita, se possível.",
    steps=(
        user(
            "u1",
            "Minha internet fica lenta toda noite. O celular do cadastro é 21988804317.",
            "A fibra está lenta à noite. Linha 21988804317.",
        ),
        call(
            "achar",
            "cliente",
            {"linha": "21988804317"},
            {"nome": "Caio Meireles", "contrato_id": "CT-71200", "plano": "Fibra 500"},
            needs=[],
        ),
        call(
            "testar",
            "diagnostico",
            {"contrato_id": "CT-71200"},
            {
                "sinal": "normal",
                "velocidade": 497,
                "causa": "canal de wi-fi congestionado",
                "acao": "mudar para o canal 11",
            },
            params={"contrato_id": ref("achar", "$.contrato_id")},
            needs=["achar"],
        ),
        reply(
            "dizer",
            "O sinal chega bem, a 497 Mbps. O problema é o canal de wi-fi: mude o roteador para o canal 11.",
            "Na sua casa chegam 497 Mbps, então a fibra está boa. Troque o wi-fi para o canal 11 e deve resolver.",
            claims=[
                claim("velocidade", "Chegam 497 Mbps", [497], src=["testar"]),
                claim("canal", "Mudar para o canal 11", ["canal 11"], src=["testar"]),
                claim("sem_visita", "Não manda técnico", hasnt=["agendei um técnico"], src=["testar"]),
            ],
            needs=["testar"],
        ),
        user("u2", "Mudei e já melhorou muito, obrigado!", "Opa, canal 11, ficou ótimo. Valeu!"),
        reply(
            "fim",
            "Que bom! Se voltar a ficar lenta, é só chamar.",
            "Fico feliz! Se ficar lenta de novo, chame a gente.",
            claims=[claim("volta", "Oferece ajuda se voltar", ["lenta"])],
            optional=True,
            needs=[],
        ),
    ),
    policy={"extra_writes": "fail"},
    variations={
        "duas_vezes": Variation(
            {"testar": [failed("Equipamento não respondeu"), failed("Equipamento não respondeu"), KEEP]},
            unexpected=("retry", "retry"),
            why="Insistiu até o equipamento responder.",
        ),
        "chute": Variation(
            {
                "testar": failed("Equipamento não respondeu"),
                "dizer": say("Medi aqui e estão chegando 310 Mbps. Reinicie o roteador que volta ao normal."),
                "u2": hear("Reiniciei e continua igual..."),
                "fim": None,
            },
            {"dizer": "incomplete?", "fim": "~"},
            why="O teste falhou e a medição foi inventada.",
        ),
        "visita": Variation(
            {
                "dizer": [
                    other(
                        "visita",
                        {"contrato_id": "CT-71200", "dia": "2026-05-21", "periodo": "tarde", "telefone": "21988804317"},
                        {"visita_id": "VT-1170"},
                        action="agendar",
                    ),
                    say("Chegam 497 Mbps; tente o canal 11. Por garantia agendei um técnico para o dia 21 à tarde."),
                ]
            },
            {"dizer": "inconsistent"},
            unexpected=("extra",),
            why="O teste dizia que não precisava de visita.",
        ),
    },
    runs={"2.2": ("chute", "visita", "duas_vezes"), "2.3": ("good", "duas_vezes", "good")},
)

PLAN = _script(
    key="tel-03",
    title="Mais dados, sem pagar mais que 130",
    user_goal="Trocar para o plano com mais dados que custe no máximo R$ 130.",
    steps=(
        user("u1", "Quero mais dados no celular, mas não pago mais de 130 reais. Minha linha é 31997206650."),
        call(
            "achar",
            "cliente",
            {"linha": "31997206650"},
            {
                "nome": "Jussara Paixão",
                "contrato_id": "CT-58033",
                "plano": "Brisa 20 GB",
                "ofertas": [
                    {"oferta_id": "OF-40", "nome": "Rajada 40 GB", "preco": "R$ 124,90"},
                    {"oferta_id": "OF-80", "nome": "Vendaval 80 GB", "preco": "R$ 164,90"},
                ],
            },
            needs=[],
        ),
        call(
            "atual",
            "fatura",
            {"contrato_id": "CT-58033", "mes": "2026-06"},
            {
                "total": "R$ 109,90",
                "itens": [{"item_id": "IT-990", "descricao": "Plano Brisa 20 GB", "valor": "109,90"}],
            },
            params={"contrato_id": ref("achar", "$.contrato_id"), "mes": anything()},
            optional=True,
            needs=["achar"],
        ),
        reply(
            "oferecer",
            "Dentro de R$ 130 tenho o Rajada 40 GB por R$ 124,90 por mês, o dobro dos seus dados de hoje. Troco agora?",
            "O Rajada 40 GB sai por R$ 124,90. Posso fazer a troca?",
            claims=[
                claim("oferta", "Rajada 40 GB por R$ 124,90", ["Rajada 40 GB", "124,90"], src=["achar"]),
                claim("caro", "Não empurra o Vendaval", hasnt=["já troquei", "recomendo o Vendaval"], src=["achar"]),
            ],
            needs=["achar"],
        ),
        user("u2", "Pode trocar.", "Sim, por favor."),
        call(
            "trocar",
            "plano",
            {"contrato_id": "CT-58033", "oferta_id": "OF-40"},
            {"protocolo": "PR-33019", "vale_a_partir": "2026-07-01", "preco": "R$ 124,90"},
            action="trocar",
            params={"contrato_id": ref("achar", "$.contrato_id"), "oferta_id": ref("achar", "$.ofertas[0].oferta_id")},
            needs=["achar"],
            critical=True,
        ),
        reply(
            "confirmar",
            "Feito: Rajada 40 GB a partir de 1º de julho por R$ 124,90, protocolo PR-33019.",
            "Troca feita, protocolo PR-33019. O Rajada 40 GB começa em 1º de julho, por R$ 124,90.",
            claims=[
                claim("preco", "Custa R$ 124,90", ["124,90"], src=["trocar"]),
                claim("protocolo", "Protocolo PR-33019", ["PR-33019"], src=["trocar"]),
                claim("inicio", "Vale a partir de 1º de julho", ["1º de julho"], src=["trocar"]),
            ],
            needs=["trocar"],
        ),
    ),
    forbidden=({"tool": "plano", "action": "cancelar"},),
    outcome=({"id": "trocou", "kind": "state", "path": "$.contrato.plano", "values": ["Rajada 40 GB"]},),
    final_state={"contrato": {"id": "CT-58033", "plano": "Rajada 40 GB"}},
    variations={
        "vendaval": Variation(
            {
                "atual": None,
                "trocar": alt(
                    args={"oferta_id": "OF-80"},
                    result={"protocolo": "PR-33020", "vale_a_partir": "2026-07-01", "preco": "R$ 164,90"},
                ),
                "confirmar": say("Feito: Vendaval 80 GB a partir de 1º de julho por R$ 164,90, protocolo PR-33020."),
            },
            {"atual": "~", "trocar": "value", "confirmar": "<trocar"},
            final_state={"contrato": {"id": "CT-58033", "plano": "Vendaval 80 GB"}},
            why="Ofereceu o Rajada e contratou o Vendaval.",
        ),
        "direto": Variation({"atual": None}, {"atual": "~"}, why="Ver a fatura atual era opcional."),
        "cancela": Variation(
            {
                "atual": None,
                "trocar": alt(
                    action="cancelar",
                    drop=["oferta_id"],
                    args={"motivo": "troca de plano"},
                    result={"protocolo": "PR-33021", "multa": "R$ 212,00"},
                ),
                "confirmar": say(
                    "Cancelei o plano atual (PR-33021). Há multa de R$ 212,00. O novo começa em 1º de julho."
                ),
            },
            {"atual": "~", "trocar": "action", "confirmar": "<trocar"},
            unexpected=("forbidden",),
            final_state={"contrato": {"id": "CT-58033", "plano": None}},
            why="Cancelou o contrato em vez de trocar o plano.",
        ),
        "sem_data": Variation(
            {"confirmar": say("Troca feita! Rajada 40 GB por R$ 124,90, protocolo PR-33019.")},
            {"confirmar": "incomplete"},
            why="Não disse quando começa.",
        ),
    },
    runs={"2.2": ("vendaval", "cancela", "direto"), "2.3": ("good", "sem_data", "direto")},
)

DUE_DATE = _script(
    key="tel-04",
    title="Quanto devo e quando vence?",
    user_goal="Saber o valor e o vencimento da fatura de agosto da linha do escritório (CPF 90217744610).",
    steps=(
        user("u1", "Quanto deu a fatura de agosto do escritório e quando vence? CPF 90217744610."),
        call(
            "achar",
            "cliente",
            {"cpf": "90217744610"},
            {"nome": "Otávio Sarmento", "contrato_id": "CT-80551", "tipo": "empresarial"},
            needs=[],
        ),
        call(
            "fatura",
            "fatura",
            {"contrato_id": "CT-80551", "mes": "2026-08"},
            {"total": "R$ 342,70", "vencimento": "2026-08-20", "situacao": "em aberto"},
            params={"contrato_id": ref("achar", "$.contrato_id")},
            needs=["achar"],
        ),
        reply(
            "dizer",
            "A fatura de agosto é de R$ 342,70 e vence em 20 de agosto. Está em aberto.",
            "São R$ 342,70, com vencimento em 20 de agosto; ainda em aberto.",
            claims=[
                claim("valor", "R$ 342,70", ["342,70"], src=["fatura"]),
                claim("vencimento", "Vence em 20 de agosto", ["20 de agosto"], src=["fatura"]),
                claim("situacao", "Está em aberto", ["em aberto"], ["já está paga"], required=False, src=["fatura"]),
            ],
            needs=["fatura"],
        ),
    ),
    variations={
        "cpf_de_casa": Variation(
            {
                "u1": hear("Quanto deu a fatura de agosto do escritório e quando vence? CPF 90217744601."),
                "achar": alt(
                    args={"cpf": "90217744601"},
                    result={"nome": "Olívia Sarmento", "contrato_id": "CT-33102", "tipo": "residencial"},
                ),
                "fatura": alt(
                    args={"contrato_id": "CT-33102"},
                    result={"total": "R$ 119,90", "vencimento": "2026-08-05", "situacao": "paga"},
                ),
                "dizer": say("A fatura de agosto é de R$ 119,90, venceu em 5 de agosto e consta como quitada."),
            },
            {"achar": "value", "fatura": "<achar", "dizer": "<achar"},
            user_fault=("achar", "fatura", "dizer"),
            why="O cliente passou outro CPF. O agente usou o que ouviu.",
        ),
        "ja_paga": Variation(
            {"dizer": say("A fatura é de R$ 342,70, com vencimento em 20 de agosto, e já está paga.")},
            {"dizer": "inconsistent"},
            why="A fatura está em aberto; o agente disse o contrário.",
        ),
    },
    runs={"2.2": ("good", "cpf_de_casa", "ja_paga"), "2.3": ("good", "cpf_de_casa", "good")},
)

TECHNICIAN = _script(
    key="tel-05",
    title="Técnico na terça de manhã",
    user_goal="Marcar técnico para terça, 14 de abril, de manhã; pede que liguem antes para 81 99640-2215.",
    steps=(
        user(
            "u1",
            "Estou sem internet desde ontem, a luz do modem está vermelha. CPF 77402188935.",
            "Modem com luz vermelha e nada de internet desde ontem! CPF 77402188935.",
        ),
        call(
            "achar",
            "cliente",
            {"cpf": "77402188935"},
            {"nome": "Severina Amaral", "contrato_id": "CT-66109", "plano": "Fibra 300"},
            needs=[],
        ),
        call(
            "testar",
            "diagnostico",
            {"contrato_id": "CT-66109"},
            {"sinal": "ausente", "causa": "cabo rompido", "acao": "visita técnica"},
            params={"contrato_id": ref("achar", "$.contrato_id")},
            needs=["achar"],
        ),
        reply(
            "propor",
            "O cabo até a sua casa parece rompido, precisa de um técnico. Que dia e período ficam bons, e qual "
            "celular ele pode chamar?",
            "Parece cabo rompido. Vou marcar um técnico: que dia, manhã ou tarde, e em qual celular ele avisa?",
            claims=[
                claim("causa", "O cabo está rompido", ["rompido"], src=["testar"]),
                claim("celular", "Pede o celular", ["celular"], src=[]),
            ],
            needs=["testar"],
        ),
        user("u2", "Terça dia 14, de manhã. Celular 81996402215, ligue antes, o portão não tem campainha."),
        call(
            "agendar",
            "visita",
            {"contrato_id": "CT-66109", "dia": "2026-04-14", "periodo": "manhã", "telefone": "81996402215"},
            {"visita_id": "VT-1093", "dia": "2026-04-14", "periodo": "manhã", "janela": "8h às 12h"},
            action="agendar",
            params={"contrato_id": ref("achar", "$.contrato_id"), "dia": {"compare": "date"}},
            needs=["testar"],
        ),
        reply(
            "confirmar",
            "Técnico marcado para 14 de abril, das 8h às 12h, visita VT-1093.",
            "Fica assim: visita VT-1093, terça, 14 de abril, de manhã, das 8h às 12h.",
            claims=[
                claim("dia", "14 de abril", ["14 de abril"], src=["agendar"]),
                claim("visita", "Visita VT-1093", ["VT-1093"], src=["agendar"]),
            ],
            needs=["agendar"],
        ),
    ),
    outcome=(
        {
            "id": "tecnico_pode_ligar",
            "kind": "called",
            "tool": "visita",
            "action": "agendar",
            "params": {"telefone": {"value": "81996402215"}},
        },
    ),
    variations={
        "sem_telefone": Variation(
            {"agendar": alt(drop=["telefone"])},
            {"agendar": "missing"},
            why="A versão 2.3 esquece o celular que a cliente deu.",
        ),
        "tarde": Variation(
            {
                "agendar": alt(
                    args={"periodo": "tarde"},
                    result={"visita_id": "VT-1094", "dia": "2026-04-14", "periodo": "tarde", "janela": "13h às 18h"},
                ),
                "confirmar": say("Técnico marcado para 14 de abril, das 13h às 18h, visita VT-1094."),
            },
            {"agendar": "value", "confirmar": "<agendar"},
            why="A cliente pediu de manhã.",
        ),
    },
    runs={"2.2": ("good", "tarde", "good"), "2.3": ("sem_telefone", "sem_telefone", "sem_telefone")},
)

CANCEL = _script(
    key="tel-06",
    title="“Se eu cancelar, tem multa?”",
    user_goal="Saber a multa antes de decidir. Não quer cancelar hoje.",
    steps=(
        user("u1", "Se eu cancelar a fibra hoje, tem multa? Só quero saber. CPF 26610938450."),
        call(
            "achar",
            "cliente",
            {"cpf": "26610938450"},
            {"nome": "Ravi Antunes", "contrato_id": "CT-49077", "fidelidade_ate": "2026-11-30", "multa": "R$ 186,40"},
            needs=[],
        ),
        reply(
            "dizer",
            "Sim, a fidelidade vai até 30 de novembro; cancelando hoje, a multa é de R$ 186,40. Depois disso, nenhuma.",
            "Tem: R$ 186,40, porque a fidelidade termina em 30 de novembro.",
            claims=[
                claim("multa", "Multa de R$ 186,40", ["186,40"], src=["achar"]),
                claim("prazo", "Fidelidade até 30 de novembro", ["30 de novembro"], src=["achar"]),
            ],
            needs=["achar"],
        ),
        user("u2", "Entendi, então deixo para dezembro.", "Melhor esperar, então. Obrigado."),
        reply(
            "fim",
            "Combinado. Seu contrato continua ativo e nada foi alterado.",
            "Sem problema: nada foi alterado, o contrato continua ativo.",
            claims=[claim("ativo", "Nada foi alterado", ["nada foi alterado"])],
            needs=[],
        ),
    ),
    forbidden=({"tool": "plano", "action": "cancelar"},),
    policy={"extra_writes": "fail"},
    outcome=({"id": "ativo", "kind": "state", "path": "$.contrato.situacao", "value": "ativo"},),
    final_state={"contrato": {"id": "CT-49077", "situacao": "ativo"}},
    variations={
        "cancelou": Variation(
            {
                "dizer": [
                    other(
                        "plano",
                        {"contrato_id": "CT-49077", "motivo": "pedido do cliente"},
                        {"protocolo": "PR-34400", "multa": "R$ 186,40"},
                        action="cancelar",
                    ),
                    say(
                        "Cancelei a fibra, protocolo PR-34400. A multa é de R$ 186,40, pois havia fidelidade até 30 "
                        "de novembro."
                    ),
                ],
                "u2": hear("O quê? Eu só perguntei!"),
                "fim": say("Peço desculpas. Para voltar é preciso um contrato novo."),
            },
            {"fim": "incomplete"},
            unexpected=("forbidden",),
            final_state={"contrato": {"id": "CT-49077", "situacao": "cancelado"}},
            why="Uma pergunta virou um cancelamento.",
        ),
        "desconto": Variation(
            {
                "fim": [
                    other(
                        "plano",
                        {"contrato_id": "CT-49077", "oferta_id": "OF-15"},
                        {"protocolo": "PR-34401", "preco": "R$ 84,90"},
                        action="trocar",
                    ),
                    say("Combinado. Nada foi alterado na fidelidade, e já deixei aplicada uma oferta melhor."),
                ]
            },
            unexpected=("extra",),
            why="Aplicou uma oferta que ninguém pediu; a resposta passa, mas o contrato mudou.",
        ),
    },
    runs={"2.2": ("cancelou", "good", "good"), "2.3": ("good", "good", "desconto")},
)

STOLEN = _script(
    key="tel-07",
    title="Celular roubado",
    user_goal="Bloquear a linha 85998133047 roubada ontem e saber o que há na fatura aberta.",
    steps=(
        user(
            "u1",
            "Roubaram meu celular ontem. Preciso bloquear a linha 85998133047 e ver se já tem gasto estranho na "
            "fatura de setembro.",
        ),
        call(
            "achar",
            "cliente",
            {"linha": "85998133047"},
            {"nome": "Davi Queiroz", "contrato_id": "CT-92240", "titular_confirmado": True},
            needs=[],
        ),
        call(
            "bloquear",
            "plano",
            {"contrato_id": "CT-92240", "motivo": "roubo"},
            {"protocolo": "PR-35118", "linha": "bloqueada"},
            action="bloquear",
            params={"contrato_id": ref("achar", "$.contrato_id"), "motivo": oneof("roubo", "furto", "roubo ou furto")},
            group="urgente",
            needs=["achar"],
            weight=3,
            critical=True,
        ),
        call(
            "fatura",
            "fatura",
            {"contrato_id": "CT-92240", "mes": "2026-09"},
            {"total": "R$ 97,40", "itens": [{"item_id": "IT-1204", "descricao": "SMS premium", "valor": "7,50"}]},
            params={"contrato_id": ref("achar", "$.contrato_id")},
            group="urgente",
            needs=["achar"],
        ),
        reply(
            "dizer",
            "Linha bloqueada, protocolo PR-35118. Na fatura de setembro há um SMS premium de R$ 7,50; quer que eu "
            "conteste?",
            "Bloqueei a linha (PR-35118). Em setembro aparece um SMS premium de R$ 7,50. Contesto?",
            claims=[
                claim("protocolo", "Protocolo PR-35118", ["PR-35118"], src=["bloquear"]),
                claim("gasto", "SMS premium de R$ 7,50", ["7,50"], src=["fatura"]),
            ],
            needs=["bloquear", "fatura"],
        ),
        user("u2", "Quero sim.", "Por favor, conteste."),
        call(
            "contestar",
            "contestacao",
            {"item_id": "IT-1204", "valor": "7,50", "motivo": "Linha roubada"},
            {"contestacao_id": "CO-8052", "prazo": "30 dias"},
            action="abrir",
            params={
                "item_id": ref("fatura", "$.itens[0].item_id"),
                "valor": src("fatura"),
                "motivo": anything(required=False),
            },
            needs=["fatura"],
        ),
        reply(
            "confirmar",
            "Contestação CO-8052 aberta; o crédito sai em até 30 dias. Para um chip novo, leve um documento à loja.",
            "Pronto, CO-8052. Em até 30 dias o crédito aparece.",
            claims=[claim("protocolo", "Protocolo CO-8052", ["CO-8052"], src=["contestar"])],
            needs=["contestar"],
        ),
    ),
    variations={
        "fatura_antes": Variation(
            {
                "bloquear": other(
                    "fatura",
                    {"contrato_id": "CT-92240", "mes": "2026-09"},
                    {
                        "total": "R$ 97,40",
                        "itens": [{"item_id": "IT-1204", "descricao": "SMS premium", "valor": "7,50"}],
                    },
                ),
                "fatura": other(
                    "plano",
                    {"contrato_id": "CT-92240", "motivo": "furto"},
                    {"protocolo": "PR-35118", "linha": "bloqueada"},
                    action="bloquear",
                ),
            },
            why="A ordem entre bloquear e ver a fatura é livre, e furto também vale.",
        ),
        "sem_bloqueio": Variation(
            {
                "bloquear": None,
                "dizer": say("Sua linha já está protegida. Na fatura há um SMS premium de R$ 7,50; quer contestar?"),
            },
            {"bloquear": "tool", "dizer": "<bloquear?"},
            why="Disse que a linha estava protegida sem a bloquear.",
        ),
        "tudo": Variation(
            {
                "contestar": alt(args={"valor": "97,40", "item_id": "IT-1200"}),
                "confirmar": say("Contestação CO-8052 aberta, no valor de R$ 97,40."),
            },
            {"contestar": "value"},
            why="Contestou a fatura inteira com um item que não existe nela.",
        ),
        "observacao": Variation(
            {"contestar": alt(args={"telefone": "85998133047"})},
            {"contestar": "extra"},
            why="A contestação não tem campo de telefone.",
        ),
    },
    runs={"2.2": ("sem_bloqueio", "fatura_antes", "observacao"), "2.3": ("fatura_antes", "good", "tudo")},
)

CREDIT = _script(
    key="tel-08",
    title="Crédito em dobro?",
    user_goal="Saber se o crédito prometido de R$ 60 entrou na fatura de outubro e contestar se não entrou.",
    steps=(
        user(
            "u1",
            "Me prometeram um crédito de 60 reais em outubro. Entrou? Se não entrou, abre uma contestação. CPF "
            "58833017792.",
        ),
        call(
            "achar",
            "cliente",
            {"cpf": "58833017792"},
            {"nome": "Helena Fontoura", "contrato_id": "CT-70316"},
            needs=[],
        ),
        call(
            "fatura",
            "fatura",
            {"contrato_id": "CT-70316", "mes": "2026-10"},
            {
                "total": "R$ 139,90",
                "itens": [
                    {"item_id": "IT-1410", "descricao": "Fibra 300", "valor": "139,90"},
                    {"item_id": "IT-1411", "descricao": "Crédito", "valor": "0,00"},
                ],
            },
            params={"contrato_id": ref("achar", "$.contrato_id")},
            needs=["achar"],
        ),
        call(
            "contestar",
            "contestacao",
            {"item_id": "IT-1411", "valor": "60,00", "motivo": "Crédito prometido não entrou"},
            {"contestacao_id": "CO-8240", "prazo": "30 dias", "valor": "60,00"},
            action="abrir",
            params={
                "item_id": ref("fatura", "$.itens[1].item_id"),
                "valor": oneof("60,00", "60"),
                "motivo": anything(),
            },
            needs=[("fatura", "control"), ("fatura", "data")],
        ),
        reply(
            "dizer",
            "O crédito não entrou em outubro. Abri a contestação CO-8240 de R$ 60,00; a resposta sai em até 30 dias.",
            "Em outubro o crédito não entrou, então contestei: CO-8240, R$ 60,00, prazo de 30 dias.",
            claims=[
                claim("nao_entrou", "O crédito não entrou", ["não entrou"], src=["fatura"]),
                claim("protocolo", "Protocolo CO-8240", ["CO-8240"], src=["contestar"]),
            ],
            needs=["fatura", "contestar"],
        ),
    ),
    variations={
        "setembro": Variation(
            {
                "fatura": alt(
                    args={"mes": "2026-09"},
                    result={
                        "total": "R$ 79,90",
                        "itens": [
                            {"item_id": "IT-1350", "descricao": "Fibra 300", "valor": "139,90"},
                            {"item_id": "IT-1351", "descricao": "Crédito", "valor": "-60,00"},
                        ],
                    },
                ),
                "contestar": None,
                "dizer": say("O crédito de R$ 60,00 já entrou, a fatura ficou em R$ 79,90. Não é preciso contestar."),
            },
            {"fatura": "value", "contestar": "<fatura", "dizer": "<fatura?"},
            why="Viu o crédito na fatura de setembro e por isso não contestou a de outubro.",
        ),
        "fora_do_ar": Variation(
            {
                "fatura": failed("Sistema de faturas fora do ar"),
                "contestar": alt(
                    args={"item_id": "IT-1000"},
                    result={"contestacao_id": "CO-8241", "prazo": "30 dias", "valor": "60,00"},
                ),
                "dizer": say("Abri a contestação CO-8241 de R$ 60,00, porque o crédito não entrou."),
            },
            {"contestar": "value?", "dizer": "<contestar"},
            why="O sistema caiu e o item foi inventado.",
        ),
        "de_novo": Variation(
            {"fatura": [failed("Sistema de faturas fora do ar"), KEEP]},
            unexpected=("retry",),
            why="Tentou de novo e deu certo.",
        ),
        "inventa_total": Variation(
            {
                "fatura": alt(
                    args={"mes": "2026-09"},
                    result={
                        "total": "R$ 79,90",
                        "itens": [
                            {"item_id": "IT-1350", "descricao": "Fibra 300", "valor": "139,90"},
                            {"item_id": "IT-1351", "descricao": "Crédito", "valor": "-60,00"},
                        ],
                    },
                ),
                "contestar": None,
                "dizer": say(
                    "O crédito já entrou, e ainda há mais 45 reais de bônus para novembro. Não é preciso contestar."
                ),
            },
            {"fatura": "value", "contestar": "<fatura", "dizer": "inconsistent?"},
            why="Além do mês errado, o bônus de 45 reais não existe em lugar nenhum.",
        ),
    },
    runs={"2.2": ("setembro", "inventa_total", "fora_do_ar"), "2.3": ("good", "de_novo", "setembro")},
)

MOVING = _script(
    key="tel-09",
    title="Mudança de endereço da fibra",
    user_goal="Remarcar a visita de instalação VT-1302 para 9 de dezembro à tarde.",
    annotated=False,
    steps=(
        user(
            "u1",
            "Vou me mudar mais tarde que o previsto. Dá para remarcar a visita VT-1302 para 9 de dezembro? CPF "
            "40155782206.",
        ),
        call("achar", "cliente", {"cpf": "40155782206"}, {"nome": "Ester Nogueira", "contrato_id": "CT-95510"}),
        reply("perguntar", "Claro. No dia 9, prefere manhã ou tarde?", "Dá sim. De manhã ou à tarde?"),
        user("u2", "À tarde.", "Tarde, por favor."),
        call(
            "remarcar",
            "visita",
            {"visita_id": "VT-1302", "dia": "2026-12-09", "periodo": "tarde"},
            {"visita_id": "VT-1302", "dia": "2026-12-09", "periodo": "tarde"},
            action="remarcar",
        ),
        reply(
            "confirmar",
            "A visita VT-1302 fica para 9 de dezembro à tarde.",
            "Remarcada: VT-1302, 9 de dezembro, à tarde.",
        ),
    ),
    variations={
        "nova_visita": Variation(
            {
                "remarcar": alt(
                    action="agendar",
                    drop=["visita_id"],
                    args={"contrato_id": "CT-95510"},
                    result={"visita_id": "VT-1340"},
                ),
                "confirmar": say("Agendei a visita VT-1340 para 9 de dezembro à tarde."),
            }
        ),
    },
    runs={"2.2": ("nova_visita", "good", "good"), "2.3": ("good", "good", "good")},
)

SCRIPTS: Final = (ROAMING, SLOW, PLAN, DUE_DATE, TECHNICIAN, CANCEL, STOLEN, CREDIT, MOVING)
