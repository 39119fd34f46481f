package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// TestAccountOfATurn checks the line that people read about a finished turn: it leaves out
// steps that did not happen.
func TestAccountOfATurn(t *testing.T) {
	called := func(n int) []table.Event {
		var all []table.Event
		for i := range n {
			all = append(all, &table.ToolFinished{Tool: fmt.Sprint("t", i), MS: 1, OK: i > 0})
		}
		return all
	}
	met := table.Ledger{FirstSoundMS: 12, TotalMS: 20, Budget: "met"}
	for _, row := range []struct {
		name   string
		before []table.Event
		ended  table.TurnEnded
		want   string
		ledger string
	}{
		{"delivered", []table.Event{&table.TurnStarted{Tier: "fast"}}, table.TurnEnded{Outcome: table.OutcomeDelivered, Ledger: met},
			"  [fast · answered · first sound 12 ms · total 20 ms]", "first sound 12 ms"},
		{"never_understood", nil, table.TurnEnded{Outcome: table.OutcomeFailed, Ledger: table.Ledger{TotalMS: 15000, Budget: "breached", BreachStage: "stt"}},
			"  [failed · total 15 s · late: transcript]", "first sound none"},
		{"without_sound", []table.Event{&table.TurnStarted{Tier: "deep"}}, table.TurnEnded{Outcome: table.OutcomeFailed, Ledger: table.Ledger{TotalMS: 2, Budget: "breached", BreachStage: "llm"}},
			"  [deep · failed · total 2 ms · late: model]", "first sound none"},
		{"many_tools", called(8), table.TurnEnded{Outcome: table.OutcomeDelivered, Ledger: met},
			"  [answered · first sound 12 ms · total 20 ms · t0 failed 1 ms, t1 1 ms, t2 1 ms, t3 1 ms, t4 1 ms, t5 1 ms, and 2 more]", "first sound 12 ms"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out bytes.Buffer
			s := newScreen(&out, false, false)
			s.expectTurn()
			for _, e := range append(row.before, &row.ended) {
				s.Emit(e)
			}
			if got := strings.TrimRight(out.String(), "\n"); got != row.want {
				t.Errorf("people read %q, want %q", got, row.want)
			}
			if got := s.recentLedgers(); len(got) != 1 || !strings.Contains(got[0], row.ledger) {
				t.Errorf("/ledger says %q, want %q in it", got, row.ledger)
			}
		})
	}
}
