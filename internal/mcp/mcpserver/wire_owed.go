package mcpserver

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// pendingRequests tracks the requests whose answers have not been written yet. It is safe for concurrent use.
type pendingRequests struct {
	max   int
	share Share // if nil, requests hold nothing

	mu        sync.Mutex           // guards the fields below
	ids       map[jsonrpc.ID]claim // requests without an answer
	heldBytes int64                // bytes held by requests whose answers are not written
	freed     bool                 // everything was given back
	open      int                  // requests whose answers are not written
	awaited   int                  // requests that the end of the connection waits for
	drained   chan struct{}        // closed when awaited falls to 0; nil without a waiter
}

// claim describes one tracked request.
type claim struct {
	awaited bool  // the end of the connection waits for its answer
	size    int64 // bytes
}

// admit starts to track a request, or returns why it is refused.
func (o *pendingRequests) admit(id jsonrpc.ID, what claim) *flaw {
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
	o.heldBytes += what.size
	o.ids[id] = what
	o.open++
	if what.awaited {
		o.awaited++
	}
	return nil
}

// markAnswered frees the id for another request, because a peer may reuse it as soon as it has the answer.
// Call the returned function when the answer has been written.
func (o *pendingRequests) markAnswered(id jsonrpc.ID) (written func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	what, ok := o.ids[id]
	if !ok {
		return func() {}
	}
	delete(o.ids, id)
	return func() { o.recordAnswered(what) }
}

// recordAnswered records that an answer was written.
func (o *pendingRequests) recordAnswered(what claim) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open--
	o.free(what.size)
	if what.awaited {
		o.awaited--
	}
	if o.awaited == 0 && o.drained != nil {
		close(o.drained)
		o.drained = nil
	}
}

// free returns n of the held bytes to the share. Callers hold mu.
func (o *pendingRequests) free(n int64) {
	if n > 0 && !o.freed {
		o.heldBytes -= n
		o.share.GiveBack(n)
	}
}

// freeAll returns all held bytes when the connection is closed.
func (o *pendingRequests) freeAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.free(o.heldBytes)
	o.freed = true
}

// allAnswered returns a channel that is closed when all awaited requests are answered. Only one goroutine may
// wait, and no request may be admitted any more.
func (o *pendingRequests) allAnswered() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	done := make(chan struct{})
	if o.awaited == 0 {
		close(done)
	} else {
		o.drained = done
	}
	return done
}
