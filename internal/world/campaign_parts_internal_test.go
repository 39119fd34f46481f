package world

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// FuzzParts compares reading a file in parts with reading it whole.
func FuzzParts(f *testing.F) {
	sample, err := os.ReadFile(filepath.FromSlash("../../campaigns/thornhollow.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(sample), 100)
	f.Add(largeText(20), 300)
	f.Add("name: N\nentities:\n- {id: a, type: npc, name: A}\n- id: b # odd\n  type: npc\n  name: \"B\n- id: c\n\"\n", 1)
	f.Add("name: N\nfacts:\n  - text: >-\n      one\n\n      two\n  # between\n  - {text: [\n  - x]}\n", 1)
	f.Add("facts:\n  - text: a\nname: N\nfacts:\n  - text: b\n---\n", 1)
	f.Add("name: N\nfacts:\n  - text: a\rname: M\n  - text: b\n", 1)
	f.Fuzz(func(t *testing.T, in string, size int) {
		size = max(1, size)
		whole, wholeErr := parse("c.yaml", []byte(in), MaxCampaignSize)
		parts, partsErr := parse("c.yaml", []byte(in), size)
		if fmt.Sprint(wholeErr) != fmt.Sprint(partsErr) {
			t.Fatalf("in parts: %v, as a whole: %v", partsErr, wholeErr)
		}
		if diff := cmp.Diff(whole, parts); diff != "" {
			t.Errorf("as a whole (-) and in parts (+):\n%s", diff)
		}
	})
}

// largeText returns a campaign file of n entities, each with a relation, a fact and about a
// kilobyte of text.
func largeText(n int) string {
	var entities, relations, facts strings.Builder
	text := strings.Repeat("She keeps the third lantern of the old ferry and remembers who crossed. ", 9)
	for i := range n {
		fmt.Fprintf(&entities, "  - id: entity-%d\n    type: npc\n    name: Number %d\n    aliases: [the %dth, \"No. %d\"]\n    description: >-\n      %s\n    attributes: {age: %d}\n", i, i, i, i, text, i)
		fmt.Fprintf(&relations, "  - {from: entity-%d, type: knows, to: entity-%d, visible_to: [entity-%d, dm]}\n", i, (i+1)%n, i)
		fmt.Fprintf(&facts, "  - text: Number %d has crossed the river %d times.\n    about: entity-%d\n", i, i, i)
	}
	return "name: Large\nsystem: dnd5e\n\n# who is there\nentities:\n" + entities.String() + "\nrelations:\n" + relations.String() + "facts:\n" + facts.String() + "\nscene: Dusk.\n"
}

// TestALargeFileTakesLittleMemory reads ten megabytes.
func TestALargeFileTakesLittleMemory(t *testing.T) {
	data := []byte(largeText(10 << 20 / 1000))
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	done, most := make(chan struct{}), make(chan uint64)
	go func() {
		var peak uint64
		for {
			select {
			case <-done:
				most <- peak
				return
			case <-time.After(5 * time.Millisecond):
				runtime.ReadMemStats(&now)
				peak = max(peak, now.HeapInuse)
			}
		}
	}()
	start := time.Now()
	c, err := parse("large.yaml", data, partSize)
	took := time.Since(start)
	close(done)
	peak := <-most
	if err != nil || len(c.Entities) != len(c.Facts) || len(c.Entities) < 10_000 {
		t.Fatalf("%d entities and %d facts of %d bytes, %v", len(c.Entities), len(c.Facts), len(data), err)
	}
	above := int(peak-min(peak, before.HeapInuse)) >> 20
	t.Logf("%d MB took %v and %d MB beside the text", len(data)>>20, took.Round(time.Millisecond), above)
	if above > 100 {
		t.Errorf("reading %d MB took %d MB of memory", len(data)>>20, above)
	}
}
