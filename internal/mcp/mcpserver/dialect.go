package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/dialect"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// dialectWords are what clients of text 000's dialect are sent: they count
// ticks.
var dialectWords = feedWords{"state/snapshot", "state/delta", "state/ended", "tick"}

// backend serves clients that speak text 000's dialect over one connection.
type backend struct {
	server *Server
	peer   *peer
}

// Initialize binds the client to a session. The profile it asks for can only
// narrow what its connection may do.
func (b backend) Initialize(_ context.Context, agentID, _, profile string) (dialect.Session, error) {
	granted, err := b.server.narrow(b.peer.subject, profile)
	if err != nil {
		return nil, err
	}
	subject := *b.peer.subject
	subject.Profile = granted
	b.server.o.Logger.Debug("dialect session", "client", subject.Name, "agent", untrusted.Line(agentID, 100), "profile", profile)
	b.peer.feed.words = dialectWords
	return dialectSession{server: b.server, peer: &peer{subject: &subject, feed: b.peer.feed}}, nil
}

// narrow returns the profile a subject asks for, if that allows nothing that
// the subject's own does not.
func (s *Server) narrow(subject *policy.Subject, name string) (policy.Profile, error) {
	own, _ := s.o.Policy.Profile(subject.Profile.Name)
	wanted, ok := s.o.Policy.Profile(name)
	if !ok {
		return policy.Profile{}, &mcp.Refusal{
			Code: mcp.CodeForbidden, Reason: fmt.Sprintf("there is no profile %q", untrusted.Line(name, 100)), Hint: "ask for " + own.Name,
		}
	}
	if name == own.Name {
		return own, nil
	}
	beyond := wanted.SeesAll && !own.SeesAll || slices.ContainsFunc(wanted.Permissions, func(p string) bool { return !slices.Contains(own.Permissions, p) })
	if beyond {
		return policy.Profile{}, &mcp.Refusal{
			Code: mcp.CodeForbidden, Reason: fmt.Sprintf("the profile %q allows more than this connection may do", name), Hint: "ask for " + own.Name,
		}
	}
	return wanted, nil
}

type dialectSession struct {
	server *Server
	peer   *peer
}

func (d dialectSession) Tools(ctx context.Context) ([]dialect.Tool, error) {
	list := []dialect.Tool{}
	for _, t := range d.server.surface(d.peer.attend(ctx)) {
		list = append(list, dialect.Tool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema})
	}
	return list, nil
}

func (d dialectSession) Call(ctx context.Context, name string, args json.RawMessage) (mcp.Result, error) {
	a := d.server.run(d.peer.attend(ctx), name, args)
	for _, e := range a.events {
		mcp.Emit(ctx, e)
	}
	return a.result, plainly(a.err)
}

// plainly is an error as the dialect's clients may read it, with what to do.
func plainly(err error) error {
	if err == nil || mcp.CodeOf(err) == mcp.CodeCancelled {
		return err // the dialect says itself who cancelled a call
	}
	f := failureOf(err)
	return &mcp.Refusal{
		Code: f.Code, Rule: f.Rule, Reason: f.Message, Hint: f.Hint, Approval: f.ApprovalID,
		RetryAfter: time.Duration(f.RetryAfterMs) * time.Millisecond,
	}
}

func (d dialectSession) Subscribe(ctx context.Context, params json.RawMessage, _ dialect.Notify) (any, error) {
	if d.server.o.World == nil {
		return nil, fmt.Errorf("%w: there is no world to follow", mcp.ErrUnavailable)
	}
	out, err := d.server.stateSubscribe(d.peer.attend(ctx), params)
	return json.RawMessage(out), plainly(err)
}

func (d dialectSession) DeclareArea(ctx context.Context, params json.RawMessage) error {
	if d.server.o.World == nil {
		return fmt.Errorf("%w: there is no world to follow", mcp.ErrUnavailable)
	}
	_, err := d.server.declareArea(d.peer.attend(ctx), params)
	return plainly(err)
}

func (d dialectSession) Close() { d.peer.feed.leave() }
