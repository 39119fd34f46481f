package mcpserver

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// sessions holds the sessions of network clients: those of the SDK, by id, and WebSockets.
type sessions struct {
	*quota
	byID  sync.Map       // id to *holding
	waits sync.WaitGroup // one goroutine per SDK session, which ends with the session
}

// bindHolding binds h to the lifetime of session, which is closed if h has to give way.
func (s *sessions) bindHolding(session *sdk.ServerSession, h *holding) {
	h.closeBy(func() { _ = session.Close() }) // an idle session has no call that could fail
	s.byID.Store(session.ID(), h)
	s.waits.Go(func() {
		_ = session.Wait() // the reason does not matter
		s.byID.Delete(session.ID())
		h.free()
	})
}

// find returns the holding of a caller's session, or nil if the caller has no such session.
func (s *sessions) find(id, caller string) *holding {
	h, ok := s.byID.Load(id)
	if !ok || h.(*holding).caller != caller {
		return nil
	}
	return h.(*holding)
}

// withinQuotas bounds the sessions and event streams of callers.
func (w *Web) withinQuotas(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		p, ok := r.Context().Value(vouchKey{}).(*peer)
		if !ok {
			next.ServeHTTP(rw, r)
			return
		}
		id, who := r.Header.Get(sessionHeader), holderOf(p.subject)
		switch {
		case r.Method == http.MethodGet:
			h, why := w.server.streams.acquire(who, p.subject.Address, nil)
			if why != nil {
				w.refuseOverQuota(rw, r, targetStream, why)
				return
			}
			defer h.free()
		case r.Method != http.MethodPost || r.Header.Get(protocolHeader) >= newestProtocol:
		case id == "":
			w.openSession(rw, r, p, next)
			return
		default:
			if h := w.sessions.find(id, who); h != nil {
				h.begin()
				defer h.release()
			}
		}
		next.ServeHTTP(rw, r)
	})
}

// atOnce serves a request unless its caller has too many requests in progress.
func (w *Web) atOnce(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		s := access.SubjectFrom(r.Context())
		if p, ok := r.Context().Value(vouchKey{}).(*peer); ok && p.term.HasEnded() { // the token may expire while the body arrives
			if _, err := w.o.Gatekeeper.Identify(r); err != nil {
				w.refuse(rw, r, err)
			} else { // the token now belongs to another caller
				http.Error(rw, access.ErrOver.Error(), http.StatusUnauthorized)
			}
			return
		}
		h, why := w.requests.acquire(holderOf(s), s.Address, nil)
		if why != nil {
			w.refuseOverQuota(rw, r, targetRequest, why)
			return
		}
		defer h.free()
		next.ServeHTTP(rw, r)
	})
}

// openSession serves a request that may open a session.
func (w *Web) openSession(rw http.ResponseWriter, r *http.Request, p *peer, next http.Handler) {
	h, why := w.sessions.acquire(holderOf(p.subject), p.subject.Address, nil)
	if why != nil {
		w.refuseOverQuota(rw, r, targetSession, why)
		return
	}
	var kept atomic.Bool
	p.opening = func(session *sdk.ServerSession) {
		if session.ID() != "" && kept.CompareAndSwap(false, true) {
			w.sessions.bindHolding(session, h)
		}
	}
	next.ServeHTTP(rw, r)
	h.release()
	if !kept.Load() {
		h.free()
	}
}

// closeSessions closes the SDK's sessions and waits for them.
func (w *Web) closeSessions() {
	var work sync.WaitGroup
	for session := range w.server.sdk.Sessions() {
		if session.ID() != "" { // others end with their own transport
			work.Go(func() { _ = session.Close() }) // waits for calls without a listener
		}
	}
	work.Wait()
	w.sessions.waits.Wait()
}

// endIdle ends idle sessions and connections until ctx ends. After ending many, it returns memory to the
// system.
func (w *Web) endIdle(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if w.sessions.endIdle()+w.connections.endIdle() >= manyEnded {
			w.intake.shares.requestMemoryReturn()
		}
	}
}
