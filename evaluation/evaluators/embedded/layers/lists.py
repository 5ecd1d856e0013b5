"""Words that join, turn, ask or only say what kind of thing something is, in three languages."""

# ruff: noqa: E501, SIM905  lists of words are easier to read as text

# Words that only join others, in three languages. What turns a meaning (not, without) and direction are looked at apart.
JOINING = frozenset(
    """a an the of for to in on at by from with and or as is are was were be been being it its this that these those
    into onto about over per regarding concerning via their our your my his her there has have had do does did will would
    can could should shall may than then so such own which who whom whose when where what how me i we you he she they us
    el la los las un una unos unas lo de del al a en por para con y e o u que se su sus es son era fue ser estar esta
    este estos estas como sobre mi tu nuestro nuestra hacia desde hasta segun cual donde ha han he hemos haber habia tiene
    tienen tener tenia estan estaba estaban estuvo sido siendo eran fueron sera seran seria me te le les nos quien cuyo cuya
    os as um uma uns umas do da dos das no na nos nas ao aos pelo pela pelos pelas em com ou seu sua seus suas meu minha
    sao foi e para por tem ter tinha teve estao estava estavam esteve sido sendo era eram foram serao houve haver lhe lhes
    quem onde cujo cuja num numa d l 's""".split()
)
# Words that turn a meaning.
NEGATORS = frozenset(
    """not no non never none without neither nor nothing nobody cannot cant wont dont doesnt didnt isnt arent wasnt
    werent hasnt havent hadnt shouldnt wouldnt couldnt aint excluding except excl unable lacking lacks lack sans
    sin ningun ninguna ninguno nunca jamas tampoco ni excepto salvo excluyendo
    sem nao nenhum nenhuma nem jamais exceto excluindo menos""".split()
)
GENERIC = frozenset(
    """aged priced must jr sr priority prioridad prioridade tienda loja banco comunidad some available patient patients client clients claimant passenger passengers guest guests person people process mmhg connection
    paciente pacientes cliente clientes pasajero passageiro museum hotel city town county district state region area country province team club company restaurant cafe
    airport university college school hospital department dept division team group order ticket invoice case item
    product brand recipe season league station street building center centre park beach river lake mountain island
    brewery theater theatre library bank store shop market office branch ecosystem rainforest particle structure theory
    war battle treaty signing event discovery song album movie film book game series piano guitar instrument rating level
    score type kind sort pair set piece list number code id reference ref no nr model version account name value
    project file figures figure data information info details detail report food music team's format style flavor
    museo ciudad pueblo provincia estado pais equipo empresa compania restaurante aeropuerto universidad departamento
    area grupo pedido orden ticket factura caso articulo producto marca receta temporada estacion calle edificio centro
    numero codigo referencia modelo cuenta nombre cifras datos informacion
    museu cidade municipio equipe time clube companhia aeroporto universidade departamento pedido fatura caso item
    produto marca receita temporada estacao rua edificio numero codigo referencia modelo conta nome dados informacoes
    informacao chamado protocolo reserva booking reservation confirmation tracking transaction customer user flight
    address build release chapter section page step round lane sku dni nif nie cpf cnpj rg zip zipcode postcode cep pin iban vin isbn ean rfc curp passport pasaporte passaporte po cv plate matricula policy poliza apolice rut ruc folio all every each todos todas any vuelo voo cliente usuario transaccion transacao boleto nota""".split()
)
# Before an id these say what it is an id of.
# Verbs and phrases by which something is asked for; they say nothing of what it is.
REQUESTING = frozenset(
    """find search look get show tell give list fetch retrieve display want need lookup information please help latest
    buscar busca mostrar muestra muestrame dame dime obtener obten consultar consulta quiero necesito ver encontrar listar
    mostre encontre procure procurar quero preciso obter liste consulte fazer hacer part""".split()
)
# Verbs that say that somebody would like something to be done or given.
ASKING = frozenset(
    """want wants wanted wish wishes ask asks asked asking request requests requested requesting require requires required
    need needs needed desire desires would like
    querer quiere quieren quiso pedir pide piden pidio solicitar solicita solicitan solicito solicitado solicitada desear
    desea desean necesitar necesita necesitan necesario requerir requiere requieren requerido quisiera
    quer querem quis pede pedem pediu solicitou deseja desejam desejar necessita necessitam precisa precisam precisar
    necessario requer requerem gostaria""".split()
)
# What may stand before a period or a day that is all of it.
WHOLE = frozenset(
    "whole entire all full complete month todo toda inteiro inteira entero entera completo completa mes".split()
)
# Nouns that only say that something is counted or told.
VAGUE = frozenset(
    """number count amount quantity figures figure data information info details detail value values list report many much
    numero cantidad cifras cifra datos dato informacion cantidades quantidade dados informacoes informacao valor valores
    lista""".split()
)
TITLES = frozenset(
    """phd md dds esq mba cpa rn bsc msc dra profa sras srs eng enga mr mrs ms miss mx dr prof professor sir madam sr sra srta don dona doctor doctora doutor doutora senor senora
    senorita senhor senhora ing lic eng""".split()
)
LEGAL_FORMS = frozenset(
    """inc incorporated corp corporation co company ltd limited llc llp plc gmbh ag sa s.a sl s.l srl s.r.l ltda lda
    cia sas bv nv oy ab spa holdings group limitada s/a sarl pty pvt kg ohg eurl sociedad anonima na n.a""".split()
)
ADDRESS = {
    "st": "street", "str": "street", "ave": "avenue", "av": "avenue", "avda": "avenue", "avenida": "avenue",
    "rd": "road", "blvd": "boulevard", "bulevar": "boulevard", "dr": "drive", "ln": "lane", "ct": "court", "pl": "place",
    "sq": "square", "hwy": "highway", "pkwy": "parkway", "apt": "apartment", "apto": "apartment", "dpto": "apartment",
    "depto": "apartment", "ap": "apartment", "flat": "apartment", "piso": "floor", "andar": "floor", "planta": "floor", "apartamento": "apartment", "ste": "suite", "fl": "floor", "rm": "room", "bldg": "building",
    "c": "calle", "cl": "calle", "cll": "calle", "pza": "plaza", "pl.": "plaza", "ctra": "carretera", "pso": "paseo",
    "r": "rua", "pca": "praca", "al": "alameda", "tv": "travessa", "rod": "rodovia", "n": "north", "s": "south",
    "e": "east", "w": "west", "no": "number", "num": "number", "nº": "number", "unit": "apartment",
}  # fmt: skip

# Abbreviations that are written for one word of a name.
ABBREVIATED = frozenset(
    (
        ("st", "saint"), ("c", "calle"), ("r", "rua"), ("av", "avenida"), ("avda", "avenida"), ("pza", "plaza"), ("blvd", "boulevard"), ("rd", "road"), ("ave", "avenue"), ("ave", "avenida"), ("ste", "sainte"), ("mt", "mount"), ("mtn", "mountain"), ("ft", "fort"), ("sta", "santa"),
        ("sto", "santo"), ("dept", "department"), ("intl", "international"), ("natl", "national"), ("univ", "university"),
        ("assn", "association"), ("assoc", "association"), ("bros", "brothers"), ("govt", "government"), ("mgmt", "management"),
        ("mgr", "manager"), ("asst", "assistant"), ("acct", "account"), ("amt", "amount"), ("avg", "average"), ("min", "minimum"),
        ("max", "maximum"), ("qty", "quantity"), ("approx", "approximately"), ("temp", "temperature"), ("info", "information"),
        ("tech", "technology"), ("eng", "engineering"), ("dev", "development"), ("ops", "operations"), ("asc", "ascending"),
        ("desc", "descending"), ("prod", "production"), ("config", "configuration"), ("admin", "administrator"),
        ("gral", "general"), ("dpto", "departamento"), ("depto", "departamento"), ("tel", "telefono"), ("prov", "provincia"), ("rep", "republica"), ("rep", "republic"), ("dcha", "derecha"), ("izda", "izquierda"), ("izq", "izquierda"), ("dir", "direita"), ("esq", "esquerda"), ("sgto", "santiago"), ("sn", "serial"), ("hnos", "hermanos"), ("cia", "compania"),
        ("min", "ministerio"), ("fco", "francisco"), ("mª", "maria"), ("ma", "maria"), ("pl", "plaza"), ("ap", "apartamento"), ("apto", "apartamento"),
        ("apt", "apartment"), ("exp", "expediente"), ("no", "number"), ("num", "numero"), ("sgl", "single"), ("dbl", "double"), ("gov", "governor"),
        ("pres", "president"), ("sec", "secretary"), ("corp", "corporation"), ("lab", "laboratory"), ("labs", "laboratories"), ("svc", "service"),
        ("svcs", "services"), ("mkt", "market"), ("mktg", "marketing"), ("acctg", "accounting"), ("pkg", "package"), ("pmt", "payment"),
        ("pymt", "payment"), ("addr", "address"), ("appt", "appointment"), ("appts", "appointments"), ("cust", "customer"), ("dest", "destination"),
        ("dep", "departure"), ("arr", "arrival"), ("est", "estimated"), ("req", "request"), ("reqs", "requirements"), ("ref", "reference"), ("rec", "received"),
        ("recd", "received"), ("sched", "schedule"), ("std", "standard"), ("tmp", "temporary"), ("veh", "vehicle"), ("wt", "weight"), ("ht", "height"),
        ("yr", "year"), ("mo", "month"), ("wk", "week"), ("hr", "hour"), ("msg", "message"), ("msgs", "messages"), ("pwd", "password"), ("pw", "password"),
        ("usr", "user"), ("env", "environment"), ("dir", "directory"), ("doc", "document"), ("docs", "documents"), ("pic", "picture"), ("pics", "pictures"),
        ("specs", "specifications"), ("stats", "statistics"), ("subs", "subscriptions"), ("auth", "authentication"), ("db", "database"), ("perf", "performance"),
        ("rehab", "rehabilitation"), ("rx", "prescription"), ("dx", "diagnosis"), ("tx", "treatment"), ("hx", "history"), ("sx", "symptoms"), ("fx", "fracture"), ("pt", "patient"), ("pts", "patients"),
        ("bldg", "building"), ("rm", "room"), ("flr", "floor"), ("ext", "extension"), ("incl", "including"), ("excl", "excluding"), ("pref", "preferred"),
    )
)  # fmt: skip
# Endings by which one word makes another of the same matter. Not those that make persons (-er, -ee) or opposites.
DERIVING = {
    "en": ("ations", "ation", "ational", "itional", "ments", "ment", "ions", "ion", "ional", "als", "al", "ally", "ance",
           "ence", "ing", "ings", "ed", "es", "s", "ly", "y", "ity", "ness", "ive", "ical", "ic", "ary", "hood", "d",
           "e", "ally", "ies", "ied", "ery", "eries", "age", "ure", "th"),
    "es": ("imiento", "imientos", "amiento", "amientos", "acion", "aciones", "icion", "cion", "ciones", "sion", "ado",
           "ada", "ados", "adas", "ido", "ida", "idos", "idas", "ar", "er", "ir", "al", "ales", "ional", "mente", "o",
           "a", "os", "as", "e", "es", "ico", "ica", "ario", "aria", "encia", "ancia", "dad", "aje", "ante", "iendo", "ando"),
    "pt": ("imento", "imentos", "amento", "amentos", "acao", "acoes", "icao", "icoes", "cao", "coes", "sao", "soes", "ado",
           "ada", "ados", "adas", "ido", "ida", "idos", "idas", "ar", "er", "ir", "al", "ais", "ional", "mente", "o", "a",
           "os", "as", "e", "es", "ico", "ica", "ario", "aria", "encia", "ancia", "dade", "agem", "ante", "endo", "ando", "r"),
}  # fmt: skip
