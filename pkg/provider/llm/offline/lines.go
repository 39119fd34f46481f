package offline

import (
	"hash/fnv"
	"strings"
)

// Occasions of an NPC's stock lines.
const (
	lineGreeting  = "greeting"
	lineFarewell  = "farewell"
	lineThanks    = "thanks"
	lineSmalltalk = "smalltalk"
	lineUnknown   = "unknown"
	lineRefusal   = "refusal"
	lineAnswer    = "answer"
	lineRoll      = "roll"
	lineRecall    = "recall"
	lineFailed    = "failed"
	lineIdentity  = "identity"
)

// stock are the lines of an NPC that has none of its own.
var stock = [...]map[string][]string{
	english: {
		lineGreeting:  {"Well met.", "Good to see you.", "Welcome, traveller."},
		lineFarewell:  {"Farewell.", "Until next time.", "Safe roads."},
		lineThanks:    {"You are welcome.", "Gladly."},
		lineSmalltalk: {"I see.", "Is that so?", "Go on, I am listening."},
		lineUnknown:   {"I do not know anything about that.", "That I cannot tell you."},
		lineRefusal:   {"I cannot do that for you here.", "That is not something I can do right now."},
		lineAnswer:    {"{answer}"},
		lineFailed:    {"That did not work: {answer}.", "I tried, but it did not work: {answer}."},
		lineIdentity:  {"I am {name}.", "They call me {name}."},
	},
	german: {
		lineGreeting:  {"Seid gegrüßt.", "Schön, dich zu sehen.", "Willkommen, Reisender."},
		lineFarewell:  {"Lebt wohl.", "Bis zum nächsten Mal.", "Gute Reise."},
		lineThanks:    {"Gern geschehen.", "Mit Vergnügen."},
		lineSmalltalk: {"Ich verstehe.", "Ist das so?", "Erzähl weiter, ich höre zu."},
		lineUnknown:   {"Darüber weiß ich nichts.", "Das kann ich dir nicht sagen."},
		lineRefusal:   {"Das kann ich hier nicht für dich tun.", "Das ist mir gerade nicht möglich."},
		lineAnswer:    {"{answer}"},
		lineFailed:    {"Das hat nicht geklappt: {answer}.", "Ich habe es versucht, aber es ging nicht: {answer}."},
		lineIdentity:  {"Ich bin {name}.", "Man nennt mich {name}."},
	},
}

// substitutes lists where an occasion's lines come from if the NPC has none for it.
var substitutes = map[string][]string{
	lineRoll:      {lineAnswer},
	lineRecall:    {lineAnswer},
	lineSmalltalk: {lineUnknown},
	lineUnknown:   {lineRefusal},
	lineRefusal:   {lineUnknown},
}

// pickLine picks a stock line for an occasion and fills answer in. The choice
// depends on what was said and how often the NPC spoke before, so that lines
// vary in a conversation and are the same when it is repeated.
func (t *turn) pickLine(occasion, answer string) string {
	choice := t.linesFor(occasion)
	h := fnv.New32a()
	_, _ = h.Write([]byte(t.text)) // never fails
	line := oneLine(choice[(int(h.Sum32()>>1)+t.replies)%len(choice)], 0)
	if answer != "" && !strings.Contains(line, "{answer}") {
		line += " {answer}"
	}
	// One pass, so that braces in an answer stay what they are.
	return strings.TrimSpace(strings.NewReplacer(
		"{answer}", answer, "{name}", t.req.Persona.Name, "{speaker}", t.speaker,
	).Replace(line))
}

func (t *turn) linesFor(occasion string) []string {
	for _, o := range append([]string{occasion}, substitutes[occasion]...) {
		if own := spoken(t.req.Persona.Lines[o]); len(own) > 0 {
			return own
		}
	}
	for _, o := range append([]string{occasion}, substitutes[occasion]...) {
		if lines := stock[t.lang][o]; len(lines) > 0 {
			return lines
		}
	}
	return stock[t.lang][lineUnknown]
}

// spoken leaves out lines that say nothing.
func spoken(lines []string) []string {
	var out []string
	for _, l := range lines {
		if oneLine(l, 0) != "" {
			out = append(out, l)
		}
	}
	return out
}

var (
	greetingWords = patterns("^hello|hi|hey|greetings|hail|hallo|servus|moin|salve|welcome|willkommen", "^well met", "^good morning|evening|day|afternoon",
		"^guten morgen|abend|tag", "^grüß|grüss dich|euch|gott", "^seid|sei gegrüßt|gegrüsst")
	farewellWords = patterns("goodbye|farewell|tschüss|tschüs|lebewohl|ciao", "^bye", "good night|bye", "see you", "until next time",
		"gute nacht", "auf wiedersehen", "bis bald|dann|später|morgen", "leb|lebt wohl", "mach's gut")
	thanksWords   = patterns("thanks", "thank you", "danke|dank", "dankeschön")
	identityWords = patterns("who are you", "what|what's is? your name", "what are you called", "introduce yourself", "wer bist du", "wer seid ihr", "wie heißt|heisst du", "wie ist dein name", "stell dich vor")
	moodWords     = patterns("how are|is|do you|ye|things|life|business", "how's it|life|business", "what's up|new", "wie geht's|gehts", "wie geht es dir|euch|ihnen", "wie geht es$", "wie läuft's|läufts")
	questionWords = words("who what where when why how which whose can could would will do does did is are wer was wo wann warum wieso wie welche welcher welches wen wem kann kannst könntest hast ist sind weißt weisst")
)

// smallTalk answers what asks for nothing.
func (t *turn) smallTalk() string {
	clear := func(table []pattern) bool { _, ok := findMatch(table, t.toks); return ok }
	switch {
	case len(t.toks) == 0:
		return t.pickLine(lineGreeting, "")
	case clear(identityWords) && t.req.Persona.Name != "":
		return t.pickLine(lineIdentity, "")
	case clear(farewellWords):
		return t.pickLine(lineFarewell, "")
	case clear(thanksWords):
		return t.pickLine(lineThanks, "")
	case clear(moodWords):
		return t.pickLine(lineSmalltalk, "")
	case t.isQuestion():
		return t.pickLine(lineUnknown, "")
	case clear(greetingWords):
		return t.pickLine(lineGreeting, "")
	}
	return t.pickLine(lineSmalltalk, "")
}

func (t *turn) isQuestion() bool {
	return t.toks[len(t.toks)-1].stop == '?' || questionWords[t.toks[0].fold]
}
