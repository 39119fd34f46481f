package web_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

var strict = flag.Bool("strict", false, "fail where a target is missed")

// Targets for the console's frame rate, see docs/performance.md.
const (
	frameShare = 0.99 // of the frames of a 60 Hz screen
	frameTools = 200
	frameTurns = 10 // per second
)

// frameNPCs answer the party's questions and roll for them.
var frameNPCs = []string{"Bartok", "Mira", "Greymantle", "Yrsa", "Odo", "Celeste"}

// viewFrames is the report of testdata/peers/frames.mjs about a view. Times are in ms.
type viewFrames struct {
	View                         string
	Elements, Frames             int
	Share, P50, P99, Most        float64
	Tasks, Long, OverFrame, Busy int
	TaskWall, TaskCPU, TaskCPU99 float64
	Dropped                      int
}

// TestFrames plays ten turns a second, with 200 tools, and measures in a tracing browser how
// many frames each view shows in time. GLYPHOXA_BENCH_CONSOLE enables it and sets the seconds
// per view.
func TestFrames(t *testing.T) {
	seconds := os.Getenv("GLYPHOXA_BENCH_CONSOLE")
	if seconds == "" {
		t.Skip("set GLYPHOXA_BENCH_CONSOLE, or use make bench-console")
	}
	browser, _ := peers.Browser(t)
	peers.File(t, "playwright-core/package.json")
	script, err := filepath.Abs(filepath.Join("..", "..", "testdata", "peers", "frames.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	f := openWith(t, frameSettings())
	registerTools(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	played := make(chan int)
	go func() { played <- f.playOn(ctx) }()
	begin := time.Now()
	cmd := exec.CommandContext(t.Context(), peers.Node(t), script, browser, f.server.URL+"/#"+f.console.OwnerToken(), seconds)
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	cancel()
	lines, took := <-played, time.Since(begin)
	if err != nil {
		t.Fatalf("the visit failed: %v\n%s", err, out)
	}
	t.Logf("%d lines in %.1f s", lines, took.Seconds())
	var views []viewFrames
	if err := json.Unmarshal(out, &views); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	for _, v := range views {
		t.Logf("%-6s %4d elements; %4d frames, %5.1f %% of 60 a second; apart p50 %.1f p99 %.1f most %.1f ms; longest task %.1f ms, %.1f ms of processor (p99 %.2f), %d over a frame, %d long; %d ms busy of %s s; %d dropped",
			v.View, v.Elements, v.Frames, 100*v.Share, v.P50, v.P99, v.Most, v.TaskWall, v.TaskCPU, v.TaskCPU99, v.OverFrame, v.Long, v.Busy, seconds, v.Dropped)
		if *strict && (v.Share < frameShare || v.OverFrame > 0) {
			t.Errorf("%s: %.1f %% of the frames came and %d tasks took more than one, want %.0f %% and none", v.View, 100*v.Share, v.OverFrame, 100*frameShare)
		}
	}
	if len(views) != 3 {
		t.Errorf("%d views were watched, want 3", len(views))
	}
}

func frameSettings() string {
	var npcs strings.Builder
	for _, name := range frameNPCs {
		fmt.Fprintf(&npcs, "  - {name: %s, tools: [roll], lines: {smalltalk: [\"Foggy.\"], unknown: [\"No idea, but the fog comes early this year.\"]}}\n", name)
	}
	npcsAt, server := strings.Index(settings, "  - {name: Bartok"), strings.Index(settings, "server:")
	return settings[:npcsAt] + npcs.String() + settings[server:]
}

func registerTools(t *testing.T, f *fixture) {
	t.Helper()
	for n := range frameTools - len(f.game.Registry.Host.Status()) {
		err := f.game.Registry.Host.RegisterBuiltin(tools.Tool{
			Definition: llm.ToolDefinition{
				Name: fmt.Sprintf("lore_%03d", n), Description: "Looks up lore.", Parameters: map[string]any{"type": "object"}, EstimatedDurationMs: 1 + n*n/4,
			},
			Handler: func(context.Context, string) (string, error) { return "{}", nil },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// playOn plays lines until ctx ends and returns their number.
func (f *fixture) playOn(ctx context.Context) (lines int) {
	tick := time.NewTicker(time.Second / frameTurns)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return lines
		case <-tick.C:
		}
		text := fmt.Sprintf("%s, roll 2d6", frameNPCs[lines%len(frameNPCs)])
		if lines%3 == 1 {
			text = fmt.Sprintf("%s, what do you make of the fog?", frameNPCs[lines%len(frameNPCs)])
		}
		if f.session.Table.Hear(ctx, table.Utterance{Speaker: "Ana", Text: text}) == nil {
			lines++
		}
	}
}
