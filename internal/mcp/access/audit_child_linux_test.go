package access_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// runChild adds records for ever and prints each number once the record is flushed, while
// later records are still unflushed.
func runChild(path string) {
	ctx := context.Background()
	l, err := access.OpenLog(ctx, path, access.LogOptions{})
	for n := 0; err == nil; n++ {
		l.Add(access.LogRecord{Who: "child", Tool: strconv.Itoa(n), Decision: access.Allowed}, `{"a":1}`)
		if n%7 == 0 {
			if err = l.Flush(ctx); err == nil {
				fmt.Println(n)
			}
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

func TestFlushedRecordsSurviveKill(t *testing.T) {
	binary, err := os.Executable()
	must(t, "Executable", err)
	for _, target := range []int{1, 5, 80} {
		path := filepath.Join(t.TempDir(), "audit.db")
		last := killAfter(t, binary, path, target)
		l, err := access.OpenLog(t.Context(), path, access.LogOptions{})
		must(t, "Open", err)
		found := map[string]bool{}
		cursor := ""
		for first := true; first || cursor != ""; first = false {
			var records []access.LogRecord
			records, cursor, err = l.Query(t.Context(), access.LogQuery{Who: "child", Limit: access.MaxLimit, Cursor: cursor})
			must(t, "Query", err)
			for _, r := range records {
				found[r.Tool] = true
			}
		}
		for n := 0; n <= last; n++ {
			if !found[strconv.Itoa(n)] {
				t.Errorf("record %d was flushed before number %d and is gone", n, last)
			}
		}
		l.Add(access.LogRecord{Who: "after", Tool: "x", Decision: access.Allowed}, "")
		if got := len(all(t, l, access.LogQuery{Who: "after"})); got != 1 {
			t.Errorf("%d records after the kill, want the 1 that was added", got)
		}
		must(t, "Close", l.Close())
		var verdict string
		must(t, "checking", behind(t, path).QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict))
		if verdict != "ok" {
			t.Errorf("file after the kill: %s, want ok", verdict)
		}
	}
}

// killAfter kills a child once it has printed target numbers, and returns the last one it
// printed.
func killAfter(t *testing.T, binary, path string, target int) (last int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), childPath+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, "StdoutPipe", err)
	must(t, "Start", cmd.Start())
	scan := bufio.NewScanner(out)
	for n := 0; n < target && scan.Scan(); n++ {
		if last, err = strconv.Atoi(scan.Text()); err != nil {
			t.Fatalf("child says %q", scan.Text())
		}
	}
	must(t, "Kill", cmd.Process.Signal(syscall.SIGKILL))
	for scan.Scan() { // what it printed before the signal
		if n, err := strconv.Atoi(scan.Text()); err == nil {
			last = n
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("child ended with %v, want it killed", err)
	}
	return last
}
