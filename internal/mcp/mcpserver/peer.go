package mcpserver

import (
	"context"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// peer is the client of a connection, or of one HTTP request.
type peer struct {
	subject *access.Subject
	// term is how long the subject remains valid.
	term access.Term
	// feed pushes the world's changes; nil if the transport cannot push.
	feed *feed
	// reached says that an HTTP request has reached the point where it is charged.
	reached atomic.Bool
	// opening, if not nil, is called with the session that the request opens.
	opening func(session *sdk.ServerSession)
}

// peerKey is the key of the peer in a request's token info.
const peerKey = "glyphoxa.peer"

// reachedKey is the key of the reached flag in a request's token info.
const reachedKey = "glyphoxa.reached"

// tokenInfo attaches the peer to its requests. The SDK passes it to handlers and binds a session to the user
// that opened it. reached is set when a request reaches the point where all valid requests are charged.
func (p *peer) tokenInfo(reached *atomic.Bool) *auth.TokenInfo {
	return &auth.TokenInfo{UserID: p.subject.Name, Extra: map[string]any{peerKey: p, reachedKey: reached}}
}

// markReached marks that a request is charged from here on, if its transport tracks that.
func markReached(req sdk.Request) {
	if extra := req.GetExtra(); extra != nil && extra.TokenInfo != nil {
		if reached, ok := extra.TokenInfo.Extra[reachedKey].(*atomic.Bool); ok {
			reached.Store(true)
		}
	}
}

// errNobody is the answer to a request without an identified caller.
var errNobody = &jsonrpc.Error{Code: -32001, Message: "nobody knows who you are; connect with a token"}

// peerOf returns the sender of a request.
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

// opens reports the session that a request opens to the peer's opening function.
func (p *peer) opens(session sdk.Session) {
	if ss, ok := session.(*sdk.ServerSession); ok && p.opening != nil {
		p.opening(ss)
	}
}

type feedKey struct{}

// attend returns a context in which calls are made on behalf of the peer.
func (p *peer) attend(ctx context.Context) context.Context {
	if access.SubjectFrom(ctx) == p.subject && feedFrom(ctx) == p.feed {
		return ctx // it is prepared already
	}
	ctx = access.WithSubject(ctx, p.subject)
	return context.WithValue(ctx, feedKey{}, p.feed)
}

// feedFrom returns the connection's feed, or nil if the transport cannot push.
func feedFrom(ctx context.Context) *feed {
	f, _ := ctx.Value(feedKey{}).(*feed)
	return f
}
