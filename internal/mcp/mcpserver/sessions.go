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

// sessions are those of clients on the network: the SDK's, by their ids, and WebSockets.
type sessions struct {
	*quota
	byID  sync.Map       // id to *holding
	waits sync.WaitGroup // a goroutine for each of the SDK's, which ends with it
}

// keep has h last as long as session does, which ends when h has to give way.
func (s *sessions) keep(session *sdk.ServerSession, h *holding) {
	h.closeBy(func() { _ = session.Close() }) // whoever gives way has nothing under way that could fail
	s.byID.Store(session.ID(), h)
	s.waits.Go(func() {
		_ = session.Wait() // however it ended, it is over
		s.byID.Delete(session.ID())
		h.free()
	})
}

// find returns what a caller's session holds, nil if there is no such session of theirs.
func (s *sessions) find(id, caller string) *holding {
	h, ok := s.byID.Load(id)
	if !ok || h.(*holding).caller != caller {
		return nil
	}
	return h.(*holding)
}

// withinQuotas serves what callers may hold: a session more, an event stream more.
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
			h, why := w.server.streams.take(who, p.subject.Address, nil)
			if why != nil {
				w.refuseHolding(rw, r, targetStream, why)
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

// atOnce serves a request that was read, if its caller has not too many under way.
func (w *Web) atOnce(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		s := access.SubjectFrom(r.Context())
		if p, ok := r.Context().Value(vouchKey{}).(*peer); ok && p.term.Over() { // while its body came
			if _, err := w.o.Gatekeeper.Identify(r); err != nil {
				w.refuse(rw, r, err)
			} else { // the token is another caller's by now
				http.Error(rw, access.ErrOver.Error(), http.StatusUnauthorized)
			}
			return
		}
		h, why := w.requests.take(holderOf(s), s.Address, nil)
		if why != nil {
			w.refuseHolding(rw, r, targetRequest, why)
			return
		}
		defer h.free()
		next.ServeHTTP(rw, r)
	})
}

// openSession serves a request that may open a session.
func (w *Web) openSession(rw http.ResponseWriter, r *http.Request, p *peer, next http.Handler) {
	h, why := w.sessions.take(holderOf(p.subject), p.subject.Address, nil)
	if why != nil {
		w.refuseHolding(rw, r, targetSession, why)
		return
	}
	var kept atomic.Bool
	p.opening = func(session *sdk.ServerSession) {
		if session.ID() != "" && kept.CompareAndSwap(false, true) {
			w.sessions.keep(session, h)
		}
	}
	next.ServeHTTP(rw, r)
	h.release()
	if !kept.Load() {
		h.free()
	}
}

// closeSessions ends the SDK's sessions and waits for them.
func (w *Web) closeSessions() {
	var work sync.WaitGroup
	for session := range w.server.sdk.Sessions() {
		if session.ID() != "" { // else its own transport ends it
			work.Go(func() { _ = session.Close() }) // waits for calls nobody listens to
		}
	}
	work.Wait()
	w.sessions.waits.Wait()
}

// endIdle ends what is idle for too long, until ctx ends. What many took is given back to
// the system.
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
			w.intake.shares.noteBurst()
		}
	}
}
