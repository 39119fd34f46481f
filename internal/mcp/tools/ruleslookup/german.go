package ruleslookup

import (
	"strings"

	embedded "github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// germanStem removes the inflection from a German word.
func germanStem(w string) string { return embedded.Stem(w, true) }

// germanTongue reports whether a query is German, judging by its function words and by the words for which
// only returns true. A word that also exists in English does not count.
func germanTongue(query string, all []word, only func(word) bool) bool {
	german, english := 0, 0
	if strings.ContainsAny(query, "äöüßÄÖÜ") {
		german = 2
	}
	for _, w := range all {
		switch {
		case germanStop(w.raw) && !stopWord(w.raw):
			german++
		case stopWord(w.raw) && !germanStop(w.raw):
			english++
		case only(w):
			german++
		}
	}
	return german > english
}

// germanStop reports whether w, folded, is a German stop word: it says nothing about which rule is meant.
func germanStop(w string) bool {
	switch w {
	case "der", "die", "das", "den", "dem", "des", "dessen", "deren", "ein", "eine", "einen", "einem", "einer", "eines", "ne", "nen", "ner",
		"und", "oder", "aber", "doch", "denn", "weil", "dass", "ob", "als", "wenn", "damit", "sondern",
		"ich", "du", "er", "sie", "es", "wir", "ihr", "man", "mich", "mir", "dich", "dir", "ihn", "ihm", "uns", "euch", "sich",
		"mein", "meine", "meinen", "meinem", "meiner", "dein", "deine", "sein", "seine", "seinen", "seinem", "seiner", "ihre", "ihren", "ihrem", "ihrer", "unser", "unsere",
		"ist", "sind", "bin", "bist", "war", "waren", "wird", "werden", "werde", "wurde", "wurden", "wurd", "sei",
		"hat", "habe", "hab", "haben", "hast", "hatte", "kann", "kannst", "konnen", "konnte", "darf", "darfst", "durfen", "muss", "musst", "mussen",
		"soll", "will", "mag", "mochte", "lasst", "lassen", "geht", "gehen", "gibt", "macht", "machen", "mache", "mach", "tut", "bekommt", "bekomme", "bekommen", "kriegt", "kriege", "brauch", "brauche", "braucht",
		"was", "wer", "wie", "wo", "wann", "warum", "wozu", "womit", "wovon", "worauf", "welche", "welcher", "welches", "welchen", "welchem", "wem", "wen",
		"in", "im", "an", "am", "auf", "aus", "bei", "beim", "mit", "nach", "von", "vom", "vor", "zu", "zum", "zur", "fur", "durch", "durchs", "gegen", "um", "ubers", "uber", "unter", "bis", "pro", "seit", "ab",
		"nicht", "nichts", "kein", "keine", "keinen", "auch", "nur", "noch", "nochmal", "mal", "schon", "so", "sowas", "dann", "da", "dort", "hier", "dabei", "dazu", "jetzt", "eigentlich", "genau", "bitte", "also", "ah", "etwa", "wieder", "immer", "sehr", "ja", "nein", "wohl", "eben", "mehr", "viel", "viele", "wieviel", "wie viele",
		"dieser", "diese", "dieses", "diesen", "diesem", "jeder", "jede", "jedes", "jemand", "jemanden", "alle", "alles", "selbst", "selber", "etwas", "funktioniert", "heisst", "heissen", "nennt", "bedeutet", "bringt", "passiert", "regel", "regeln", "sag", "erklar", "zeig", "vorlesen", "lies", "kennst", "weisst", "einfach", "gerade", "bekomm":
		return true
	}
	return false
}
