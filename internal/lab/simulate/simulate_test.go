package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// journal is a session log in memory.
type journal struct {
	memory.SessionLog
	mu       sync.Mutex
	lines    []memory.Line
	sessions int
	ended    int
}

func (j *journal) StartSession(context.Context, string) (memory.Session, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sessions++
	return memory.Session{ID: fmt.Sprint("s", j.sessions)}, nil
}

func (j *journal) EndSession(context.Context, string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended++
	return nil
}

func (j *journal) Append(_ context.Context, lines ...memory.Line) ([]memory.Line, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, lines...)
	return lines, nil
}

func (j *journal) RecentFor(ctx context.Context, session, _ string, n int) ([]memory.Line, error) {
	return j.Recent(ctx, session, n)
}

func (j *journal) Recent(_ context.Context, session string, n int) ([]memory.Line, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []memory.Line
	for _, l := range j.lines {
		if l.Session == session {
			out = append(out, l)
		}
	}
	return slices.Clone(out[max(0, len(out)-n):]), nil
}

// void is an empty world.
type void struct{}

func (void) FindEntities(context.Context, memory.EntityQuery) ([]memory.Entity, error) {
	return nil, nil
}

func (void) Places(context.Context, string, ...string) (map[string]memory.Entity, error) {
	return nil, nil
}

func (void) Inside(context.Context, string, string, int) ([]memory.Entity, error) { return nil, nil }

// simulated runs a load with in-memory parts, and the sound for lib.
func simulated(t *testing.T, ctx context.Context, load Load, lib *opus.Library) (*Result, *journal, error) {
	t.Helper()
	p := frames(t)
	if lib != nil {
		p = payloads(t)
	}
	o := &Options{Library: lib, Seed: 1, Tell: func(s string) { t.Log(s) }}
	host := mcphost.New()
	for _, tool := range diceroller.Tools() {
		if err := host.RegisterBuiltin(tool); err != nil {
			t.Fatal(err)
		}
	}
	j := &journal{}
	parts := Parts{host, j, void{}}
	r, err := simulate(ctx, load, parts, o.withDefaults(), p)
	if err := host.Close(); err != nil {
		t.Error(err)
	}
	return r, j, err
}

func TestTwoTablesForAMinute(t *testing.T) {
	lib, err := opus.Load()
	if err != nil {
		t.Logf("without Opus: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		load := Load{Tables: 2, Players: 4, NPCs: 2, Duration: time.Minute}
		got, j, err := simulated(t, t.Context(), load, lib)
		if err != nil {
			t.Fatal(err)
		}
		r := got.Report
		text, _ := json.MarshalIndent(r, "", "  ")
		t.Logf("%s", text)
		if r.Tables != 2 || r.Players != 4 || r.NPCs != 2 || r.Minutes != 1 || r.Interrupted {
			t.Errorf("the report is of %d tables, %d players, %d NPCs, %v min, interrupted %v; want what was asked for", r.Tables, r.Players, r.NPCs, r.Minutes, r.Interrupted)
		}
		// A line, its answer and the pause take 4 to 20 s.
		if r.Turns < 5 || r.Turns > 30 {
			t.Errorf("%d turns at two tables in a minute, want 5 to 30", r.Turns)
		}
		if d, b := r.Outcomes["delivered"], r.Outcomes["barged"]; d == 0 || d+b != r.Turns {
			t.Errorf("outcomes = %v of %d turns, want all delivered or interrupted", r.Outcomes, r.Turns)
		}
		if r.FirstSound.P50 < 700 || r.FirstSound.P50 > 2500 {
			t.Errorf("first sound p50 = %v ms, want what endpointing and the providers take", r.FirstSound.P50)
		}
		if r.FrameLateness.Max != 0 || r.Underruns != 0 {
			t.Errorf("frames are up to %v ms late, %d underruns; want none where time stands still", r.FrameLateness.Max, r.Underruns)
		}
		if r.Frames < 50*20 || r.Frames > 50*120 {
			t.Errorf("%d frames of two NPCs in a minute, want them to speak for some time", r.Frames)
		}
		if r.DroppedPackets != 0 || r.Packets < 2*50*60 {
			t.Errorf("%d packets, %d dropped; want those of two open microphones and speech, none dropped", r.Packets, r.DroppedPackets)
		}
		if j.sessions != 2 || j.ended != 2 {
			t.Errorf("%d sessions, %d ended, want 2 and 2", j.sessions, j.ended)
		}
		if len(got.Points) < 60 || got.Points[len(got.Points)-1].X != 1 {
			t.Errorf("%d points, the last at %v; want one a second to the end", len(got.Points), got.Points[len(got.Points)-1].X)
		}
	})
}

func TestInterruptionLeavesAReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		got, _, err := simulated(t, ctx, Load{Tables: 1, Players: 2, NPCs: 1, Duration: time.Hour}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r := got.Report; !r.Interrupted || r.Minutes != 0.5 || r.Turns == 0 || r.Outcomes["cancelled"] > 0 {
			t.Errorf("report = %+v, want half a minute, interrupted, without the turns that the end cut off", r)
		}
	})
}

// TestInterruptionOfTheStart checks that an interrupted start reports no
// measurements.
func TestInterruptionOfTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	load := Load{Tables: 1, Players: 1, NPCs: 1, Duration: time.Hour}
	if got, err := Run(ctx, load, Parts{}, nil); got != nil || !errors.Is(err, ErrInterrupted) {
		t.Errorf("interrupted while voices are made: %v, %v, want ErrInterrupted alone", got, err)
	}
	if got, _, err := simulated(t, ctx, load, nil); got != nil || !errors.Is(err, ErrInterrupted) {
		t.Errorf("interrupted while tables are set up: %v, %v, want ErrInterrupted alone", got, err)
	}
}

func TestInterruptionBeforeAnyFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		got, _, err := simulated(t, ctx, Load{Tables: 1, Players: 1, NPCs: 1, Duration: time.Hour}, nil)
		if got == nil || !errors.Is(err, ErrInterrupted) {
			t.Fatalf("an early end = %v, %v, want a report and ErrInterrupted", got, err)
		}
		if r := got.Report; !r.Interrupted || r.FirstSound != nil || r.FrameLateness != nil {
			t.Errorf("report = %+v, want no percentiles of nothing", r)
		}
	})
}

func TestNothingHeardIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, _, err := simulated(t, t.Context(), Load{Tables: 1, Players: 1, NPCs: 1, Duration: 10 * time.Millisecond}, nil)
		if !errors.Is(err, ErrNoFrames) || got == nil {
			t.Errorf("a simulation too short for a frame = %v, %v, want a report and ErrNoFrames", got, err)
		}
	})
}

func TestLoadIsChecked(t *testing.T) {
	good := Load{Tables: 1, Players: 1, NPCs: 1, Duration: time.Second}
	for name, spoil := range map[string]func(*Load){
		"no_tables":        func(l *Load) { l.Tables = 0 },
		"too_many_tables":  func(l *Load) { l.Tables = MaxTables + 1 },
		"no_players":       func(l *Load) { l.Players = 0 },
		"too_many_players": func(l *Load) { l.Players = MaxPlayers + 1 },
		"no_npcs":          func(l *Load) { l.NPCs = 0 },
		"too_many_npcs":    func(l *Load) { l.NPCs = MaxNPCs + 1 },
		"no_time":          func(l *Load) { l.Duration = 0 },
	} {
		bad := good
		spoil(&bad)
		if _, err := Run(t.Context(), bad, Parts{}, nil); err == nil {
			t.Errorf("%s: Run = nil, want an error", name)
		}
	}
}

func TestLoadFitsIntoMemory(t *testing.T) {
	const mb = 1 << 20
	for _, row := range []struct {
		name   string
		load   Load
		memory int64
		want   string

		browsers bool
	}{
		{name: "fits", load: Load{Tables: 100, Players: 4}, memory: 300 * mb},
		{name: "more_in_browsers", load: Load{Tables: 100, Players: 4}, memory: 300 * mb, want: "100 tables of 4 players take 550 MB, and there are 300 MB here, enough for 54 tables", browsers: true},
		{name: "one_too_many", load: Load{Tables: 101, Players: 4}, memory: 300 * mb, want: "101 tables of 4 players take 303 MB, and there are 300 MB here, enough for 100 tables"},
		{name: "not_even_one", load: Load{Tables: 5, Players: 100}, memory: 50 * mb, want: "a table of 100 players takes 51 MB, and there are 50 MB here"},
		{name: "as_much_as_there_can_be", load: Load{Tables: MaxTables, Players: MaxPlayers}, memory: 1 << 40},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := ""
			if err := row.load.Fits(row.memory, row.browsers); err != nil {
				got = err.Error()
			}
			if got != row.want {
				t.Errorf("Fits = %q, want %q", got, row.want)
			}
		})
	}
}
