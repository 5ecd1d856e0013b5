"""Currencies as they are written beside amounts: symbols, ISO codes and names in three languages."""

# ruff: noqa: E501  tables and patterns are easier to check on one line

import re

# code | symbols and names; the first code of a spelling is the one it stands for when nothing else says so
_TABLE = """
$ | $; dollar; dollars; dolar; dolares; buck; bucks
USD | us$; usd; u$s; u$d; us dollar; us dollars; u.s. dollar; u.s. dollars; american dollar; american dollars; united states dollar; united states dollars; dolar estadounidense; dolares estadounidenses; dolar americano; dolares americanos; dolar de los estados unidos; dolares de estados unidos; dolar dos estados unidos
EUR | €; eur; euro; euros
GBP | £; gbp; pound sterling; pounds sterling; sterling; british pound; british pounds; quid; libra esterlina; libras esterlinas; uk pound; uk pounds
JPY | ¥; jpy; yen; yens; ienes; iene; japanese yen; yen japones; yenes; yenes japoneses; jp¥
CNY | cny; rmb; yuan; yuans; yuanes; renminbi; chinese yuan; cn¥; iuan; iuanes
BRL | r$; brl; real; reais; brazilian real; brazilian reais; brazilian reals; real brasileno; reales; reales brasilenos; real brasileiro; reais brasileiros
peso | peso; pesos
MXN | mx$; mxn; mxp; mexican peso; mexican pesos; peso mexicano; pesos mexicanos; m.n.
ARS | ars; ar$; argentine peso; argentine pesos; peso argentino; pesos argentinos
CLP | clp; clp$; chilean peso; chilean pesos; peso chileno; pesos chilenos
COP | cop; col$; cop$; colombian peso; colombian pesos; peso colombiano; pesos colombianos
UYU | uyu; $u; uruguayan peso; uruguayan pesos; peso uruguayo; pesos uruguayos; peso uruguaio; pesos uruguaios
PHP | ₱; php; philippine peso; philippine pesos; peso filipino; pesos filipinos
DOP | dop; rd$; dominican peso; dominican pesos; peso dominicano; pesos dominicanos
PEN | pen; s/; s/.; sol; soles; nuevo sol; nuevos soles; peruvian sol; peruvian soles; sol peruano; soles peruanos
VES | ves; bolivar; bolivares
BOB | bob; boliviano; bolivianos
GTQ | gtq; quetzal; quetzales
CRC | crc; colon; colones; ₡
PYG | pyg; guarani; guaranies; ₲
CAD | c$; ca$; cad; can$; cdn$; canadian dollar; canadian dollars; dolar canadiense; dolares canadienses; dolar canadense; dolares canadenses
AUD | a$; au$; aud; australian dollar; australian dollars; dolar australiano; dolares australianos
NZD | nz$; nzd; new zealand dollar; new zealand dollars; dolar neozelandes; dolares neozelandeses
SGD | s$; sgd; singapore dollar; singapore dollars
HKD | hk$; hkd; hong kong dollar; hong kong dollars
TWD | nt$; twd; taiwan dollar; taiwan dollars
CHF | chf; swiss franc; swiss francs; franco suizo; francos suizos; franco suico; francos suicos; sfr
INR | ₹; inr; rupee; rupees; indian rupee; indian rupees; rupia; rupias; rs; rs.
KRW | ₩; krw; won; korean won; south korean won
RUB | ₽; rub; ruble; rubles; rouble; roubles; russian ruble; russian rubles; rublo; rublos
TRY | ₺; try; turkish lira; lira turca; liras turcas
ILS | ₪; ils; shekel; shekels; shequel
THB | ฿; thb; baht
VND | ₫; vnd; dong
PLN | zł; zl; pln; zloty; zlotys
SEK | sek; swedish krona; swedish kronor; corona sueca; coronas suecas; coroa sueca; coroas suecas
NOK | nok; norwegian krone; norwegian kroner; corona noruega; coronas noruegas; coroa norueguesa
DKK | dkk; danish krone; danish kroner; corona danesa; coronas danesas; coroa dinamarquesa
CZK | czk; czech koruna; kc
HUF | huf; forint; forints
ZAR | zar; rand; south african rand
NGN | ₦; ngn; naira
EGP | egp; egyptian pound; egyptian pounds
AED | aed; dirham; dirhams
SAR | sar; riyal; riyals
KES | kes; kenyan shilling; kenyan shillings
IDR | idr; rupiah
MYR | myr; ringgit
BTC | btc; bitcoin; bitcoins; ₿
ETH | eth; ether
"""
CURRENCIES: dict[str, str] = {
    spelling.strip(): line.split("|")[0].strip()
    for line in _TABLE.strip().splitlines()
    for spelling in line.split("|")[1].split(";")
}
# What a bare sign may also stand for: nobody says so, so it is neither the same nor another currency.
ALSO: dict[str, frozenset[str]] = {
    "$": frozenset(("USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD", "MXN", "ARS", "CLP", "COP", "UYU", "DOP", "peso")),
    "peso": frozenset(("MXN", "ARS", "CLP", "COP", "UYU", "PHP", "DOP", "$")),
    "JPY": frozenset(),
    "centavo": frozenset(("BRL", "MXN", "ARS", "COP", "CLP", "peso", "$", "USD")),
}
_COMMON_WORDS = {"real", "sol", "won", "try", "rand", "php", "pen", "cop", "colon", "ether", "sar", "rs", "kc", "zl"}


def _pattern(spellings: list[str]) -> str:
    return "|".join(re.escape(spelling) for spelling in sorted(spellings, key=len, reverse=True))


# Beside a number any spelling counts; "pounds" and "libras" are weights first and are read both ways.
BEFORE = re.compile(r"(?<![a-z0-9])(" + _pattern([s for s in CURRENCIES if " " not in s]) + r")[ ]?$")
AFTER = re.compile(
    r"[ -]?(?:of |de )?(" + _pattern(list(CURRENCIES)) + r")(?![a-z0-9$])",
)
CENTS = re.compile(r" ?(cents?|¢|centavos?|centimos?|cts|pence|p)(?![a-z.])")
CENT_OF = {
    "centimo": "EUR",
    "centimos": "EUR",
    "cts": "EUR",
    "pence": "GBP",
    "p": "GBP",
    "centavo": "centavo",
    "centavos": "centavo",
}
DOUBTFUL = {"pound": "GBP", "pounds": "GBP", "libra": "GBP", "libras": "GBP"}
