package mcpbench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// watchWord as the first argument makes the test binary a client process; the
// second argument is a watchPlan as JSON.
const watchWord = "watch-world"

// movers is the number of connections that make changes, so that changes do not
// wait for each other.
const movers = 8

// productGC is the product's garbage collection setting; see
// cmd/glyphoxa/gc.go.
const productGC = 300

// watchPlan configures the client process: it connects, says "ready", waits for
// a line, makes the changes, says "seen" once all watchers have the last of
// them, stays connected until its input ends, and prints a watchReport.
type watchPlan struct {
	Addr              string
	Watchers          int
	Entities, Changes int
	Every             time.Duration // between two changes
	// Stops adds a watcher that stops reading after a tenth of the changes.
	Stops bool
	// InTurn makes each change only after all watchers have seen the previous
	// one, and ignores Every.
	InTurn bool
}

// watchReport is the clients' result.
type watchReport struct {
	// Seen runs from just before a changing call to a watcher's receipt of the
	// change; Returned from the call's end, 0 if the watcher was faster; Call
	// is the duration of the call, Late its delay after the planned time.
	Seen, Returned, Call, Late points
	// Frames were received by all watchers.
	Frames int64
	// Stale are the entities whose last state did not reach every watcher.
	Stale int
}

// watch runs the client process.
func watch(in io.Reader, out io.Writer, plan string) error {
	debug.SetGCPercent(productGC)
	var p watchPlan
	if err := json.Unmarshal([]byte(plan), &p); err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a := &audience{plan: p, began: time.Now(), start: make([]atomic.Int64, p.Changes), end: make([]atomic.Int64, p.Changes)}
	if p.InTurn {
		a.sights = make(chan struct{}, p.Watchers)
	}
	if err := a.connect(ctx); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, "ready"); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	lines.Scan()
	if err := a.play(ctx); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, "seen"); err != nil {
		return err
	}
	for lines.Scan() { // until the input ends
	}
	cancel()
	a.reading.Wait()
	return json.NewEncoder(out).Encode(a.report())
}

// audience is the clients of one process.
type audience struct {
	plan       watchPlan
	began      time.Time
	start, end []atomic.Int64 // of each change, in nanoseconds since began; 0 means not yet
	watchers   []*watcher
	movers     []*websocket.Conn
	begun      atomic.Int64   // changes
	sights     chan struct{}  // receipts of changes by watchers, if InTurn
	reading    sync.WaitGroup // the goroutines that read
	behind     sync.WaitGroup // the watchers that lack the last state
	called     spread         // owned by play
	late       spread
}

func (a *audience) now() int64 { return int64(time.Since(a.began)) }

// watcher is one client that follows the world. Its reading goroutine owns its
// fields until done is closed.
type watcher struct {
	conn     *websocket.Conn
	latest   []int // the last change seen of each entity; -1 means none
	seen     spread
	returned spread
	frames   int64
	missing  int // entities whose last state has not arrived
}

func (a *audience) connect(ctx context.Context) error {
	for range movers {
		c, err := greet(ctx, a.plan.Addr, 0)
		if err != nil {
			return err
		}
		a.movers = append(a.movers, c)
	}
	for range a.plan.Watchers {
		c, err := greet(ctx, a.plan.Addr, 0)
		if err != nil {
			return err
		}
		w := &watcher{conn: c, latest: make([]int, a.plan.Entities), missing: min(a.plan.Entities, a.plan.Changes)}
		a.behind.Add(1)
		if err := follow(ctx, c); err != nil {
			return err
		}
		a.watchers = append(a.watchers, w)
		a.reading.Go(func() { a.read(ctx, w) })
	}
	if !a.plan.Stops {
		return nil
	}
	c, err := greet(ctx, a.plan.Addr, 4<<10) // a small buffer, so that the server has to wait
	if err != nil {
		return err
	}
	if err := follow(ctx, c); err != nil {
		return err
	}
	a.reading.Go(func() { // reads for a while
		defer c.CloseNow()
		for a.begun.Load() < int64(a.plan.Changes/10) {
			if _, _, err := c.Read(ctx); err != nil {
				return
			}
		}
		<-ctx.Done()
	})
	return nil
}

// greet connects over WebSocket and does the handshake.
func greet(ctx context.Context, addr string, buffer int) (*websocket.Conn, error) {
	dialer := &net.Dialer{}
	transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dialer.DialContext(ctx, network, addr)
		if tcp, ok := c.(*net.TCPConn); ok && buffer > 0 {
			err = tcp.SetReadBuffer(buffer)
		}
		return c, err
	}}
	c, _, err := websocket.Dial(ctx, "ws://"+addr+"/ws", &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: transport}, HTTPHeader: http.Header{"Authorization": {"Bearer " + outwardToken}},
	})
	if err != nil {
		return nil, fmt.Errorf("dialling: %w", err)
	}
	c.SetReadLimit(-1)
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`
	if err := ask(ctx, c, hello, 1); err != nil {
		return nil, err
	}
	return c, c.Write(ctx, websocket.MessageText, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
}

// follow subscribes to the whole world.
func follow(ctx context.Context, c *websocket.Conn) error {
	return ask(ctx, c, `{"jsonrpc":"2.0","id":2,"method":"state/subscribe","params":{}}`, 2)
}

// ask sends a request and reads until its answer.
func ask(ctx context.Context, c *websocket.Conn, request string, id int) error {
	if err := c.Write(ctx, websocket.MessageText, []byte(request)); err != nil {
		return fmt.Errorf("asking: %w", err)
	}
	for {
		_, raw, err := c.Read(ctx)
		if err != nil {
			return fmt.Errorf("reading an answer: %w", err)
		}
		if bytes.HasPrefix(raw, []byte(`{"jsonrpc":"2.0","method":`)) {
			continue // snapshots are long
		}
		var answer struct {
			ID     *int
			Error  json.RawMessage
			Result struct{ IsError bool }
		}
		if err := json.Unmarshal(raw, &answer); err != nil {
			return fmt.Errorf("reading an answer: %w", err)
		}
		switch {
		case answer.ID == nil || *answer.ID != id:
		case answer.Error != nil || answer.Result.IsError:
			return fmt.Errorf("asking %s: answered %s", request, raw)
		default:
			return nil
		}
	}
}

// read records a watcher's messages until its connection or ctx ends.
func (a *audience) read(ctx context.Context, w *watcher) {
	defer w.conn.CloseNow()
	var buf bytes.Buffer
	for {
		_, r, err := w.conn.Reader(ctx)
		if err != nil {
			return
		}
		buf.Reset()
		if _, err := buf.ReadFrom(r); err != nil {
			return
		}
		w.frames++
		a.note(w, buf.Bytes())
	}
}

var positionKey = []byte(`"position":[`)

// note records the changes in a delta. A change's position contains its number
// and the entity's number; positions of entities that never moved are negative.
func (a *audience) note(w *watcher, delta []byte) {
	now := a.now()
	for {
		i := bytes.Index(delta, positionKey)
		if i < 0 {
			return
		}
		delta = delta[i+len(positionKey):]
		change, entity, err := numbers(delta)
		if err != nil || change < 0 {
			continue
		}
		w.seen.add(now - a.start[change].Load())
		if end := a.end[change].Load(); end == 0 || end > now {
			w.returned.add(0)
		} else {
			w.returned.add(now - end)
		}
		w.latest[entity] = change + 1
		if a.sights != nil {
			a.sights <- struct{}{}
		}
		if w.missing > 0 && change+a.plan.Entities >= a.plan.Changes { // the entity's last change
			if w.missing--; w.missing == 0 {
				a.behind.Done()
			}
		}
	}
}

// numbers returns the first two numbers of a position.
func numbers(b []byte) (change, entity int, err error) {
	first, rest, _ := bytes.Cut(b, []byte{','})
	second, _, _ := bytes.Cut(rest, []byte{','})
	if change, err = strconv.Atoi(string(first)); err != nil {
		return 0, 0, err
	}
	entity, err = strconv.Atoi(string(second))
	return change, entity, err
}

// errUnsettled says that watchers did not receive the last state.
var errUnsettled = errors.New("the watchers do not see the last state")

// play makes the changes on schedule, even if watchers lag, and waits until all
// watchers have seen the last of them.
func (a *audience) play(ctx context.Context) error {
	tickets := make(chan int)
	spreads := make([][2]spread, len(a.movers))
	errs := make(chan error, len(a.movers))
	began := time.Now()
	for i, c := range a.movers {
		go func() { // ends when there are no more tickets
			var failed error
			for n := range tickets {
				spreads[i][1].add(int64(time.Since(began) - time.Duration(n)*a.plan.Every))
				if failed == nil {
					failed = a.move(ctx, c, n, &spreads[i][0])
				}
			}
			errs <- failed
		}()
	}
	for n := range a.plan.Changes {
		if a.sights == nil {
			<-time.After(time.Until(began.Add(time.Duration(n) * a.plan.Every)))
			tickets <- n
			continue
		}
		tickets <- n
		for range a.watchers {
			<-a.sights
		}
	}
	close(tickets)
	var failed error
	for range a.movers {
		failed = errors.Join(failed, <-errs)
	}
	for _, s := range spreads {
		a.called.merge(&s[0])
		a.late.merge(&s[1])
	}
	if failed != nil {
		return failed
	}
	settled := make(chan struct{})
	go func() { // ends with the process at the latest
		a.behind.Wait()
		close(settled)
	}()
	select {
	case <-settled:
		return nil
	case <-time.After(time.Minute):
		return errUnsettled
	}
}

// move makes change n: a call of move_entity.
func (a *audience) move(ctx context.Context, c *websocket.Conn, n int, took *spread) error {
	entity := n % a.plan.Entities
	request := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"move_entity","arguments":{"id":%q,"position":[%d,%d,0]}}}`,
		n+10, entityID(entity), n, entity)
	start := a.now()
	a.start[n].Store(start)
	a.begun.Add(1)
	if err := ask(ctx, c, request, n+10); err != nil {
		return err
	}
	end := a.now()
	a.end[n].Store(end)
	took.add(end - start)
	return nil
}

// report collects the watchers' results. The watchers must have finished.
func (a *audience) report() watchReport {
	var r watchReport
	var seen, returned spread
	for _, w := range a.watchers {
		seen.merge(&w.seen)
		returned.merge(&w.returned)
		r.Frames += w.frames
		for entity, last := range w.latest {
			if last != lastChange(entity, a.plan) {
				r.Stale++
			}
		}
	}
	r.Seen, r.Returned, r.Call, r.Late = seen.points(), returned.points(), a.called.points(), a.late.points()
	return r
}

// lastChange returns the number of an entity's last change plus one, or 0 if
// there was none.
func lastChange(entity int, p watchPlan) int {
	if entity >= p.Changes {
		return 0
	}
	return entity + (p.Changes-1-entity)/p.Entities*p.Entities + 1
}

// watchMain is the main function of the client process.
func watchMain(plan string) int {
	if err := watch(os.Stdin, os.Stdout, plan); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
