package recall

import (
	"slices"
	"strings"
)

// marks is a bit set of the kinds of answer a text contains or a question asks for.
type marks uint8

const (
	number marks = 1 << iota
	date
)

var numbers = set(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty
seventy eighty ninety hundred thousand dozen half once twice pair first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
null ein eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreissig vierzig funfzig sechzig
siebzig achtzig neunzig hundert tausend dutzend halb einmal zweimal dreimal erste zweite dritte vierte funfte sechste siebte achte neunte zehnte elfte zwolfte`)

func isNumber(w string) bool {
	if w[0] >= '0' && w[0] <= '9' || numbers[w] {
		return true
	}
	for _, ending := range []string{"zig", "zehn", "zehnte", "zehnten", "zigsten", "zigste", "undert", "ausend"} {
		if strings.HasSuffix(w, ending) {
			return true
		}
	}
	return len(w) > 4 && (strings.HasSuffix(w, "ten") || strings.HasSuffix(w, "tem")) && numbers[w[:len(w)-1]]
}

// endsAsking reports whether a text is a question.
func endsAsking(text string) bool { return strings.HasSuffix(strings.TrimSpace(text), "?") }

// callOf returns the name, at most two words, with which a text addresses a person at its start; empty if
// there is none.
func callOf(text string) string {
	head, _, ok := strings.Cut(text, ",")
	if n := len(strings.Fields(head)); !ok || n == 0 || n > 2 {
		return ""
	}
	return head
}

var firstPersons = set(`i me my mine myself ich mich mir mein meine meinen meinem meiner meines`)

func isFirstPerson(all []string) bool {
	return slices.ContainsFunc(all, func(w string) bool { return firstPersons[w] })
}

var nows = set(`now still currently nowadays anymore finally jetzt noch inzwischen mittlerweile derzeit nun momentan aktuell`)

// asksForNow reports whether a question asks about the present state.
func asksForNow(all []string) bool {
	text := strings.Join(all, " ")
	return slices.ContainsFunc(all, func(w string) bool { return nows[w] }) ||
		strings.Contains(text, "these days") || strings.Contains(text, "at the moment") || strings.Contains(text, "in the end") || strings.Contains(text, "zur zeit") || strings.Contains(text, "am ende")
}

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

var times = set(`day days night nights week weeks month months year years morning evening noon midnight dawn dusk hour hours minute yesterday today tomorrow tonight ago since until
tag tage tagen nacht nachte nachten woche wochen monat monate monaten jahr jahre jahren morgen abend mittag mitternacht stunde stunden uhr gestern heute seit bis vor`)

// marksOf returns the kinds of answer a text contains.
func marksOf(all []string) marks {
	var m marks
	for _, w := range all {
		if isNumber(w) {
			m |= number
		}
		if times[w] {
			m |= date
		}
	}
	return m
}

// expectedMarks returns the kinds of answer a question asks for.
func expectedMarks(all []string) marks {
	var m marks
	text := " " + strings.Join(all, " ") + " "
	for _, p := range []string{" how many ", " how much ", " how old ", " how long ", " how far ", " how high ", " wie viel", " wieviel", " wie alt ", " wie lang", " wie weit ", " wie hoch ", " wie gross "} {
		if strings.Contains(text, p) {
			m |= number
		}
	}
	for _, p := range []string{" when ", " what date ", " which day ", " what day ", " what time ", " how long ", " wann ", " datum ", " welchem tag ", " uhr ", " wie lang", " seit "} {
		if strings.Contains(text, p) {
			m |= date
		}
	}
	return m
}
