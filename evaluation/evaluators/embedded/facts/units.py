"""Units of measure in three languages: their dimension, the factor to its base unit, and spellings."""

# ruff: noqa: E501  tables and patterns are easier to check on one line

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: ``value * factor + offset`` is the value in the base unit of its dimension."""

    name: str
    dimension: str
    factor: Fraction
    offset: Fraction = Fraction(0)


# dimension | name | factor (a fraction or decimal) | spellings
_TABLE = """
length | m | 1 | m; meter; meters; metre; metres; metro; metros; mts
length | km | 1000 | km; kms; kilometer; kilometers; kilometre; kilometres; kilometro; kilometros; quilometro; quilometros
length | cm | 0.01 | cm; cms; centimeter; centimeters; centimetre; centimetres; centimetro; centimetros
length | mm | 0.001 | mm; millimeter; millimeters; millimetre; millimetres; milimetro; milimetros
length | um | 0.000001 | um; µm; micrometer; micrometers; micron; microns; micra; micras; micrometro; micrometros
length | nm | 0.000000001 | nm; nanometer; nanometers; nanometre; nanometres; nanometro; nanometros
length | in | 0.0254 | in; inch; inches; "; pulgada; pulgadas; polegada; polegadas; pol
length | ft | 0.3048 | ft; foot; feet; '; pie; pies; pe; pes
length | yd | 0.9144 | yd; yds; yard; yards; yarda; yardas; jarda; jardas
length | mi | 1609.344 | mi; mile; miles; milla; millas; milha; milhas
length | nmi | 1852 | nmi; nautical mile; nautical miles; milla nautica; millas nauticas; milha nautica; milhas nauticas
mass | kg | 1 | kg; kgs; kilo; kilos; kilogram; kilograms; kilogramme; kilogrammes; kilogramo; kilogramos; quilo; quilos; quilograma; quilogramas
mass | g | 0.001 | g; gm; gms; gr; grs; gram; grams; gramme; grammes; gramo; gramos; grama; gramas
mass | mg | 0.000001 | mg; mgs; milligram; milligrams; miligramo; miligramos; miligrama; miligramas
mass | ug | 0.000000001 | ug; µg; mcg; microgram; micrograms; microgramo; microgramos; micrograma; microgramas
mass | t | 1000 | t; tonne; tonnes; metric ton; metric tons; tonelada; toneladas; ton; tons
mass | lb | 0.45359237 | lb; lbs; pound; pounds; libra; libras
mass | oz | 0.028349523125 | oz; ozs; ounce; ounces; onza; onzas; onca; oncas
mass | st | 6.35029318 | stone; stones
volume | l | 1 | l; lt; lts; ltr; liter; liters; litre; litres; litro; litros
volume | ml | 0.001 | ml; mls; cc; milliliter; milliliters; millilitre; millilitres; mililitro; mililitros
volume | cl | 0.01 | cl; centiliter; centiliters; centilitro; centilitros
volume | dl | 0.1 | dl; deciliter; deciliters; decilitro; decilitros
volume | gal | 3.785411784 | gal; gals; gallon; gallons; galon; galones; galao; galoes
volume | qt | 0.946352946 | qt; quart; quarts
volume | pt | 0.473176473 | pint; pints; pinta; pintas
volume | cup | 0.2365882365 | cup; cups; taza; tazas; xicara; xicaras
volume | floz | 0.0295735295625 | fl oz; floz; fluid ounce; fluid ounces; onza liquida; onzas liquidas; onca fluida
volume | tbsp | 0.01478676478125 | tbsp; tbsps; tablespoon; tablespoons; cucharada; cucharadas; colher de sopa; colheres de sopa
volume | tsp | 0.00492892159375 | tsp; tsps; teaspoon; teaspoons; cucharadita; cucharaditas; colher de cha; colheres de cha
volume | m3 | 1000 | m3; m³; m^3; cubic meter; cubic meters; cubic metre; cubic metres; metro cubico; metros cubicos
volume | ft3 | 28.316846592 | ft3; ft³; ft^3; cu ft; cubic foot; cubic feet; pie cubico; pies cubicos; pe cubico; pes cubicos
area | m2 | 1 | m2; mts2; mt2; m²; m^2; sqm; sq m; sq. m; sq meters; sq. meters; sq meter; square meter; square meters; square metre; square metres; metro cuadrado; metros cuadrados; metro quadrado; metros quadrados
area | km2 | 1000000 | km2; km²; km^2; sq km; sq. km; square kilometer; square kilometers; square kilometre; square kilometres; kilometro cuadrado; kilometros cuadrados; quilometro quadrado; quilometros quadrados
area | cm2 | 0.0001 | cm2; cm²; cm^2; sq cm; square centimeter; square centimeters; centimetro cuadrado; centimetros cuadrados; centimetro quadrado; centimetros quadrados
area | ft2 | 0.09290304 | ft2; ft²; ft^2; sqft; sq ft; sq. ft; sq. ft.; square foot; square feet; pie cuadrado; pies cuadrados; pe quadrado; pes quadrados
area | in2 | 0.00064516 | in2; in²; in^2; sq in; sq. in; square inch; square inches; pulgada cuadrada; pulgadas cuadradas; polegada quadrada; polegadas quadradas
area | mi2 | 2589988.110336 | mi2; mi²; mi^2; sq mi; sq. mi; square mile; square miles; milla cuadrada; millas cuadradas; milha quadrada; milhas quadradas
area | yd2 | 0.83612736 | yd2; yd²; yd^2; sq yd; square yard; square yards; yarda cuadrada; yardas cuadradas
area | ha | 10000 | ha; hectare; hectares; hectarea; hectareas
area | acre | 4046.8564224 | acre; acres
speed | m/s | 1 | m/s; mps; meters per second; metres per second; metros por segundo
speed | km/h | 5/18 | km/h; kmh; kph; kmph; kilometers per hour; kilometres per hour; kilometers an hour; kilometros por hora; quilometros por hora; km por hora; kms por hora; km per hour; km an hour; km por h
speed | mph | 0.44704 | mph; mi/h; miles per hour; miles an hour; millas por hora; milhas por hora
speed | kn | 463/900 | kn; kt; kts; knot; knots; nudo; nudos
data | B | 1 | byte; bytes
data | KB | 1000 | kb; kilobyte; kilobytes
data | MB | 1000000 | mb; megabyte; megabytes; megas
data | GB | 1000000000 | gb; gigabyte; gigabytes; gigas; gig; gigs
data | TB | 1000000000000 | tb; terabyte; terabytes
data | PB | 1000000000000000 | pb; petabyte; petabytes
data | KiB | 1024 | kib; kibibyte; kibibytes
data | MiB | 1048576 | mib; mebibyte; mebibytes
data | GiB | 1073741824 | gib; gibibyte; gibibytes
data | TiB | 1099511627776 | tib; tebibyte; tebibytes
data rate | Mbps | 1000000 | mbps; mbit/s; mb/s; megabits per second; megabits por segundo
data rate | Gbps | 1000000000 | gbps; gbit/s; gigabits per second; gigabits por segundo
data rate | Kbps | 1000 | kbps; kbit/s; kilobits per second
duration | s | 1 | s; sec; secs; second; seconds; seg; segs; segundo; segundos
duration | ms | 0.001 | ms; msec; millisecond; milliseconds; milisegundo; milisegundos; milissegundo; milissegundos
duration | min | 60 | min; mins; minute; minutes; minuto; minutos
duration | h | 3600 | h; hr; hrs; hour; hours; hora; horas; hs
duration | d | 86400 | d; day; days; dia; dias
duration | wk | 604800 | wk; wks; week; weeks; semana; semanas
duration | fortnight | 1209600 | fortnight; fortnights; quincena; quincenas; quinzena; quinzenas
months | mo | 1 | mo; mos; month; months; mes; meses
months | qtr | 3 | quarters; trimestre; trimestres
months | half | 6 | semestre; semestres; semesters
months | yr | 12 | yr; yrs; year; years; ano; anos
months | decade | 120 | decade; decades; decada; decadas
working days | bd | 1 | business day; business days; working day; working days; workday; workdays; dia habil; dias habiles; dia laborable; dias laborables; dia laboral; dias laborales; dia util; dias uteis
temperature | K | 1 | kelvin; kelvins
power | W | 1 | w; watt; watts; vatio; vatios
power | kW | 1000 | kw; kilowatt; kilowatts; kilovatio; kilovatios; quilowatt; quilowatts
power | MW | 1000000 | mw; megawatt; megawatts
power | hp | 745.6998715822702 | hp; horsepower; caballos de fuerza; cavalos
energy | kWh | 3600000 | kwh; kilowatt hour; kilowatt hours; kilowatt-hour; kilowatt-hours; kilovatio hora; kilovatios hora; quilowatt-hora
energy | J | 1 | joule; joules; julio; julios
energy | kJ | 1000 | kj; kilojoule; kilojoules
energy | kcal | 4184 | kcal; kilocalorie; kilocalories; kilocaloria; kilocalorias
energy | cal | 4.184 | calorie; calories; caloria; calorias
pressure | Pa | 1 | pa; pascal; pascals
pressure | hPa | 100 | hpa; mbar; millibar; millibars
pressure | kPa | 1000 | kpa; kilopascal; kilopascals
pressure | bar | 100000 | bar; bars; bares
pressure | psi | 6894.757293168 | psi
pressure | atm | 101325 | atm; atmosphere; atmospheres; atmosferas
voltage | V | 1 | v; volt; volts; voltio; voltios
current | A | 1 | amp; amps; ampere; amperes; amperio; amperios
frequency | Hz | 1 | hz; hertz
frequency | kHz | 1000 | khz; kilohertz
frequency | MHz | 1000000 | mhz; megahertz
frequency | GHz | 1000000000 | ghz; gigahertz
angle | deg | 1 | degree; degrees; grado; grados; grau; graus; °; º
resolution | px | 1 | px; pixel; pixels; pixeles
density | kg/m3 | 1 | kg/m³; kg/m^3; kg/m3
density | g/cm3 | 1000 | g/cm³; g/cm^3; g/cm3; g/ml
molar mass | g/mol | 1 | g/mol; grams/mole; grams per mole; gramos por mol; gramas por mol
atomic mass | u | 1 | amu; dalton; daltons; atomic mass unit; atomic mass units
"""
_TEMPERATURES = {
    "°C": (
        Fraction(1),
        Fraction(27315, 100),
        "c; °c; ºc; ° c; º c; degc; deg c; deg. c; celsius; centigrade; degrees celsius; degree celsius; degrees c;"
        " degrees centigrade; grados celsius; grados centigrados; grados c; graus celsius; graus centigrados; graus c",
    ),
    "°F": (
        Fraction(5, 9),
        Fraction(45967, 180),
        "f; °f; ºf; ° f; º f; degf; deg f; deg. f; fahrenheit; degrees fahrenheit; degree fahrenheit;"
        " degrees f; grados fahrenheit; grados f; graus fahrenheit; graus f",
    ),
}


def _units() -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    for line in _TABLE.strip().splitlines():
        dimension, name, factor, spellings = (part.strip() for part in line.split("|"))
        unit = Unit(name, dimension, Fraction(factor))
        for spelling in spellings.split(";"):
            found.setdefault(spelling.strip(), unit)
    for name, (factor_, offset, spellings) in _TEMPERATURES.items():
        for spelling in spellings.split(";"):
            found[spelling.strip()] = Unit(name, "temperature", factor_, offset)
    return found


UNITS = _units()
# Spellings whose meaning hangs on capitals: bits are written small.
CAPITALS = {
    "Mb": Unit("Mbit", "bits", Fraction(10**6)),
    "Kb": Unit("Kbit", "bits", Fraction(10**3)),
    "Gb": Unit("Gbit", "bits", Fraction(10**9)),
    "MBps": Unit("MB/s", "data rate", Fraction(8 * 10**6)),
    "GBps": Unit("GB/s", "data rate", Fraction(8 * 10**9)),
    "kBps": Unit("kB/s", "data rate", Fraction(8 * 10**3)),
    "KBps": Unit("kB/s", "data rate", Fraction(8 * 10**3)),
    "kB/s": Unit("kB/s", "data rate", Fraction(8 * 10**3)),
    "KB/s": Unit("kB/s", "data rate", Fraction(8 * 10**3)),
    "mW": Unit("mW", "power", Fraction(1, 1000)),
    "MB/s": Unit("MB/s", "data rate", Fraction(8 * 10**6)),
    "GB/s": Unit("GB/s", "data rate", Fraction(8 * 10**9)),
    "K": Unit("K", "temperature", Fraction(1)),
    "A": Unit("A", "current", Fraction(1)),
    "J": Unit("J", "energy", Fraction(1)),
    "MJ": Unit("MJ", "energy", Fraction(10**6)),
}
# Too short or too common to name a unit without a number before it.
NOT_ALONE = frozenset(
    {"'", '"', "a", "d", "b", "s", "t", "pe", "pes", "pie", "in", "st", "pol", "mo", "mos", "mes", "ano"}
)
