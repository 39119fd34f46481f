package guard

import (
	"strings"
	"unicode"
)

// nameWords are the words of names, without titles and articles.
func nameWords(names []string) wordSet {
	set := wordSet{}
	for _, name := range names {
		for _, w := range readWords(name, nil).words {
			if len(w.text) >= 3 && w.capital && !titles[w.text] {
				set[w.text] = true
			}
		}
	}
	return set
}

var titles = newWordSet(`
	old young dame lady lord sir master mistress brother sister father mother captain king queen the der die das alte alter junge
	schwester bruder hauptmann herr frau meister meisterin von van of doctor doktor`)

// Words in front of a colon that begin no line of somebody.
var labels = newWordSet(`
	remember listen note warning price prices first second third fourth last lastly secondly thirdly rule rules question answer
	advice well no yes aye so look careful attention truth fact facts result results item offer deal bargain choice law order
	orders lesson moral motto proverb problem trouble secret recipe ingredients menu today tomorrow tonight yesterday monday sunday
	here there this that these those now then also but and or only one two three four five mind see say i we you he she it
	ich wir du ihr sie es erstens zweitens drittens viertens merke merk merkt regel regeln preis preise frage antwort also kurz
	achtung vorsicht wichtig nein ja doch hör hört hört seht schau schaut denk denkt bedenke wisst wisse gesetz befehl befehle
	losung parole angebot problem geheimnis rezept zutaten heute morgen gestern erst dann dreierlei zweierlei eines eins zwei drei
	mal rat tipp spruch sprichwort moral ergebnis wahrheit tatsache lehre folge grund ursache strafe lohn zoll frühstück abendessen
	mittag abends morgens mittags nachts zuerst zuletzt schließlich fazit kurzum will soll heißt bedeutet sagt sage`)

// namesSpeaker reports whether a sentence begins with a name and how its owner says what
// follows: "Petra (from the door): Wait!", or with a voice without one.
func (t *Turn) namesSpeaker(s *sentence) bool {
	if n := s.label(); n > 0 && n < len(s.words) {
		for i := range n {
			if w := s.at(i); i > 0 && (w == "voice" || w == "stimme") {
				return true
			}
		}
	}
	i := 0
	for i < 2 && titles[s.at(i)] {
		i++
	}
	for i < 3 && t.somebodyElse(s.at(i)) {
		i++
	}
	if i == 0 || !t.somebodyElse(s.at(i-1)) || i >= len(s.words) {
		return false
	}
	manner := strings.Contains(s.gap(i), "(") ||
		strings.Contains(s.gap(i), ",") && (strings.HasSuffix(s.at(i), "ing") || strings.HasSuffix(s.at(i), "end"))
	for j := i + 1; j <= i+6 && j < len(s.words) && manner; j++ {
		if strings.Contains(s.gap(j), ":") {
			return true
		}
	}
	return false
}

// isLabel reports whether a compound ends with a label: "Hausregel".
func isLabel(w string) bool {
	for i := 3; i <= len(w)-4; i++ {
		if labels[w[i:]] {
			return true
		}
	}
	return false
}

// label returns the words in front of a colon near the beginning of a sentence, as
// how many words they are, 0 if there is none.
func (s *sentence) label() int {
	for n := 1; n <= 5 && n <= len(s.words); n++ {
		gap := s.gap(n)
		switch {
		case strings.ContainsAny(gap, ":"):
			return n
		case strings.ContainsAny(gap, ".,;!?…\"“”„«»"):
			return 0
		}
	}
	return 0
}

// isOthersLine reports whether a sentence is somebody else's.
func (t *Turn) isOthersLine(s *sentence) bool {
	if n := s.label(); n > 0 && t.isSpeaker(s, n) {
		return true
	}
	for i := 1; i < len(s.words); i++ { // "Fine. Tom: I draw." as one sentence
		if s.words[i-1].capital && t.somebodyElse(s.at(i-1)) && strings.HasPrefix(strings.TrimLeft(s.gap(i), "*_ "), ":") && strings.ContainsAny(s.gap(i-1), ".!?)\n") {
			return true
		}
	}
	return t.quotesScene(s) || narratesForDM(s) || t.namesSpeaker(s)
}

func (t *Turn) somebodyElse(w string) bool {
	return t.card.others[w] || t.players[w]
}

// speaksTo stand before the name of somebody who is spoken to, or about.
var speaksTo = newWordSet(`tell ask say sag sagt sage frag fragt richte like wie as to an für for from von dear lieber liebe not nicht remind grüß grüßt`)

// isSpeaker reports whether the first n words name who says what follows.
func (t *Turn) isSpeaker(s *sentence, n int) bool {
	if speaksTo[s.at(0)] {
		return false
	}
	last := s.words[n-1]
	if t.somebodyElse(last.text) || t.somebodyElse(s.at(0)) && n <= 3 {
		return true
	}
	if n > 3 || !s.words[0].capital || labels[last.text] || labels[s.at(0)] || isLabel(last.text) || last.number >= 0 || t.card.own[last.text] {
		return false
	}
	if _, dice := diceOf(last.text); dice {
		return false
	}
	if dmWords[last.text] && last.text != "meister" || last.text == "master" && (s.at(0) == "dungeon" || s.at(0) == "game") {
		return true
	}
	if n < len(s.words) && !s.words[n].capital {
		return false // lines begin with capitals
	}
	if n == 2 && (s.at(0) == "der" || s.at(0) == "die") && !patrons[last.text] {
		return false
	}
	if n == 2 && (s.at(0) == "the" || s.at(0) == "der" || s.at(0) == "die") && n < len(s.words) {
		return s.words[n].capital && (last.capital || s.at(0) == "the")
	}
	for i := range n {
		w := s.words[i]
		if functionWords[w.text] || w.text != "the" && !w.capital || unicode.IsDigit(rune(w.text[0])) {
			return false
		}
	}
	if n == 1 {
		return n < len(s.words)
	}
	return titles[s.at(0)]
}

// Words that tell how something is said, now.
var sayingNow = newWordSet(`
	says shouts calls asks answers replies whispers mutters yells cries adds laughs growls murmurs exclaims responds interrupts
	sagt ruft fragt antwortet erwidert flüstert murmelt brüllt schreit meint lacht knurrt meldet entgegnet ergänzt unterbricht`)

// storyBegins begin a story.
var storyBegins = newWordSet(`so then and da dann und mal kommt treffen`)

// storyWords mark one.
var storyWords = newWordSet(`
	once me my when said asked always old einmal damals mir mich wenn immer ich i who
	wer lied song story witz joke war was had hatte sprichwort proverb saying saint book books law buch bücher gesetz schild sign
	inschrift man people leute psalm heiliger volksmund legend legende sage märchen tale motto weisheit mother mutter they sie
	never nie often oft sometimes manchmal every jeder alle letter brief until bis where wo`)

// pastWords say that somebody said something long ago, or says it always.
var pastWords = newWordSet(`
	me my mir mich once always immer never nie einmal damals früher often oft sometimes manchmal said asked was had war hatte when
	wenn whenever every jedes jeden story lied song witz joke long lange erst neulich gestern yesterday last`)

// quotesScene reports whether a sentence quotes somebody who speaks at the table now.
func (t *Turn) quotesScene(s *sentence) bool {
	if !strings.ContainsAny(s.raw, "\"“”„«»‘‚") {
		return false
	}
	inside, says, named, moves, story, past := false, false, false, false, false, false
	for i := range s.words {
		if n := strings.Count(s.gap(i), "\"") + countQuotes(s.gap(i)); n%2 == 1 {
			inside = !inside
		}
		if inside {
			continue
		}
		w := s.at(i)
		says = says || sayingNow[w]
		named = named || t.somebodyElse(w)
		moves = moves || gestures[w]
		story = story || storyWords[w] || i == 0 && storyBegins[w]
		past = past || pastWords[w]
	}
	if named {
		return says && !past || moves && !story
	}
	return says && !story
}

func countQuotes(gap string) int {
	n := 0
	for _, r := range gap {
		if strings.ContainsRune("“”„«»‚", r) {
			n++
		}
	}
	return n
}

var dmWords = newWordSet(`dm gm sl spielleiter spielleiterin spielleitung gamemaster dungeonmaster erzähler narrator meister`)

// Words of a game master who calls for a throw.
var (
	skills   = newWordSet(`perception wahrnehmung constitution konstitution wisdom weisheit dexterity geschicklichkeit stealth insight athletics athletik initiative acrobatics persuasion investigation arcana heimlichkeit motiv`)
	demands  = newWordSet(`roll make würfelt würfle macht mach wirf werft legt`)
	demanded = newWordSet(`save check throw saving auf probe rettungswurf everyone everybody all alle initiative please bitte`)
)

// narratesForDM reports whether a sentence calls for dice as a game master does.
func narratesForDM(s *sentence) bool {
	if s.has(skills) && s.has(demands) && s.has(demanded) && !s.has(selfWords) {
		return true
	}
	called, dice := false, false
	for i := range s.words {
		w, next := s.at(i), s.at(i+1)
		called = called || dmWords[w] && w != "meister" || w == "game" && next == "master" || w == "dungeon" && next == "master"
		dice = dice || checkWords[w] || w == "initiative" || strings.HasSuffix(w, "wurf") || w == "wurfelt"
	}
	return called && (dice || sayingNow[s.at(len(s.words)-3)] || sayingNow[s.at(len(s.words)-2)])
}

// speaksForOthers reports whether a sentence says what a player has, or got.
func (t *Turn) speaksForOthers(s *sentence) bool {
	for i := 0; i+1 < len(s.words); i++ {
		if w, next := s.at(i), s.at(i+1); t.players[w] && (next == "has" || next == "got" || next == "hat" || next == "rolled") {
			return true
		}
	}
	return false
}
