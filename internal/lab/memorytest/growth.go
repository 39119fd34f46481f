package memorytest

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// ManyLines indexes a campaign of many lines, and again for another embedder:
// in small batches, each line once, in bounded memory. It logs the duration,
// and how long other calls waited meanwhile.
func ManyLines(t *testing.T, h Harness, lines int) {
	t.Helper()
	path := h.New(t)
	s, err := h.Open(t.Context(), path, nil, nil)
	must(t, "Open", err)
	id := StartSession(t, s)
	batch := make([]memory.Line, 1000)
	for i := range lines / len(batch) {
		for j := range batch {
			batch[j] = memory.Line{Session: id, Speaker: "Ada", Text: fmt.Sprintf("zebra %d of the east", i*len(batch)+j)}
		}
		_, err := s.Append(t.Context(), batch...)
		must(t, "Append", err)
	}
	must(t, "Close", s.Close())

	for _, name := range []string{"first", "second"} {
		v := &vendor{name: name, given: make(map[string]int, lines)}
		s := h.open(t, path, v)
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var grown uint64
		calls := 0
		v.peek = func() {
			if calls++; calls%200 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				// The test's own counts do not count.
				grown = max(grown, now.HeapAlloc-min(now.HeapAlloc, before.HeapAlloc+uint64(len(v.given))*100))
			}
		}
		stop := make(chan struct{})
		var meanwhile sync.WaitGroup
		var said atomic.Int64
		var longest time.Duration
		meanwhile.Go(func() {
			id := StartSession(t, s)
			for ; ; said.Add(1) {
				select {
				case <-stop:
					return
				case <-time.After(20 * time.Millisecond):
				}
				start := time.Now()
				if _, err := s.Append(t.Context(), memory.Line{Session: id, Speaker: "Bob", Text: fmt.Sprint(name, said.Load())}); err != nil {
					t.Error(err)
				}
				longest = max(longest, time.Since(start))
			}
		})
		start := time.Now()
		var half time.Duration
		for done := 0; ; {
			n, err := s.IndexLines(t.Context())
			must(t, "IndexLines", err)
			m, err := s.EmbedFacts(t.Context())
			must(t, "EmbedFacts", err)
			if done += m; half == 0 && done >= lines/2 {
				half = time.Since(start)
			}
			if n == 0 && m == 0 {
				break
			}
			if done >= lines && said.Load() > 0 {
				close(stop)
				meanwhile.Wait()
				done = -1 << 30
			}
		}
		took := time.Since(start)
		earlier := strings.Count(strings.Join(slices.Collect(maps.Keys(v.given)), "\n"), "Bob: ") - int(said.Load())
		t.Logf("%s embedder: %d lines in %v, the first half in %v, %d kB of memory; a line said meanwhile was kept after %v at most",
			name, len(v.given), took, half, grown>>10, longest)
		given := 0
		for _, n := range v.given {
			given += n
		}
		if want := lines + int(said.Load()) + earlier; len(v.given) != want || given != want || v.most > 64 {
			t.Errorf("%d lines, given %d times, at most %d at once; want %d, each once, 64 at a time", len(v.given), given, v.most, want)
		}
		if grown > 32<<20 {
			t.Errorf("memory grew by %d MB, want a bound", grown>>20)
		}
		v.peek = nil
		wants(t, s, "zebra", 1, "Ada: zebra")
	}
}
