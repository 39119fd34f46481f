package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// defaultInFlight is how many requests may be in progress at once.
	defaultInFlight = 64
	// maxStrikes is how many consecutive malformed messages end the connection.
	maxStrikes = 100
	// answersTime bounds the wait for answers after the end of the input.
	answersTime = 30 * time.Second
	// listenMethod is answered only when its listener leaves, so the end of the input does not wait for it.
	listenMethod = "subscriptions/listen"
)

// ConnOptions configures a [Conn].
type ConnOptions struct {
	// Extra is information about the caller for handlers. Every request carries a copy. If nil, requests
	// carry none.
	Extra *sdk.RequestExtra
	// SessionID is the id of the session; empty if there is none.
	SessionID string
	// MaxInFlight is how many requests may wait for their answers at once. More are refused. If 0, it is 64.
	MaxInFlight int
	// Share bounds the bytes of requests that wait for their answers. A request that exceeds it is refused.
	// If nil, there is no bound.
	Share Share
	// Refused is called, by the reader, for each message that the connection refuses itself. If it returns an
	// error, the peer gets that instead: a *jsonrpc.Error as it is, any other error as a refusal for lack of
	// capacity. It may be nil.
	Refused func(ctx context.Context, why Reason, says string) error
}

// Reason is the reason why a connection refused a message.
type Reason int

// Reasons for refusals.
const (
	Malformed    Reason = iota // not a message, or not one that can be answered
	TooLarge                   // exceeds a bound on length or shape
	OverCapacity               // the peer has too many or too large requests in progress
)

// Conn is a JSON-RPC connection over frames, for the MCP SDK or for a dialect.
//
// It answers malformed messages and requests beyond its bounds with an error, so they never reach the reader.
// Only one goroutine at a time may call Read or Peek; all other methods are safe for concurrent use.
type Conn struct {
	frames  Frames
	extra   *sdk.RequestExtra
	session string
	owed    pendingRequests
	refused func(context.Context, Reason, string) error // may be nil
	once    sync.Once
	closed  chan struct{}

	// Owned by the reader.
	peeked  *peeked
	strikes int
}

// peeked is a request that was read but not yet consumed.
type peeked struct {
	req *jsonrpc.Request
	raw []byte
}

var (
	_ sdk.Connection = (*Conn)(nil)
	_ sdk.Transport  = transport{}
)

// NewConn returns a connection over frames, which it closes. It starts no goroutines.
func NewConn(frames Frames, o ConnOptions) *Conn {
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = defaultInFlight
	}
	c := &Conn{frames: frames, extra: o.Extra, session: o.SessionID, refused: o.Refused, closed: make(chan struct{})}
	c.owed.max, c.owed.ids, c.owed.share = o.MaxInFlight, map[jsonrpc.ID]claim{}, o.Share
	return c
}

// Transport returns a transport that connects to c, for the SDK's Connect.
func (c *Conn) Transport() sdk.Transport { return transport{c} }

type transport struct{ c *Conn }

func (t transport) Connect(context.Context) (sdk.Connection, error) { return t.c, nil }

// SessionID returns the id of the session, or "" if there is none.
func (c *Conn) SessionID() string { return c.session }

// Read returns the next well-formed message, a *jsonrpc.Request or a *jsonrpc.Response. At the end of the
// input it waits until every request has been answered, for at most half a minute, and returns io.EOF. If the
// peer is gone, it returns at once with an error that is both io.EOF and [ErrGone], because the answers could
// not be read.
func (c *Conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	if p := c.peeked; p != nil {
		c.peeked = nil
		return p.req, nil
	}
	msg, _, err := c.nextMessage(ctx)
	return msg, err
}

// Peek returns the first request or notification and its encoding without consuming it, so Read returns it
// again. Responses before it are dropped, because they answer nothing.
func (c *Conn) Peek(ctx context.Context) (*jsonrpc.Request, []byte, error) {
	for c.peeked == nil {
		msg, raw, err := c.nextMessage(ctx)
		if err != nil {
			return nil, nil, err
		}
		if req, ok := msg.(*jsonrpc.Request); ok {
			c.peeked = &peeked{req, raw}
		}
	}
	return c.peeked.req, c.peeked.raw, nil
}

// nextMessage returns the next message that is well-formed and admitted.
func (c *Conn) nextMessage(ctx context.Context) (jsonrpc.Message, []byte, error) {
	for {
		raw, err := c.frames.ReadFrame(ctx)
		if err != nil && (!errors.Is(err, ErrTooLarge) || errors.Is(err, ErrGone)) {
			if errors.Is(err, ErrTooLarge) && c.refused != nil {
				_ = c.refused(ctx, TooLarge, ErrTooLarge.Error()) // the peer can no longer be answered
			}
			return nil, nil, c.endOfInput(ctx, err)
		}
		msg, bad := c.judge(raw, err)
		if bad == nil && msg != nil {
			return msg, raw, nil
		}
		if bad != nil && !bad.mute {
			if err := c.frames.WriteFrame(ctx, c.refuse(ctx, bad)); err != nil {
				return nil, nil, fmt.Errorf("refusing a message: %w", err)
			}
		}
		if c.strikes >= maxStrikes {
			c.Close()
			return nil, nil, ErrMalformed
		}
	}
}

// refuse returns the answer to a message with a flaw.
func (c *Conn) refuse(ctx context.Context, bad *flaw) []byte {
	if c.refused != nil {
		if err := c.refused(ctx, bad.reason(), bad.why); err != nil {
			bad = bad.insteadOf(err)
		}
	}
	return bad.errorResponse()
}

// judge returns the message in a frame, or its flaw. Both are nil for a message that can be ignored.
func (c *Conn) judge(raw []byte, skipped error) (jsonrpc.Message, *flaw) {
	var over *oversized
	if errors.As(skipped, &over) {
		c.strikes++
		return nil, over.flaw()
	}
	if skipped != nil {
		c.strikes++
		return nil, &flaw{code: codeInvalid, why: ErrTooLarge.Error(), large: true}
	}
	if _, err := new(Shape).Write(raw); err != nil {
		c.strikes++
		return nil, misshapen(raw, err).flaw()
	}
	msg, bad := parseMessage(raw)
	if bad != nil {
		c.strikes++
		return nil, bad
	}
	c.strikes = 0
	switch msg := msg.(type) {
	case *jsonrpc.Response:
		if !msg.ID.IsValid() { // an error about something that we sent
			return nil, nil
		}
	case *jsonrpc.Request:
		if bad := c.admit(msg, len(raw)); bad != nil {
			return nil, bad
		}
	}
	return msg, nil
}

// admit admits a request of size bytes, or returns why it is refused.
func (c *Conn) admit(req *jsonrpc.Request, size int) *flaw {
	if req.IsCall() {
		if bad := c.owed.admit(req.ID, claim{awaited: req.Method != listenMethod, size: int64(size)}); bad != nil {
			if id, err := json.Marshal(req.ID.Raw()); err == nil {
				bad.id = id
			}
			return bad
		}
	}
	if c.extra != nil {
		extra := *c.extra
		req.Extra = &extra
	}
	return nil
}

// departure means that the peer is gone. It also matches io.EOF, because a peer may leave without notice.
type departure struct{ error }

func (d departure) Unwrap() []error { return []error{d.error, io.EOF} }

// endOfInput waits for pending answers and returns the error for the reader.
func (c *Conn) endOfInput(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, ErrGone):
		return departure{err}
	case !errors.Is(err, io.EOF):
		return err
	}
	timer := time.NewTimer(answersTime)
	defer timer.Stop()
	select {
	case <-c.owed.allAnswered():
	case <-timer.C:
	case <-c.closed:
	case <-ctx.Done():
	}
	return io.EOF
}

// Write encodes and writes a message.
func (c *Conn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if resp, ok := msg.(*jsonrpc.Response); ok {
		defer c.owed.markAnswered(resp.ID)()
	}
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	return c.frames.WriteFrame(ctx, data)
}

// Push writes raw, an encoded notification, independently of the reader's messages. raw must not change until
// Push returns.
func (c *Conn) Push(ctx context.Context, raw []byte) error {
	return c.frames.WriteFrame(ctx, raw)
}

// Close closes the connection. It may be called several times and concurrently.
func (c *Conn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.owed.freeAll()
	})
	return c.frames.Close()
}
