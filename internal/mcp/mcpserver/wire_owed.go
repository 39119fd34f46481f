package mcpserver

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// owed tracks the requests whose answers have not been written yet. It is safe for concurrent use.
type owed struct {
	max   int
	share Share // if nil, requests hold nothing

	mu      sync.Mutex           // guards the fields below
	ids     map[jsonrpc.ID]claim // requests without an answer
	held    int64                // bytes held by requests whose answers are not written
	freed   bool                 // everything was given back
	open    int                  // requests whose answers are not written
	awaited int                  // requests that the end of the connection waits for
	settled chan struct{}        // closed when awaited falls to 0; nil without a waiter
}

// claim describes one tracked request.
type claim struct {
	awaited bool  // the end of the connection waits for its answer
	size    int64 // bytes
}

// admit starts to track a request, or returns why it is refused.
func (o *owed) admit(id jsonrpc.ID, what claim) *flaw {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := o.ids[id]; ok {
		return &flaw{code: codeInvalid, why: "a request with this id is under way"}
	}
	// The peer may have an answer that is not settled here yet. It must not count against the peer's next
	// request, but answers that the peer does not read must count.
	if len(o.ids) >= o.max || o.open >= 2*o.max {
		return &flaw{code: codeOverloaded, why: "too many requests are under way; try again when some have been answered"}
	}
	if o.share == nil || o.freed {
		what.size = 0
	} else if !o.share.Take(what.size) {
		return &flaw{code: codeOverloaded, why: ErrOverShare.Error()}
	}
	o.held += what.size
	o.ids[id] = what
	o.open++
	if what.awaited {
		o.awaited++
	}
	return nil
}

// markAnswered frees the id for another request, because a peer may reuse it as soon as it has the answer.
// Call the returned function when the answer has been written.
func (o *owed) markAnswered(id jsonrpc.ID) (written func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	what, ok := o.ids[id]
	if !ok {
		return func() {}
	}
	delete(o.ids, id)
	return func() { o.settleRequest(what) }
}

// settleRequest records that an answer was written.
func (o *owed) settleRequest(what claim) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open--
	o.free(what.size)
	if what.awaited {
		o.awaited--
	}
	if o.awaited == 0 && o.settled != nil {
		close(o.settled)
		o.settled = nil
	}
}

// free returns n of the held bytes to the share. Callers hold mu.
func (o *owed) free(n int64) {
	if n > 0 && !o.freed {
		o.held -= n
		o.share.GiveBack(n)
	}
}

// freeAll returns all held bytes when the connection is closed.
func (o *owed) freeAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.free(o.held)
	o.freed = true
}

// allAnswered returns a channel that is closed when all awaited requests are answered. Only one goroutine may
// wait, and no request may be admitted any more.
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
