package access_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// bulky is a record of more than a kilobyte in the file.
func bulky(n int) access.LogRecord {
	r := sample()
	r.Tool, r.Error = fmt.Sprint("tool_", n), strings.Repeat("x", 1000)
	return r
}

// overshoot is how far a file may exceed its limit for a moment: the size of the queue
// and of one deletion step.
const overshoot = 8 << 20

func TestOldestRecordsGoWhenTheFileIsFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	synctest.Test(t, func(t *testing.T) {
		var told bytes.Buffer
		const most, each, rounds = 4 << 20, 1000, 10
		l := open(t, path, access.LogOptions{MaxSize: most, Logger: slog.New(slog.NewTextHandler(&told, nil))})
		n := 0
		for range rounds { // twice what fits
			for range each {
				l.Add(bulky(n), "")
				n++
			}
			must(t, "Flush", l.Flush(t.Context()))
			synctest.Wait()
			if size := fileSize(t, path); size > most+overshoot {
				t.Fatalf("the file has %d bytes after %d records, want %d at most", size, n, most)
			}
		}
		size, bound := l.Size()
		if size > most || size != fileSize(t, path) && size+overshoot < fileSize(t, path) || bound != most {
			t.Errorf("Size = %d of %d, the file has %d, want no more than %d", size, bound, fileSize(t, path), most)
		}
		kept := count(t, behind(t, path))
		if kept < each || kept > most/1000 {
			t.Errorf("%d records are left, want %d to %d", kept, each, most/1000)
		}
		newest := all(t, l, access.LogQuery{Limit: access.MaxLimit})
		for i, r := range newest {
			if want := fmt.Sprint("tool_", n-1-i); r.Tool != want {
				t.Fatalf("record %d from the end is %s, want %s: not the oldest went", i, r.Tool, want)
			}
		}
		if got := all(t, l, access.LogQuery{Tool: "tool_0"}); len(got) != 0 {
			t.Error("the first record is still there")
		}
		if said := strings.Count(told.String(), "reached its size"); said != 1 {
			t.Errorf("the operator was told %d times within an hour that records go, want once:\n%s", said, told.String())
		}
	})
}

func TestSmallerBoundGivesRoomBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l, err := access.OpenLog(t.Context(), path, access.LogOptions{})
	must(t, "Open", err)
	for n := range 6_000 {
		l.Add(bulky(n), "")
	}
	must(t, "Close", l.Close())
	const most = 1 << 20
	if before := fileSize(t, path); before < 4*most {
		t.Fatalf("the file has %d bytes, too few to show anything", before)
	}
	again := open(t, path, access.LogOptions{MaxSize: most})
	for { // in the background; the test's deadline bounds the loop
		if size, _ := again.Size(); size <= most {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if got := all(t, again, access.LogQuery{Limit: 1}); len(got) != 1 || got[0].Tool != "tool_5999" {
		t.Errorf("newest = %+v, want the record that was added last", got)
	}
}

// TestFloodsDoNotKeepTheFileFromBeingCleared has callers that never let the queue run
// empty.
func TestFloodsDoNotKeepTheFileFromBeingCleared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	const most, adders, each = 4 << 20, 8, 1500
	l := open(t, path, access.LogOptions{MaxSize: most})
	var wg sync.WaitGroup
	for range adders {
		wg.Go(func() {
			for n := range each { // 15 MB in all
				l.Add(bulky(n), "")
			}
		})
	}
	wg.Wait()
	must(t, "Flush", l.Flush(t.Context()))
	if size := fileSize(t, path); size > most+2*overshoot {
		t.Errorf("the file grew to %d bytes, want about %d", size, most)
	}
	if l.Lost() != 0 {
		t.Errorf("%d records were lost", l.Lost())
	}
}

func fileSize(t testing.TB, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	must(t, "Stat", err)
	return info.Size()
}
