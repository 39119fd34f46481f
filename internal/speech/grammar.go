package speech

import (
	"slices"
	"strings"
)

// gender is the grammatical gender of a German noun.
type gender int

const (
	masculine gender = iota
	feminine
	neuter
)

// kasus is a German grammatical case.
type kasus int

const (
	nominative kasus = iota
	genitive
	dative
	accusative
)

var (
	feminineNouns = strings.Fields("tür stadt burg nacht hand wand stirn bank axt kunst macht luft woche frau tochter mutter schwester zahl schlacht wahl kraft " +
		"faust maus kuh magd schuld pflicht feder mauer kammer leiter oper schulter nummer steuer brücke stufe reihe königin gräfin herrin wirtin " +
		"fahrt jagd flucht welt zeit arbeit gewalt bucht schlucht gruft nuss wurst milch butter regel kugel insel schüssel tafel fackel klausel gabel " +
		"ader klinge elle meile prüfung woche person ration edition lektion million hochzeit mahlzeit antwort gefahr form spur uhr festung klasse figur szene etage stunde minute sekunde runde aufgabe frage straße chance seite zeile strophe gruppe tote ebene phase tafel ernte auflage probe etappe")
	neuterNouns = strings.Fields("mal jahr kind buch haus tor dorf schwert bier pferd schiff kapitel zimmer rad bild spiel fass licht brot gold stück tier lied wort land " +
		"bett fenster messer feuer opfer rätsel siegel monster abenteuer wunder lager gewölbe gebäude auge ende jahrhundert jahrzehnt viertel drittel pfund " +
		"gramm kilo dutzend maß glas mädchen weib volk heer regiment zeichen gebot gesetz treffen gebirge gemälde getränk geschenk gesicht geschlecht gericht " +
		"seil schild brett blatt grab schloss ei huhn schwein lamm kraut gift pulver silber kupfer eisen holz stockwerk tal feld königreich reich erbe " +
		"wasser öl salz mehl fleisch leben herz knie bein ohr horn fest turnier duell gefecht obergeschoss geschoss level")
	masculineNouns = strings.Fields("tag mann könig ritter wurf schlag stock akt teil band monat abschnitt versuch zauber grad rang turm krug becher trank stein stern " +
		"platz sohn bruder vater gang raum schritt schuss schlüssel brief gast riese name bote knappe löwe drache hase rabe junge kunde gefährte käse " +
		"zwerg goblin ork winter sommer herbst frühling morgen abend punkt liter meter kilometer zentner weg weltkrieg krieg zug pfeil bogen dolch sack beutel januar februar märz april mai juni " +
		"juli august september oktober november dezember euro dollar cent löffel fuß zoll grad franken knoten kobold räuber wirt händler soldat krieger magier " +
		"schluck finger kopf arm baum busch korb eimer teller topf löffel hut mantel ring helm handschuh stiefel nagel pfosten wächter gegner spieler erfolg tropfen")
)

// genderOf guesses the gender of a noun from its last part and its ending. known is false if g is only the
// most likely gender.
func genderOf(noun string) (g gender, known bool) {
	noun = strings.ToLower(noun)
	best := 0
	for _, list := range []struct {
		nouns []string
		g     gender
	}{{feminineNouns, feminine}, {neuterNouns, neuter}, {masculineNouns, masculine}} {
		for _, n := range list.nouns {
			if len(n) > best && strings.HasSuffix(noun, n) {
				g, best = list.g, len(n)
			}
		}
	}
	if best > 0 {
		return g, true
	}
	for _, ending := range []string{"ung", "heit", "keit", "schaft", "ion", "tät", "erei"} {
		if strings.HasSuffix(noun, ending) {
			return feminine, true
		}
	}
	for _, ending := range []string{"chen", "lein", "ment", "tum"} {
		if strings.HasSuffix(noun, ending) {
			return neuter, true
		}
	}
	if strings.HasSuffix(noun, "e") || strings.HasSuffix(noun, "in") {
		return feminine, false
	}
	return masculine, false
}

var (
	dativePrepositions     = strings.Fields("ab aus bei mit nach seit von zu unter vor zwischen gegenüber außer hinter neben in auf an samt")
	accusativePrepositions = strings.Fields("für gegen ohne durch um")
	genitivePrepositions   = strings.Fields("wegen während trotz statt anstatt")
)

// caseAfter returns the case that a preposition or article requires. ok is false for any other word.
func caseAfter(word string) (k kasus, ok bool) {
	switch {
	case slices.Contains([]string{"dem", "am", "im", "zum", "vom", "beim", "zur"}, word), slices.Contains(dativePrepositions, word):
		return dative, true
	case slices.Contains(accusativePrepositions, word), word == "den":
		return accusative, true
	case slices.Contains(genitivePrepositions, word), word == "des":
		return genitive, true
	case word == "der", word == "die", word == "das":
		return nominative, true
	}
	if _, ending, is := possessive(word); is {
		switch ending {
		case "em":
			return dative, true
		case "en":
			return accusative, true
		case "es":
			return genitive, true
		}
		return nominative, true
	}
	return nominative, false
}

// possessive splits words such as "mein", "kein" and "ein" into stem and ending.
func possessive(word string) (stem, ending string, ok bool) {
	for _, stem := range []string{"ein", "kein", "mein", "dein", "sein", "ihr", "unser", "unsr", "euer", "eur"} {
		if ending, found := strings.CutPrefix(word, stem); found && slices.Contains([]string{"", "e", "en", "em", "er", "es"}, ending) {
			return stem, ending, true
		}
	}
	return "", "", false
}

// article returns a definite article.
func article(g gender, k kasus) string {
	forms := [3][4]string{{"der", "des", "dem", "den"}, {"die", "der", "der", "die"}, {"das", "des", "dem", "das"}}
	return forms[g][k]
}

// strongEnding returns the ending of an adjective without an article.
func strongEnding(g gender, k kasus) string {
	forms := [3][4]string{{"er", "en", "em", "en"}, {"e", "er", "er", "e"}, {"es", "en", "em", "es"}}
	return forms[g][k]
}

// weakEnding returns the ending of an adjective after a definite article.
func weakEnding(g gender, k kasus) string {
	if k == nominative || k == accusative && g != masculine {
		return "e"
	}
	return "en"
}
