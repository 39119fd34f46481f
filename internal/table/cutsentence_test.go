package table_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// cuts returns the audible parts of interrupted sentences, in order.
func (r *room) cuts() (all []string) {
	for _, e := range of[*table.CutSentence](r.events) {
		all = append(all, e.NPC+": "+e.Text)
	}
	return all
}

// TestCutSentence: if an NPC is stopped in the middle of a sentence, players see the part they
// heard, but memory keeps only the sentences that were finished.
func TestCutSentence(t *testing.T) {
	const tale = "Long ago there was a tower. It stood by the sea, and nobody knew who had built it."
	for _, row := range []struct {
		name string
		stop func(r *room)
		at   time.Duration // after the first sentence
		want string
		kept []string
	}{
		{"half_way", func(r *room) { r.silence("Mira") }, time.Second, "Mira: It stood by the sea, and—", []string{"Ana: Mira, a tale", "Mira: Long ago there was a tower."}},
		{"after_a_comma", func(r *room) { r.silence("Mira") }, 850 * ms, "Mira: It stood by the sea—", []string{"Ana: Mira, a tale", "Mira: Long ago there was a tower."}},
		{"in_the_first_word", func(r *room) { r.silence("Mira") }, 40 * ms, "", []string{"Ana: Mira, a tale", "Mira: Long ago there was a tower."}},
		{"in_the_last_word", func(r *room) { r.silence("Mira") }, 1980 * ms, "Mira: It stood by the sea, and nobody knew who had built—", []string{"Ana: Mira, a tale", "Mira: Long ago there was a tower."}},
		{"taken_back", func(r *room) { r.unsay(table.RetractionRequest{Leads: true}) }, time.Second, "", []string{"Ana: Mira, a tale"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heard(t, setting{model: says(tale)})
				r.speak("Ana", "Mira, a tale")
				r.awaitSentence(1)
				time.Sleep(row.at)
				row.stop(r)
				time.Sleep(5 * time.Second)
				if got := strings.Join(r.cuts(), "; "); got != row.want {
					t.Errorf("cut is %q, want %q", got, row.want)
				}
				if ends := of[*table.TurnEnded](r.events); len(ends) != 1 || strings.Contains(ends[0].Text, "stood") {
					t.Errorf("turns ended %+v", ends)
				}
				r.kept(row.kept...)
				r.close()
			})
		})
	}
}

// silence mutes an NPC.
func (r *room) silence(npc string) {
	r.t.Helper()
	_, err := r.Mute(r.t.Context(), npc, true)
	check(r.t, err)
}

// TestCutSentenceOfWhoIsInterrupted: the event of the interruption follows the one with the
// part that was heard.
func TestCutSentenceOfWhoIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{model: says("Long ago there was a tower by the sea, and nobody knew who had built it.")})
		ana := r.join("Ana")
		r.speak("Ana", "Mira, a tale")
		r.awaitAudio()
		time.Sleep(400 * ms)
		ana.say("Stop, that is enough!", time.Second)
		time.Sleep(10 * time.Second)
		if got := strings.Join(r.cuts(), "; "); got != "Mira: Long ago there was a tower by the—" {
			t.Errorf("cut is %q", got)
		}
		if barges := of[*table.Barge](r.events); len(barges) != 1 || barges[0].Text != "" || barges[0].Time.Before(of[*table.CutSentence](r.events)[0].Time) {
			t.Errorf("barges %+v", barges)
		}
		r.close()
	})
}

// TestNothingIsCut: neither a finished sentence nor one that is only read is reported as cut.
func TestNothingIsCut(t *testing.T) {
	t.Run("to_the_end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := heard(t, setting{manner: config.Interruptibility{Style: config.StyleFinishesSentence, Resumes: true}})
			ana := r.join("Ana")
			r.speak("Ana", "Mira, what do you drink?")
			r.awaitAudio()
			time.Sleep(300 * ms)
			ana.say("Stop it right now!", 800*ms)
			time.Sleep(20 * time.Second)
			if got := r.cuts(); len(got) > 0 {
				t.Errorf("cut is %q", got)
			}
			r.close()
		})
	})
	t.Run("read", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := open(t, setting{model: func(req llm.Request) []step {
				return []step{{after: 100 * ms, text: "One. "}, {after: time.Second, text: "Two and "}, {after: time.Hour, text: "three."}}
			}})
			r.speak("Ana", "Mira, count")
			time.Sleep(5 * time.Second)
			r.silence("Mira")
			time.Sleep(time.Second)
			if got := r.cuts(); len(got) > 0 {
				t.Errorf("cut is %q", got)
			}
			r.close()
		})
	})
}
