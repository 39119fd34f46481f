package offline_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const (
	promised = "Ada promised Bartok a barrel of plum brandy."
	quoted   = "Brom: The miller hid the silver bell in the reeds."
)

// TestWhatIsInMindIsTold asks about facts in an NPC's prompt. The NPC quotes a fact word
// for word if it matches enough of the question, and otherwise answers as usual.
func TestWhatIsInMindIsTold(t *testing.T) {
	mind := []string{promised, quoted, "Der Müller schuldet Bartok neun Silberlinge."}
	diary := []string{
		"I: The weir breaks every winter. (3 Thaw 218, line 12)",
		"Maren: What Ada told us was this: The ferry sank at the old landing. (line 40)",
	}
	tests := []struct {
		name, speaker, text string
		tools               bool
		want                string // empty: no fact is quoted
	}{
		{"what the asker promised", "Ada", "Bartok, what did I promise you?", true, promised},
		{"whether it remembers the asker", "Ada", "Bartok, do you remember me?", true, promised},
		{"by what was promised", "Ada", "Bartok, do you remember the barrel of plum brandy?", true, promised},
		{"whom somebody else asks about", "Brom", "Bartok, what did Ada promise you?", true, promised},
		{"somebody's words", "Ada", "Do you remember where the miller hid the silver bell?", true, "What Brom told us was this: The miller hid the silver bell in the reeds."},
		{"a greeting before", "Ada", "Good evening, Bartok. Do you remember me?", true, promised},
		{"german", "Brom", "Bartok, was schuldet dir der Müller?", false, "Der Müller schuldet Bartok neun Silberlinge."},

		{"another who promised nothing", "Brom", "Bartok, what did I promise you?", true, ""},
		{"another whom it does not know", "Cale", "Bartok, do you remember me?", false, ""},
		{"something else that was promised", "Ada", "Bartok, do you remember the sword I promised you?", true, ""},
		{"another who promised", "Ada", "Bartok, what did Cale promise you?", true, ""},
		{"one word in common", "Ada", "Who stole the silver spoon from the chapel?", false, ""},
		{"no question", "Ada", "The barrel of plum brandy is heavy.", false, ""},

		{"its own diary, without a tool", "Ada", "Bartok, do you remember the weir in winter?", false, "What I said was this: The weir breaks every winter."},
		{"a quote in the diary", "Ada", "Bartok, do you remember the ferry at the landing?", false, "What Ada told us was this: The ferry sank at the old landing."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := request(tt.text)
			if tt.tools {
				req.Tools = allTools()
			}
			last := &req.Messages[len(req.Messages)-1]
			last.Name = tt.speaker
			req.Persona.Mind, req.Persona.Diary = mind, diary
			a := ask(t, req)
			if tt.want != "" && (!strings.Contains(a.text, tt.want) || len(a.calls) > 0) {
				t.Errorf("said %q with calls %v, want %q", a.text, a.calls, tt.want)
			}
			for _, word := range []string{"brandy", "silver", "weir", "sank", "Silberlinge"} {
				if tt.want == "" && strings.Contains(a.text, word) {
					t.Errorf("said %q, which nobody asked for", a.text)
				}
			}
			for _, wrong := range []string{"line 12", "line 40", "What Maren"} {
				if strings.Contains(a.text, wrong) {
					t.Errorf("said %q", a.text)
				}
			}
		})
	}
}

// TestTheDiaryIsReadWhereASearchFoundNothing has a search miss a fact that is in the
// NPC's diary: the diary answers.
func TestTheDiaryIsReadWhereASearchFoundNothing(t *testing.T) {
	req := request("Bartok, do you remember the weir in winter?", allTools()...)
	req.Persona.Diary = []string{"Ada: The weir breaks every winter. (line 12)"}
	if a := ask(t, req); len(a.calls) != 1 || a.calls[0].Name != "search_sessions" {
		t.Fatalf("calls %v and says %q, want a search", a.calls, a.text)
	}
	a := ask(t, done(req, "search_sessions", `{"lines":[]}`, "search_facts", `{"facts":[]}`))
	if want := "What Ada told us was this: The weir breaks every winter."; a.text != want {
		t.Errorf("said %q, want %q", a.text, want)
	}
}

// TestWhatIsInMindIsToldOnce asks twice: no sentence is repeated.
func TestWhatIsInMindIsToldOnce(t *testing.T) {
	req := request("Bartok, what did Ada promise you?")
	req.Persona.Mind = []string{promised}
	first := ask(t, req).text
	user := req.Messages[len(req.Messages)-1]
	req.Messages = append(req.Messages, llm.Message{Role: llm.RoleAssistant, Content: first}, user)
	if again := ask(t, req).text; !strings.Contains(first, promised) || strings.Contains(again, promised) || !sameOccasion(again, "I have told you what I keep in mind.") {
		t.Errorf("said %q, then %q", first, again)
	}
}

// TestNoQuoteIsQuoted has a search return lines in which NPCs, including this one, quote
// others: only the original is quoted, once, with its speaker.
func TestNoQuoteIsQuoted(t *testing.T) {
	tests := []struct{ name, text, result, want string }{
		{"nested", "what did Ada say?",
			`{"lines":[{"speaker":"Maren","text":"I remember. What Maren told us was this: What Ada told us was this: The bridge is gone."},{"speaker":"Ada","text":"The bridge is gone."}]}`,
			"What Ada told us was this: The bridge is gone."},
		{"two in one", "what did Ada say?",
			`{"lines":[{"speaker":"Maren","text":"What Ada told us was this: The bridge is gone. What Brom told us was this: The ferry sank."}]}`,
			"What Ada told us was this: The bridge is gone. What Brom told us was this: The ferry sank."},
		{"its own", "what did you say about the bridge?",
			`{"lines":[{"speaker":"Bartok the Barkeep","text":"The bridge is gone, I saw it."}]}`,
			"What I said was this: The bridge is gone, I saw it."},
		{"its own, quoted again", "what did you say about the bridge?",
			`{"lines":[{"speaker":"Bartok the Barkeep","text":"Sure. What I said was this: The bridge is gone."}]}`,
			"What I said was this: The bridge is gone."},
		{"a fact with to whom it was said", "what did Ada say?",
			`{"facts":[{"source":"chronicle:1","text":"Ada (to Bartok the Barkeep): The bridge is gone."}]}`,
			"What Ada told us was this: The bridge is gone."},
		{"german", "Was hat Ada gesagt?",
			`{"lines":[{"speaker":"Maren","text":"Von Maren weiß ich es so: Von Ada weiß ich es so: Die Brücke ist fort."}]}`,
			"Von Ada weiß ich es so: Die Brücke ist fort."},
		{"german, its own", "Was hast du gesagt?",
			`{"lines":[{"speaker":"Bartok the Barkeep","text":"Die Brücke ist fort."}]}`,
			"Ich habe es so gesagt: Die Brücke ist fort."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if a := ask(t, done(request(tt.text), "search_sessions", tt.result)); a.text != tt.want {
				t.Errorf("said %q, want %q", a.text, tt.want)
			}
		})
	}
}
