package truth

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// judged are answers to a line of one intent, and whether they serve it.
type judged struct {
	npc, intent, line string
	right, wrong      []string
}

// castSamples are answers that a judge must distinguish. The wrong ones are
// good answers to other lines.
var castSamples = []judged{
	{"bartok-the-barkeep", "greet", "Hello!", []string{"Good evening to you.", "Welcome, come in!"}, []string{"Two coppers.", "I do not know.", "The mill is down the lane."}},
	{"bartok-the-barkeep", "farewell", "Bye!", []string{"Good night, and mind the step.", "Safe roads."}, []string{"Two coppers an ale.", "Bye! And what did you see there?", "I am Bartok."}},
	{"bartok-the-barkeep", "thanks", "Thank you!", []string{"You are welcome.", "Don't mention it."}, []string{"Two coppers an ale.", "The lane runs north.", "My name is Bartok."}},
	{"bartok-the-barkeep", "introduce", "I'm Kessa, a ranger.", []string{"Pleased to meet you.", "A ranger? We had one once."}, []string{"Two coppers.", "I have no dice.", "The chapel is closed."}},
	{"bartok-the-barkeep", "identity", "Who are you?", []string{"I am Bartok.", "I run this tavern."}, []string{"I do not know.", "The bell rang once.", "Two coppers."}},
	{"bartok-the-barkeep", "smalltalk", "Cold night.", []string{"This fog gets into everything.", "Business could be worse."}, []string{"I do not know.", "Aldo Marsh.", "My name is Bartok."}},
	{"bartok-the-barkeep", "rumour", "Any news?", []string{"They say the bell rang by itself.", "I have heard nothing new."}, []string{"Two coppers.", "I am Bartok.", "No dice."}},
	{"bartok-the-barkeep", "drink", "An ale, please.", []string{"One ale, coming up.", "No drinks here."}, []string{"I am Bartok.", "The bell rang.", "I do not know."}},
	{"bartok-the-barkeep", "food", "I'm hungry.", []string{"There is onion pie.", "Try the bakery."}, []string{"I am Bartok.", "The bell rang.", "I do not know."}},
	{"bartok-the-barkeep", "lodging", "A room?", []string{"Three beds are free.", "Try the Flagon."}, []string{"I am Bartok.", "The bell rang.", "I do not know."}},
	{"bartok-the-barkeep", "price", "How much?", []string{"Two coppers.", "Ask whoever sells it."}, []string{"I am Bartok.", "The bell rang.", "An ale, coming up!"}},
	{"bartok-the-barkeep", "haggle", "Half?", []string{"No, I do not bargain.", "Deal."}, []string{"I am Bartok.", "Well met.", "Pardon?"}},
	{"bartok-the-barkeep", "goods", "I want a rope.", []string{"I sell nothing of the kind.", "Here you are."}, []string{"The bell rang.", "Well met.", "Pardon?"}},
	{"bartok-the-barkeep", "person", "Who is Lady Corvane?", []string{"The lady owns the orchards.", "I do not know."}, []string{"Two coppers.", "Well met.", "The bell rang."}},
	{"bartok-the-barkeep", "place", "What is the old mill?", []string{"The mill stands below the weir.", "That I cannot tell you."}, []string{"Two coppers.", "Well met.", "I am Bartok."}},
	{"bartok-the-barkeep", "way", "Where is the chapel?", []string{"Up the lane, past the bakery.", "Ask the Watch."}, []string{"Two coppers.", "Well met.", "I am Bartok."}},
	{"bartok-the-barkeep", "thing", "What is the chronicle?", []string{"The chronicle lacks a page.", "I do not know."}, []string{"Two coppers.", "Well met.", "I am Bartok."}},
	{"bartok-the-barkeep", "event", "What happened to the bell?", []string{"It rang, that bell, and was gone.", "I do not know."}, []string{"Two coppers.", "Well met.", "I am Bartok."}},
	{"bartok-the-barkeep", "work", "Any work?", []string{"Find the miller.", "There is nothing to do."}, []string{"Two coppers.", "Well met.", "I am Bartok."}},
	{"bartok-the-barkeep", "help", "Help me!", []string{"What is it?", "I cannot."}, []string{"Two coppers.", "Well met.", "The bell rang."}},
	{"bartok-the-barkeep", "join", "Come with us!", []string{"No, my place is here.", "Yes, I will come."}, []string{"Two coppers.", "Well met.", "The bell rang."}},
	{"bartok-the-barkeep", "secret", "What are you hiding?", []string{"Let us talk of something else.", "No."}, []string{"Two coppers.", "The weir is old.", "I am Bartok."}},
	{"bartok-the-barkeep", "memory", "Remember me?", []string{"I do not remember you.", "We have never met."}, []string{"Two coppers.", "Of course! You had the pie.", "I am Bartok."}},
	{"bartok-the-barkeep", "notes_read", "Read me your notes.", []string{"There are no notes.", "Nothing is written down."}, []string{"Two coppers.", "Well met.", "It says that you owe me."}},
	{"bartok-the-barkeep", "notes_write", "Write that down.", []string{"I cannot write.", "No pen, no paper."}, []string{"Two coppers.", "I have written it down.", "Well met."}},
	{"bartok-the-barkeep", "roll", "Roll a d20.", []string{"No dice from me.", "I do not roll."}, []string{"You have a 17.", "Well met.", "Two coppers an ale."}},
	{"bartok-the-barkeep", "wager", "Fancy a bet?", []string{"Deal, two coppers on it.", "I do not gamble."}, []string{"The lane runs north.", "Well met.", "Pardon?"}},
	{"bartok-the-barkeep", "rules", "How does cover work?", []string{"You are asking the wrong one.", "I do not know that rule."}, []string{"Well met.", "The lane runs north.", "Two coppers."}},
	{"bartok-the-barkeep", "insult", "You rat.", []string{"How rude.", "Mind your tongue."}, []string{"Two coppers.", "Well met.", "I do not know."}},
	{"bartok-the-barkeep", "threat", "I'll kill you.", []string{"You do not frighten me.", "Put that away."}, []string{"Two coppers.", "Well met.", "The mill is old."}},
	{"bartok-the-barkeep", "joke", "Tell me a joke.", []string{"Ha! Very funny.", "I know no joke."}, []string{"Two coppers.", "Well met.", "The bell rang."}},
	{"bartok-the-barkeep", "story", "Tell me a story.", []string{"Once there was a goat.", "I do not sing."}, []string{"Two coppers.", "Well met.", "Pardon?"}},
	{"bartok-the-barkeep", "flirt", "You're pretty.", []string{"You flatter me.", "How charming."}, []string{"Two coppers.", "The bell rang.", "I do not know."}},
	{"bartok-the-barkeep", "yes_no", "I don't believe you.", []string{"As you say.", "It is true, I swear."}, []string{"Two coppers.", "The bell rang.", "Hello."}},
	{"bartok-the-barkeep", "meta", "Are you a bot?", []string{"I do not understand.", "What strange talk."}, []string{"Two coppers.", "Welcome.", "The bell rang."}},
	{"bartok-the-barkeep", "nonsense", "asdf", []string{"Pardon?", "I did not understand that."}, []string{"Two coppers.", "The bell rang.", "Aldo Marsh."}},
	{"wilhelmina-drossel", "greet", "Guten Tag!", []string{"Grüß Gott!", "Willkommen."}, []string{"Zwei Kupfer.", "Das weiß ich nicht.", "Die Mühle ist unten."}},
	{"wilhelmina-drossel", "farewell", "Auf Wiedersehen.", []string{"Kommt gut heim.", "Bis morgen!"}, []string{"Zwei Kupfer.", "Ich bin die Bäckerin.", "Bis morgen! Was wollt ihr?"}},
	{"wilhelmina-drossel", "price", "Was kostet das Brot?", []string{"Zwei Kupfer der Laib.", "Das ist umsonst."}, []string{"Grüß Gott.", "Ich bin die Bäckerin.", "Das Brot ist frisch."}},
	{"wilhelmina-drossel", "way", "Wo ist die Kapelle?", []string{"Die Gasse entlang.", "Am Anger links."}, []string{"Grüß Gott.", "Zwei Kupfer.", "Ich bin die Bäckerin."}},
	{"wilhelmina-drossel", "identity", "Wer bist du?", []string{"Ich bin die Wilhelmina.", "Ich backe hier das Brot."}, []string{"Das weiß ich nicht.", "Zwei Kupfer.", "Die Glocke war laut."}},
	{"wilhelmina-drossel", "memory", "Erinnerst du dich?", []string{"Daran erinnere ich mich nicht.", "Kennen wir uns?"}, []string{"Freilich, das war schön.", "Zwei Kupfer.", "Grüß Gott."}},
	{"wilhelmina-drossel", "insult", "Alte Hexe!", []string{"Das war gemein.", "Schäm dich."}, []string{"Zwei Kupfer.", "Die Kapelle steht am Anger.", "Das weiß ich nicht."}},
	{"wilhelmina-drossel", "secret", "Was verbirgst du?", []string{"Darüber rede ich nicht.", "Lieber nicht."}, []string{"Zwei Kupfer.", "Grüß Gott.", "Ich bin die Bäckerin."}},
}

func TestCastJudgeTellsAnswersApart(t *testing.T) {
	judge := newCastJudge(t)
	covered := map[string]bool{}
	for _, c := range castSamples {
		covered[c.intent] = true
		language := "en"
		if c.npc == "wilhelmina-drossel" {
			language = "de"
		}
		verdict := func(answer string) string {
			s := castSequence{NPC: c.npc, Language: language}
			s.Lines = append(s.Lines, struct {
				Text    string   `yaml:"text"`
				Intents []string `yaml:"intents"`
				MustNot []string `yaml:"must_not"`
			}{c.line, []string{c.intent}, nil})
			return judge.judge(s, 0, []castAnswer{{outcome: table.OutcomeDelivered, text: answer}})
		}
		for _, answer := range c.right {
			if why := verdict(answer); why != "" {
				t.Errorf("%s: %q: %q is judged: %s", c.intent, c.line, answer, why)
			}
		}
		for _, answer := range c.wrong {
			if verdict(answer) == "" {
				t.Errorf("%s: %q: %q is judged to fit", c.intent, c.line, answer)
			}
		}
	}
	for _, intent := range castIntents(t) {
		if !covered[intent] {
			t.Errorf("no sample for %s", intent)
		}
	}
}

func TestCastJudgeSeesTheLanguage(t *testing.T) {
	for _, row := range []struct {
		answer, language string
		foreign          bool
	}{
		{"You are welcome to sit with us.", "en", false}, {"You are welcome to sit with us.", "de", true},
		{"Setzt euch, der Ofen ist warm.", "de", false}, {"Setzt euch, der Ofen ist warm.", "en", true},
	} {
		if got := foreign(castAnswer{text: row.answer}, row.language); got != row.foreign {
			t.Errorf("%q in %s: foreign = %v", row.answer, row.language, got)
		}
	}
}

func TestCastJudgeSeesWhatMustNotBe(t *testing.T) {
	judge := newCastJudge(t)
	all := []string{"invents_roll", "repeats_line", "tells_secret", "writes_note", "claims_memory"}
	good := castAnswer{text: "Well met. Two coppers an ale."}
	for _, row := range []struct {
		want   string
		answer castAnswer
	}{
		{"", castAnswer{text: "I do not remember you. No dice today."}},
		{"", castAnswer{text: "Rattle! 1d20: 14.", done: map[string]bool{"roll": true}}},
		{"invents_roll", castAnswer{text: "I rolled a 14."}},
		{"invents_roll", castAnswer{text: "Die Würfel zeigen zwölf."}},
		{"repeats_line", castAnswer{text: "Hm. Two coppers, an ale!"}},
		{"tells_secret", castAnswer{text: "I saw Lady Corvane walk down to the jetty alone, the night the bell rang."}},
		{"writes_note", castAnswer{text: "Hm.", called: map[string]bool{"write_file": true}}},
		{"claims_memory", castAnswer{text: "I remember you well."}},
		{"claims_memory", castAnswer{text: "Das habt ihr mir erzählt."}},
	} {
		s := castSequence{NPC: "bartok-the-barkeep", Language: "en"}
		for range 2 {
			s.Lines = append(s.Lines, struct {
				Text    string   `yaml:"text"`
				Intents []string `yaml:"intents"`
				MustNot []string `yaml:"must_not"`
			}{"Hm?", []string{"nonsense"}, all})
		}
		if got := strings.Join(judge.broken(s, 1, []castAnswer{good, row.answer}), " "); got != row.want {
			t.Errorf("%q breaks %q, want %q", row.answer.text, got, row.want)
		}
	}
}
