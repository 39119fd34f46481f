package gemini_test

import (
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakegemini"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// TestInterruption checks that an interrupted answer ends at once and that none of it
// appears in the next answer, however the service reports its end.
func TestInterruption(t *testing.T) {
	long := []fakegemini.Step{fakegemini.Speak{Text: "Once upon a time", Sound: 400 * time.Millisecond}}
	more := append(long[:1:1], fakegemini.Hang{})
	for _, tt := range []struct {
		name string
		turn fakegemini.Turn
		// complete: the whole answer had arrived and was playing.
		complete bool
	}{
		{name: "while_it_is_made", turn: fakegemini.Turn{Steps: more}},
		{name: "told_late", turn: fakegemini.Turn{Steps: more, Late: true}},
		{name: "while_it_is_played", turn: fakegemini.Turn{Steps: long, Playing: true}, complete: true},
		{name: "while_it_is_played_told_late", turn: fakegemini.Turn{Steps: long, Playing: true, Late: true}, complete: true},
		{name: "after_its_end", turn: fakegemini.Turn{Steps: long}, complete: true},
		{name: "after_its_end_told_late", turn: fakegemini.Turn{Steps: long, Late: true}, complete: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tk := connect(t, "", s2s.SessionOptions{}, tt.turn, fakegemini.Say("Yes?"), fakegemini.Say("Aye."))
			tk.say()
			if tt.complete {
				tk.until("done 0 completed")
			} else {
				tk.until("sound")
			}
			tk.interrupt(80 * time.Millisecond)
			tk.interrupt(time.Second) // the second call has no effect
			if !tt.complete {
				end := tk.until("done")
				check(t, "its end", []string{"item 1.1", "done 0 cancelled"}, end[len(end)-2:])
			}
			tk.say()
			check(t, "the next answer", spoken(2, "Yes?"), tk.until("done"))
			tk.say()
			check(t, "the one after it", spoken(3, "Aye."), tk.until("done"))
			texts := tk.service.Of("text")
			if tt.complete && (len(texts) != 1 || !strings.Contains(string(texts[0]), "only the first 0.1 of 0.4 seconds were heard")) {
				t.Errorf("the model was told %s", texts)
			}
			for _, kind := range tk.service.Kinds(0) {
				if kind == "toolResponse" || kind == "clientContent" {
					t.Errorf("%s was sent", kind)
				}
			}
		})
	}
}

// TestHeard checks what the model learns about how much was heard.
func TestHeard(t *testing.T) {
	for _, tt := range []struct {
		name  string
		heard time.Duration
		want  string
	}{
		{"nothing", 0, "Nothing of your last answer was heard."},
		{"less_than_nothing", -time.Second, "Nothing of your last answer was heard."},
		{"all", 400 * time.Millisecond, ""},
		{"more_than_all", time.Hour, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tk := connect(t, "", s2s.SessionOptions{}, fakegemini.Turn{Steps: []fakegemini.Step{fakegemini.Speak{Sound: 400 * time.Millisecond}}}, fakegemini.Say("Yes?"))
			tk.say()
			tk.until("done")
			tk.interrupt(tt.heard)
			tk.say()
			tk.until("done")
			texts := tk.service.Of("text")
			if tt.want == "" && len(texts) > 0 || tt.want != "" && (len(texts) != 1 || !strings.Contains(string(texts[0]), tt.want)) {
				t.Errorf("the model was told %s, want %q", texts, tt.want)
			}
		})
	}
}

// TestHungTurn covers an answer that never comes, followed by one that does.
func TestHungTurn(t *testing.T) {
	for _, model := range []string{"", older} {
		for _, interrupted := range []bool{true, false} {
			t.Run(model, func(t *testing.T) {
				tk := connect(t, model, s2s.SessionOptions{}, fakegemini.Turn{Steps: []fakegemini.Step{fakegemini.Hang{}}}, fakegemini.Say("Yes?"))
				tk.say()
				if interrupted {
					tk.interrupt(0)
				}
				tk.say()
				check(t, "its end", []string{"started", "done 0 cancelled"}, tk.until("done"))
				check(t, "the next answer", spoken(2, "Yes?"), tk.until("done"))
			})
		}
	}
}

// TestPlayersGoOn has a player speak again many times before an answer: each answer
// belongs to the last question.
func TestPlayersGoOn(t *testing.T) {
	var turns []fakegemini.Turn
	const times = 20
	for i := range times {
		turns = append(turns, fakegemini.Turn{Steps: []fakegemini.Step{fakegemini.Speak{Text: "Not this."}, fakegemini.Hang{}}, Late: i%3 == 0, Playing: i%3 == 1})
	}
	tk := connect(t, "", s2s.SessionOptions{}, append(turns, fakegemini.Say("This."))...)
	for range times {
		tk.say()
	}
	tk.say()
	for range times {
		tk.until("done 0 cancelled")
	}
	check(t, "the answer", spoken(times+1, "This."), tk.until("done"))
}

// TestUnasked has the service speak without a request: that speech is dropped, and the
// next answer is heard whether it comes before or after the end of that speech.
func TestUnasked(t *testing.T) {
	for name, unasked := range map[string][]fakegemini.Step{
		"ended":      {fakegemini.Speak{Text: "By the way."}, fakegemini.Resumable{Handle: "then"}},
		"going_on":   {fakegemini.Speak{Text: "By the way."}, fakegemini.Resumable{Handle: "then"}, fakegemini.Hang{}},
		"with_calls": {fakegemini.CallTools{Calls: []fakegemini.Call{{ID: "7", Name: "roll"}}}, fakegemini.Speak{Text: "So."}, fakegemini.Resumable{Handle: "then"}},
	} {
		t.Run(name, func(t *testing.T) {
			tk := connect(t, "", rolls, fakegemini.Turn{Steps: []fakegemini.Step{fakegemini.Speak{Text: "Aye."}}, Unasked: unasked}, fakegemini.Say("Yes?"))
			tk.say()
			check(t, "what was asked for", append(spoken(1, "Aye."), "resumable then"), tk.until("resumable"))
			tk.say()
			check(t, "the next answer", spoken(2, "Yes?"), tk.until("done"))
		})
	}
}

// TestEmptyAnswers covers answers without sound: they end at once, so that a fallback can
// answer.
func TestEmptyAnswers(t *testing.T) {
	tk := connect(t, "", s2s.SessionOptions{}, fakegemini.Turn{}, fakegemini.Turn{Reason: "RESPONSE_REJECTED"},
		fakegemini.Turn{Waiting: true}, fakegemini.Turn{Reason: "NEED_MORE_INPUT"}, fakegemini.Say("Here I am."))
	for _, want := range []string{
		"done 0 completed", "done 0 failed: the service ended its answer: RESPONSE_REJECTED", "done 0 incomplete", "done 0 incomplete",
	} {
		tk.say()
		check(t, "an answer", []string{"started", want}, tk.until("done"))
	}
	tk.say()
	check(t, "the last answer", spoken(5, "Here I am."), tk.until("done"))
}
