package scenario

import (
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// TestOrderOfOneMoment checks that events of table and stage at the same moment
// may come in either order, and that all others have a fixed order.
func TestOrderOfOneMoment(t *testing.T) {
	called := Entry{At: time.Second, Kind: "tool.called", Fields: map[string]string{"tool": "roll"}, Event: &table.ToolCalled{}}
	finished := Entry{At: time.Second, Kind: "tool.finished", Fields: map[string]string{"tool": "roll"}, Event: &table.ToolFinished{}}
	ran := Entry{At: time.Second, Kind: kindToolRan, Fields: map[string]string{"tool": "roll"}}
	earlier, later := ran, ran
	earlier.At, later.At = ran.At-1, ran.At+1
	for _, row := range []struct {
		name string
		all  []Entry
		want []string
		ok   bool
	}{
		{"in order", []Entry{called, ran}, []string{"tool.called", "tool.ran"}, true},
		{"stage first", []Entry{ran, called}, []string{"tool.called", "tool.ran"}, true},
		{"stage first, then the table", []Entry{ran, called, finished}, []string{"tool.called", "tool.ran", "tool.finished"}, true},
		{"stage earlier", []Entry{earlier, called}, []string{"tool.called", "tool.ran"}, false},
		{"table's own order", []Entry{finished, called}, []string{"tool.called", "tool.finished"}, false},
		{"one for two", []Entry{ran, called}, []string{"tool.called", "tool.ran", "tool.ran"}, false},
		{"not twice back", []Entry{ran, called, later}, []string{"tool.ran", "tool.called", "tool.ran"}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := &performance{result: Result{Entries: row.all}}
			if ok, why := p.ordered(row.want); ok != row.ok {
				t.Errorf("ordered = %t, %s", ok, why)
			}
		})
	}
}
