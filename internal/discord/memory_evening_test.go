package discord

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// answerTo sends a command and returns the answer with its buttons.
func (e *evening) answerTo(user, command string, options ...discordtest.Option) discordtest.Message {
	e.t.Helper()
	i, err := e.d.Command(user, e.channel, command, options...)
	if err != nil {
		e.t.Fatal(err)
	}
	m, err := i.Answer(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	return m
}

// answered returns a message after a press of one of its buttons, or after the form that the
// button opened.
func (e *evening) answered(i *discordtest.Interaction) discordtest.Message {
	e.t.Helper()
	synctest.Wait()
	time.Sleep(time.Second)
	r, err := i.Response(e.t.Context())
	if err != nil || r.Message == nil {
		e.t.Fatalf("the response is %+v, %v", r, err)
	}
	return *r.Message
}

// TestReviewOnDiscord lets a DM review proposals for NPCs with buttons: accept, accept with an
// edit, reject.
func TestReviewOnDiscord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{})
		for _, said := range []string{"Mira, we promise you a bell for the ferry.", "Mira, I owe you three silver.", "Mira, my brother drowned at the weir."} {
			e.d.Say(e.channel, e.ana, said, nil)
			time.Sleep(10 * time.Second)
		}
		m := e.answerTo(e.dm, "memory review")
		for _, want := range []string{"promise: Ana (player): Mira, we promise you a bell", "1 of 3", "Mira"} {
			if !strings.Contains(m.Content, want) {
				t.Errorf("/memory review is %q, want %q in it", m.Content, want)
			}
		}
		buttons := func(m discordtest.Message) (ids []string) {
			for _, row := range m.Components {
				for _, b := range row.Components {
					ids = append(ids, b.CustomID)
				}
			}
			return ids
		}
		if n := len(buttons(m)); n != 4 || !m.Ephemeral() {
			t.Fatalf("%d buttons, for the DM alone: %t", n, m.Ephemeral())
		}
		m = e.answered(e.presses(e.dm, m, buttons(m)[0]))
		if !strings.HasPrefix(m.Content, "Learnt: Ana (player): Mira, we promise") || !strings.Contains(m.Content, "I owe you three silver") {
			t.Errorf("accepted, it says %q", m.Content)
		}
		i := e.presses(e.dm, m, buttons(m)[1]) // with an edit
		r, err := i.Response(t.Context())
		if err != nil || r.Modal == nil || !strings.Contains(r.Modal.Components[0].Components[0].Value, "I owe you three silver") {
			t.Fatalf("the form is %+v, %v; want the words to change in it", r.Modal, err)
		}
		s, err := e.d.Submit(i, map[string]string{"text": "Ana owes Mira three silver."})
		if err != nil {
			t.Fatal(err)
		}
		m = e.answered(s)
		if !strings.HasPrefix(m.Content, "Learnt: Ana owes Mira three silver.") || !strings.Contains(m.Content, "drowned") || len(buttons(m)) != 3 {
			t.Errorf("in other words, it says %q with %q", m.Content, buttons(m))
		}
		reject := buttons(m)[2]
		m = e.answered(e.presses(e.dm, m, reject))
		if !strings.HasPrefix(m.Content, "Not learnt: ") || !strings.Contains(m.Content, "Nothing is waiting") || len(buttons(m)) != 0 {
			t.Errorf("rejected, it says %q with %q", m.Content, buttons(m))
		}
		if got := e.gives(e.dm, "memory list"); !strings.Contains(got, "Ana owes Mira three silver.") || strings.Contains(got, "drowned") {
			t.Errorf("/memory list is %q", got)
		}
		if got := e.gives(e.dm, "remember"); !strings.Contains(got, "Remembered as #") {
			t.Errorf("/remember says %q", got)
		}
		e.stop()
	})
}

// TestRecapTellsNoWhispers checks that a whisper appears in the DM's recap and in no other.
func TestRecapTellsNoWhispers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{})
		e.d.Say(e.channel, e.ana, "Mira, good evening.", nil)
		time.Sleep(10 * time.Second)
		e.gives(e.dm, "whisper", discordtest.Option{Name: "npc", Value: "Mira"}, discordtest.Option{Name: "text", Value: "Where is the vault?"})
		if got := e.gives(e.ana, "session recap"); strings.Contains(got, "vault") || !strings.Contains(got, "good evening") {
			t.Errorf("a player reads %q", got)
		}
		if got := e.gives(e.dm, "session recap"); !strings.Contains(got, "vault") {
			t.Errorf("the DM reads %q", got)
		}
		e.stop()
	})
}

// TestForgettingIsShown checks that a slow deletion shows its progress in the user's language
// and ends with the answer.
func TestForgettingIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shown []string
		c := &call{lang: German, showMeanwhile: func(_ context.Context, text string) { shown = append(shown, text) }}
		p := c.showForgetting(t.Context())
		time.Sleep(forgettingShown + time.Second) // no progress is known yet
		for lines := range 3 {
			p.record(memory.Forgetting{Phase: 1, Phases: 4, Lines: lines})
			time.Sleep(forgettingShown)
		}
		p.stop()
		if len(shown) != 3 || !strings.HasPrefix(shown[1], "Wird gelöscht, Schritt 1 von 4, bisher eine Zeile.") {
			t.Errorf("shown is %q", shown)
		}
	})
}
