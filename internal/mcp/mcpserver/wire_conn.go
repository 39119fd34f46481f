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
	// defaultInFlight is how many requests may be under way at once.
	defaultInFlight = 64
	// maxStrikes is how many malformed messages in a row end the connection.
	maxStrikes = 100
	// answersTime bounds the wait for answers once the input has ended.
	answersTime = 30 * time.Second
	// listenMethod is answered only when its listener leaves, so that the end of
	// the input does not wait for it.
	listenMethod = "subscriptions/listen"
)

// ConnOptions are the optional parts of a [Conn].
type ConnOptions struct {
	// Extra is what handlers learn of the caller: every request carries a copy.
	// If nil, requests carry none.
	Extra *sdk.RequestExtra
	// SessionID is the id of the session; empty if it has none.
	SessionID string
	// MaxInFlight is how many requests may wait for their answer at once; more
	// are refused. If 0, it is 64.
	MaxInFlight int
	// Share is what requests hold that wait for their answer; one beyond it is refused.
	// If nil, they hold nothing.
	Share Share
	// Refused is told of each message that the connection refuses by itself, by whoever
	// reads it. An error it returns is what the peer is told instead: a *jsonrpc.Error
	// as it is, any other as the reason of a refusal for want of capacity. If nil,
	// nobody is told.
	Refused func(ctx context.Context, why Reason, says string) error
}

// Reason is why a connection has refused a message.
type Reason int

// The reasons of refusals.
const (
	Malformed    Reason = iota // it is no message, or none that can be answered
	TooLarge                   // it breaks a bound of its length or its shape
	OverCapacity               // its peer has too many requests under way, or too long ones
)

// Conn is a JSON-RPC connection over frames, for the MCP SDK or for a dialect.
//
// Malformed messages and requests beyond the bound are answered with an error
// and never reach the reader. One goroutine at a time may call Read or Peek;
// everything else is safe for concurrent use.
type Conn struct {
	frames  Frames
	extra   *sdk.RequestExtra
	session string
	owed    owed
	refused func(context.Context, Reason, string) error // nil: nobody is told
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

// NewConn returns the connection over frames, which it closes. It starts nothing.
func NewConn(frames Frames, o ConnOptions) *Conn {
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = defaultInFlight
	}
	c := &Conn{frames: frames, extra: o.Extra, session: o.SessionID, refused: o.Refused, closed: make(chan struct{})}
	c.owed.max, c.owed.ids, c.owed.share = o.MaxInFlight, map[jsonrpc.ID]claim{}, o.Share
	return c
}

// Transport returns the transport that connects to c, for the SDK's Connect.
func (c *Conn) Transport() sdk.Transport { return transport{c} }

type transport struct{ c *Conn }

func (t transport) Connect(context.Context) (sdk.Connection, error) { return t.c, nil }

// SessionID returns the id of the session, empty if it has none.
func (c *Conn) SessionID() string { return c.session }

// Read returns the next well-formed message, a *jsonrpc.Request or a
// *jsonrpc.Response. Once the input has ended it waits until every request has
// been answered, but for half a minute at most, and returns io.EOF. A peer that
// is gone is both io.EOF and [ErrGone], at once: nobody could read the answers.
func (c *Conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	if p := c.peeked; p != nil {
		c.peeked = nil
		return p.req, nil
	}
	msg, _, err := c.nextMessage(ctx)
	return msg, err
}

// Peek returns the first request or notification and its encoding without
// consuming it: Read returns it again. Answers that come before it answer
// nothing and are dropped.
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
				_ = c.refused(ctx, TooLarge, ErrTooLarge.Error()) // nobody is left to be told
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

// refuse returns what a message with a flaw is answered.
func (c *Conn) refuse(ctx context.Context, bad *flaw) []byte {
	if c.refused != nil {
		if err := c.refused(ctx, bad.reason(), bad.why); err != nil {
			bad = bad.insteadOf(err)
		}
	}
	return bad.errorResponse()
}

// judge returns the message in a frame, or what is wrong with it. Both are nil
// for a message that means nothing to anybody.
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
		if !msg.ID.IsValid() { // a complaint about something we said
			return nil, nil
		}
	case *jsonrpc.Request:
		if bad := c.admit(msg, len(raw)); bad != nil {
			return nil, bad
		}
	}
	return msg, nil
}

// admit takes a request of size bytes in, or returns why it is refused.
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

// departure is the end of a peer that is gone. It is io.EOF as well, since a
// peer may leave without a word.
type departure struct{ error }

func (d departure) Unwrap() []error { return []error{d.error, io.EOF} }

// endOfInput returns what the end of the input means to the reader, after what is
// owed has been answered.
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

// Push writes raw, an encoded notification, beside the messages of whoever
// reads the connection. raw must not change until it returns.
func (c *Conn) Push(ctx context.Context, raw []byte) error {
	return c.frames.WriteFrame(ctx, raw)
}

// Close closes the connection. It may be called many times and concurrently.
func (c *Conn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.owed.freeAll()
	})
	return c.frames.Close()
}
