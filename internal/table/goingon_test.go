package table_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// TestGoingOn lets a player continue after the endpoint was certain: until the answer is
// audible, both parts are one utterance with one answer, unless the second is clearly for
// someone else.
func TestGoingOn(t *testing.T) {
	for _, row := range []struct {
		name   string
		after  time.Duration // after the voice stops
		answer time.Duration // delay of the model
		added  string
		want   []string
	}{
		{"two seconds later", 2 * time.Second, 5 * time.Second, "and the lamp.", []string{"Ana: Mira, give me the key. and the lamp."}},
		{"too late", 3400 * ms, 8 * time.Second, "and the lamp, Mira.", []string{"Ana: Mira, give me the key.", "Ana: and the lamp, Mira."}},
		{"once the answer is heard", 2 * time.Second, 500 * ms, "and the lamp, Mira.", []string{"Ana: Mira, give me the key.", "Ana: and the lamp, Mira."}},
		{"for another NPC", 2 * time.Second, 5 * time.Second, "Bart, run!", []string{"Ana: Mira, give me the key.", "Ana: Bart, run!"}},
		{"for a player", 2 * time.Second, 5 * time.Second, "Tom, did you write that down?", []string{"Ana: Mira, give me the key.", "Ana: Tom, did you write that down?"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heard(t, setting{voice: sound{lasts: 4 * time.Second}, model: func(llm.Request) []step { return []step{{after: row.answer, text: "Aye."}} }})
				r.joinAsUser("Tom").leave() // makes his name known
				r.write("Tom", "m0", "hello")
				r.until(1)
				ana := r.join("Ana")
				ana.say("Mira, give me the key.", 900*ms)
				time.Sleep(row.after)
				ana.say(row.added, 900*ms)
				time.Sleep(40 * time.Second)
				var got []string
				for _, l := range r.journal.said() {
					if strings.HasPrefix(l, "Ana: ") {
						got = append(got, l)
					}
				}
				slices.Sort(got) // a turn is stored when it ends
				slices.Sort(row.want)
				if !slices.Equal(got, row.want) {
					t.Errorf("kept %q, want %q; events %v", got, row.want, r.kinds())
				}
			})
		})
	}
}
