package mcpbench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// syncFigures are the results of one run of state sync.
type syncFigures struct {
	watchReport
	// before and after are the bytes in use on the server's heap, with all
	// clients connected, before the first change and after the last.
	before, after uint64
	// sessions is the number of open sessions at the end, including those of
	// the clients that make the changes.
	sessions int
}

// runSync lets a client process follow a world of a server in this process.
func runSync(t *testing.T, p watchPlan) syncFigures {
	t.Helper()
	p.Addr = newOutward(t, p.Entities).addr
	plan, err := json.Marshal(p)
	must(t, "encoding the plan", err)
	self, err := os.Executable()
	must(t, "finding the test binary", err)
	cmd := exec.CommandContext(t.Context(), self, watchWord, string(plan))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(t, "opening a pipe", err)
	out, err := cmd.StdoutPipe()
	must(t, "opening a pipe", err)
	must(t, "starting the clients", cmd.Start())
	f, err := converse(in, bufio.NewReader(out), p.Addr)
	if err = errors.Join(err, cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	return f
}

// converse drives the client process through a run.
func converse(in io.WriteCloser, out *bufio.Reader, addr string) (f syncFigures, err error) {
	defer in.Close()
	if err := heard(out, "ready\n"); err != nil {
		return f, err
	}
	f.before = alive()
	if _, err := fmt.Fprintln(in, "go"); err != nil {
		return f, err
	}
	if err := heard(out, "seen\n"); err != nil {
		return f, err
	}
	f.after = alive()
	if f.sessions, err = openSessions(addr); err != nil {
		return f, err
	}
	in.Close()
	if err := json.NewDecoder(out).Decode(&f.watchReport); err != nil {
		return f, fmt.Errorf("reading the clients' report: %w", err)
	}
	return f, nil
}

// openSessions reads the number of open sessions from the server's metrics.
func openSessions(addr string) (int, error) {
	base := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: bearer{base}}).Get("http://" + addr + "/metrics")
	if err != nil {
		return 0, fmt.Errorf("reading metrics: %w", err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "glyphoxa_sessions "); ok {
			return strconv.Atoi(text)
		}
	}
	return 0, errors.New("reading metrics: the sessions are not among them")
}

func heard(out *bufio.Reader, want string) error {
	line, err := out.ReadString('\n')
	if err != nil {
		return fmt.Errorf("waiting for the clients to say %q: %w", want, err)
	}
	if line != want {
		return fmt.Errorf("the clients said %q, want %q", line, want)
	}
	return nil
}

// alive returns the bytes in use on the heap.
func alive() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // collects what finalizers released
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// syncRuns are the runs of state sync: their length, and their targets with
// -strict.
func syncRuns() []syncRun {
	const entities = 2000
	if racing {
		return []syncRun{{name: "20 clients, one stops", plan: watchPlan{Watchers: 20, Entities: 100, Changes: 150, Every: 10 * time.Millisecond, Stops: true}}}
	}
	long := 3 * time.Second
	if *strict {
		long = 30 * time.Second
	}
	rate := func(watchers, perSecond int, stops bool) watchPlan {
		return watchPlan{
			Watchers: watchers, Entities: entities, Changes: int(long.Seconds()) * perSecond,
			Every: time.Second / time.Duration(perSecond), Stops: stops,
		}
	}
	full := syncRun{name: "200 clients, 500/s, one stops", plan: rate(200, 500, true), p95: 10 * time.Millisecond}
	if !*strict {
		return []syncRun{full}
	}
	return []syncRun{
		{name: "2 clients, in turn", plan: watchPlan{Watchers: 2, Entities: entities, Changes: 2000, InTurn: true}, p95: time.Millisecond},
		{name: "2 clients, 500/s", plan: rate(2, 500, false)},
		{name: "200 clients, 500/s", plan: rate(200, 500, false), p95: 10 * time.Millisecond},
		full,
	}
}

type syncRun struct {
	name string
	plan watchPlan
	p95  time.Duration // target from a change to its delivery; 0 means none
}

// TestOutwardStateSync lets clients in another process follow a changing world.
func TestOutwardStateSync(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	if !racing {
		defer debug.SetGCPercent(debug.SetGCPercent(productGC))
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "state sync (ms)\tp50\tp95\tp99\tafter return p50\tp95\tcall p50\tp95\tlate p95\tframes/change\theap MB\tthen\t")
	var before time.Duration // p95 of the same run without the stopped client
	for _, r := range syncRuns() {
		t.Run(r.name, func(t *testing.T) {
			f := runSync(t, r.plan)
			if *strict && before > 0 && r.plan.Stops && f.Seen.P95 > 2*before {
				t.Errorf("change to seen: p95 is %v with one who stopped reading and %v without", f.Seen.P95, before)
			}
			before = f.Seen.P95
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.1f\t%.1f\t%.1f\t\n", r.name,
				millis(f.Seen.P50), millis(f.Seen.P95), millis(f.Seen.P99), millis(f.Returned.P50), millis(f.Returned.P95),
				millis(f.Call.P50), millis(f.Call.P95), millis(f.Late.P95), float64(f.Frames)/float64(r.plan.Changes), megabytes(f.before), megabytes(f.after))
			r.check(t, f)
		})
	}
	must(t, "printing", w.Flush())
	if *strict {
		_, err := table.WriteTo(os.Stdout)
		must(t, "printing", err)
		return
	}
	t.Logf("\n%s", table.String())
}

// heapSlack bounds the heap's growth over a run, in bytes, because data of
// clients and changes must not accumulate.
const heapSlack = 4 << 20

func (r syncRun) check(t *testing.T, f syncFigures) {
	if f.Stale > 0 {
		t.Errorf("%d entities were not seen in their last state", f.Stale)
	}
	if f.after > f.before+f.before/10+heapSlack {
		t.Errorf("the heap has grown from %d to %d bytes", f.before, f.after)
	}
	if f.Call.N != int64(r.plan.Changes) {
		t.Errorf("%d calls were made, want %d", f.Call.N, r.plan.Changes)
	}
	want := r.plan.Watchers + movers
	if r.plan.Stops && !*strict {
		want++ // the server drops it after ten seconds
	}
	if f.sessions != want {
		t.Errorf("%d sessions are open at the end, want %d", f.sessions, want)
	}
	if *strict && r.p95 > 0 && f.Seen.P95 > r.p95 {
		t.Errorf("change to seen: p95 is %v, want at most %v", f.Seen.P95, r.p95)
	}
}

func millis(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1000) }

func megabytes(n uint64) float64 { return float64(n) / (1 << 20) }
