package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// dialectWords are the method and field names for clients of the older dialect, which count ticks.
var dialectWords = feedWords{"state/snapshot", "state/delta", "state/ended", "tick"}

// backend serves clients that speak the older dialect over one connection (docs/adr/0024).
type backend struct {
	server *Server
	peer   *peer
}

// Initialize binds the client to a session. The requested profile can only narrow the permissions of the
// connection.
func (b backend) Initialize(_ context.Context, agentID, _, profile string) (Session, error) {
	granted, err := b.server.o.Policy.Narrow(b.peer.subject, profile)
	if err != nil {
		return nil, err
	}
	subject := *b.peer.subject
	subject.Profile = granted
	b.server.o.Logger.Debug("dialect session", "client", subject.Name, "agent", untrusted.Line(agentID, 100), "profile", profile)
	b.peer.feed.words = dialectWords
	return dialectSession{server: b.server, peer: &peer{subject: &subject, feed: b.peer.feed}}, nil
}

type dialectSession struct {
	server *Server
	peer   *peer
}

func (d dialectSession) Tools(ctx context.Context) ([]Tool, error) {
	ctx = d.peer.attend(ctx)
	if err := d.server.dispatcher.chargeRequest(ctx, methodListTools); err != nil {
		return nil, plainly(err)
	}
	list := []Tool{}
	for _, t := range d.server.catalog.listDefinitions(ctx, "", allTools) {
		list = append(list, Tool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema})
	}
	return list, nil
}

func (d dialectSession) Call(ctx context.Context, name string, args json.RawMessage) (mcp.Result, error) {
	a := d.server.dispatcher.callByName(d.peer.attend(ctx), name, args)
	for _, e := range a.events {
		mcp.Emit(ctx, e)
	}
	return a.result, plainly(a.err)
}

// plainly converts an error to a refusal for clients of the dialect, with a hint.
func plainly(err error) error {
	if err == nil || mcp.CodeOf(err) == mcp.CodeCancelled {
		return err // the dialect itself says who cancelled a call
	}
	f := failureOf(err)
	return &mcp.Refusal{
		Code: f.Code, Rule: f.Rule, Reason: f.Message, Hint: f.Hint, Approval: f.ApprovalID,
		RetryAfter: time.Duration(f.RetryAfterMs) * time.Millisecond,
	}
}

func (d dialectSession) Subscribe(ctx context.Context, params json.RawMessage, _ Notify) (any, error) {
	if d.server.sync.world == nil {
		return nil, fmt.Errorf("%w: there is no world to follow", mcp.ErrUnavailable)
	}
	out, err := d.server.sync.subscribe(d.peer.attend(ctx), params)
	return json.RawMessage(out), plainly(err)
}

func (d dialectSession) DeclareArea(ctx context.Context, params json.RawMessage) error {
	if d.server.sync.world == nil {
		return fmt.Errorf("%w: there is no world to follow", mcp.ErrUnavailable)
	}
	_, err := d.server.sync.declareArea(d.peer.attend(ctx), params)
	return plainly(err)
}

func (d dialectSession) Close() { d.peer.feed.endSubscription() }
