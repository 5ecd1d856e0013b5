"""The delivered word lists: a sample of what each domain knows to be the same, and to be different."""

from __future__ import annotations

import pytest

from evaluation.evaluators.embedded.vocabulary import STANDARD

# Domain, then by language the terms that mean the same: each is compared with the first.
SAME: list[tuple[str, str, list[str]]] = [
    ("medicine", "en", ["high blood pressure", "hypertension"]),
    ("medicine", "en", ["cardiologist", "heart doctor"]),
    ("medicine", "en", ["by mouth", "orally", "oral", "PO"]),
    ("medicine", "en", ["twice a day", "BID", "b.i.d.", "twice daily"]),
    ("medicine", "en", ["paracetamol", "acetaminophen"]),
    ("medicine", "en", ["full blood count", "CBC", "complete blood count"]),
    ("medicine", "es", ["presión arterial", "tensión arterial"]),
    ("medicine", "es", ["urgencias", "sala de emergencias"]),
    ("medicine", "pt", ["infarto", "enfarte do miocárdio"]),
    ("medicine", "pt", ["pronto-socorro", "serviço de urgência"]),
    ("insurance", "en", ["deductible", "policy excess"]),
    ("insurance", "en", ["policyholder", "policy holder"]),
    ("insurance", "es", ["aseguradora", "compañía de seguros"]),
    ("insurance", "pt", ["seguro automóvel", "seguro de carro"]),
    ("hr", "en", ["paid time off", "PTO", "annual leave", "vacation days"]),
    ("hr", "en", ["work from home", "remote work", "WFH"]),
    ("hr", "es", ["aumento de sueldo", "subida salarial"]),
    ("hr", "pt", ["holerite", "contracheque"]),
    ("it", "en", ["password reset", "reset password"]),
    ("it", "en", ["outage", "downtime"]),
    ("it", "en", ["laptop", "notebook computer"]),
    ("it", "en", ["Wi-Fi", "wifi", "wireless network"]),
    ("it", "es", ["ordenador portátil", "computadora portátil"]),
    ("it", "pt", ["senha", "palavra-passe"]),
    ("telecom", "en", ["roaming", "international roaming"]),
    ("telecom", "en", ["pay as you go", "prepaid"]),
    ("telecom", "es", ["fibra óptica", "internet por fibra"]),
    ("telecom", "pt", ["fidelização", "período de fidelidade"]),
    ("food", "en", ["eggplant", "aubergine"]),
    ("food", "en", ["baking soda", "bicarbonate of soda"]),
    ("food", "en", ["takeaway", "takeout"]),
    ("food", "es", ["aguacate", "palta"]),
    ("food", "es", ["zumo de naranja", "jugo de naranja"]),
    ("food", "pt", ["café da manhã", "pequeno-almoço"]),
    ("education", "en", ["PhD", "doctorate", "doctoral degree"]),
    ("education", "en", ["math", "maths", "mathematics"]),
    ("education", "es", ["beca", "beca de estudios"]),
    ("education", "pt", ["lição de casa", "trabalho de casa", "TPC"]),
    ("sports", "en", ["soccer", "association football"]),
    ("sports", "en", ["table tennis", "ping-pong"]),
    ("sports", "es", ["baloncesto", "básquetbol"]),
    ("sports", "pt", ["goleiro", "guarda-redes"]),
    ("media", "en", ["science fiction", "sci-fi"]),
    ("media", "en", ["movie", "film"]),
    ("media", "es", ["banda sonora", "música de la película"]),
    ("media", "pt", ["história em quadrinhos", "banda desenhada"]),
    ("science", "en", ["carbon dioxide", "CO2"]),
    ("science", "en", ["greatest common divisor", "GCD", "highest common factor"]),
    ("science", "es", ["terremoto", "sismo"]),
    ("science", "pt", ["desvio padrão", "desvio-padrão"]),
    ("law", "en", ["lawyer", "attorney"]),
    ("law", "en", ["non-disclosure agreement", "NDA"]),
    ("law", "es", ["permiso de conducir", "licencia de conducir"]),
    ("law", "pt", ["carteira de motorista", "carta de condução"]),
    ("household", "en", ["grey", "gray"]),
    ("household", "en", ["extra large", "XL"]),
    ("household", "en", ["nappy", "diaper"]),
    ("household", "es", ["nevera", "refrigerador"]),
    ("household", "pt", ["geladeira", "frigorífico"]),
    ("vehicles", "en", ["car", "automobile"]),
    ("vehicles", "en", ["petrol", "gasoline"]),
    ("vehicles", "es", ["neumático", "neumáticos"]),
    ("vehicles", "es", ["maletero", "cajuela"]),
    ("vehicles", "pt", ["ônibus", "autocarro"]),
    ("nature", "en", ["vet", "veterinarian"]),
    ("nature", "en", ["orca", "killer whale"]),
    ("nature", "es", ["cerdo", "puerco"]),
    ("nature", "pt", ["joaninha", "joaninhas"]),
    ("nature", "pt", ["beija-flor", "colibri"]),
    ("people", "en", ["last name", "surname", "family name"]),
    ("people", "en", ["CEO", "chief executive officer"]),
    ("people", "es", ["marido", "esposo"]),
    ("people", "pt", ["sobrenome", "nome de família"]),
    ("organisations", "en", ["KFC", "Kentucky Fried Chicken"]),
    ("organisations", "en", ["IBM", "International Business Machines"]),
    ("organisations", "en", ["NASA", "National Aeronautics and Space Administration"]),
    ("organisations", "es", ["OMS", "Organización Mundial de la Salud"]),
    ("organisations", "pt", ["ONU", "Organização das Nações Unidas"]),
    ("spelling", "en", ["organise", "organize"]),
    ("spelling", "en", ["colour", "color"]),
    ("spelling", "en", ["centre", "center"]),
    ("spelling", "en", ["department", "dept."]),
    ("spelling", "en", ["avenue", "Ave."]),
    ("spelling", "en", ["without", "w/o"]),
    ("spelling", "en", ["do not", "don't"]),
    ("spelling", "es", ["septiembre", "setiembre"]),
    ("spelling", "pt", ["contato", "contacto"]),
]

ACROSS = [
    ("en", "blood pressure", "es", "presión arterial"),
    ("en", "hypertension", "pt", "pressão alta"),
    ("en", "health insurance", "es", "seguro médico"),
    ("en", "payslip", "pt", "contracheque"),
    ("en", "screenshot", "es", "captura de pantalla"),
    ("en", "roaming", "pt", "itinerância"),
    ("en", "strawberry", "es", "frutilla"),
    ("en", "scholarship", "pt", "bolsa de estudos"),
    ("en", "basketball", "es", "baloncesto"),
    ("en", "documentary", "pt", "documentário"),
    ("en", "earthquake", "es", "terremoto"),
    ("en", "lawyer", "pt", "advogado"),
    ("en", "washing machine", "es", "lavadora"),
    ("en", "train", "pt", "comboio"),
    ("en", "hummingbird", "es", "colibrí"),
    ("en", "daughter-in-law", "pt", "nora"),
    ("en", "WHO", "es", "OMS"),
    ("es", "UE", "pt", "União Europeia"),
]

CONTRASTED = [
    ("medicine", "en", "type 1 diabetes", "type 2 diabetes"),
    ("medicine", "en", "systolic", "diastolic"),
    ("medicine", "en", "twice a day", "three times a day"),
    ("medicine", "en", "stroke", "heart attack"),
    ("medicine", "en", "ibuprofen", "paracetamol"),
    ("medicine", "es", "por vía oral", "por vía intravenosa"),
    ("medicine", "pt", "primeira dose", "segunda dose"),
    ("insurance", "en", "deductible", "copay"),
    ("insurance", "en", "deductible", "insurance premium"),
    ("insurance", "es", "copago", "coaseguro"),
    ("insurance", "pt", "furto", "roubo com violência"),
    ("hr", "en", "sick leave", "maternity leave"),
    ("hr", "es", "indemnización por despido", "finiquito"),
    ("hr", "pt", "licença-maternidade", "licença-paternidade"),
    ("it", "en", "megabyte", "gigabyte"),
    ("it", "es", "disco duro", "unidad de estado sólido"),
    ("telecom", "pt", "chamada nacional", "chamada internacional"),
    ("food", "en", "vegan", "vegetarian"),
    ("food", "en", "baking soda", "baking powder"),
    ("food", "es", "sin gluten", "sin lactosa"),
    ("food", "pt", "frito", "grelhado"),
    ("education", "en", "undergraduate", "postgraduate"),
    ("education", "es", "maestría", "doctorado"),
    ("sports", "en", "quarter-final", "semi-final"),
    ("sports", "pt", "futebol", "futebol americano"),
    ("media", "es", "cortometraje", "largometraje"),
    ("science", "en", "median", "arithmetic mean"),
    ("science", "pt", "dióxido de carbono", "monóxido de carbono"),
    ("law", "en", "plaintiff", "defendant"),
    ("law", "es", "arrendador", "inquilino"),
    ("household", "en", "waterproof", "water-resistant"),
    ("household", "es", "talla grande", "talla mediana"),
    ("vehicles", "en", "front-wheel drive", "rear-wheel drive"),
    ("vehicles", "pt", "gasolina", "diesel"),
    ("nature", "es", "yegua", "semental"),
    ("people", "en", "first name", "last name"),
    ("people", "pt", "sogra", "sogro"),
    ("organisations", "en", "World Bank", "International Monetary Fund"),
    ("spelling", "en", "ETA", "ETD"),
]

OPPOSITES = [
    ("medicine", "en", "hyperglycaemia", "hypoglycaemia"),
    ("medicine", "en", "tachycardia", "bradycardia"),
    ("medicine", "es", "hipertensión", "hipotensión"),
    ("medicine", "pt", "em jejum", "com comida"),
    ("insurance", "en", "in-network", "out-of-network"),
    ("insurance", "es", "póliza vigente", "póliza vencida"),
    ("insurance", "pt", "dentro da rede", "fora da rede"),
    ("law", "en", "convicted", "acquitted"),
    ("law", "es", "vinculante", "no vinculante"),
    ("hr", "en", "full-time", "part-time"),
    ("hr", "pt", "tempo integral", "tempo parcial"),
    ("it", "en", "wired", "wireless"),
    ("it", "es", "solo lectura", "lectura y escritura"),
    ("telecom", "en", "download speed", "upload speed"),
    ("telecom", "pt", "pré-pago", "pós-pago"),
    ("food", "en", "with ice", "without ice"),
    ("food", "es", "crudo", "cocido"),
    ("food", "pt", "com açúcar", "sem açúcar"),
    ("education", "en", "pass the exam", "fail the exam"),
    ("sports", "es", "partido de local", "partido de visitante"),
    ("household", "en", "furnished", "unfurnished"),
    ("household", "pt", "aceita animais", "não aceita animais"),
    ("vehicles", "en", "automatic transmission", "manual transmission"),
    ("vehicles", "es", "acelerar", "frenar"),
    ("nature", "en", "high tide", "low tide"),
    ("science", "pt", "número par", "número ímpar"),
    ("media", "en", "ad-free", "ad-supported"),
]

# What looks or sounds alike, or lies close by, and is not the same.
NOT_SAME = [
    ("en", "twice a day", "every 12 hours"),
    ("en", "ibuprofen", "aspirin"),
    ("en", "policyholder", "beneficiary"),
    ("en", "hurricane", "typhoon"),
    ("en", "best before date", "use-by date"),
    ("en", "American football", "soccer"),
    ("en", "football", "soccer"),
    ("en", "lemon", "lime"),
    ("en", "flat", "house"),
    ("en", "theft", "robbery"),
    ("en", "alimony", "child support"),
    ("en", "brown rice", "rice"),
    ("en", "sparkling water", "sparkling wine"),
    ("es", "abuelo", "abuela"),
    ("es", "pastilla", "cápsula"),
    ("es", "té", "café"),
    ("es", "patatas fritas", "puré de patatas"),
    ("pt", "presunto", "bacon"),
    ("pt", "licença médica", "férias"),
    ("pt", "bilhão", "bilião"),
    ("", "red", "network"),
    ("", "fabric", "factory"),
    ("", "large", "long"),
    ("", "library", "librería"),
    ("", "exit", "éxito"),
]


@pytest.mark.parametrize(
    ("language", "a", "b"),
    [
        pytest.param(language, terms[0], other, id=f"{domain}-{language}-{terms[0]}-{other}")
        for domain, language, terms in SAME
        for other in terms[1:]
    ],
)
def test_what_means_the_same(language: str, a: str, b: str) -> None:
    assert STANDARD.are_synonyms(a, b, language)
    assert STANDARD.are_synonyms(b, a)
    assert not STANDARD.are_opposites(a, b, language)
    assert not STANDARD.are_contrasted(a, b, language)


@pytest.mark.parametrize(("language", "a", "other_language", "b"), ACROSS)
def test_what_means_the_same_in_another_language(language: str, a: str, other_language: str, b: str) -> None:
    assert STANDARD.concepts_of(a, language) & STANDARD.concepts_of(b, other_language)


@pytest.mark.parametrize(("domain", "language", "a", "b"), CONTRASTED)
def test_what_excludes_each_other(domain: str, language: str, a: str, b: str) -> None:
    assert STANDARD.are_contrasted(a, b, language), domain
    assert not STANDARD.are_synonyms(a, b, language)


@pytest.mark.parametrize(("domain", "language", "a", "b"), OPPOSITES)
def test_what_denies_each_other(domain: str, language: str, a: str, b: str) -> None:
    assert STANDARD.are_opposites(a, b, language), domain
    assert not STANDARD.are_synonyms(a, b, language)


@pytest.mark.parametrize(("language", "a", "b"), NOT_SAME)
def test_what_is_close_by_and_not_the_same(language: str, a: str, b: str) -> None:
    assert not STANDARD.are_synonyms(a, b, language)
    assert not STANDARD.are_synonyms(b, a, language)
