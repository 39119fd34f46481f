package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
)

func TestEitherModelMayDecline(t *testing.T) {
	for _, row := range []struct {
		name, opener, strong string
		may                  error
		said, must           string // where the NPC may decline, and where it may not
		asked                int    // calls of the strong model where the NPC may decline
	}{
		{"the_fast_one", "[silent]", "It fell.", engine.ErrDeclined, "", "It fell.", 0},
		{"the_fast_one_after_its_mark", "[MORE] [silent]", "It fell.", engine.ErrDeclined, "", "It fell.", 0},
		{"the_fast_one_in_other_words", "(says nothing)", "It fell.", engine.ErrDeclined, "", "It fell.", 0},
		{"the_strong_one_alone", "", "[silent] More.", engine.ErrDeclined, "", "More.", 1},
		{"not_once_the_opener_was_heard", "[MORE] Ah, the bridge.", "[silent]", nil, "Ah, the bridge.", "Ah, the bridge.", 1},
		{"neither", "[DONE] Silence, please.", "", nil, "Silence, please.", "Silence, please.", 0},
	} {
		for size := 1; size < 12; size += 5 {
			t.Run(fmt.Sprintf("%s/%d", row.name, size), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					cut := func(s string) *sentenceModel {
						var all []piece
						for len(s) > size {
							all, s = append(all, text(time.Millisecond, s[:size])), s[size:]
						}
						return says(append(all, text(time.Millisecond, s))...)
					}
					fast, strong := cut(row.opener), cut(row.strong)
					req := request(t)
					req.MayDecline = true
					h := play(t.Context(), fast, strong, req)
					if said := strings.TrimLeft(sentencesOf(h), " "); !errors.Is(h.err, row.may) || said != row.said || len(strong.asked) != row.asked {
						t.Errorf("where it may decline: %q, %v, the strong model asked %d times; want %q, %v", said, h.err, len(strong.asked), row.said, row.may)
					}
					if last := fast.asked[0].Messages; !strings.Contains(last[len(last)-1].Content, "[silent]") {
						t.Errorf("the fast model is told %q", last[len(last)-1].Content)
					}
					h = play(t.Context(), cut(row.opener), cut(row.strong), request(t))
					if said := sentencesOf(h); h.err != nil || said != row.must {
						t.Errorf("where it may not: %q, %v; want %q", said, h.err, row.must)
					}
				})
			})
		}
	}
}

// sentencesOf joins the sentences of a turn.
func sentencesOf(h *heard) string {
	var said []string
	for _, s := range h.all {
		if strings.ContainsAny(s, ".!?") {
			said = append(said, s)
		}
	}
	return strings.Join(said, " ")
}
