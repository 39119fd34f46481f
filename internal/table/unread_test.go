package table_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// TestDropUnread drops the part of an answer that was never readable, at different times: it is
// not stored, and the NPC does not remember it.
func TestDropUnread(t *testing.T) {
	for _, row := range []struct {
		name string
		text string
		play func(r *room, drop func())
		kept []string
		asks string // part of the next prompt; empty: nothing of the answer
	}{
		{"all of it", "Aye. And more.", func(_ *room, drop func()) { time.Sleep(4 * time.Second); drop() }, []string{"Ana: Mira, hello"}, ""},
		{"a part", "And more.", func(_ *room, drop func()) { time.Sleep(4 * time.Second); drop() }, []string{"Ana: Mira, hello", "Mira: Aye."}, "Aye."},
		{"while it is being given", "Aye.", func(_ *room, drop func()) { time.Sleep(time.Second); drop(); time.Sleep(3 * time.Second) }, []string{"Ana: Mira, hello", "Mira: And more."}, "And more."},
		{"while it is being kept", "Aye. And more.", func(r *room, drop func()) { time.Sleep(2100 * ms); drop(); time.Sleep(4 * time.Second) }, []string{"Ana: Mira, hello"}, ""},
		{"what was not said", "Nay.", func(_ *room, drop func()) { time.Sleep(4 * time.Second); drop() }, []string{"Ana: Mira, hello", "Mira: Aye. And more."}, "Aye. And more."},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &pupil{}
				r := open(t, setting{model: func(req llm.Request) []step {
					l.model(req)
					return []step{{text: "Aye. "}, {after: 2 * time.Second, text: "And more."}}
				}})
				if strings.Contains(row.name, "kept") {
					r.journal.takes = 3 * time.Second
				}
				r.write("Ana", "m1", "Mira, hello")
				row.play(r, func() { check(t, r.DropUnread(t.Context(), table.Unread{Turn: 1, Text: row.text})) })
				synctest.Wait()
				r.kept(row.kept...)
				r.write("Ana", "m2", "Mira, well?")
				time.Sleep(10 * time.Second)
				for _, part := range []string{"Aye.", "And more."} {
					if has := strings.Contains(l.asked(), part); has != strings.Contains(row.asks, part) {
						t.Errorf("the prompt is\n%s\nof the answer it is to have %q", l.asked(), row.asks)
					}
				}
			})
		})
	}
}

// TestDropUnreadOfWhatWaits drops an answer while the log fails: it is not stored later either.
func TestDropUnreadOfWhatWaits(t *testing.T) {
	for _, row := range []struct {
		text string
		kept []string
	}{
		{"Aye. And more.", []string{"Alice: one"}},
		{"And more.", []string{"Alice: one", "Mira: Aye."}},
		{"Nay.", []string{"Alice: one", "Mira: Aye. And more."}},
	} {
		synctest.Test(t, func(t *testing.T) {
			j := &journal{err: errors.New("disk full")}
			r := open(t, setting{model: says("Aye. And more."), journal: j, alone: true})
			r.hear("one")
			check(t, r.DropUnread(t.Context(), table.Unread{Turn: 1, Text: row.text}))
			j.fail(nil)
			time.Sleep(10 * time.Second)
			synctest.Wait()
			r.kept(row.kept...)
		})
	}
}
