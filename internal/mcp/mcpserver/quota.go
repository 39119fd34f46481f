package mcpserver

import (
	"container/list"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// quotaBounds bound how many things of one kind may be held at once.
type quotaBounds struct {
	// strangers bounds the total of all callers without a token, and strangersAt those at one address.
	strangers, strangersAt int
	// known bounds the total of all callers with a token, each the total of one such caller, and at the total
	// at one address.
	known, each, at int
	// certain is how many every caller with a token may always hold, whatever others hold.
	certain int
	// evictIdle makes a caller's least recently used idle holding give way when the caller's own bound is
	// reached. It also lets a stranger's holding give way while in use, because a stranger could otherwise
	// keep it in use for ever.
	evictIdle bool
	// grace is how long a new holding is safe from giving way. A newcomer waits until it is over.
	grace time.Duration
	// fresh is how long an unused holding may be idle, and idle how long a stranger's used one may. Zero
	// means without limit.
	fresh, idle time.Duration
}

// quota bounds how many things of one kind, such as sessions, callers hold at once. Callers without a token
// (strangers) have a share of their own in which the least recently used holding gives way to a new one, so
// they never take anything from callers with a token. A quota is safe for concurrent use and calls the end
// functions of holdings without holding its lock.
type quota struct {
	quotaBounds
	kind string // in the plural, for messages

	mu        sync.Mutex       // guards the fields below, and holdings
	strange   *list.List       // strangers' *holding, least recently used first
	owned     *list.List       // the other callers' *holding, likewise
	callers   map[string]int   // counts by caller with a token
	addresses map[location]int // counts of both kinds
	ended     int              // holdings ended since the last endIdle
}

// location is an address, counted separately for strangers and others.
type location struct {
	address  string
	stranger bool
}

// holding is one held thing. It is busy, or idle since its last use.
type holding struct {
	quota      *quota
	caller     string // empty for strangers
	address    string
	acquiredAt time.Time
	end        func() // closes the thing and frees the holding; nil if it cannot be closed

	// Guarded by quota.mu.
	busy  int
	used  bool // used since it was opened
	since time.Time
	place *list.Element // nil once it is free
}

func newQuota(kind string, b quotaBounds) *quota {
	return &quota{
		quotaBounds: b, kind: kind, strange: list.New(), owned: list.New(),
		callers: map[string]int{}, addresses: map[location]int{},
	}
}

// holderOf returns the name under which a subject's holdings count, or "" for strangers.
func holderOf(s *access.Subject) string {
	if s.Name == access.Anonymous {
		return ""
	}
	return s.Name
}

// acquire adds a holding for a caller, initially busy, or returns a refusal. end is called if the holding has to
// give way; it may be nil.
func (q *quota) acquire(caller, address string, end func()) (*holding, *mcp.Refusal) {
	h := &holding{quota: q, caller: caller, address: address, end: end, busy: 1}
	for {
		ending, wait, why := q.admit(h)
		switch {
		case why != nil:
			return nil, why
		case wait > 0:
			time.Sleep(wait)
			continue
		case ending != nil:
			ending()
		}
		return h, nil
	}
}

// admit adds h. It returns a function that ends the holding that gives way, or how long to wait until one
// can.
func (q *quota) admit(h *holding) (ending func(), wait time.Duration, why *mcp.Refusal) {
	q.mu.Lock()
	defer q.mu.Unlock()
	leaves, why := q.makeRoom(h.caller, h.address)
	if why != nil {
		return nil, 0, why
	}
	if leaves != nil {
		if wait = q.grace - time.Since(leaves.acquiredAt); wait > 0 {
			return nil, wait, nil
		}
		ending = leaves.end
		q.remove(leaves)
		q.ended++
	}
	h.acquiredAt = time.Now()
	q.add(h)
	return ending, 0, nil
}

// makeRoom returns the holding that must give way to a new one, nil if none must, or a refusal if there is no
// room. Callers hold mu.
func (q *quota) makeRoom(caller, address string) (*holding, *mcp.Refusal) {
	if caller == "" {
		alone := q.addresses[location{address, true}] >= q.strangersAt
		if !alone && q.strange.Len() < q.strangers {
			return nil, nil
		}
		if h := q.leastUsedStranger(address, alone); h != nil {
			return h, nil
		}
		return nil, q.refusal("all that callers without a token may have together are in use", "come with a token, or try again later")
	}
	n := q.callers[caller]
	switch {
	case n < q.certain:
		return nil, nil
	case n >= q.each:
		if q.evictIdle {
			if h := leastUsed(q.owned, func(h *holding) int { return rankOwned(h, caller) }); h != nil {
				return h, nil
			}
		}
		return nil, q.refusal("you have as many open as one caller may", "close some first")
	case q.addresses[location{address, false}] >= q.at:
		return nil, q.refusal("as many are open from your address as may be", "close some first")
	case q.owned.Len() >= q.known:
		return nil, q.refusal("as many are open as may be", "try again later")
	}
	return nil, nil
}

func (q *quota) refusal(reason, hint string) *mcp.Refusal {
	return &mcp.Refusal{
		Code: mcp.CodeCapacityExceeded, By: byLimits, Reason: "too many " + q.kind + ": " + reason, Hint: hint, RetryAfter: quotaRetry,
	}
}

// quotaRetry is the suggested time before a retry.
const quotaRetry = 10 * time.Second

// leastUsedStranger returns the stranger's holding that gives way to one at address. It is at the same
// address if alone is true, else at the address with the most holdings. Callers hold mu.
func (q *quota) leastUsedStranger(address string, alone bool) *holding {
	if !alone {
		most := 0
		for at, n := range q.addresses {
			if at.stranger && n > most {
				address, most = at.address, n
			}
		}
	}
	return leastUsed(q.strange, func(h *holding) int {
		switch {
		case h.address != address || h.end == nil || h.busy > 0 && !q.evictIdle:
			return 0
		case h.used || q.evictIdle:
			return 1
		}
		return 2
	})
}

// rankOwned ranks a caller's own holdings: only idle ones give way.
func rankOwned(h *holding, caller string) int {
	if h.caller == caller && h.busy == 0 && h.end != nil {
		return 1
	}
	return 0
}

// leastUsed returns the first holding of the highest rank, or nil if all ranks are 0.
func leastUsed(all *list.List, rank func(*holding) int) *holding {
	var found *holding
	best := 0
	for e := all.Front(); e != nil; e = e.Next() {
		h := e.Value.(*holding)
		if r := rank(h); r > best {
			found, best = h, r
		}
	}
	return found
}

// add counts h. Callers hold mu.
func (q *quota) add(h *holding) {
	h.since = time.Now()
	q.addresses[location{h.address, h.caller == ""}]++
	if h.caller == "" {
		h.place = q.strange.PushBack(h)
		return
	}
	h.place = q.owned.PushBack(h)
	q.callers[h.caller]++
}

// remove stops counting h, if it was counted. Callers hold mu.
func (q *quota) remove(h *holding) {
	if h.place == nil {
		return
	}
	q.listOf(h).Remove(h.place)
	h.place = nil
	at := location{h.address, h.caller == ""}
	if q.addresses[at]--; q.addresses[at] <= 0 {
		delete(q.addresses, at)
	}
	if h.caller == "" {
		return
	}
	if q.callers[h.caller]--; q.callers[h.caller] <= 0 {
		delete(q.callers, h.caller)
	}
}

func (q *quota) listOf(h *holding) *list.List {
	if h.caller == "" {
		return q.strange
	}
	return q.owned
}

// open returns the number of holdings.
func (q *quota) open() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.strange.Len() + q.owned.Len()
}

// endIdle ends holdings that were idle for too long. It returns how many holdings have ended, for any reason,
// since its last call.
func (q *quota) endIdle() int {
	q.mu.Lock()
	now := time.Now()
	var ends []func()
	for _, all := range []*list.List{q.strange, q.owned} {
		for e := all.Front(); e != nil; {
			h := e.Value.(*holding)
			e = e.Next()
			most := q.fresh
			if h.used {
				if most = q.idle; h.caller != "" {
					continue
				}
			}
			if most > 0 && h.busy == 0 && h.end != nil && now.Sub(h.since) >= most {
				ends = append(ends, h.end)
				q.remove(h)
			}
		}
	}
	n := q.ended + len(ends)
	q.ended = 0
	q.mu.Unlock()
	for _, end := range ends {
		end()
	}
	return n
}

// begin marks h as busy and as used.
func (h *holding) begin() {
	h.quota.mu.Lock()
	defer h.quota.mu.Unlock()
	h.busy++
	h.used = true
	h.touch()
}

// release ends the use that take or begin started. h is then idle, unless other uses remain.
func (h *holding) release() {
	h.quota.mu.Lock()
	defer h.quota.mu.Unlock()
	h.busy--
	h.touch()
}

// touch marks h as the most recently used. Callers hold mu.
func (h *holding) touch() {
	h.since = time.Now()
	if h.place != nil {
		h.quota.listOf(h).MoveToBack(h.place)
	}
}

// closeBy sets the function that ends the holding when it has to give way.
func (h *holding) closeBy(end func()) {
	h.quota.mu.Lock()
	defer h.quota.mu.Unlock()
	h.end = end
}

// free removes the holding. It may be called more than once.
func (h *holding) free() {
	h.quota.mu.Lock()
	defer h.quota.mu.Unlock()
	if h.place != nil {
		h.quota.ended++
	}
	h.quota.remove(h)
}

// transferTo transfers the holding to another caller. If that caller may hold no more, it returns a refusal and
// changes nothing.
func (h *holding) transferTo(caller, address string) *mcp.Refusal {
	ending, why := h.quota.transfer(h, caller, address)
	if ending != nil {
		ending()
	}
	return why
}

func (q *quota) transfer(h *holding, caller, address string) (ending func(), why *mcp.Refusal) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if h.place == nil { // it has given way already
		return nil, nil
	}
	leaves, why := q.makeRoom(caller, address)
	if why != nil {
		return nil, why
	}
	if leaves != nil {
		ending = leaves.end
		q.remove(leaves)
		q.ended++
	}
	q.remove(h)
	h.caller, h.address = caller, address
	q.add(h)
	return ending, nil
}
