package world_test

import (
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// TestThreads sorts an evening's lines by topic.
func TestThreads(t *testing.T) {
	e := newEvening(t, append(ferry(), memory.Line{Turn: 4, Speaker: "Brom", Text: "The Ferry House is cold, and the Ferry House leaks."}, memory.Line{Turn: 5, Speaker: "Ada", Text: "Then we repair the Ferry House together."})...)
	got := map[string]int{}
	var titles []string
	for _, th := range world.Threads(e.lines, []string{"Ferry House", "Tobin", "Osric"}) {
		titles = append(titles, th.Title)
		got[th.Title] = len(th.Lines)
	}
	if want := []string{world.Promises, world.News, "Ferry House", "Tobin"}; !slices.Equal(titles, want) {
		t.Errorf("threads %q, want %q", titles, want)
	}
	if got[world.Promises] != 3 || got[world.News] != 1 || got["Ferry House"] != 2 {
		t.Errorf("lines of each: %v", got)
	}
	if all := world.Threads(nil, nil); len(all) > 0 {
		t.Errorf("of nothing there are threads: %v", all)
	}
}
