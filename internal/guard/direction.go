package guard

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/speech"
)

// gestures are verbs by which a narrator describes what someone does, in the third person.
var gestures = newWordSet(speech.Gestures())

// Participles and adverbs that begin a stage direction: "smiling", "with a grin", "softly".
var manners = newWordSet(`
	smiling sighing laughing grinning nodding chuckling whispering shrugging frowning softly quietly loudly slowly pause pauses
	beat silence laughter whisper aside shouting laughing smirking coughing crying winking leaning pointing looking turning
	lächelnd seufzend lachend grinsend nickend flüsternd leise laut langsam pause stille gelächter flüstert kichernd murmelnd
	brummend zwinkernd knurrend hustend weinend beiseite schweigend nickend kopfschüttelnd achselzuckend gestikulierend
	seufzer lachen sound sfx music musik geräusch`)

var narrators = newWordSet(`he she they it his her their er sie es sein seine ihr ihre der die das the`)

// directs returns why a text in brackets or between marks is not speech: because it is a stage direction, or
// for another reason. It returns "" for an aside.
func (t *Turn) directs(text string) Reason {
	var room [24]word
	s := readWords(text[:min(len(text), 400)], room[:0])
	if len(s.words) == 0 {
		return ""
	}
	if r := t.reasonOf(text); r != Direction {
		return r
	}
	first := s.at(0)
	switch {
	case gestures[first] && (!doubtful[first] || doneTo[s.at(1)] || handling[first] && articles[s.at(1)] || first == "looks" && s.at(1) == "at"), manners[first] && (len(s.words) <= 4 || strings.HasSuffix(first, "ing")):
		return Direction
	case len(s.words) > 2 && (first == "he" || first == "she" || first == "er" || first == "sie") && acts(&s, text):
		return Direction
	case len(s.words) > 1 && (narrators[first] || t.card.own[first]) && (gestures[s.at(1)] || gestures[s.at(2)]):
		return Direction
	case len(s.words) <= 4 && manners[s.at(len(s.words)-1)] && (articles[first] || first == "long" || first == "lange" || first == "kurze"):
		return Direction
	case first == "with" && (s.at(1) == "a" || s.at(1) == "an"), first == "mit" && strings.HasPrefix(s.at(1), "eine"):
		return Direction
	case first == "in" && (s.at(1) == "a" || s.at(1) == "einem") && s.has(newManner):
		return Direction
	}
	if verbBegins(&s) || gestures[first] && movesBody(&s) {
		return Direction
	}
	return ""
}

// movesBody reports whether an action affects a part of the body that is not the listener's: "holds out a
// trembling hand".
func movesBody(s *sentence) bool {
	for i := 2; i < len(s.words); i++ {
		if bodies[s.at(i)] && !listening[s.at(i-1)] && !listening[s.at(i-2)] {
			return true
		}
	}
	return false
}

var listening = newWordSet(`your dein deine deinen deinem eure euren eurem ihre ihren your both`)

// acts reports whether "he" or "she", the first word, does something to a thing: "He drains the cup."
func acts(s *sentence, text string) bool {
	verb, next := s.words[1], s.at(2)
	if verb.capital || functionWords[verb.text] || notVerbs[verb.text] || traits[verb.text] || s.has(habits) {
		return false
	}
	if !strings.HasSuffix(verb.text, "s") && !strings.HasSuffix(verb.text, "t") {
		return false
	}
	whole := s.words[0].capital && strings.HasSuffix(strings.TrimSpace(text), ".")
	return whole || !doubtful[verb.text] && (articles[next] || doneTo[next])
}

// traits are verbs by which asides describe people.
var traits = newWordSet(`
	owns runs keeps sells makes bakes knows likes loves hates believes thinks lives means says wants needs has was is does
	führt besitzt verkauft macht backt kennt mag liebt hasst glaubt lebt wohnt heißt meint sagt will braucht hat ist tut isst`)

// doubtful are gestures that asides also use about things: "holds two pints", "geht auf mich".
var doubtful = newWordSet(`
	looks tastes smells sounds comes goes holds gives stands counts weighs reads checks runs starts stops burns bites tears
	rings cracks blows sits hides waits works offers carries begins continues returns keeps costs takes makes says needs
	lasts knocks lights tests opens closes shuts fetches brings drags cuts puts sets light smile laugh bow nod whistle
	drops bends breaks rolls turns leaves enters settles
	geht kommt gibt hält trägt steht sieht bleibt reicht lässt liegt fährt zieht wiegt zählt bedeutet schlägt holt bringt
	sitzt sucht beginnt fängt greift schließt öffnet liest schreibt füllt brennt kostet stellt legt setzt bindet schmatz nick
	klopf lach hust freu gibt spielt mahlt trinkt isst packt nimmt tritt schenkt`)

// doneTo are words that often follow a gesture's verb, and seldom another verb.
var doneTo = newWordSet(`
	his her their himself herself up down around away back over toward towards slowly quickly quietly softly
	sich seine seinen seinem seiner ihre ihren ihrem ihrer dir euch dich den dem einen langsam leise müde kurz zur zum`)

var newManner = newWordSet(`voice tone whisper ton stimme flüsterton manner`)

var notVerbs = newWordSet(`
	this his its was is has as us yes plus perhaps always sometimes besides thus less across towards afterwards besides
	that's it's he's she's there's what's who's here's let's nights days years coppers crowns
	nicht ist hat mit gut erst jetzt sonst fast recht selbst seit fort laut echt weit fest tot alt bitte acht und dort nächst
	oft sehr gerät seht hört geht's steht's gibt's damit somit soweit zuerst bist hast wirst willst kannst musst sollst darfst
	magst weißt macht's zuletzt überhaupt meist längst höchst möglichst bekannt berühmt genannt sogenannt verdammt gesagt
	kalt heiß rot braun satt hart zart glatt breit leicht schlecht dicht licht nacht macht wert stadt geld not brot blut`)

// handling are actions on things. The things follow with an article.
var (
	handling = newWordSet(`
		turns opens closes shuts drops fetches drags puts sets lights rings blows leaves taps bends rolls cuts tears breaks
		öffnet schließt nimmt legt stellt setzt holt greift zieht füllt bindet schenkt packt schlägt trinkt isst schreibt`)
	articles = newWordSet(`the a an die das eine ein der another some`)
)

// verbBegins reports whether a text begins with a verb in the third person, as stage directions do: "turns
// the blade over", "kratzt sich am Kopf".
func verbBegins(s *sentence) bool {
	first := s.words[0]
	if first.capital || len(first.text) < 4 || notVerbs[first.text] || functionWords[first.text] || doubtful[first.text] || len(s.words) < 2 {
		return false
	}
	next := s.at(1)
	switch {
	case strings.HasSuffix(first.text, "s") && !strings.HasSuffix(first.text, "ss"):
		return next == "the" || next == "a" || next == "an" || next == "you" || doneTo[next] || strings.HasSuffix(next, "ly")
	case strings.HasSuffix(first.text, "t") && !strings.HasPrefix(first.text, "ge"):
		return doneTo[next] || next == "die" || next == "das" || next == "eine" || next == "ein"
	}
	return false
}

var germanObject = newWordSet(`sich den dem die das der ein eine einen einem auf an am in im ins zu zum zur nach mit aus von vom vor hinter über unter kurz langsam leise laut müde`)

// speaksByName reports whether the card makes an NPC use its name instead of "I".
func speaksByName(npc config.NPC) bool {
	card := fold(npc.Personality + "\n" + strings.Join(npc.BehaviorRules, "\n"))
	for _, sign := range []string{"by name", "third person", "dritten person", "beim namen", "seinem namen", "and not \"i\"", "statt \"ich\"", "nicht \"ich\"", "nicht „ich", "statt „ich"} {
		if strings.Contains(card, sign) {
			return true
		}
	}
	return false
}

var possessives = newWordSet(`his her seine ihre sein ihr seinen ihren seinem ihrem seiner ihrer`)

var bodies = newWordSet(`eyes eye face hand hands voice brow lips mouth head gaze shoulders fingers expression blick augen gesicht stimme hand hände miene stirn lippen mund kopf schultern finger`)

// isNarration reports whether a sentence describes the NPC's actions as a narrator would.
func (t *Turn) isNarration(s *sentence) bool {
	if len(s.words) < 2 || s.has(selfWords) && !t.byName() && !quotedSpeech(s) {
		return false
	}
	if possessives[s.at(0)] && bodies[s.at(1)] && len(s.words) <= 6 && !t.pastOrModal(s.at(2)) {
		return true
	}
	if !t.byName() && t.namedGesture(s) {
		return true
	}
	i := 0
	named, role := t.card.own[s.at(0)], false
	if !named && (s.at(0) == "the" || s.at(0) == "der" || s.at(0) == "die" || s.at(0) == "das" || titles[s.at(0)]) {
		named, role, i = t.card.own[s.at(1)] || t.card.roles[s.at(1)], true, 1
		if !named && t.card.roles[s.at(2)] {
			named, i = true, 2
		}
	}
	pronoun := !named && (s.at(0) == "she" || s.at(0) == "he" || s.at(0) == "sie" || s.at(0) == "er")
	switch {
	case !named && !pronoun, t.byName() && !role && !pronoun:
		return false
	}
	if named && t.card.own[s.at(i+1)] { // "Greta Holm"
		i++
	}
	if bodies[s.at(i+1)] {
		return true
	}
	for j := i + 1; j <= i+2 && j < len(s.words); j++ {
		if strings.ContainsAny(s.gap(j), ",.;:") || t.pastOrModal(s.at(j)) || s.at(j+1) == "man" {
			return false
		}
		if gestures[s.at(j)] || named && j == i+1 && thirdPerson(s, j) {
			return !pronoun || moves(s, j)
		}
	}
	return false
}

var habits = newWordSet(`always never often whenever when if immer nie oft gern wenn falls sobald manchmal sometimes every jeden`)

// byName reports whether the NPC uses its name instead of "I": its card says so, or it has done so in a
// sentence of this turn that was heard.
func (t *Turn) byName() bool { return t.card.byName || t.named }

// namesSelf reports whether a sentence uses the NPC's name where others say "I".
func (t *Turn) namesSelf(s *sentence) bool {
	return t.card.own[s.at(0)] && len(s.words) > 2 && strings.TrimSpace(s.gap(1)) == "" && !s.words[1].capital && !s.has(selfWords)
}

// subordinate words begin a clause that does not describe a current action.
var subordinate = newWordSet(`where when if that than until while wo wenn dass bis während as like wie`)

// namedGesture reports whether the NPC's name is next to a gesture.
func (t *Turn) namedGesture(s *sentence) bool {
	if s.has(selfWords) {
		return false
	}
	for i := range s.words {
		if !t.card.own[s.at(i)] || i > 0 && strings.ContainsAny(s.gap(i), ":") {
			continue
		}
		next, before := s.at(i+1), s.at(i-1)
		if subordinate[before] {
			continue
		}
		if gestures[next] && !s.words[i+1].capital && strings.TrimSpace(s.gap(i+1)) == "" && !doubtfulAlone(s, i+1) {
			return true
		}
		if gestures[before] && strings.HasSuffix(before, "t") && i > 1 && strings.TrimSpace(s.gap(i)) == "" {
			return true
		}
	}
	return false
}

// doubtfulAlone reports whether a gesture may be something else and has no object that proves otherwise.
func doubtfulAlone(s *sentence, i int) bool {
	return doubtful[s.at(i)] && !doneTo[s.at(i+1)] && !(handling[s.at(i)] && articles[s.at(i+1)])
}

// moves reports whether an apparent gesture of an unnamed person is one, because of a body part, a thing, or
// a second gesture.
func moves(s *sentence, verb int) bool {
	if s.has(habits) {
		return false
	}
	count := 0
	if len(s.words) == verb+2 && !doubtful[s.at(verb)] {
		return true // "She laughs softly."
	}
	for i := verb; i < len(s.words); i++ {
		if bodies[s.at(i)] || possessives[s.at(i)] || i > verb && gestures[s.at(i)] && (s.at(i-1) == "and" || s.at(i-1) == "und") {
			return true
		}
		if gestures[s.at(i)] {
			count++
		}
	}
	return count > 1
}

func (t *Turn) pastOrModal(w string) bool {
	switch w {
	case "is", "was", "are", "were", "sind", "waren", "haben", "have", "has", "had", "will", "can", "does", "ist", "war", "hat", "hatte", "kann", "wird", "weiss", "knows", "says", "sagt", "heisst", "kennt", "never", "nie":
		return true
	}
	return false
}

// thirdPerson reports whether a word looks like a verb in the third person that is followed by an object.
func thirdPerson(s *sentence, i int) bool {
	w, next := s.words[i], s.at(i+1)
	if w.capital || len(w.text) < 4 || notVerbs[w.text] || functionWords[w.text] {
		return false
	}
	object := next != "man" && functionWords[next] || germanObject[next]
	return object && (strings.HasSuffix(w.text, "s") || strings.HasSuffix(w.text, "t"))
}

func quotedSpeech(s *sentence) bool { return strings.ContainsAny(s.raw, "\"“”„«»") }

// roleWords are the words by which an NPC's personality names its role: "A soft-spoken herbalist".
func roleWords(npc config.NPC) wordSet {
	set := wordSet{}
	first, _, _ := strings.Cut(npc.Personality, ".")
	s := readWords(first, nil)
	if len(s.words) > 2 && articleBefore(s.at(0)) || s.at(0) == "ein" {
		for i := 1; i < len(s.words) && i < 6; i++ {
			after := s.at(i + 1)
			german := s.at(0) == "ein" || s.at(0) == "eine"
			if german && s.words[i].capital || !german && (after == "who" || after == "with" || after == "that" || after == "of" || i > 0 && after == "pedlar") {
				set[s.at(i)] = true
				break
			}
			if strings.Contains(s.gap(i+1), ".") {
				break
			}
		}
	}
	for _, name := range npc.Aliases {
		if first, rest, ok := strings.Cut(name, " "); ok {
			if f := fold(first); f == "the" || f == "der" || f == "die" || f == "das" {
				set[fold(rest)] = true
			}
		}
	}
	return set
}
