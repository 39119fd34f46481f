package wire

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// owed keeps the requests whose answer has not been written yet. Its methods
// are safe for concurrent use.
type owed struct {
	max int

	mu      sync.Mutex          // guards the fields below
	ids     map[jsonrpc.ID]bool // of requests without an answer; true if the end waits for it
	open    int                 // requests whose answer is not written
	awaited int                 // those of them that the end waits for
	settled chan struct{}       // closed when awaited falls to 0; nil if nobody waits
}

// admit notes a request, or returns why it is refused. The end of the
// connection waits for its answer if await is set.
func (o *owed) admit(id jsonrpc.ID, await bool) *flaw {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := o.ids[id]; ok {
		return &flaw{code: codeInvalid, why: "a request with this id is under way"}
	}
	// An answer that the peer has may not be settled yet: it must not count
	// against the request that follows it. Those that the peer does not read must.
	if len(o.ids) >= o.max || o.open >= 2*o.max {
		return &flaw{code: codeCapacity, why: "too many requests are under way; try again when some have been answered"}
	}
	o.ids[id] = await
	o.open++
	if await {
		o.awaited++
	}
	return nil
}

// markAnswered frees the id for another request, since a peer may use it again as
// soon as it has the answer. The function it returns is called once the answer
// is written.
func (o *owed) markAnswered(id jsonrpc.ID) (written func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	await, ok := o.ids[id]
	if !ok {
		return func() {}
	}
	delete(o.ids, id)
	return func() { o.settleRequest(await) }
}

// settleRequest notes that an answer was written.
func (o *owed) settleRequest(awaited bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open--
	if awaited {
		o.awaited--
	}
	if o.awaited == 0 && o.settled != nil {
		close(o.settled)
		o.settled = nil
	}
}

// allAnswered returns a channel that is closed once nothing awaited is unanswered.
// Only one waits, and nothing may be admitted any more.
func (o *owed) allAnswered() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	done := make(chan struct{})
	if o.awaited == 0 {
		close(done)
	} else {
		o.settled = done
	}
	return done
}
