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
	// approvalLogger is the logger name of messages about calls that wait for approval.
	approvalLogger = "glyphoxa.approvals"
	// toolDecide is the tool that decides on such calls.
	toolDecide = "decide_approval"
	// tellTime bounds the time for notifying one client.
	tellTime = 2 * time.Second
)

// approvalNews keeps the clients to notify when a call starts to wait for approval. It is safe for concurrent
// use.
type approvalNews struct {
	subjects  sync.Map // *sdk.ServerSession to *access.Subject; pruned by the notifier
	listeners sync.Map // set of *func(access.Approval), one per listening client
}

// addListener calls tell for each call that starts to wait, until end is called.
func (n *approvalNews) addListener(tell func(access.Approval)) (end func()) {
	n.listeners.Store(&tell, nil)
	return func() { n.listeners.Delete(&tell) }
}

// addSession records the subject of a session.
func (n *approvalNews) addSession(session sdk.Session, who *access.Subject) {
	if ss, ok := session.(*sdk.ServerSession); ok {
		n.subjects.Store(ss, who)
	}
}

// followApprovals notifies clients of each call that starts to wait, until ctx ends. It notifies the clients
// that enabled logging, may decide on the call and did not make it themselves.
func (s *Server) followApprovals(ctx context.Context) {
	told := map[string]bool{}
	for ctx.Err() == nil {
		changed := s.o.Policy.PendingChanged()
		waiting := map[string]bool{}
		for _, a := range s.o.Policy.Pending() {
			if waiting[a.ID] = true; !told[a.ID] {
				s.notifyDeciders(ctx, a)
			}
		}
		told = waiting
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
}

// notifyDeciders notifies clients of one waiting call.
func (s *Server) notifyDeciders(ctx context.Context, a access.Approval) {
	for ss := range s.sdk.Sessions() {
		if who, known := s.approvals.subjects.Load(ss); known {
			s.notifyDecider(ctx, ss, who.(*access.Subject), a)
		}
	}
	s.approvals.listeners.Range(func(key, _ any) bool {
		(*key.(*func(access.Approval)))(a)
		return true
	})
}

// notifyDecider notifies one client of a waiting call, if the client may decide on it. ctx bounds the
// notification and carries the stream for it.
func (s *Server) notifyDecider(ctx context.Context, ss *sdk.ServerSession, who *access.Subject, a access.Approval) {
	tool, offered := s.host.Registered(toolDecide)
	if !offered || who.Caller().Name() == a.Caller || s.o.Policy.Permits(access.WithSubject(ctx, who), tool.Target) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, tellTime)
	defer cancel()
	_ = ss.Log(ctx, &sdk.LoggingMessageParams{Level: "notice", Logger: approvalLogger, Data: map[string]any{ // an error means that the client has gone
		"approvalId": a.ID, "caller": a.Caller, "tool": a.Tool, "arguments": a.Args, "proposed": a.Proposed, "expires": a.Expires.UTC(),
	}})
}
