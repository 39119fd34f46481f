package access_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// TestRefusalsAreMerged has a caller refused a hundred thousand times in many different
// ways: the log counts them all in few records, and keeps the other callers' records.
func TestRefusalsAreMerged(t *testing.T) {
	l := fresh(t)
	const probes, invented = 100_000, 5000
	for i := range probes {
		l.Add(access.LogRecord{Who: "mallory", Tool: "write_file", Decision: access.Denied, Rule: "no-writing", Code: "forbidden"}, fmt.Sprintf(`{"n":%d}`, i))
	}
	for i := range invented {
		l.Add(access.LogRecord{Who: "mallory", Tool: fmt.Sprint("guess_", i), Decision: access.Denied, Code: "not_found"}, `{}`)
	}
	l.Add(access.LogRecord{Who: "ada", Tool: "roll", Decision: access.Denied, Code: "forbidden"}, `{}`)
	l.Add(access.LogRecord{Who: "mallory", Tool: "roll", Decision: access.Allowed}, `{}`)
	times, single, merged := map[string]int64{}, 0, 0
	for _, r := range all(t, l, access.LogQuery{Who: "mallory", Denied: true, Limit: access.MaxLimit}) {
		switch {
		case r.Times == 0 && r.ArgsHash != "":
			single++
		case r.Times > 0 && r.ArgsHash == "" && r.Decision == access.Denied:
			merged++
		default:
			t.Errorf("record = %+v, want a hash or a count", r)
		}
		times[r.Tool] += max(r.Times, 1)
	}
	if single != 30 || merged > 11 {
		t.Errorf("%d records of single refusals and %d of many, want 30 and at most 11", single, merged)
	}
	if times["write_file"] != probes {
		t.Errorf("%d refusals of write_file are told, want %d", times["write_file"], probes)
	}
	var sum int64
	for _, n := range times {
		sum += n
	}
	if sum != probes+invented {
		t.Errorf("%d refusals are told in all, want %d", sum, probes+invented)
	}
	if got := all(t, l, access.LogQuery{Who: "ada", Denied: true}); len(got) != 1 || got[0].Times != 0 {
		t.Errorf("records of another caller = %+v, want one of its own", got)
	}
	if got := all(t, l, access.LogQuery{Who: "mallory", Decision: access.Allowed}); len(got) != 1 {
		t.Errorf("records of what was allowed = %+v, want one", got)
	}
	usage, err := l.Usage(t.Context(), access.UsageQuery{Who: "mallory", Tool: "write_file"})
	must(t, "Usage", err)
	if u := usage.Usages; len(u) != 1 || u[0].Denied != probes || u[0].Calls != probes {
		t.Errorf("usage = %+v, want %d calls, all of them denied", u, probes)
	}
}

// TestMergedRefusalsSurviveTheEnd closes the log without a query before.
func TestMergedRefusalsSurviveTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l, err := access.OpenLog(t.Context(), path, access.LogOptions{})
	must(t, "Open", err)
	for range 100 {
		l.Add(access.LogRecord{Who: "mallory", Tool: "write_file", Decision: access.Denied, Code: "forbidden"}, `{}`)
	}
	must(t, "Close", l.Close())
	var sum int64
	for _, r := range all(t, open(t, path, access.LogOptions{}), access.LogQuery{Denied: true}) {
		sum += max(r.Times, 1)
	}
	if sum != 100 {
		t.Errorf("%d refusals are kept, want 100", sum)
	}
}

// TestRefusedCallersAreBounded has more callers refused than the log tracks separately.
func TestRefusedCallersAreBounded(t *testing.T) {
	l := fresh(t)
	const callers, each = 1200, 2
	for i := range callers {
		for range each {
			l.Add(access.LogRecord{Who: fmt.Sprint("guest-", i), Tool: "roll", Decision: access.Denied, Code: "forbidden"}, `{}`)
		}
	}
	usage, err := l.Usage(t.Context(), access.UsageQuery{})
	must(t, "Usage", err)
	if most := 1000*each + 31; usage.Counted > most {
		t.Errorf("%d records, want at most %d", usage.Counted, most)
	}
	got := all(t, l, access.LogQuery{Who: "others", Denied: true})
	if len(got) != 1 || got[0].Tool != "others" || got[0].Times != 200*each-30 {
		t.Errorf("what is beyond the bound = %+v, want one record of %d", got, 200*each-30)
	}
}

// TestLogOfVersionOneIsTakenOn opens a file written by the previous version.
func TestLogOfVersionOneIsTakenOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l, err := access.OpenLog(t.Context(), path, access.LogOptions{})
	must(t, "Open", err)
	l.Add(sample(), `{}`)
	must(t, "Close", l.Close())
	script(t, behind(t, path), "ALTER TABLE calls DROP COLUMN times; ALTER TABLE calls DROP COLUMN decided_by; PRAGMA user_version = 1")
	again := open(t, path, access.LogOptions{})
	again.Add(sample(), `{}`)
	if got := all(t, again, access.LogQuery{}); len(got) != 2 || got[1].Times != 0 || got[1].DecidedBy != "" {
		t.Errorf("records = %+v, want both", got)
	}
}
