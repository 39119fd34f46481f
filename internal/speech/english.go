package speech

var english = &lexicon{
	cardinal: cardinalEN,
	point:    "point", minus: "minus", plus: "plus", to: "to", percent: "percent", and: "and", equals: "equals", or: "or", at: "at",
	number: "number", about: "about", times: "times", of: "of", degrees: "degrees", link: "link", section: "section", per: "per", by: "divided by",
	ratio: "to", below: "less than", above: "more than", atMost: "at most", atLeast: "at least", plusMinus: "plus or minus",
	permille: "per mille", unequal: "does not equal", sectionsOf: "sections", sharp: "sharp", power: "to the power of", root: "square root of", infinity: "infinity",
	powers: map[rune]string{'²': "squared", '³': "cubed"},
	mailAt: "at", dot: "dot", underscore: "underscore", dash: "dash", slash: "slash",
	die: "d", keepHigh: "keep highest", keepLow: "keep lowest",
	months: []string{
		"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
	},
	shortMonths: map[string]string{
		"jan": "January", "feb": "February", "mar": "March", "apr": "April", "jun": "June", "jul": "July", "aug": "August", "sep": "September",
		"sept": "September", "oct": "October", "nov": "November", "dec": "December",
	},
	exact: withMeasures(map[string]unit{"M": {"million", "million", ""}, "cr": {"credit", "credits", ""}, "yd": {"yard", "yards", ""}}, false),
	values: map[string]value{
		"AC": {"armor class", "armor class", ""}, "DC": {"difficulty class", "difficulty class", ""}, "HP": {"hit point", "hit points", ""},
		"XP": {"experience point", "experience points", ""}, "STR": {"strength", "strength", ""}, "DEX": {"dexterity", "dexterity", ""},
		"CON": {"constitution", "constitution", ""}, "INT": {"intelligence", "intelligence", ""}, "WIS": {"wisdom", "wisdom", ""},
		"CHA": {"charisma", "charisma", ""},
	},
	units: map[string]unit{
		"hp": {"hit point", "hit points", ""}, "xp": {"experience point", "experience points", ""}, "am": unitOf("a m", ""), "pm": unitOf("p m", ""),
		"yds": {"yard", "yards", ""}, "ins": {"inch", "inches", ""}, "secs": {"second", "seconds", ""}, "mins": {"minute", "minutes", ""},
		"yr": {"year", "years", ""}, "yrs": {"year", "years", ""}, "wk": {"week", "weeks", ""}, "wks": {"week", "weeks", ""},
		"gal": {"gallon", "gallons", ""}, "qt": {"quart", "quarts", ""}, "pt": {"pint", "pints", ""}, "pts": {"point", "points", ""},
		"tsp": {"teaspoon", "teaspoons", ""}, "tbsp": {"tablespoon", "tablespoons", ""}, "doz": {"dozen", "dozen", ""}, "mg": {"milligram", "milligrams", ""},
		"qts": {"quart", "quarts", ""}, "gals": {"gallon", "gallons", ""}, "bn": {"billion", "billion", ""}, "mil": {"million", "million", ""}, "mn": {"million", "million", ""},
		"mo": {"month", "months", ""}, "mos": {"month", "months", ""}, "dmg": {"damage", "damage", ""}, "°k": {"kelvin", "kelvin", ""},
		"cl": {"centilitre", "centilitres", ""}, "dl": {"decilitre", "decilitres", ""}, "kph": {"kilometre per hour", "kilometres per hour", ""},
		"m²": {"square metre", "square metres", ""}, "m³": {"cubic metre", "cubic metres", ""}, "km²": {"square kilometre", "square kilometres", ""},
		"cm²": {"square centimetre", "square centimetres", ""}, "cm³": {"cubic centimetre", "cubic centimetres", ""},
		"ft²": {"square foot", "square feet", ""}, "ft³": {"cubic foot", "cubic feet", ""}, "rds": {"round", "rounds", ""}, "lvl": {"level", "levels", ""},
		"gp": {"gold piece", "gold pieces", ""}, "sp": {"silver piece", "silver pieces", ""}, "cp": {"copper piece", "copper pieces", ""},
		"pp": {"platinum piece", "platinum pieces", ""}, "ep": {"electrum piece", "electrum pieces", ""},
		"ft": {"foot", "feet", ""}, "in": {"inch", "inches", ""}, "yd": {"yard", "yards", ""}, "mi": {"mile", "miles", ""},
		"mph": {"mile per hour", "miles per hour", ""}, "lb": {"pound", "pounds", ""}, "lbs": {"pound", "pounds", ""}, "oz": {"ounce", "ounces", ""},
		"mm": {"millimetre", "millimetres", ""}, "cm": {"centimetre", "centimetres", ""}, "m": {"metre", "metres", ""}, "km": {"kilometre", "kilometres", ""},
		"km/h": {"kilometre per hour", "kilometres per hour", ""}, "g": {"gram", "grams", ""}, "kg": {"kilogram", "kilograms", ""},
		"l": {"litre", "litres", ""}, "ml": {"millilitre", "millilitres", ""}, "s": {"second", "seconds", ""}, "sec": {"second", "seconds", ""},
		"min": {"minute", "minutes", ""}, "h": {"hour", "hours", ""}, "hr": {"hour", "hours", ""}, "hrs": {"hour", "hours", ""},
		"°c": {"degree Celsius", "degrees Celsius", ""}, "°f": {"degree Fahrenheit", "degrees Fahrenheit", ""}, "°": {"degree", "degrees", ""},
	},
	dotted: wordSet("ft in ins yd yds mi lb lbs oz sec secs min mins hr hrs yr yrs wk wks gal gals qt qts pt pts tsp tbsp doz cr bn mil mo mos"),
	numbered: map[string]string{
		"no": "number", "nos": "numbers", "pt": "part", "ch": "chapter", "p": "page", "pp": "pages", "pg": "page", "vol": "volume", "fig": "figure",
		"apt": "apartment", "bk": "book", "sec": "section", "ext": "extension", "rm": "room", "lv": "level", "c": "circa", "ca": "circa", "max": "maximum",
		"min": "minimum", "est": "established", "tel": "telephone", "art": "article", "par": "paragraph", "para": "paragraph", "ste": "suite", "sess": "session", "ep": "episode", "app": "appendix", "chap": "chapter", "tab": "table", "mk": "mark", "hwy": "highway", "bldg": "building", "rte": "route",
		"ver": "version", "v": "version", "vv": "verses", "l": "line", "ll": "lines", "n": "note", "pop": "population", "rev": "revision", "figs": "figures", "vols": "volumes",
		"secs": "sections", "chs": "chapters", "b": "born", "d": "died", "lvl": "level", "ref": "reference", "fl": "floor",
	},
	money: map[rune]unit{'¥': {"yen", "yen", ""}, '¢': {"cent", "cents", ""}, '$': {"dollar", "dollars", ""}, '€': {"euro", "euros", ""}, '£': {"pound", "pounds", ""}},
	days: map[string]string{
		"Mon": "Monday", "Tue": "Tuesday", "Tues": "Tuesday", "Wed": "Wednesday", "Weds": "Wednesday", "Thu": "Thursday", "Thur": "Thursday", "Thurs": "Thursday",
		"Fri": "Friday", "Sat": "Saturday", "Sun": "Sunday",
	},
	beforeDays: wordSet("on by until every next last this each since till before after and or closed open to"),
	compass:    map[rune]string{'N': "north", 'S': "south", 'E': "east", 'W': "west"},
	courses:    wordSet("heading head due bearing north south to from the course wind towards toward going went go lies in degrees miles facing"),
	degree:     unit{"degree", "degrees", ""}, minute: unit{"minute", "minutes", ""}, second: unit{"second", "seconds", ""},
	numerals: wordSet("on reads read shows showed says struck strikes marked number past at"),
	spans:    wordSet("range reach ranges thrown"),
	scales: map[string]string{
		"k": "thousand", "K": "thousand", "m": "million", "M": "million", "mil": "million", "mn": "million", "b": "billion", "B": "billion", "bn": "billion",
		"thousand": "thousand", "million": "million", "billion": "billion", "trillion": "trillion", "grand": "grand",
	},
	abbreviations: map[string]string{
		"mr.": "Mister", "mrs.": "Missus", "ms.": "Miz", "dr.": "Doctor", "prof.": "Professor", "capt.": "Captain", "sgt.": "Sergeant",
		"lt.": "Lieutenant", "rev.": "Reverend", "gen.": "General", "col.": "Colonel", "jr.": "Junior", "sr.": "Senior", "vs.": "versus",
		"etc.": "et cetera", "approx.": "approximately", "e.g.": "for example", "i.e.": "that is", "a.m.": "a m", "p.m.": "p m",
		"n.b.": "note", "cf.": "compare", "viz.": "namely", "lvl.": "level", "mt.": "Mount", "st.": "Saint", "esp.": "especially", "incl.": "including", "misc.": "miscellaneous", "dept.": "department", "apt.": "apartment",
		"ave.": "Avenue", "blvd.": "Boulevard", "rd.": "Road", "esq.": "Esquire", "bros.": "Brothers", "ltd.": "Limited", "inc.": "Incorporated",
		"a.k.a.": "also known as", "r.s.v.p.": "R S V P", "r.i.p.": "rest in peace", "q.v.": "which see", "a.d.": "A D", "b.c.": "B C", "p.s.": "P S",
		"cpl.": "Corporal", "cmdr.": "Commander", "cpt.": "Captain", "messrs.": "Messieurs", "govt.": "government", "ch.": "chapter", "o.k.": "okay", "ed.": "edition", "ph.d.": "P H D", "temp.": "temporary", "avg.": "average", "max.": "maximum", "min.": "minimum", "orig.": "original", "asst.": "assistant",
		"assn.": "association", "msgr.": "Monsignor", "fwd.": "forward", "cont.": "continued", "ibid.": "ibidem", "ff.": "and following", "fl.oz.": "fluid ounces",
		"ln.": "Lane", "sq.": "Square", "hwy.": "Highway", "pkwy.": "Parkway", "bldg.": "Building", "fl.": "floor", "rte.": "Route", "co.": "Company", "corp.": "Corporation",
		"univ.": "University", "assoc.": "associate", "wt.": "weight", "ht.": "height", "qty.": "quantity", "alt.": "altitude", "lat.": "latitude", "diam.": "diameter",
		"pop.": "population", "ref.": "reference", "attn.": "attention", "hrs.": "hours", "yrs.": "years", "mins.": "minutes", "secs.": "seconds", "lbs.": "pounds", "pvt.": "Private",
		"mme.": "Madame", "mlle.": "Mademoiselle", "bp.": "Bishop", "cdr.": "Commander", "atty.": "Attorney", "ofc.": "Officer", "amb.": "Ambassador", "est.": "estimated",
		"no.of": "number of", "appt.": "appointment", "intl.": "international", "natl.": "national", "prev.": "previous", "app.": "appendix", "chap.": "chapter", "vol.": "volume",
		"hosp.": "hospital", "stn.": "Station", "ter.": "Terrace", "pl.": "Place", "ct.": "Court", "cres.": "Crescent", "mtn.": "Mountain", "mts.": "Mountains", "isl.": "Island", "supt.": "Superintendent",
		"insp.": "Inspector", "det.": "Detective", "maj.": "Major", "gov.": "Governor", "sen.": "Senator", "pres.": "President", "fr.": "Father", "br.": "Brother", "adm.": "Admiral", "hon.": "Honourable",
		"rep.": "Representative", "brig.": "Brigadier", "p.t.o.": "please turn over", "a.s.a.p.": "A S A P", "i.o.u.": "I O U", "opp.": "opposite", "resp.": "respectively", "equip.": "equipment", "perc.": "perception", "inv.": "inventory", "adj.": "adjacent", "sgts.": "Sergeants", "drs.": "Doctors", "profs.": "Professors",
	},
	weak: wordSet("max min pop det ref rep app vol alt est adj inv temp lat perc equip pl ter ct co avg fr br sen opp resp wt prev cont"),
	titled: map[string]string{
		"mr": "Mister", "mrs": "Missus", "ms": "Miz", "dr": "Doctor", "prof": "Professor", "fr": "Father", "br": "Brother", "sen": "Senator", "gov": "Governor",
		"maj": "Major", "adm": "Admiral", "hon": "Honourable", "pres": "President", "rep": "Representative", "ft": "Fort", "st": "Saint", "capt": "Captain",
		"sgt": "Sergeant", "lt": "Lieutenant", "col": "Colonel", "brig": "Brigadier", "supt": "Superintendent", "insp": "Inspector", "det": "Detective", "pvt": "Private", "cpl": "Corporal", "gen": "General", "amb": "Ambassador", "ven": "Venerable", "cmdr": "Commander",
	},
	spelled: wordSet("ac hp dc xp gm dm npc pc ttrpg rpg cr thac0 gp tv ui ai id usa uk dnd bbeg aoe ooc pov faq ufo vip iou eta ad ce bce eu un fbi cia atm diy usb dna fyi afk irl cpu gpu"),
	shouted: wordSet("no yes ok go run you the and not but all can now how who why out off get got put let see say did die he she it we me my us " +
		"us in on up to do so is am are was oh ah hey his her him our old new one two six ten too yet bad big day end eye far fly god hit " +
		"if or by be as at an of man men may own sea sir son war way win won try use ale bar box boy cut dog ear eat fun gun hot ice key leg lie lot"),
	sections: wordSet("chapter part act book volume level section scene episode war phase stage room floor type mark canto verse article table appendix " +
		"class rank tier grade tome scroll page song psalm day round age plate figure wave quest saga session canon stanza era season line step rule trial map lesson " +
		"legion apollo number hour tomb gate hall division corps cell model generation fantasy vault door block house gospel symphony olympiad titan numeral bay lot hangar"),
	noNames: wordSet("the and but this that there then when what who with from for are was were not you they his her its our their yes well plan option vitamin team group ward sector exhibit grade case unit"),
	yearsAfter: wordSet("in since year anno until till january february march april may june july august september october november december of by before after " +
		"from around circa during spring summer autumn fall winter early late mid years"),
	sums:       wordSet("costs cost paid pay pays for worth over than least most about nearly almost exactly only just some number plus minus times equals is counted"),
	datesAfter: wordSet("on by until since dated before after till"),
	grammar: wordSet("a an the and or but nor so if when while as that which who whom whose where why how because since until till before after than then there here " +
		"is are was were be been am has had have do does did will would shall should can could may might must not no nobody somebody everybody everyone nothing " +
		"i you he she it we they me him her us them my your his its our their this these those in on at by for from to of off up down out over under with without " +
		"into onto through between across around near behind beyond above below along against during about per each every both too also only just even still " +
		"never always ever now today tonight yesterday tomorrow again please sir captain came went saw brought began ended fell rose burned died ruled marked left " +
		"again ago away back high tall wide deep long thick broad square apart ahead further later less total worth left right north south east west inside " +
		"outside"),
	rulers: wordSet("king queen pope emperor empress prince princess duke duchess tsar czar tsarina sultan kaiser lord lady count countess baron baroness saint " +
		"archduke grand margrave khan shah pharaoh high"),
	phones: wordSet("call calls called dial dials ring rings phone telephone tel number reach text fax hotline mobile cell"),
	dials:  wordSet("dial dials dialled call number"),
	ratios: wordSet("odds ratio score scale outnumber outnumbered outnumbers us them won lost lose win beat led leads lead against map mix"),
}
