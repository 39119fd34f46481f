package mcpserver

//lint:file-ignore SA1019 clients of the older revisions know no other way to be told

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
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
	subjects sync.Map // *sdk.ServerSession to *policy.Subject; the notifier prunes it
}

// addSession notes who is behind a session.
func (n *approvalNews) addSession(session sdk.Session, who *policy.Subject) {
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
func (s *Server) tellDeciders(ctx context.Context, a policy.Approval) {
	tool, offered := s.host.Registered(toolDecide)
	for ss := range s.sdk.Sessions() {
		who, known := s.approvals.subjects.Load(ss)
		if !known || !offered {
			continue
		}
		subject := who.(*policy.Subject)
		if subject.Caller().Name() == a.Caller || s.o.Policy.Permits(policy.WithSubject(ctx, subject), tool.Target) != nil {
			continue
		}
		telling, cancel := context.WithTimeout(ctx, tellTime)
		_ = ss.Log(telling, &sdk.LoggingMessageParams{Level: "notice", Logger: approvalLogger, Data: map[string]any{ // whoever left needs none
			"approvalId": a.ID, "caller": a.Caller, "tool": a.Tool, "arguments": a.Args, "proposed": a.Proposed, "expires": a.Expires.UTC(),
		}})
		cancel()
	}
}
