package mcpserver

//lint:file-ignore SA1019 clients of the older revisions know no other way to be told

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

const (
	// approvalLogger is the logger clients are told from of calls that wait.
	approvalLogger = "glyphoxa.approvals"
	// toolDecide is the tool that decides on them.
	toolDecide = "decide_approval"
	// tellTime bounds how long one client is waited for.
	tellTime = 2 * time.Second
)

// approvalNews tells clients that may decide of calls that begin to wait. It is safe for
// concurrent use.
type approvalNews struct {
	subjects  sync.Map // *sdk.ServerSession to *policy.Subject; the notifier prunes it
	listeners sync.Map // *func(policy.Approval) to nothing: of clients that listen
}

// addListener has tell called with each call that begins to wait, until end is called.
func (n *approvalNews) addListener(tell func(access.Approval)) (end func()) {
	n.listeners.Store(&tell, nil)
	return func() { n.listeners.Delete(&tell) }
}

// addSession notes who is behind a session.
func (n *approvalNews) addSession(session sdk.Session, who *access.Subject) {
	if ss, ok := session.(*sdk.ServerSession); ok {
		n.subjects.Store(ss, who)
	}
}

// followApprovals tells of each call that begins to wait, until ctx ends: the clients
// that have asked for messages, may decide and have not made the call themselves.
func (s *Server) followApprovals(ctx context.Context) {
	told := map[string]bool{}
	for ctx.Err() == nil {
		changed := s.o.Policy.PendingChanged()
		waiting := map[string]bool{}
		for _, a := range s.o.Policy.Pending() {
			if waiting[a.ID] = true; !told[a.ID] {
				s.tellDeciders(ctx, a)
			}
		}
		told = waiting
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
}

// tellDeciders tells of one call that waits.
func (s *Server) tellDeciders(ctx context.Context, a access.Approval) {
	for ss := range s.sdk.Sessions() {
		if who, known := s.approvals.subjects.Load(ss); known {
			s.tellDecider(ctx, ss, who.(*access.Subject), a)
		}
	}
	s.approvals.listeners.Range(func(key, _ any) bool {
		(*key.(*func(access.Approval)))(a)
		return true
	})
}

// tellDecider tells one client of a call that waits, if it may decide on it. It is told
// through ctx.
func (s *Server) tellDecider(ctx context.Context, ss *sdk.ServerSession, who *access.Subject, a access.Approval) {
	tool, offered := s.host.Registered(toolDecide)
	if !offered || who.Caller().Name() == a.Caller || s.o.Policy.Permits(access.WithSubject(ctx, who), tool.Target) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, tellTime)
	defer cancel()
	_ = ss.Log(ctx, &sdk.LoggingMessageParams{Level: "notice", Logger: approvalLogger, Data: map[string]any{ // whoever left needs none
		"approvalId": a.ID, "caller": a.Caller, "tool": a.Tool, "arguments": a.Args, "proposed": a.Proposed, "expires": a.Expires.UTC(),
	}})
}
