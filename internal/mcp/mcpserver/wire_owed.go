package mcpserver

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// owed keeps the requests whose answer has not been written yet. Its methods
// are safe for concurrent use.
type owed struct {
	max   int
	share Share // nil: requests hold nothing

	mu      sync.Mutex           // guards the fields below
	ids     map[jsonrpc.ID]claim // of requests without an answer
	held    int64                // bytes that requests hold whose answer is not written
	freed   bool                 // nothing is held any more
	open    int                  // requests whose answer is not written
	awaited int                  // those of them that the end waits for
	settled chan struct{}        // closed when awaited falls to 0; nil if nobody waits
}

// claim is what a request has a claim to.
type claim struct {
	awaited bool  // the end waits for its answer
	size    int64 // bytes
}

// admit notes a request, or returns why it is refused.
func (o *owed) admit(id jsonrpc.ID, what claim) *flaw {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := o.ids[id]; ok {
		return &flaw{code: codeInvalid, why: "a request with this id is under way"}
	}
	// An answer that the peer has may not be settled yet: it must not count
	// against the request that follows it. Those that the peer does not read must.
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

// markAnswered frees the id for another request, since a peer may use it again as
// soon as it has the answer. The function it returns is called once the answer
// is written.
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

// settleRequest notes that an answer was written.
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

// free gives n of the held bytes back. The caller holds o.mu.
func (o *owed) free(n int64) {
	if n > 0 && !o.freed {
		o.held -= n
		o.share.GiveBack(n)
	}
}

// freeAll gives back whatever is held, once the connection is closed.
func (o *owed) freeAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.free(o.held)
	o.freed = true
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
