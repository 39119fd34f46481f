package mcpserver

import (
	"context"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// peer is the client at the far end of a connection, or of one HTTP request.
type peer struct {
	subject *access.Subject
	// term is how long the subject holds.
	term access.Term
	// feed pushes the world's changes; nil where nothing can be pushed.
	feed *feed
	// reached says that a request over HTTP has come to where it is charged.
	reached atomic.Bool
	// opening is called with the session that the request opens. It may be nil.
	opening func(session *sdk.ServerSession)
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

// opens reports the session that a request opens to whoever asked for it.
func (p *peer) opens(session sdk.Session) {
	if ss, ok := session.(*sdk.ServerSession); ok && p.opening != nil {
		p.opening(ss)
	}
}

type feedKey struct{}

// attend returns a context in which calls are made for the peer.
func (p *peer) attend(ctx context.Context) context.Context {
	if access.SubjectFrom(ctx) == p.subject && feedFrom(ctx) == p.feed {
		return ctx // it is one already
	}
	ctx = access.WithSubject(ctx, p.subject)
	return context.WithValue(ctx, feedKey{}, p.feed)
}

// feedFrom returns the connection's feed, nil where nothing can be pushed.
func feedFrom(ctx context.Context) *feed {
	f, _ := ctx.Value(feedKey{}).(*feed)
	return f
}
