package table_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// diary answers each prompt with another word and records the prompts.
type diary struct {
	mu      sync.Mutex // guards the fields below
	prompts []string
}

func (d *diary) model(req llm.Request) []step {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []string
	for _, m := range req.Messages {
		all = append(all, m.Content)
	}
	d.prompts = append(d.prompts, strings.Join(all, "\n"))
	return []step{{after: 100 * ms, text: fmt.Sprintf("My word is Xanadu%d.", len(d.prompts))}}
}

func (d *diary) last() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.prompts[len(d.prompts)-1]
}

// TestUnsay: an NPC's line is gone for everyone, and the player's line stays. With Again the
// NPC answers anew, and its prompt lists the rejected answer.
func TestUnsay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{}
		r := open(t, setting{model: d.model})
		r.write("Ana", "m1", "Mira, what is your word?")
		time.Sleep(5 * time.Second)
		said, err := r.RetractAnswer(t.Context(), table.RetractionRequest{Turn: 1, By: "id:Ana", Again: true})
		check(t, err)
		if said != "Mira never said that, and is asked again" {
			t.Errorf("Unsay says %q", said)
		}
		time.Sleep(5 * time.Second)
		r.kept("Ana: Mira, what is your word?", "Mira: My word is Xanadu2.")
		if p := d.last(); !strings.Contains(p, `- "My word is Xanadu1."`) || strings.Count(p, "what is your word?") != 1 {
			t.Errorf("the model is asked again with %q", p)
		}
		started := of[*table.TurnStarted](r.events)
		if len(started) != 2 || started[1].Route != table.RouteAgain || started[1].Again != 1 {
			t.Errorf("turns started %+v", started)
		}
		_, err = r.RetractAnswer(t.Context(), table.RetractionRequest{Turn: started[1].Turn, Leads: true})
		check(t, err)
		r.kept("Ana: Mira, what is your word?")
		for _, npc := range []string{"Mira", "Bart"} {
			r.write("Ana", "", npc+", and now?")
			time.Sleep(5 * time.Second)
			if p := d.last(); strings.Contains(p, "Xanadu1") || strings.Contains(p, "Xanadu2") {
				t.Errorf("%s still knows what was unsaid: %q", npc, p)
			}
		}
		if got := of[*table.Unsaid](r.events); len(got) != 2 || got[0].NPC != "Mira" || got[0].By != "id:Ana" || !got[0].Again || got[1].Again {
			t.Errorf("unsaid events = %+v", got)
		}
		r.close()
	})
}

// TestUnsayWhileItIsSaid: the NPC stops, and its partial line is not stored.
func TestUnsayWhileItIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{model: says("This is a long tale of the mill. It goes on. And on it goes.")})
		r.write("Ana", "m1", "Mira, tell a tale")
		time.Sleep(4 * time.Second)
		sounds := len(r.wire.heard())
		if _, err := r.RetractAnswer(t.Context(), table.RetractionRequest{Leads: true}); sounds == 0 || err != nil {
			t.Fatalf("%d sounds, %v", sounds, err)
		}
		time.Sleep(time.Minute)
		if more := len(r.wire.heard()) - sounds; more > 20 {
			t.Errorf("%d more frames were heard", more)
		}
		if got := r.ends(); got != "1 cancelled" {
			t.Errorf("turns ended %q", got)
		}
		r.kept("Ana: Mira, tell a tale")
		r.close()
	})
}

// TestErasedIsToldOnceTheLogHasChanged: Erased is sent only after the log has removed the line,
// and never if the log fails, because until then the line can still be read. The table closes
// only after that.
func TestErasedIsToldOnceTheLogHasChanged(t *testing.T) {
	full := errors.New("disk full")
	for _, row := range []struct {
		name   string
		takes  time.Duration
		err    error
		closes bool
		erased int
	}{
		{name: "slowly", takes: 3 * time.Second, erased: 1},
		{name: "never", err: full},
		{name: "while_the_table_closes", takes: 3 * time.Second, closes: true, erased: 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := &journal{retract: func() error { time.Sleep(row.takes); return row.err }}
				r := open(t, setting{model: says("Aye."), journal: j})
				r.write("Ana", "m1", "Mira, is it so?")
				time.Sleep(5 * time.Second)
				done := make(chan error, 1)
				begun := time.Now()
				go func() { _, err := r.RetractAnswer(t.Context(), table.RetractionRequest{Leads: true}); done <- err }()
				synctest.Wait()
				if got := len(of[*table.Unsaid](r.events)); got != 1 {
					t.Fatalf("%d unsaid events at once, want 1", got)
				}
				if got := len(of[*table.Erased](r.events)); got != 0 {
					t.Fatal("erased before the log has changed")
				}
				if row.closes {
					r.close()
				}
				if err := <-done; !errors.Is(err, row.err) || time.Since(begun) != row.takes {
					t.Errorf("Unsay = %v after %v", err, time.Since(begun))
				}
				synctest.Wait()
				got := of[*table.Erased](r.events)
				if len(got) != row.erased || row.erased > 0 && (got[0].Turn != 1 || got[0].NPC != "Mira" || got[0].Time.Sub(begun) != row.takes) {
					t.Errorf("erased events = %+v", got)
				}
				r.close()
			})
		})
	}
}

func TestUnsayIsRefused(t *testing.T) {
	for _, row := range []struct {
		name string
		do   func(r *room)
		want table.RetractionRequest
		why  string
	}{
		{"nothing_said", func(*room) {}, table.RetractionRequest{Turn: 9, Leads: true}, "no such line was said lately"},
		{"another_players", func(*room) {}, table.RetractionRequest{Turn: 1, By: "id:Bob"}, "only the game master"},
		{"no_longer_the_last", func(r *room) { r.write("Ana", "m2", "Mira, once more") }, table.RetractionRequest{Turn: 1, By: "id:Ana"}, "until that player gets the next answer"},
		{"twice", func(r *room) { r.unsay(table.RetractionRequest{Turn: 1, Leads: true}) }, table.RetractionRequest{Turn: 1, Leads: true}, "already been taken back"},
		{"again_while_silent", func(r *room) { _, err := r.Mute(r.t.Context(), "Mira", true); check(r.t, err) }, table.RetractionRequest{Turn: 1, Leads: true, Again: true}, "Mira is silent now"},
		{"again_for_a_line_that_was_deleted", func(r *room) { check(r.t, r.Retract(r.t.Context(), "m1")) }, table.RetractionRequest{Turn: 1, Leads: true, Again: true}, "nothing that could be asked again"},
		{"again_for_a_line_put_in_its_mouth", func(r *room) { check(r.t, r.Say(r.t.Context(), "Mira", "Last orders.")) }, table.RetractionRequest{NPC: "Mira", Leads: true, Again: true}, "nothing that could be asked again"},
		{"again_for_a_whisper", func(r *room) {
			answer, err := r.Whisper(r.t.Context(), "Mira", table.Utterance{Speaker: "Ana", Text: "What is your secret?"})
			check(r.t, err)
			<-answer
		}, table.RetractionRequest{NPC: "Mira", Leads: true, Again: true}, "it answers a whisper"},
		{"again_for_who_is_gone", func(r *room) { _, err := r.Recast(r.t.Context(), attendees(bart(setting{}))); check(r.t, err) }, table.RetractionRequest{Turn: 1, Leads: true, Again: true}, "Mira is no longer at the table"},
		{"again_and_again", func(r *room) {
			for range 3 {
				r.unsay(table.RetractionRequest{NPC: "Mira", Leads: true, Again: true})
			}
		}, table.RetractionRequest{NPC: "Mira", Leads: true, Again: true}, "asked again 3 times"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &diary{}
				r := open(t, setting{model: d.model})
				r.write("Ana", "m1", "Mira, what is your word?")
				time.Sleep(5 * time.Second)
				row.do(r)
				time.Sleep(5 * time.Second)
				before := len(r.journal.said())
				_, err := r.RetractAnswer(t.Context(), row.want)
				if !errors.Is(err, table.ErrNotRetractable) || !strings.Contains(err.Error(), row.why) {
					t.Errorf("Unsay = %v, want it to say %q", err, row.why)
				}
				if got := len(r.journal.said()); got != before {
					t.Errorf("%d lines are kept, want %d", got, before)
				}
				r.close()
			})
		})
	}
}

// unsay takes a line back and waits for its replacement.
func (r *room) unsay(u table.RetractionRequest) {
	r.t.Helper()
	_, err := r.RetractAnswer(r.t.Context(), u)
	check(r.t, err)
	time.Sleep(5 * time.Second)
}
