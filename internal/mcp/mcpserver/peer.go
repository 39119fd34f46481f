package mcpserver

import (
	"context"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/identity"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
)

// peer is the client at the far end of a connection, or of one HTTP request.
type peer struct {
	subject *policy.Subject
	// term is how long the subject holds.
	term identity.Term
	// session is what the direct way knows of the request's session; nil if nothing.
	session *directSession
	// feed pushes the world's changes; nil where nothing can be pushed.
	feed *feed
	// level is from which level on the client of a connection wants messages.
	level atomic.Value // a sdk.LoggingLevel
	// reached says that a request over HTTP has come to where it is charged.
	reached atomic.Bool
	// opening are told of the session that the request opens, as it is opened and, as
	// ready, once its client has initialized it.
	opening []func(session *sdk.ServerSession, ready bool)
}

// peerKey is where a request's token info holds its peer.
const peerKey = "glyphoxa.peer"

// reachedKey is where it holds whether the request has come to where it is charged.
const reachedKey = "glyphoxa.reached"

// tokenInfo binds a peer to its requests: the SDK hands it through to
// handlers, and holds a session to the user it began with. reached is set once a
// request is charged where all are that mean something.
func (p *peer) tokenInfo(reached *atomic.Bool) *auth.TokenInfo {
	return &auth.TokenInfo{UserID: p.subject.Name, Extra: map[string]any{peerKey: p, reachedKey: reached}}
}

// markReached notes that a request is charged from here on, if its transport asks.
func markReached(req sdk.Request) {
	if extra := req.GetExtra(); extra != nil && extra.TokenInfo != nil {
		if reached, ok := extra.TokenInfo.Extra[reachedKey].(*atomic.Bool); ok {
			reached.Store(true)
		}
	}
}

// errNobody is the answer to a request that nobody vouches for.
var errNobody = &jsonrpc.Error{Code: -32001, Message: "nobody knows who you are; connect with a token"}

// peerOf returns who sent a request.
func peerOf(req sdk.Request) (*peer, error) {
	extra := req.GetExtra()
	if extra == nil || extra.TokenInfo == nil {
		return nil, errNobody
	}
	p, ok := extra.TokenInfo.Extra[peerKey].(*peer)
	if !ok || p.subject == nil {
		return nil, errNobody
	}
	return p, nil
}

// tellOpening tells of the session that a request opens.
func (p *peer) tellOpening(session sdk.Session, ready bool) {
	ss, ok := session.(*sdk.ServerSession)
	if !ok {
		return
	}
	for _, tell := range p.opening {
		tell(ss, ready)
	}
}

type feedKey struct{}

// attend returns a context in which calls are made for the peer.
func (p *peer) attend(ctx context.Context) context.Context {
	if policy.SubjectFrom(ctx) == p.subject && feedFrom(ctx) == p.feed {
		return ctx // it is one already
	}
	ctx = policy.WithSubject(ctx, p.subject)
	return context.WithValue(ctx, feedKey{}, p.feed)
}

// feedFrom returns the connection's feed, nil where nothing can be pushed.
func feedFrom(ctx context.Context) *feed {
	f, _ := ctx.Value(feedKey{}).(*feed)
	return f
}
