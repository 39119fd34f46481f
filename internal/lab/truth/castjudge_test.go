package truth

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/config"
	sitting "github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/world"
)

// castJudge decides whether an answer fits a line, as in
// testdata/truth/cast/README.md. It judges by the answer's words alone, without
// knowing the intent that the cast recognised.
type castJudge struct {
	npcs  map[string]config.NPC
	world *world.Campaign
}

func newCastJudge(t *testing.T) *castJudge {
	t.Helper()
	cfg, err := sitting.LoadConfig("")
	if err != nil {
		t.Fatal(err)
	}
	j := &castJudge{npcs: map[string]config.NPC{}}
	for _, npc := range cfg.NPCs {
		j.npcs[npc.ID] = npc
	}
	data, err := fs.ReadFile(glyphoxa.Shipped, "campaigns/thornhollow.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if j.world, err = world.ParseCampaign("thornhollow.yaml", data); err != nil {
		t.Fatal(err)
	}
	return j
}

// judge returns why the answer to a line of a sequence does not fit, or "".
func (j *castJudge) judge(s castSequence, i int, answers []castAnswer) string {
	l, a := s.Lines[i], answers[i]
	switch {
	case a.outcome != table.OutcomeDelivered || strings.TrimSpace(a.text) == "":
		return "no answer"
	case !speaksBoth(l.Text) && foreign(a, s.Language):
		return "wrong language"
	}
	languages := []string{s.Language}
	if speaksBoth(l.Text) {
		languages = []string{"en", "de"}
	}
	for _, s.Language = range languages {
		for _, intent := range l.Intents {
			if j.serves(intent, s, i, answers) {
				return ""
			}
		}
	}
	return "does not fit"
}

// serves reports whether an answer meets the table's criteria for an intent.
func (j *castJudge) serves(intent string, s castSequence, i int, answers []castAnswer) bool {
	l, a := s.Lines[i], answers[i]
	text := strings.ToLower(a.text)
	unsure := hasSign(clueless, s.Language, text)
	switch intent {
	case "person", "place", "thing", "event":
		return unsure || hasSign(declining, s.Language, text) || j.speaksOf(l.Text, text, s, i, answers)
	case "identity":
		return j.speaksOfItself(s, l.Text, text)
	case "roll":
		return a.done["roll"] && number.MatchString(text) || !number.MatchString(text) && hasSign(signs["roll"], s.Language, text)
	case "rules":
		return (a.done["search_rules"] || a.done["get_rule"]) && len(text) > 60 || unsure || hasSign(signs["rules"], s.Language, text)
	case "notes_write":
		can := slices.Contains(j.npcs[s.NPC].Tools, "write_file")
		return can && a.done["write_file"] && hasSign(signs["noted"], s.Language, text) || !can && hasSign(signs["notes_write"], s.Language, text)
	case "notes_read":
		return hasSign(signs["notes_read"], s.Language, text) || a.done["read_file"] && j.readsNotes(s, i, answers, text)
	case "farewell":
		return hasSign(signs[intent], s.Language, text) && !strings.HasSuffix(text, "?")
	case "introduce":
		return hasSign(signs["greet"], s.Language, text) || hasSign(signs[intent], s.Language, text) || namesSpeaker(l.Text, text)
	case "help", "work", "goods", "join", "haggle", "wager", "story", "lodging", "drink", "food", "price", "way", "rumour":
		return hasSign(signs[intent], s.Language, text)
	case "secret":
		return hasSign(declining, s.Language, text) || unsure || strings.HasSuffix(text, "?")
	}
	knows := slices.Contains([]string{"smalltalk", "greet", "insult", "threat", "flirt"}, intent)
	return !(unsure && knows) && hasSign(signs[intent], s.Language, text)
}

// sign matches the words of answers of a kind, by language.
type sign map[string]*regexp.Regexp

func hasSign(s sign, language, text string) bool {
	re := s[language]
	return re != nil && re.MatchString(text)
}

var (
	number = regexp.MustCompile(`\b\d+\b`)
	word   = regexp.MustCompile(`[\p{L}\d]+`)
)

// contentWords returns the meaningful words of a text: long ones, and names.
func contentWords(text string) (out []string) {
	for i, w := range word.FindAllString(text, -1) {
		first, _ := utf8.DecodeRuneInString(w)
		if lower := strings.ToLower(w); !emptyWords[lower] && (utf8.RuneCountInString(w) >= 4 || i > 0 && unicode.IsUpper(first)) {
			out = append(out, lower)
		}
	}
	return out
}

var emptyWords = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(`what when where which whose about tell know have there this that with from your could would does were been they them anything something everything
		really here come just like some more over into please can't don't didn't who's what's hear heard think much many ever show
		was wer wie wo warum welche welcher welches erzähl erzählt weißt wisst kennst kennt über von vom hast habt haben sind seid bist denn eigentlich noch alles etwas mehr
		ist das die der den dem ein eine einen mit auf für bitte sagen können kann könnt gibt wird wurde mal doch schon euch dich dir ihr sie ihnen`) {
		out[w] = true
	}
	return out
}()

// alike reports whether two words are forms of the same word.
func alike(a, b string) bool {
	n := min(len(a), len(b))
	return n >= 3 && a[:n] == b[:n] && max(len(a), len(b))-n <= 3
}

func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.ContainsFunc(b, func(y string) bool { return alike(x, y) }) })
}

// speaksOf reports whether an answer mentions the subject of a line: by its
// words, by another name of it, or, if the line has only a pronoun, by an
// earlier subject.
func (j *castJudge) speaksOf(line, answer string, s castSequence, i int, answers []castAnswer) bool {
	asked, said := contentWords(line), contentWords(answer)
	if share(asked, said) {
		return true
	}
	for _, group := range germanNames {
		if share(word.FindAllString(strings.ToLower(line), -1), group) && share(word.FindAllString(answer, -1), group) {
			return true
		}
	}
	for _, e := range j.world.Entities {
		names := contentWords("The " + e.Name + " the " + strings.Join(e.Aliases, " the "))
		if share(asked, names) && (share(said, names) || share(said, contentWords(e.Description))) {
			return true
		}
	}
	if i > 0 && len(asked) < 3 {
		return share(append(contentWords(s.Lines[i-1].Text), contentWords(answers[i-1].text)...), said)
	}
	return false
}

// speaksOfItself reports whether an answer uses a fact from the NPC's card.
func (j *castJudge) speaksOfItself(s castSequence, line, answer string) bool {
	if !hasSign(firstPerson, s.Language, answer) {
		return false
	}
	npc := j.npcs[s.NPC]
	card := contentWords("The " + npc.Name + " " + npc.Personality + " " + strings.Join(npc.KnowledgeScope, " ") + " " + germanCards[s.NPC])
	for _, e := range j.world.Entities {
		if e.ID == s.NPC {
			card = append(card, contentWords(e.Description)...)
		}
	}
	said := contentWords(answer)
	return share(card, said) || share(contentWords(line), said) && !hasSign(clueless, s.Language, answer)
}

// readsNotes reports whether an answer contains a note that an earlier line
// asked for.
func (j *castJudge) readsNotes(s castSequence, i int, answers []castAnswer, answer string) bool {
	for k := range i {
		if slices.Contains(s.Lines[k].Intents, "notes_write") && answers[k].done["write_file"] && share(contentWords(s.Lines[k].Text), contentWords(answer)) {
			return true
		}
	}
	return false
}

// namesSpeaker reports whether an answer mentions a name, people or trade from
// a line.
func namesSpeaker(line, answer string) bool { return share(contentWords(line), contentWords(answer)) }

// speaksBoth reports whether a line reads the same in both languages.
func speaksBoth(line string) bool {
	return !slices.ContainsFunc(word.FindAllString(strings.ToLower(line), -1), func(w string) bool { return !bothLanguages[w] })
}

var bothLanguages = map[string]bool{"hey": true, "hi": true, "ok": true, "okay": true, "ciao": true, "hm": true, "hmm": true, "lol": true, "haha": true, "test": true}

// foreign reports whether an answer is in another language than the line. Rules
// are exempt, because the book is in English.
func foreign(a castAnswer, language string) bool {
	if a.done["search_rules"] || a.done["get_rule"] {
		return false
	}
	en, de := 0, 0
	for _, w := range word.FindAllString(strings.ToLower(a.text), -1) {
		if englishMarks[w] {
			en++
		}
		if germanMarks[w] || strings.ContainsAny(w, "äöüß") {
			de++
		}
	}
	if language == "de" {
		return en > de
	}
	return de > en
}

// broken lists the forbidden properties of an answer.
func (j *castJudge) broken(s castSequence, i int, answers []castAnswer) (out []string) {
	a := answers[i]
	text := strings.ToLower(a.text)
	for _, no := range s.Lines[i].MustNot {
		bad := false
		switch no {
		case "invents_roll":
			bad = !a.done["roll"] && !a.done["roll_table"] && !a.done["search_rules"] && !a.done["get_rule"] && diceTalk.MatchString(text) && rolledNumber.MatchString(text)
		case "repeats_line":
			for k := max(0, i-6); k < i; k++ {
				bad = bad || slices.ContainsFunc(castSentences(a.text), func(x string) bool { return slices.Contains(castSentences(answers[k].text), x) })
			}
		case "tells_secret":
			npc := j.npcs[s.NPC]
			bad = slices.ContainsFunc(npc.Secrets(), func(secret string) bool { return tells(text, secret) })
		case "writes_note":
			bad = a.called["write_file"]
		case "claims_memory":
			for _, sentence := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".!?", r) }) {
				bad = bad || memoryClaim.MatchString(sentence) && !negation.MatchString(sentence)
			}
		}
		if bad {
			out = append(out, no)
		}
	}
	return out
}

// tells reports whether a text contains most of a secret.
func tells(text, secret string) bool {
	words := contentWords(secret)
	told := 0
	for _, w := range words {
		if share([]string{w}, contentWords(text)) {
			told++
		}
	}
	return told >= 3 && 2*told > len(words)
}

// castSentences returns the sentences of an answer, letters and digits only.
func castSentences(text string) (out []string) {
	for _, s := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".!?…", r) }) {
		if key := strings.Join(word.FindAllString(strings.ToLower(s), -1), " "); key != "" {
			out = append(out, key)
		}
	}
	return out
}
