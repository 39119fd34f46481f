package main_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// served is a program that serves its tools, and its measurements.
type served struct {
	gogc    string // empty for the program's default
	session *sdk.ClientSession
	pid     int
	idle    float64       // MiB before the first call
	spent   time.Duration // processor time by then
	took    []time.Duration
}

// name is the prefix of the program's figures.
func (s *served) name() string {
	if s.gogc == "" {
		return "default"
	}
	return "gogc" + s.gogc
}

// BenchmarkGarbage serves the tools from several programs with different
// garbage collection settings and calls them in turns: one op is one call of
// each. "default" is the program's own setting.
func BenchmarkGarbage(b *testing.B) {
	var all []*served
	for _, gogc := range []string{"100", "200", "", "800"} {
		h := newProgram(b)
		if gogc != "" {
			h.set("GOGC", gogc)
		}
		session, cmd := h.agent(nil)
		s := &served{gogc: gogc, session: session, pid: cmd.Process.Pid}
		s.call(b, "search_rules", `{"query":"what does blinded do"}`) // the program has now read the rules
		s.idle, s.spent, s.took = resident(b, s.pid), processor(b, s.pid), nil
		all = append(all, s)
	}
	turns := slices.Clone(all)
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		rng.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
		for _, s := range turns {
			s.call(b, "roll", `{"expression":"2d6+3"}`)
		}
	}
	for _, s := range all {
		slices.Sort(s.took)
		us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
		b.ReportMetric(us(s.took[len(s.took)/2]), s.name()+"-p50-µs")
		b.ReportMetric(us(s.took[(len(s.took)-1)*99/100]), s.name()+"-p99-µs")
		b.ReportMetric(us(processor(b, s.pid)-s.spent)/float64(len(s.took)), s.name()+"-cpu-µs")
		b.ReportMetric(s.idle, s.name()+"-idle-MiB")
		b.ReportMetric(resident(b, s.pid), s.name()+"-busy-MiB")
	}
}

func (s *served) call(tb testing.TB, tool, args string) {
	tb.Helper()
	start := time.Now()
	r, err := s.session.CallTool(tb.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	s.took = append(s.took, time.Since(start))
	if err != nil || r.IsError {
		tb.Fatalf("calling %s: %v, %+v", tool, err, r)
	}
}

// resident returns the memory of a process in MiB. It leaves out pages of the
// program's own file, because the system maps and drops 40 to 90 MiB of them at
// will.
func resident(tb testing.TB, pid int) float64 { return memoryFigure(tb, pid, "RssAnon") }

// mostResident bounds the peak of resident.
func mostResident(tb testing.TB, pid int) float64 {
	return memoryFigure(tb, pid, "VmHWM") - memoryFigure(tb, pid, "RssFile")
}

// processor returns the processor time used by a process.
func processor(tb testing.TB, pid int) time.Duration {
	tb.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		tb.Fatal(err)
	}
	// The name in parentheses may hold spaces; user and system time are the
	// 12th and 13th field after it, in hundredths of a second.
	var user, system int
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		tb.Fatalf("cannot read %q", stat)
	}
	for i, into := range []*int{&user, &system} {
		if _, err := fmt.Sscan(fields[11+i], into); err != nil {
			tb.Fatalf("reading %q: %v", stat, err)
		}
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}
