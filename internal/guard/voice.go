package guard

import (
	"strings"
	"unicode"
)

// nameWords returns the words of names, without titles and articles.
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

// Words before a colon that do not introduce a speaker.
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

// namesSpeaker reports whether a sentence begins with a name and a manner of speaking, or with an unnamed
// voice: "Petra (from the door): Wait!"
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
	for i < 3 && t.isOtherName(s.at(i)) {
		i++
	}
	if i == 0 || !t.isOtherName(s.at(i-1)) || i >= len(s.words) {
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

// isLabel reports whether a compound ends in one of labels: "Hausregel".
func isLabel(w string) bool {
	for i := 3; i <= len(w)-4; i++ {
		if labels[w[i:]] {
			return true
		}
	}
	return false
}

// label returns the number of words before a colon near the beginning of a sentence, or 0.
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

// isOthersLine reports whether a sentence belongs to someone else.
func (t *Turn) isOthersLine(s *sentence) bool {
	if n := s.label(); n > 0 && t.isSpeaker(s, n) {
		return true
	}
	for i := 1; i < len(s.words); i++ { // "Fine. Tom: I draw." as one sentence
		if s.words[i-1].capital && t.isOtherName(s.at(i-1)) && strings.HasPrefix(strings.TrimLeft(s.gap(i), "*_ "), ":") && strings.ContainsAny(s.gap(i-1), ".!?)\n") {
			return true
		}
	}
	if narratesForDM(s) || narratesScene(s) || t.narrated && asksToReact(s) {
		t.narrated = true
		return true
	}
	return t.quotesScene(s) || t.namesSpeaker(s) || t.isApposed(s)
}

func (t *Turn) isOtherName(w string) bool {
	return t.card.others[w] || t.players[w]
}

// speaksTo are words before the name of a person who is addressed or mentioned.
var speaksTo = newWordSet(`tell ask say sag sagt sage frag fragt richte like wie as to an für for from von dear lieber liebe not nicht remind grüß grüßt`)

// isPatron reports whether the first n words are an unnamed person: "The guest at the bar: One more!"
func (t *Turn) isPatron(s *sentence, n int) bool {
	i := 0
	if articleBefore(s.at(0)) || s.at(0) == "das" || s.at(0) == "ein" {
		i = 1
	}
	return s.words[0].capital && n < len(s.words) && s.words[n].capital && n > i+1 && patrons[s.at(i)] && places[s.at(i+1)] != nowhere
}

// announcesLine reports whether the first n words say that someone else is speaking now: "And Bram grunts:
// ..."
func (t *Turn) announcesLine(s *sentence, n int) bool {
	named, says := false, false
	for i := range n {
		if pastWords[s.at(i)] {
			return false
		}
		named = named || t.isOtherName(s.at(i)) || patrons[s.at(i)] && i > 0 && narrators[s.at(i-1)]
		says = says || sayingNow[s.at(i)]
	}
	return named && says
}

// isApposed reports whether a sentence begins like "Hilde, the maid: Not here."
func (t *Turn) isApposed(s *sentence) bool {
	if len(s.words) < 4 || !s.words[0].capital || labels[s.at(0)] || functionWords[s.at(0)] || t.card.own[s.at(0)] || strings.TrimSpace(s.gap(1)) != "," {
		return false
	}
	return articleBefore(s.at(1)) && patrons[s.at(2)] && strings.HasPrefix(s.gap(3), ":")
}

// listeners are pronouns by which a transcript names the person addressed.
var listeners = newWordSet(`you du ihr euch`)

// isSpeaker reports whether the first n words name the speaker of the rest.
func (t *Turn) isSpeaker(s *sentence, n int) bool {
	if speaksTo[s.at(0)] {
		return false
	}
	if n == 1 && listeners[s.at(0)] {
		return len(s.words) > 1 && s.words[1].capital
	}
	last := s.words[n-1]
	if t.isOtherName(last.text) || t.isOtherName(s.at(0)) && n <= 3 {
		return true
	}
	if t.isPatron(s, n) || t.announcesLine(s, n) {
		return true
	}
	if n > 3 || !s.words[0].capital || labels[last.text] || labels[s.at(0)] || isLabel(last.text) || last.number >= 0 || t.card.own[last.text] {
		return false
	}
	if _, dice := diceOf(last.text); dice {
		return false
	}
	if dmWords[last.text] && last.text != "meister" || last.text == "master" && (s.at(0) == "dungeon" || s.at(0) == "game") {
		t.narrated = true
		return true
	}
	if n < len(s.words) && !s.words[n].capital || s.isInscription(n) || s.isList(n) {
		return false // a line begins with a capital
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

// Verbs of saying, in the present tense.
var sayingNow = newWordSet(`
	says shouts calls asks answers replies whispers mutters yells cries adds laughs growls murmurs exclaims responds interrupts
	snarls pipes chimes barks hisses snaps grunts sighs declares announces hollers bellows roars gasps whimpers sobs stammers demands
	insists warns sneers giggles chuckles sings croaks mumbles wails groans squeaks pleads begs orders commands rumbles retorts
	sagt ruft fragt antwortet erwidert flüstert murmelt brüllt schreit meint lacht knurrt meldet entgegnet ergänzt unterbricht
	bellt nuschelt zischt faucht grummelt brummt singt seufzt stöhnt stottert befiehlt verkündet warnt drängt ächzt kreischt krächzt
	jammert wimmert höhnt spottet kichert raunt wispert poltert donnert mahnt bettelt fleht jubelt keucht grölt`)

// storyBegins are words that begin a story.
var storyBegins = newWordSet(`so then and da dann und mal kommt treffen`)

// storyWords are words that indicate a story.
var storyWords = newWordSet(`
	once me my when said asked always old einmal damals mir mich wenn immer ich i who
	wer lied song story witz joke war was had hatte sprichwort proverb saying saint book books law buch bücher gesetz schild sign
	inschrift man people leute psalm heiliger volksmund legend legende sage märchen tale motto weisheit mother mutter they sie
	never nie often oft sometimes manchmal every jeder alle letter brief until bis where wo`)

// pastWords indicate that something was said long ago, or is always said.
var pastWords = newWordSet(`
	me my mir mich once always immer never nie einmal damals früher often oft sometimes manchmal said asked was had war hatte when
	wenn whenever every jedes jeden story lied song witz joke long lange erst neulich gestern yesterday last`)

// quotesScene reports whether a sentence quotes someone who speaks at the table now.
func (t *Turn) quotesScene(s *sentence) bool {
	single := quotesSingly(s.raw)
	if !single && !strings.ContainsAny(s.raw, "\"“”„«»‘‚") {
		return false
	}
	inside, says, named, moves, story, past := false, false, false, false, false, false
	for i := range s.words {
		n := strings.Count(s.gap(i), "\"") + countQuotes(s.gap(i))
		if single {
			n += strings.Count(s.gap(i), "'")
		}
		if n%2 == 1 {
			inside = !inside
		}
		if inside {
			continue
		}
		w := s.at(i)
		says = says || sayingNow[w] && s.at(i-1) != "it" && s.at(i-1) != "es" || w == "goes" && strings.Contains(s.gap(i+1), "\"")
		named = named || t.isOtherName(w)
		moves = moves || gestures[w]
		story = story || storyWords[w] || i == 0 && storyBegins[w]
		past = past || pastWords[w]
	}
	if named {
		return says && !past || moves && !story
	}
	return says && !story
}

// quotesSingly reports whether a text uses apostrophes as quotation marks.
func quotesSingly(raw string) bool {
	from := strings.Index(raw, " '")
	if strings.HasPrefix(raw, "'") {
		from = 0
	}
	return from >= 0 && strings.ContainsFunc(raw[from+1:], func(r rune) bool { return r == '\'' }) &&
		(strings.Contains(raw, ",' ") || strings.Contains(raw, "!' ") || strings.Contains(raw, "?' ") || strings.HasSuffix(raw, "'"))
}

func countQuotes(gap string) int {
	n := 0
	for _, r := range gap {
		if strings.ContainsRune("“”„«»‚‘", r) {
			n++
		}
	}
	return n
}

// isInscription reports whether all words from n on are in capitals, as on a sign: "The sign: KEEP OUT."
func (s *sentence) isInscription(n int) bool {
	for i := n; i < len(s.words); i++ {
		if !isUpperWord(s, i) {
			return false
		}
	}
	return n < len(s.words) && s.words[n].end-s.words[n].start > 1
}

// isList reports whether the words from n on are a list of things of one or two words each: "Crates: A, B,
// C."
func (s *sentence) isList(n int) bool {
	commas, since := 0, 0
	for i := n; i < len(s.words); i++ {
		if since++; since > 2 || i > n && strings.ContainsAny(s.gap(i), ".!?;:") {
			return false
		}
		switch next := s.gap(i + 1); {
		case strings.Contains(next, ","):
			commas++
			since = 0
		case s.at(i) == "and" || s.at(i) == "und" || s.at(i) == "or" || s.at(i) == "oder":
			since = 0
		}
	}
	return commas >= 2
}

var dmWords = newWordSet(`dm gm sl spielleiter spielleiterin spielleitung gamemaster dungeonmaster erzähler narrator meister`)

// Words by which a game master asks for a throw.
var (
	skills   = newWordSet(`perception wahrnehmung constitution konstitution wisdom weisheit dexterity geschicklichkeit stealth insight athletics athletik initiative acrobatics persuasion investigation arcana heimlichkeit motiv`)
	demands  = newWordSet(`roll make würfelt würfle macht mach wirf werft legt`)
	demanded = newWordSet(`save check throw saving auf probe rettungswurf everyone everybody all alle initiative please bitte`)
)

// narratesForDM reports whether a sentence asks for dice as a game master does.
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

// speaksForOthers reports whether a sentence states that a player has or got something.
func (t *Turn) speaksForOthers(s *sentence) bool {
	for i := 0; i+1 < len(s.words); i++ {
		if w, next := s.at(i), s.at(i+1); t.players[w] && (next == "has" || next == "got" || next == "hat" || next == "rolled") {
			return true
		}
	}
	return false
}
