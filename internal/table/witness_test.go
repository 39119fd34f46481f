package table_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func TestWhispersAndAsidesAreHeardByNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: says("Aye.")})
		r.hear("Mira, good evening!")
		answer, err := r.Whisper(t.Context(), "Bart", table.Utterance{Speaker: "Alice", Text: "Who is that?"})
		if err != nil {
			t.Fatal(err)
		}
		if got := <-answer; got != "Aye." {
			t.Errorf("the whisper is answered %q", got)
		}
		r.hear("((who wants pizza, Mira?))")
		if _, err := r.Whisper(t.Context(), "all", table.Utterance{Speaker: "Alice", Text: "psst"}); err == nil {
			t.Error("everyone can be whispered to")
		}
		synctest.Wait()
		r.close()
		want := map[string][]string{
			"Mira, good evening!":        {"bart", "mira", memory.Anyone},
			"Who is that?":               {"bart"},
			"((who wants pizza, Mira?))": {memory.DMOnly},
		}
		answers := [][]string{{"bart", "mira", memory.Anyone}, {"bart"}}
		for _, l := range r.journal.kept() {
			heard := want[l.Text]
			if l.NPC != "" {
				heard, answers = answers[0], answers[1:]
			}
			if !slices.Equal(l.Present, heard) {
				t.Errorf("%s: %s is known to %q, want %q", l.Speaker, l.Text, l.Present, heard)
			}
		}
		if len(answers) != 0 {
			t.Errorf("%d answers were not kept", len(answers))
		}
		for _, e := range of[*table.Sentence](r.events) {
			if h := table.HeaderOf(e); h.Whisper != (h.Turn == 2) {
				t.Errorf("sentence of turn %d is whispered: %v", h.Turn, h.Whisper)
			}
		}
	})
}
