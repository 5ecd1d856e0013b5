"""Spellings of one value by classes: each group means the same, both ways round; and values that only look alike."""

# ruff: noqa: E501  tables of spellings

from itertools import combinations
from typing import Any

import pytest

from evaluation.evaluators.embedded.values import compare_values

GROUPS: list[tuple[str, str, list[Any]]] = [
    ('lists of countries', '', ['Estados Unidos; Corea del Norte; Irlanda; Brasil', 'Brasil, Irlanda, Coreia do Norte, Estados Unidos']),
    ('lists of countries', '', ['Nigeria; Niger', 'Niger, Nigeria']),
    ('conversions', '', ['10 kg', '22.05 lb']),
    ('conversions', '', ['5 miles', '8 km']),
    ('conversions', '', ['6.2 mi', '10 km']),
    ('conversions', '', ['100 km', '62 miles']),
    ('conversions', '', ['6 ft', '183 cm']),
    ('conversions', '', ['72 kg', '159 lb']),
    ('thousands parted by spaces', '', ['5.038.000', '5 038 000']),
    ('thousands parted by spaces', '', ['2 215 000', 2215000]),
    ('thousands parted by spaces', '', ['€254 055 000', '254,055,000.00 EUR']),
    ('thousands parted by spaces', '', ['24 000 mm', '24 m']),
    ('thousands parted by spaces', '', ['24\u202f000 mm', '24 m']),
    ('thousands parted by spaces', '', ['365 000 milliliters', '365 000 mL']),
    ('thousands parted by spaces', '', ['12 038', '12,038']),
    ('thousands parted by spaces', '', ['1 000 000,50', '1,000,000.50']),
    ('thousands parted by spaces', '', ['55 021 100 km', '55021100 km']),
    ('decimal comma of a long number', '', ['29440650,39', '29440650.39']),
    ('decimal comma of a long number', '', ['2713007,71', 2713007.71]),
    ('numbers in words before a unit', '', ['mil duzentos e noventa e um milhas', '1291 milhas']),
    ('numbers in words before a unit', '', ['one thousand twenty-one grams', '1021g']),
    ('numbers in words before a unit', '', ['novecentos e setenta e um gramas', '971 g']),
    ('numbers in words before a unit', '', ['ochenta y un litros', '81 l']),
    ('numbers in words before a unit', '', ['vinte e um miligramas', '21 mg']),
    ('numbers in words before a unit', '', ['one hundred and one days', '101 days']),
    ('numbers in words before a unit', '', ['twenty-one hours', '21 h']),
    ('numbers in words before a unit', '', ['treinta y un dias', '31 days']),
    ('fiscal years and quarters', '', ['FY2009', 'año fiscal de 2009', 'ano fiscal de 2009', 'fiscal year of 2009', 'ejercicio fiscal 2009']),
    ('fiscal years and quarters', 'pt', ['FY2030', 'exercício de 2030']),
    ('fiscal years and quarters', '', ['Q2 FY2018', 'Q2 do ano fiscal de 2018', 'Q2 del año fiscal 2018', 'segundo trimestre fiscal de 2018', 'second fiscal quarter of 2018', 'fiscal year 2018 Q2', 'FY18 Q2', 'fiscal Q2 2018']),
    ('at most', '', ['max 211', 'não mais de 211', 'no more than 211', 'no más de 211', 'não mais que 211', 'no más que 211', 'at most 211', 'hasta 211', 'up to 211']),
    ('weekends', '', ['weekends', 'every weekend', 'cada fin de semana', 'los fines de semana', 'todo fim de semana', 'todos os fins de semana', 'aos fins de semana']),
    ('weekends', '', ['this weekend', 'neste fim de semana', 'the coming weekend', 'este fin de semana']),
    ('recurrence and to date', '', ['every 60 minutes', 'una vez por hora', 'hourly', 'once an hour', 'cada hora']),
    ('recurrence and to date', '', ['en lo que va de año', 'desde principios de año', 'since the beginning of the year', 'YTD', 'no acumulado do ano', 'desde o início do ano', 'year to date', 'desde el inicio del año']),
    ('phones with 00', '', ['0034 548 262 613', '+34 548 262 613']),
    ('phones with 00', '', ['001 221 975 8597', '+1 221 975 8597']),
    ('phones with 00', '', ['0055 74 26142 1228', '+55 74 26142 1228']),
    ('airport codes', '', ['JFK', 'aeropuerto JFK', 'JFK airport', 'aeroporto JFK', '(JFK)', 'JFK Airport']),
    ('airport codes', '', ['EWR', 'EWR airport']),
    ('compact instants', '', ['20280217T125500Z', '2028-02-17T12:55:00Z']),
    ('joined dates', '', ['29AUG2033', '2033-08-29', '29 Aug 2033']),
    ('dates with a weekday', '', ['20170612', 'Mon Jun 12 2017', 'Monday, June 12, 2017', 'segunda-feira, 12 de junho de 2017']),
    ('dates with a weekday', '', ['dia 8 de fevereiro de 2020', '2020-02-08']),
    ('dates with a weekday', '', ['o dia de hoje', 'hoje', 'today']),
    ('short durations', '', ['PT34M', '34 minutes']),
    ('short durations', '', ['PT1H30M', '90 min']),
    ('short durations', '', ['PT8M13S', '8 min 13 s']),
    ('short durations', '', ['9m06s', '9 minutes 6 seconds', 'PT9M6S']),
    ('short durations', '', ['20m32s', '20 min 32 s']),
    ('short durations', '', ['2100h', '21:00', '9 pm']),
    ('short durations', '', ['P1D', '1 day']),
    ('short durations', '', ['P2W', '2 weeks']),
    ('hours and halves', '', ['nueve y media de la mañana', 'nove e meia da manhã', '9h30', '9:30 am', 'las nueve y media de la mañana']),
    ('hours and halves', '', ['15.15 h', '15:15', '3:15 pm']),
    ('exactly', '', ['exactly 393', '393', 'exactamente 393', 'exatamente 393', '393 exactly']),
    ('square metres', '', ['459.5 m2', '459.5 m²']),
    ('square metres', '', ['200,000 m2', '200000 m²', '200.000 m2']),
    ('long amounts', '', ['JPY 2343000', '¥2343000']),
    ('long amounts', '', ['3.246.000,00 BRL', '3246000 reais', 'R$ 3.246.000']),
    ('order ids', '', ['7965454F.', '#7965454F']),
    ('order ids', '', ['pedido 21945614C', '#21945614C']),
    ('addresses of e-mail', '', ['e-mail: x@y.zz', '<x@y.zz>', 'mailto:x@y.zz', 'correo: x@y.zz', 'x@y.zz', 'email x@y.zz', 'correo electrónico: x@y.zz']),
    ('short months', '', ['dic-17', '12/2017', 'Dec-17', 'dez/17', 'diciembre de 2017']),
    ('months', '', ['January to July 2011', 'from January to July 2011', 'de enero a julio de 2011', 'Jan-Jul 2011']),
    ('months', '', ['the month of January 2022', 'January 2022', 'mes de enero de 2022']),
    ('weekdays', '', ['lunes a viernes', 'de segunda a sexta-feira', 'every weekday', 'Monday to Friday', 'Mon-Fri', 'weekdays', 'monday through friday', 'dias úteis']),
    ('each weekday and next', '', ['toda terça-feira', 'todas as terças', 'every Tuesday', 'cada martes', 'todos los martes', 'Tuesdays', 'às terças']),
    ('each weekday and next', '', ['o mês que vem', 'próximo mês', 'next month', 'el mes que viene']),
    ('each weekday and next', '', ['en dos días', 'the day after tomorrow', 'in two days', 'daqui a dois dias', 'pasado mañana']),
    ('languages', '', ['idioma inglés', 'língua inglesa', 'English', 'inglês', 'lengua inglesa', 'English language']),
    ('languages', '', ['português do Brasil', 'português brasileiro', 'pt-BR', 'Brazilian Portuguese']),
    ('airports by name', '', ['aeropuerto LaGuardia', 'New York LaGuardia', 'LGA', 'LaGuardia Airport']),
    ('airports by name', '', ['aeroporto de Guarulhos', 'Guarulhos International Airport', 'GRU']),
    ('airports by name', '', ['Chicago Midway', 'Midway Airport', 'MDW']),
    ('airports by name', '', ['(SFO)', 'SFO', 'San Francisco (SFO)', 'San Francisco International Airport']),
    ('escaped lists', '', ['["Isl\\u00e2ndia", "Coreia do Sul"]', 'Islandia\nCorea del Sur']),
    ('routes', '', ['a Roma desde Madrid', 'de Madrid a Roma']),
    ('routes', '', ['from Rome to Madrid', 'de Roma a Madrid']),
    ('routes', '', ['para Roma saindo de Lisboa', 'de Lisboa a Roma']),
    ('bounds of dates', '', ['on or before May 3', 'by May 3', 'no later than May 3', 'a más tardar el 3 de mayo', 'hasta el 3 de mayo', 'até o dia 3 de maio', 'até 3 de maio', 'no más tarde del 3 de mayo']),
    ('bounds of dates', '', ['on or after May 3', 'since May 3', 'from May 3 on', 'a partir del 3 de mayo', 'from May 3 onwards', 'desde el 3 de mayo']),
    ('bounds of dates', '', ['before May 3', 'prior to May 3', 'earlier than May 3', 'con anterioridad al 3 de mayo', 'antes del 3 de mayo', 'antes de 3 de maio']),
    ('bounds of dates', '', ['after May 3', 'later than May 3', 'con posterioridad al 3 de mayo', 'después del 3 de mayo', 'depois de 3 de maio']),
    ('nouns', '', ['3 adults', '3 adultos', 'three adults']),
    ('nouns', '', ['33 persons', '33 people', 'party of 33', '33 personas', '33 pessoas']),
    ('nouns', '', ['5 staff members', '5 employees', '5 empleados']),
    ('nouns', '', ['3 noites', '3 nights', '3 diárias', '3 noches']),
    ('nouns', '', ['boletos', 'bilhetes', 'billetes', 'tickets', 'ingressos']),
    ('nouns', '', ['costs', 'expenses', 'despesas', 'gastos']),
    ('nouns', '', ['número de empleados', 'headcount', 'number of employees', 'quadro de pessoal']),
    ('nouns', '', ['año natural 2014', 'for full year 2014', '2014', 'calendar year 2014', 'full year 2014']),
    ('further spellings', 'pt', ['1º/05/2024', '2024-05-01']),
    ('further spellings', '', ['a couple of days', '2 days', 'two days']),
    ('further spellings', '', ['PO 7781', 'PO-7781', 'PO7781']),
    ('further spellings', '', ['AA 123', 'AA123', 'AA-123']),
    ('further spellings', '', ['children', 'kids', 'niños', 'crianças']),
]  # fmt: skip

DIFFERENT: list[tuple[str, Any, Any]] = [
    ('', 'Germany, United States', 'Germany, United Kingdom, United States'),
    ('', 'Austrália, Reino Unido', 'Reino Unido, Austrália e Áustria'),
    ('', 'Niger; Mexico; North Korea; Brazil', 'Niger; Mexico; North Korea; Brazil and Australia'),
    ('', '20 km', '20000.01 m'),
    ('', '2l', '2001 ml'),
    ('', '893m', '89300.1 cm'),
    ('', '20.3 lb', '324.9 oz'),
    ('', '1,337 minutes', '80 221 s'),
    ('es', '30.240 min', '30.24 min'),
    ('pt', '58 £', '58.000 libras'),
    ('es', '31,5 onzas', '31.500 onzas'),
    ('', '0034 548 262 613', '+33 548 262 613'),
    ('', 'EWR airport', 'JFK airport'),
    ('', 'JPY 2343000', '¥2343001'),
    ('', 'de Lisboa a Nova York', 'de Nova York a Lisboa'),
    ('', 'desde Lima hasta Nueva York', 'a Lima desde Nueva York'),
    ('', 'a Roma desde Madrid', 'de Roma a Madrid'),
    ('', 'from Rome to Madrid', 'to Rome from Madrid'),
    ('', 'de Lisboa para Roma', 'para Lisboa saindo de Roma'),
    ('', 'before 23 July 1991', 'on or before July 23, 1991'),
    ('', 'con posterioridad al 6 dic', 'a más tardar el 6 dic'),
    ('', 'after 3 May', 'on or after 3 May'),
    ('', 'by May 3', 'after May 3'),
]  # fmt: skip

SURELY_DIFFERENT: list[tuple[str, Any, Any]] = [
    ('', 'the roof leaks', 'the roof does not leak'),
    ('', 'el techo gotea', 'el techo no gotea'),
    ('', 'o pedido chegou', 'o pedido não chegou'),
    ('', 'the screen is broken', "the screen isn't broken"),
    ('', 'customer is eligible', 'customer is not eligible'),
    ('', 'New York City', 'Boston'),
    ('', 'Lisboa', 'Porto'),
    ('', 'France', 'Germany'),
    ('', 'Paris', 'Berlin'),
    ('', 'JFK', 'LGA'),
    ('', 'JFK', 'Boston Logan'),
    ('', 'English', 'Spanish'),
    ('', 'USD', 'EUR'),
    ('', 'dollars', 'euros'),
    ('', 'Tokyo', 'Kyoto'),
    ('', 'Madrid', 'Barcelona'),
    ('', 'yen', 'yuan'),
]  # fmt: skip


@pytest.mark.parametrize(("language", "spellings"), [group[1:] for group in GROUPS], ids=[group[0] for group in GROUPS])
def test_spellings_of_one_value_are_equal(language: str, spellings: list[Any]) -> None:
    for a, b in combinations(spellings, 2):
        judged, turned = compare_values(a, b, language=language), compare_values(b, a, language=language)
        assert judged.is_equal, (a, b, judged)
        assert (judged.is_equal, judged.is_sure, judged.score) == (turned.is_equal, turned.is_sure, turned.score)


@pytest.mark.parametrize(("language", "a", "b"), DIFFERENT, ids=repr)
def test_values_that_look_alike_are_not_equal(language: str, a: Any, b: Any) -> None:
    assert not compare_values(a, b, language=language).is_equal
    assert not compare_values(b, a, language=language).is_equal


@pytest.mark.parametrize(("language", "a", "b"), SURELY_DIFFERENT, ids=repr)
def test_what_excludes_the_other_is_different_for_sure(language: str, a: Any, b: Any) -> None:
    for judged in (compare_values(a, b, language=language), compare_values(b, a, language=language)):
        assert (judged.is_equal, judged.is_sure) == (False, True), judged
