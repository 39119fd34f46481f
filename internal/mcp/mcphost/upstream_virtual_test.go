package mcphost_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// far is a server in virtual time, at the other end of a wire that can be cut
// and muffled.
type far struct {
	*sdk.Server
	t       *testing.T
	host    *mcphost.Host
	cfg     config.MCPServerConfig
	away    atomic.Bool // it cannot be reached
	muffled atomic.Bool // what is sent to it gets lost
	calls   atomic.Int32

	mu    sync.Mutex // guards the fields below
	peers []*sdk.ServerSession
	wires []sdk.Connection // our ends
	dials []time.Time
}

// wire loses what is sent while the server is muffled.
type wire struct {
	sdk.Connection
	muffled *atomic.Bool
}

func (w *wire) Connect(context.Context) (sdk.Connection, error) { return w, nil }

func (w *wire) Write(ctx context.Context, m jsonrpc.Message) error {
	if w.muffled.Load() {
		return nil
	}
	return w.Connection.Write(ctx, m)
}

// newFar makes a server in virtual time and a host that can reach it.
func newFar(t *testing.T, cfg config.MCPServerConfig, opts ...mcphost.Option) *far {
	t.Helper()
	f := &far{t: t, cfg: cfg, Server: sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)}
	f.host = mcphost.New(append(opts, mcphost.WithDialer(f.dial))...)
	t.Cleanup(func() {
		f.muffled.Store(false)
		if err := f.host.Close(); err != nil {
			t.Error(err)
		}
	})
	f.cfg.Name = "far"
	return f
}

// register registers the server and returns what became of that.
func (f *far) register() error { return f.host.RegisterServer(f.t.Context(), f.cfg) }

// connect is called when the tools are made.
func (f *far) connect() {
	f.t.Helper()
	if err := f.register(); err != nil {
		f.t.Fatal(err)
	}
}

func (f *far) dial(ctx context.Context, _ config.MCPServerConfig) (*mcphost.ServerConn, error) {
	f.mu.Lock()
	f.dials = append(f.dials, time.Now())
	f.mu.Unlock()
	if f.away.Load() {
		return nil, errors.New("nobody there")
	}
	ours, theirs := sdk.NewInMemoryTransports()
	peer, err := f.Connect(ctx, theirs, nil)
	if err != nil {
		return nil, err
	}
	raw, err := ours.Connect(ctx)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.peers, f.wires = append(f.peers, peer), append(f.wires, raw)
	f.mu.Unlock()
	return &mcphost.ServerConn{
		Transport: &wire{raw, &f.muffled}, HangUp: func() { _ = raw.Close() }, Release: func() { _ = peer.Wait() },
	}, nil
}

// dies cuts the connection.
func (f *far) dies() {
	f.mu.Lock()
	peer := f.peers[len(f.peers)-1]
	f.mu.Unlock()
	go func() { _ = peer.Close() }() // it waits for calls under way
}

// cut breaks the wire under a call.
func (f *far) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.wires[len(f.wires)-1].Close()
}

// add makes a tool that may be probed and tried twice if it only reads.
func (f *far) add(name string, reads bool, handle func(context.Context) (*sdk.CallToolResult, error)) {
	t := &sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: reads}}
	f.AddTool(t, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		f.calls.Add(1)
		return handle(ctx)
	})
}

func says(text string) (*sdk.CallToolResult, error) {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
}

// after answers when d is over.
func after(d time.Duration) func(context.Context) (*sdk.CallToolResult, error) {
	return func(ctx context.Context) (*sdk.CallToolResult, error) {
		select {
		case <-time.After(d):
			return says("done")
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (f *far) status() mcphost.ServerStatus { return f.host.Servers()[0] }

func (f *far) lists(tier mcp.BudgetTier) string {
	var names []string
	for _, d := range f.host.AvailableTools(tier) {
		names = append(names, d.Name)
	}
	return strings.Join(names, " ")
}

func (f *far) tool(name string) mcphost.Status {
	f.t.Helper()
	all := f.host.Status()
	i := slices.IndexFunc(all, func(s mcphost.Status) bool { return s.Name == name })
	if i < 0 {
		f.t.Fatalf("no tool %q", name)
	}
	return all[i]
}

func TestSlowToolIsNeverFast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{})
		f.add("slow", true, after(2*time.Second))
		f.add("quick", true, after(5*time.Millisecond))
		f.connect()
		if got := f.lists(mcp.BudgetFast); got != "" {
			t.Errorf("FAST before calibration = %q, want no tool nobody measured", got)
		}
		if err := f.host.Calibrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := f.lists(mcp.BudgetFast); got != "quick" {
			t.Errorf("FAST after calibration = %q, want quick alone", got)
		}
		if s := f.tool("slow"); s.Tier != mcp.BudgetDeep || s.TierReason != "measured 2000 ms" {
			t.Errorf("slow is %v (%s), want deep, measured", s.Tier, s.TierReason)
		}
	})
}

// A tool that declares to be fast, may not be probed and always takes too long
// for FAST must not come back there with every trial.
func TestSlowToolThatClaimsToBeFastIsFoundOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{})
		tool := &sdk.Tool{Name: "liar", InputSchema: map[string]any{"type": "object"}, Meta: sdk.Meta{mcphost.MetaEstimated: 5}}
		f.AddTool(tool, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return after(2 * time.Second)(ctx)
		})
		f.connect()
		for range 5 {
			ts := f.host.Toolset(mcphost.ToolsetOptions{Allow: []string{"liar"}, Tier: mcp.BudgetFast, Ceiling: 500 * time.Millisecond})
			if _, err := ts.Execute(t.Context(), "liar", ""); !errors.Is(err, mcp.ErrTimeout) {
				t.Fatalf("err = %v, want ErrTimeout", err)
			}
		}
		for range 10 {
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if got := f.lists(mcp.BudgetFast); got != "" {
				t.Fatalf("FAST = %q in state %q", got, f.tool("liar").State)
			}
		}
		if s := f.tool("liar"); s.TierReason != "took more than 500 ms" {
			t.Errorf("reason = %q", s.TierReason)
		}
		if _, err := f.host.ExecuteTool(t.Context(), "liar", ""); err != nil {
			t.Error(err)
		}
		if s := f.tool("liar"); s.State != "ready" || s.Tier != mcp.BudgetDeep || s.TierReason != "measured 2000 ms" {
			t.Errorf("after a call that had the time: %+v", s)
		}
	})
}

func TestFailuresFollowedBySuccessesHeal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{})
		var broken atomic.Bool
		broken.Store(true)
		f.add("moody", false, func(context.Context) (*sdk.CallToolResult, error) {
			if broken.Load() {
				return nil, errors.New("out of order")
			}
			return says("well")
		})
		f.connect()
		for range 31 {
			if _, err := f.host.ExecuteTool(t.Context(), "moody", ""); err == nil {
				t.Fatal("a failing tool succeeds")
			}
		}
		if s := f.tool("moody"); s.State != "demoted" || s.Tier != mcp.BudgetDeep {
			t.Errorf("after 31 failures: %+v", s)
		}
		broken.Store(false)
		time.Sleep(time.Minute)
		for range 3 {
			if _, err := f.host.ExecuteTool(t.Context(), "moody", ""); err != nil {
				t.Fatal(err)
			}
		}
		if s := f.tool("moody"); s.State != "ready" || s.Tier != mcp.BudgetFast || s.ErrorRate != 0 {
			t.Errorf("after 3 successes: %+v, want it healed", s)
		}
		if s := f.status(); s.Failures != 0 || s.Connects != 1 {
			t.Errorf("server = %+v: what the tool does wrong is held against the connection", s)
		}
	})
}

func TestDeathAndReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{})
		f.add("look", true, after(time.Second))
		f.add("act", false, after(time.Second))
		f.connect()
		ts := f.host.Toolset(mcphost.ToolsetOptions{Allow: []string{"look", "act"}, Tier: mcp.BudgetDeep})
		for round := range 4 {
			f.away.Store(true)
			f.dies()
			synctest.Wait()
			if got := len(ts.Definitions()); got != 0 || f.lists(mcp.BudgetDeep) != "" {
				t.Errorf("round %d: %d tools of a dead server are listed", round, got)
			}
			if _, err := ts.Execute(t.Context(), "look", ""); !errors.Is(err, mcp.ErrUnavailable) {
				t.Errorf("err = %v, want ErrUnavailable", err)
			}
			time.Sleep(time.Duration(round) * 10 * time.Minute)
			f.away.Store(false)
			returned := time.Now()
			for f.status().State != "ready" && time.Since(returned) < time.Hour {
				changed := f.host.Changed()
				select {
				case <-changed:
				case <-time.After(time.Second):
				}
			}
			if took := time.Since(returned); took > 2*time.Second {
				t.Errorf("round %d: back %v after its return, want 2 s at most", round, took)
			}
			if got := len(ts.Definitions()); got != 2 {
				t.Errorf("round %d: a toolset from before has %d tools after the return, want both", round, got)
			}
		}
	})
}

// What was lost on the way may have been carried out: only what may be done
// twice is, and only once the server is back.
func TestLostCallsAreNotReplayed(t *testing.T) {
	for _, row := range []struct {
		tool  string
		calls int32
		ok    bool
	}{{"act", 1, false}, {"look", 2, true}} {
		t.Run(row.tool, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFar(t, config.MCPServerConfig{})
				f.add("look", true, after(time.Second))
				f.add("act", false, after(time.Second))
				f.connect()
				time.AfterFunc(500*time.Millisecond, f.cut)
				_, err := f.host.ExecuteTool(t.Context(), row.tool, "")
				if (err == nil) != row.ok || !row.ok && !errors.Is(err, mcp.ErrUnavailable) {
					t.Errorf("err = %v, want success = %v", err, row.ok)
				}
				time.Sleep(time.Minute)
				if got := f.calls.Load(); got != row.calls {
					t.Errorf("%d calls, want %d", got, row.calls)
				}
			})
		})
	}
}

func TestQueueingCountsAsLatencyAndIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{MaxConcurrent: 2, CallTimeout: config.Duration(time.Hour)})
		f.add("act", false, after(time.Second))
		f.connect()
		type outcome struct {
			took time.Duration
			err  error
		}
		out := make(chan outcome, 100)
		for range 2 + mcphost.MaxQueued + 10 {
			go func() {
				res, err := f.host.ExecuteTool(t.Context(), "act", "")
				out <- outcome{res.Duration, err}
			}()
		}
		synctest.Wait()
		if s := f.status(); s.Calls != 2 || s.Queued != mcphost.MaxQueued {
			t.Errorf("status = %+v, want 2 calls and %d in the queue", s, mcphost.MaxQueued)
		}
		var busy, done int
		var longest time.Duration
		for range 2 + mcphost.MaxQueued + 10 {
			switch o := <-out; {
			case o.err == nil:
				done++
				longest = max(longest, o.took)
			case errors.Is(o.err, mcp.ErrBusy):
				busy++
			default:
				t.Error(o.err)
			}
		}
		if busy != 10 || done != 2+mcphost.MaxQueued || longest != (2+mcphost.MaxQueued)/2*time.Second {
			t.Errorf("%d busy, %d done, the longest in %v; want 10, %d and %v", busy, done, longest, 2+mcphost.MaxQueued, (2+mcphost.MaxQueued)/2*time.Second)
		}
		if s := f.tool("act"); s.P99 != 33000 || s.Samples != 2+mcphost.MaxQueued {
			t.Errorf("P99 = %v ms over %d samples, want the queueing counted and the refusals not", s.P99, s.Samples)
		}
	})
}

func TestCancellationReachesTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar(t, config.MCPServerConfig{CallTimeout: config.Duration(time.Second)})
		ended := make(chan time.Duration, 1)
		start := time.Now()
		f.add("hang", false, func(ctx context.Context) (*sdk.CallToolResult, error) {
			<-ctx.Done()
			ended <- time.Since(start)
			return nil, ctx.Err()
		})
		f.connect()
		if _, err := f.host.ExecuteTool(t.Context(), "hang", ""); !errors.Is(err, mcp.ErrTimeout) {
			t.Errorf("err = %v, want ErrTimeout", err)
		}
		if took := <-ended; took != time.Second {
			t.Errorf("the server's handler ended after %v, want 1 s", took)
		}
	})
}
