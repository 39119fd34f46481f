package mcpserver

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/world"
)

// feed pushes the world's changes to one connection. Changes that a slow client has not read yet are merged
// per entity, so that the client gets newer state and delays no other client. A feed has at most one
// subscription, which the shared fanout serves.
type feed struct {
	push   func(ctx context.Context, raw []byte) error
	life   context.Context
	end    context.CancelFunc
	words  feedWords
	fanout *fanout

	mu   sync.Mutex // guards the fields below
	area *world.Area
	flow *flow              // nil without a subscription
	cut  context.CancelFunc // cancels a push in progress
}

// feedWords are the names that a protocol uses in pushed messages.
type feedWords struct{ snapshot, delta, ended, seq string }

// ourWords are the names for MCP clients.
var ourWords = feedWords{"notifications/state/snapshot", "notifications/state/delta", "notifications/state/ended", "seq"}

// newFeed returns a feed served by o that lives until close or until ctx ends.
func newFeed(ctx context.Context, o *fanout, push func(context.Context, []byte) error) *feed {
	f := &feed{push: push, words: ourWords, fanout: o}
	f.life, f.end = context.WithCancel(ctx)
	return f
}

// close ends the subscription and waits for its last push.
func (f *feed) close() {
	f.end()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropFlow()
}

// endSubscription ends the subscription. Another one may follow.
func (f *feed) endSubscription() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropFlow()
	f.area = nil
}

// dropFlow ends the current subscription, if there is one. Callers hold mu.
func (f *feed) dropFlow() {
	if f.flow != nil {
		f.cut()
		f.flow.sub.Close()
		f.fanout.removeFlow(f.flow)
		f.flow = nil
	}
}

// follow starts to push the changes of sub, replacing the previous subscription. It sends a snapshot before
// it returns, unless sub resumes an earlier subscription. may is called before each delta, because
// permissions can be withdrawn.
func (f *feed) follow(ctx context.Context, sub *world.Subscription, area *world.Area, may func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropFlow()
	if !sub.Resumed() {
		if err := f.push(ctx, f.encodeSnapshot(sub.Snapshot())); err != nil {
			sub.Close()
			return err
		}
	}
	life, cut := context.WithCancel(f.life)
	w := &flow{sub: sub, push: func(d world.Delta) bool { return f.deliver(life, d, may) }}
	if err := f.fanout.addFlow(w); err != nil {
		cut()
		sub.Close()
		return err
	}
	f.flow, f.area, f.cut = w, area, cut
	w.serve() // changes from before it was added
	return nil
}

// deliver pushes a delta and reports whether more may follow.
func (f *feed) deliver(ctx context.Context, d world.Delta, may func() error) bool {
	if err := may(); err != nil {
		_ = f.push(ctx, notification(f.words.ended, func(b []byte) []byte { return appendField(b, "reason", oneLine(err.Error())) }))
		return false
	}
	return f.push(ctx, f.encodeDelta(d)) == nil // an error means that the connection is ending
}

// declare sets the area of the current subscription, and the default area of later ones.
func (f *feed) declare(area world.Area) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.flow != nil {
		if err := f.flow.sub.SetArea(&area); err != nil {
			return err
		}
		f.flow.serve()
	}
	f.area = &area
	return nil
}

// declared returns the declared area, or nil if there is none.
func (f *feed) declared() *world.Area {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.area
}

func (f *feed) encodeSnapshot(snap world.Snapshot) []byte {
	return notification(f.words.snapshot, func(b []byte) []byte { return appendSnapshot(b, f.words.seq, snap) })
}

func (f *feed) encodeDelta(d world.Delta) []byte {
	return notification(f.words.delta, func(b []byte) []byte { return appendDelta(b, f.words.seq, d) })
}

// notification encodes a JSON-RPC notification whose params hold fields.
func notification(method string, fields func([]byte) []byte) []byte {
	b := make([]byte, 0, 512)
	b = append(b, `{"jsonrpc":"2.0","method":"`...)
	b = append(b, method...)
	b = append(b, `","params":{`...)
	b = fields(b)
	return append(b, `}}`...)
}

func appendSnapshot(b []byte, seq string, snap world.Snapshot) []byte {
	b = appendSeq(b, seq, snap.Seq)
	b = append(b, `,"entities":`...)
	b = appendChanges(b, snap.Entities)
	b = append(b, ',')
	return appendField(b, "scene", snap.Scene)
}

func appendDelta(b []byte, seq string, d world.Delta) []byte {
	b = appendSeq(b, seq, d.Seq)
	b = append(b, `,"causedBy":`...)
	b = appendTexts(b, d.Causes)
	b = append(b, `,"changes":`...)
	b = appendChanges(b, d.Changes)
	b = append(b, `,"removed":`...)
	b = appendTexts(b, d.Removed)
	if d.Scene != nil {
		b = append(b, ',')
		b = appendField(b, "scene", *d.Scene)
	}
	return b
}

func appendSeq(b []byte, name string, seq uint64) []byte {
	b = append(b, '"')
	b = append(b, name...)
	b = append(b, `":`...)
	return strconv.AppendUint(b, seq, 10)
}

func appendChanges(b []byte, all []world.Change) []byte {
	b = append(b, '[')
	for i, c := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, c.Raw...)
	}
	return append(b, ']')
}

func appendTexts(b []byte, all []string) []byte {
	b = append(b, '[')
	for i, text := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, text)
	}
	return append(b, ']')
}

func appendField(b []byte, name, value string) []byte {
	b = append(b, '"')
	b = append(b, name...)
	b = append(b, `":`...)
	return appendText(b, value)
}

// appendText appends a JSON string. Encoding a string cannot fail.
func appendText(b []byte, text string) []byte {
	raw, err := json.Marshal(text)
	if err != nil {
		return append(b, `""`...)
	}
	return append(b, raw...)
}
