package table_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// TestWhy: Why reports what the named NPC's last answer was based on, until part of that is
// retracted.
func TestWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{}
		r := open(t, setting{model: d.model})
		if _, err := table.Why(t.Context(), r.Table, "Mira"); err == nil {
			t.Error("it is said why before anything was said")
		}
		r.write("Ana", "m1", "Mira, what is your word?")
		time.Sleep(5 * time.Second)
		r.write("Ana", "m2", "Mira, and your other word?")
		time.Sleep(5 * time.Second)
		b, err := table.Why(t.Context(), r.Table, "Mira")
		check(t, err)
		if b.NPC != "Mira" || b.Speaker != "Ana" || b.Exchanges != 1 || b.Reason == "" || !strings.Contains(b.Utterance, "other word") {
			t.Errorf("why is %+v", b)
		}
		if all := strings.Join(b.Lines(), "\n"); !strings.Contains(all, "Mira answered Ana") || !strings.Contains(all, "its own conversation: 1 exchange") {
			t.Errorf("told as %q", all)
		}
		check(t, r.Retract(t.Context(), "m1"))
		if b, err := table.Why(t.Context(), r.Table, ""); err == nil {
			t.Errorf("after a retraction it is still said why: %+v", b)
		}
	})
}
