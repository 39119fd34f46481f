package speech

var german = &lexicon{
	german: true, cardinal: cardinalDE,
	point: "Komma", minus: "minus", plus: "plus", to: "bis", percent: "Prozent", and: "und", equals: "gleich", or: "oder", at: "at",
	number: "Nummer", about: "etwa", times: "mal", of: "von", degrees: "Grad", link: "Link", section: "Paragraf", per: "pro", by: "durch",
	ratio: "zu", below: "kleiner als", above: "größer als", atMost: "höchstens", atLeast: "mindestens", plusMinus: "plus minus",
	permille: "Promille", unequal: "ungleich", sectionsOf: "Paragrafen", sharp: "Sharp", power: "hoch", root: "Wurzel aus", infinity: "unendlich",
	powers: map[rune]string{'²': "hoch zwei", '³': "hoch drei"},
	mailAt: "at", dot: "Punkt", underscore: "Unterstrich", dash: "Bindestrich", slash: "Schrägstrich",
	die: "W", keepHigh: "behalte die höchsten", keepLow: "behalte die niedrigsten",
	months: months, // both Januar and Jänner
	shortMonths: map[string]string{
		"jan": "Januar", "feb": "Februar", "apr": "April", "aug": "August", "sept": "September", "sep": "September", "okt": "Oktober", "nov": "November", "dez": "Dezember",
	},
	exact: withMeasures(map[string]unit{
		"M": {"Million", "Millionen", "eine"}, "Cr": {"Credit", "Credits", "ein"}, "DM": {"Mark", "Mark", "eine"}, "RM": {"Reichsmark", "Reichsmark", "eine"}, "PS": unitOf("P S", "ein"),
		"KM": {"Kupfermünze", "Kupfermünzen", "eine"}, "EM": {"Elektrummünze", "Elektrummünzen", "eine"}, "GS": unitOfMany("Goldstück", "Goldstücke"),
		"SS": unitOfMany("Silberstück", "Silberstücke"), "KS": unitOfMany("Kupferstück", "Kupferstücke"), "EL": unitOf("Esslöffel", "ein"), "TL": unitOf("Teelöffel", "ein"),
		"TP": unitOfMany("Trefferpunkt", "Trefferpunkte"), "LP": unitOfMany("Lebenspunkt", "Lebenspunkte"), "EP": unitOfMany("Erfahrungspunkt", "Erfahrungspunkte"),
	}, true),
	values: map[string]value{
		"RK": {"Rüstungsklasse", "Rüstungsklasse", "Rüstungsklassen"}, "SG": {"Schwierigkeitsgrad", "Schwierigkeitsgrad", "Schwierigkeitsgrad"},
		"TP": {"Trefferpunkt", "Trefferpunkte", "Trefferpunkt"}, "LP": {"Lebenspunkt", "Lebenspunkte", "Lebenspunkt"},
		"EP": {"Erfahrungspunkt", "Erfahrungspunkte", "Erfahrungspunkt"}, "STÄ": {"Stärke", "Stärke", "Stärke"}, "STR": {"Stärke", "Stärke", "Stärke"},
		"GES": {"Geschicklichkeit", "Geschicklichkeit", "Geschicklichkeits"}, "DEX": {"Geschicklichkeit", "Geschicklichkeit", "Geschicklichkeits"},
		"KON": {"Konstitution", "Konstitution", "Konstitutions"}, "CON": {"Konstitution", "Konstitution", "Konstitutions"},
		"INT": {"Intelligenz", "Intelligenz", "Intelligenz"}, "WEI": {"Weisheit", "Weisheit", "Weisheits"}, "WIS": {"Weisheit", "Weisheit", "Weisheits"},
		"CHA": {"Charisma", "Charisma", "Charisma"},
	},
	units: map[string]unit{
		"m²": unitOf("Quadratmeter", "ein"), "m³": unitOf("Kubikmeter", "ein"), "km²": unitOf("Quadratkilometer", "ein"), "cm²": unitOf("Quadratzentimeter", "ein"),
		"cm³": unitOf("Kubikzentimeter", "ein"), "qm": unitOf("Quadratmeter", "ein"), "t": {"Tonne", "Tonnen", "eine"}, "ha": unitOf("Hektar", "ein"),
		"dm": unitOf("Dezimeter", "ein"), "cl": unitOf("Zentiliter", "ein"), "dl": unitOf("Deziliter", "ein"), "hl": unitOf("Hektoliter", "ein"), "mg": unitOf("Milligramm", "ein"),
		"ztr": unitOf("Zentner", "ein"), "pfd": unitOf("Pfund", "ein"), "stk": unitOf("Stück", "ein"), "tsd": unitOf("tausend", "ein"), "in": unitOf("Zoll", "ein"),
		"oz": {"Unze", "Unzen", "eine"}, "sec": {"Sekunde", "Sekunden", "eine"}, "mi": {"Meile", "Meilen", "eine"}, "kcal": {"Kilokalorie", "Kilokalorien", "eine"},
		"gm": {"Goldmünze", "Goldmünzen", "eine"}, "sm": {"Silbermünze", "Silbermünzen", "eine"}, "km": unitOf("Kilometer", "ein"),
		"kupfer": unitOf("Kupfer", "ein"), "gp": {"Goldmünze", "Goldmünzen", "eine"}, "sp": {"Silbermünze", "Silbermünzen", "eine"},
		"cp": {"Kupfermünze", "Kupfermünzen", "eine"}, "pm": {"Platinmünze", "Platinmünzen", "eine"}, "ft": unitOf("Fuß", "ein"),
		"mm": unitOf("Millimeter", "ein"), "cm": unitOf("Zentimeter", "ein"), "m": unitOf("Meter", "ein"), "km/h": unitOf("Kilometer pro Stunde", "ein"),
		"g": unitOf("Gramm", "ein"), "kg": unitOf("Kilogramm", "ein"), "l": unitOf("Liter", "ein"), "ml": unitOf("Milliliter", "ein"),
		"lb": unitOf("Pfund", "ein"), "lbs": unitOf("Pfund", "ein"), "s": {"Sekunde", "Sekunden", "eine"}, "sek": {"Sekunde", "Sekunden", "eine"},
		"min": {"Minute", "Minuten", "eine"}, "h": {"Stunde", "Stunden", "eine"}, "std": {"Stunde", "Stunden", "eine"},
		"°c": unitOf("Grad Celsius", "ein"), "°f": unitOf("Grad Fahrenheit", "ein"), "°": unitOf("Grad", "ein"),
		"ct": unitOf("Cent", "ein"), "cr": {"Credit", "Credits", "ein"}, "stdn": {"Stunde", "Stunden", "eine"}, "tl": unitOf("Teelöffel", "ein"), "el": unitOf("Esslöffel", "ein"),
		"yd": unitOf("Yard", "ein"), "mph": {"Meile pro Stunde", "Meilen pro Stunde", "eine"}, "pkt": unitOfMany("Punkt", "Punkte"), "mon": {"Monat", "Monate", "ein"},
		"mio": {"Million", "Millionen", "eine"}, "mrd": {"Milliarde", "Milliarden", "eine"},
	},
	dotted: wordSet("std stdn sek min mio mrd ztr pfd stk tsd oz cr ct pkt mon"),
	numbered: map[string]string{"s": "Seite", "bd": "Band", "kap": "Kapitel", "abs": "Absatz", "art": "Artikel", "abb": "Abbildung", "tel": "Telefon", "max": "maximal",
		"min": "mindestens", "zi": "Zimmer", "v": "Vers", "str": "Straße", "lvl": "Level", "st": "Stufe", "mind": "mindestens", "b": "bei"},
	money: map[rune]unit{'¥': unitOf("Yen", "ein"), '¢': unitOf("Cent", "ein"), '$': unitOf("Dollar", "ein"), '€': unitOf("Euro", "ein"), '£': unitOf("Pfund", "ein")},
	days: map[string]string{
		"Mo": "Montag", "Di": "Dienstag", "Mi": "Mittwoch", "Do": "Donnerstag", "Fr": "Freitag", "Sa": "Samstag", "So": "Sonntag",
	},
	beforeDays: wordSet("am ab bis jeden jeder vom von seit nächsten letzten kommenden diesen"),
	compass:    map[rune]string{'N': "Nord", 'S': "Süd", 'O': "Ost", 'E': "Ost", 'W': "West"},
	courses:    wordSet("kurs nach aus richtung im gen von grad wind gegen"),
	degree:     unitOf("Grad", "ein"), minute: unit{"Minute", "Minuten", "eine"}, second: unit{"Sekunde", "Sekunden", "eine"},
	numerals: wordSet("auf steht zeigt zeigte schlug schlägt liest nummer"),
	spans:    wordSet("reichweite wurfweite"),
	scales: map[string]string{
		"k": "tausend", "M": "Millionen", "Mio": "Millionen", "Mrd": "Milliarden", "Tsd": "tausend", "Million": "Million", "Millionen": "Millionen", "Milliarden": "Milliarden",
	},
	abbreviations: map[string]string{
		"hr.": "Herr", "hrn.": "Herrn", "fr.": "Frau", "dr.": "Doktor", "prof.": "Professor", "st.": "Sankt", "nr.": "Nummer",
		"bzw.": "beziehungsweise", "usw.": "und so weiter", "u.s.w.": "und so weiter", "etc.": "et cetera", "ca.": "circa", "evtl.": "eventuell",
		"ggf.": "gegebenenfalls", "inkl.": "inklusive", "exkl.": "exklusive", "zzgl.": "zuzüglich", "vgl.": "vergleiche", "sog.": "sogenannt",
		"bspw.": "beispielsweise", "z.b.": "zum Beispiel", "d.h.": "das heißt", "u.a.": "unter anderem", "z.t.": "zum Teil",
		"v.a.": "vor allem", "i.d.r.": "in der Regel", "o.ä.": "oder Ähnliches", "u.ä.": "und Ähnliches", "s.o.": "siehe oben",
		"s.u.": "siehe unten", "n.chr.": "nach Christus", "v.chr.": "vor Christus", "mind.": "mindestens", "gest.": "gestorben",
		"geb.": "geboren", "jh.": "Jahrhundert", "jhd.": "Jahrhundert", "hl.": "heilig", "mio.": "Millionen", "mrd.": "Milliarden", "hptm.": "Hauptmann",
		"bzgl.": "bezüglich", "ehem.": "ehemalig", "eigtl.": "eigentlich", "allg.": "allgemein", "anm.": "Anmerkung", "tsd.": "tausend", "usf.": "und so fort",
		"vs.": "versus", "u.u.": "unter Umständen", "m.e.": "meines Erachtens", "o.g.": "oben genannt", "s.a.": "siehe auch", "u.": "und", "u.a.m.": "und anderes mehr", "u.v.m.": "und vieles mehr",
		"z.zt.": "zur Zeit", "zzt.": "zurzeit", "v.u.z.": "vor unserer Zeitrechnung", "n.u.z.": "nach unserer Zeitrechnung", "i.a.": "im Auftrag",
		"str.": "Straße", "frl.": "Fräulein", "fam.": "Familie", "ggü.": "gegenüber", "einschl.": "einschließlich", "jmd.": "jemand", "d.i.": "das ist",
		"tel.": "Telefon", "sen.": "Senior", "jun.": "Junior", "verh.": "verheiratet", "z.hd.": "zu Händen", "u.dgl.": "und dergleichen", "a.d.": "an der",
		"erw.": "erwachsen", "abk.": "Abkürzung", "jhdt.": "Jahrhundert", "gegr.": "gegründet", "ugs.": "umgangssprachlich", "p.s.": "P S",
	},
	titled: map[string]string{
		"dr": "Doktor", "prof": "Professor", "mag": "Magister", "gen": "General", "maj": "Major", "ltn": "Leutnant", "lt": "Leutnant", "hr": "Herr", "fr": "Frau",
		"obst": "Oberst", "kpt": "Kapitän", "gf": "Graf", "kg": "König", "abt": "Abteilung", "insp": "Inspektor", "wm": "Wachtmeister", "fw": "Feldwebel",
	},
	spelled: wordSet("ac hp dc xp gm dm npc rk tp sg ep sl nsc sc kp usa eu tv ki dsa rpg ap asp aoe pc ufo vip faq ce bce ad"),
	shouted: wordSet("bin bist sind habt hab ja nein ok los ihr ich du er sie es wir und der die das den dem des ein ist hat war was wer wie wo nie tot rot gut alt neu " +
		"tür tor rat mut wut not gib geh komm lauf weg her hin auf ab an aus ein zu so da nun nur mal mit vor von bei bis im am um in " +
		"oh ah he hey uns euch mir dir mich dich ihm ihn auch noch doch alle arm hof hut hand hund gott"),
	sections: wordSet("kapitel teil akt buch band stufe abschnitt szene folge krieg phase raum typ ebene etage tafel vers gesang tag runde rang grad klasse stock zeitalter rolle " +
		"schriftrolle seite artikel anhang sitzung lied psalm strophe karte foliant weltkrieg regel lektion kapitels buches teils bandes sektor zelle tor halle pforte legion konzil zahl nummer ziffer apollo division korps gruft kammer portal turm siegel gewölbe block mark modell generation " +
		"abbildung tabelle kanon station tafeln kapiteln bänden teilen szenen akten haus tür grab schild uhr"),
	noNames: wordSet("der die das und aber dies wenn was wer mit von für nicht sie ihr ein eine ja gut nun den dem plan option vitamin team gruppe fall trupp haus"),
	yearsAfter: wordSet("jahr jahre jahres jahren anno seit januar februar märz april mai juni juli august september oktober november dezember sommer winter herbst " +
		"frühling frühjahr"),
	sums: wordSet("kostet kosten kostete zahlt zahlte zahlten zahle zahlen bezahlt wert für etwa rund gut über sind waren nummer nur genau fast knapp mindestens höchstens " +
		"sogar ganze ungefähr circa plus minus mal gleich haben habe hat zähle zählt gezählt"),
	datesAfter: wordSet("am vom bis zum seit ab"),
	grammar: wordSet("der die das den dem des ein eine einen einem einer eines und oder aber wenn als wie weil da dass ob bis seit vor nach bei mit von zu in im an am auf " +
		"aus über unter um ohne gegen für durch ich du er sie es wir ihr ist sind war waren wurde wurden hat hatte haben hatten kam kamen ging brannte seine meine deine ihre unsere jede jeder jedes " +
		"alle keine keiner dann wieder nicht noch schon lieber leider immer hier aber weder wer wo was danach also jetzt nun erst"),
	rulers: wordSet("könig königin königs kaiser kaiserin kaisers papst papstes papstin fürst fürstin fürsten herzog herzogin herzogs graf gräfin grafen prinz prinzessin prinzen " +
		"zar zarin baron baronin sultan sultanin großfürst großfürstin erzherzog erzherzogin markgraf markgräfin pharao lord lady kurfürst landgraf"),
	phones: wordSet("ruf ruft rufe rufen wähl wähle wählt wählen anrufen telefon tel nummer telefonnummer rufnummer durchwahl notruf handy fax unter erreicht"),
	dials:  wordSet("wähl wähle wählt wählen notruf ruf ruft rufnummer telefonnummer"),
	ratios: wordSet("verhältnis quote maßstab uns euch ihnen überlegen gewonnen verloren steht stand siegt führt gewinnt verliert gegen chancen wetten chance mischung gewann"),
}
