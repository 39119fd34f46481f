package memorybench

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// settleWhileTalking settles a campaign of n entities, about a kilobyte each,
// while a table says a line every 5 ms.
func settleWhileTalking(t *testing.T, c *campaign, n int, hold func(string, float64, float64)) {
	var entities []memory.Entity
	var relations []memory.Relation
	var facts []memory.Fact
	bytes := 0
	for i := range n {
		var text strings.Builder
		for text.Len() < 900 {
			text.WriteString(c.text() + ". ")
		}
		id := fmt.Sprint("settled-", i)
		entities = append(entities, memory.Entity{ID: id, Type: "npc", Name: c.words[i%len(c.words)] + " " + c.words[i*7%len(c.words)], Description: text.String()})
		relations = append(relations, memory.Relation{From: id, Type: "knows", To: fmt.Sprint("settled-", (i+1)%n)})
		facts = append(facts, memory.Fact{Source: "entity:" + id, Text: c.text(), Visible: []string{memory.DMOnly}})
		bytes += text.Len() + len(facts[i].Text)
	}
	s, err := c.StartSession(t.Context(), "grown")
	must(t, "starting a session", err)
	talking, silence := context.WithCancel(t.Context())
	defer silence()
	var table sync.WaitGroup
	var waited percentiles
	refused := 0 // a table repeats such a line
	table.Go(func() {
		for i := 0; talking.Err() == nil; i++ {
			start := time.Now()
			if _, err := c.Append(t.Context(), memory.Line{Session: s.ID, Turn: int64(i), Speaker: "Player2", User: "discord:2", Text: "and so it goes on"}); err != nil {
				refused++
				t.Logf("appending: %v", err)
				continue
			}
			waited = append(waited, time.Since(start))
			time.Sleep(5 * time.Millisecond)
		}
	})
	start := time.Now()
	err = c.ApplyCampaign(t.Context(), entities, relations, facts)
	took := time.Since(start)
	silence()
	table.Wait()
	must(t, "settling", err)
	if len(waited) == 0 {
		t.Fatalf("no line was kept, %d were refused", refused)
	}
	t.Logf("%d entities, %.1f MB, settled in %.1f s, while %d lines were kept, the longest after %.0f ms", n, float64(bytes)/1e6, took.Seconds(), len(waited), waited.at(1))
	hold("settle: writers wait, p99", waited.at(.99), 200)
	if *strict && refused > 0 {
		t.Errorf("%d lines were refused", refused)
	}
	kept, err := c.Recent(t.Context(), s.ID, len(waited)+1)
	must(t, "reading", err)
	if len(kept) != len(waited) {
		t.Errorf("%d lines are kept of %d", len(kept), len(waited))
	}
}
