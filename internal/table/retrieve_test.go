package table_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/retrieve"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// slowRecord finds one line after a delay, unless the context ends first.
type slowRecord struct {
	memory.SessionLog
	takes time.Duration
}

func (r slowRecord) SearchLines(ctx context.Context, _ memory.LineQuery) ([]memory.LineHit, error) {
	select {
	case <-time.After(r.takes):
		return []memory.LineHit{{Line: memory.Line{Session: "s0", Speaker: "Ana", Text: "The miller owes Bartok nine silver."}, Score: 3}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestSearchBeforeTheModel: a result that arrives in time raises the tier and is in the prompt,
// and a turn waits no longer than the deadline.
func TestSearchBeforeTheModel(t *testing.T) {
	for _, row := range []struct {
		name  string
		takes time.Duration
		waits time.Duration // of the turn
		found bool
	}{
		{"in time", 4 * time.Millisecond, 4 * time.Millisecond, true},
		{"too slow", time.Minute, retrieve.Deadline, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked llm.Request
				r := open(t, setting{
					alone: true, tools: []string{"search_sessions"}, retrieve: &retrieve.Searcher{Log: slowRecord{takes: row.takes}},
					model: func(req llm.Request) []step { asked = req; return []step{{text: "Nine, I think."}} },
				})
				start := time.Now()
				r.speak("Alice", "Mira, how much money does the miller owe to the barkeep?")
				synctest.Wait()
				time.Sleep(row.waits)
				synctest.Wait()
				if n := len(of[*table.TurnStarted](r.events)); n != 1 {
					t.Fatalf("%d turns started within %v, want 1", n, time.Since(start))
				}
				if e := r.lastStart(); (e.Found != nil) != row.found {
					t.Errorf("found %+v, want something: %v", e.Found, row.found)
				}
				time.Sleep(time.Second)
				in := slices.ContainsFunc(asked.Messages, func(m llm.Message) bool { return strings.Contains(m.Content, "owes Bartok nine silver") })
				if in != row.found {
					t.Errorf("the line is in the prompt: %v, want %v", in, row.found)
				}
			})
		})
	}
}
