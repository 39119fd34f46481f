package mcphost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// maxUnanswered is how many of the server's requests may wait for our answer before we stop reading.
// Otherwise a server that keeps sending requests but reads nothing would exhaust our memory.
const maxUnanswered = 256

// answerPatience is how long we wait for the server to read any of our answers. After that the server may
// itself be waiting for us to read, so we continue to read and leave requests beyond maxUnanswered without an
// answer.
const answerPatience = time.Second

// errOutputEnded means that the server has closed its output.
var errOutputEnded = errors.New("the program closed its output")

// pipes is an MCP connection over a program's stdin and stdout, with one message per line. The SDK's own
// connection fails at the first line that is not a message, waits for the program while holding its lock, and
// cannot stop writing to a program that does not read (docs/adr/0009). pipes skips such lines, never waits
// for the program, and stops writing when the caller's context ends.
type pipes struct {
	in     *os.File // the program's stdin
	out    *os.File // its stdout
	output *outputLog
	lines  *lineReader
	wire   *wire
	queue  []jsonrpc.Message // rest of a batch; owned by Read
	part   spread            // a message over several lines; owned by Read

	// relistDue reports whether a new listing is already due; nil means never.
	relistDue func() bool
	// progress and logged receive the params of progress notifications and log messages, before the answer
	// that follows is read. If nil, they are dropped.
	progress func(params json.RawMessage)
	logged   func(params json.RawMessage)

	unanswered atomic.Int32
	answered   chan struct{} // signalled when an answer was written; capacity one
	stuck      bool          // no answer was written for answerPatience; owned by Read

	turn      chan struct{} // one-element semaphore, held while writing
	unwritten []byte        // unwritten rest of a message whose writer gave up; guarded by turn

	once   sync.Once
	closed chan struct{}
}

func newPipes(p *process) *pipes {
	return &pipes{
		in: p.stdin, out: p.stdout, output: p.output, lines: newLineReader(p.stdout), wire: newWire(),
		answered: make(chan struct{}, 1), turn: make(chan struct{}, 1), closed: make(chan struct{}),
	}
}

// Connect implements [sdk.Transport].
func (c *pipes) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID returns "", because pipes have no sessions.
func (c *pipes) SessionID() string { return "" }

// Close closes the program's stdin, which asks the program to exit, and ends Read and Write. It does not wait
// for the program.
func (c *pipes) Close() error {
	c.once.Do(func() {
		close(c.closed)
		_ = c.in.Close()                           // the connection is over; an error no longer matters
		_ = c.out.SetReadDeadline(time.Unix(1, 0)) // ends a pending Read; without deadline support, the end of the program does
	})
	return nil
}

// Read returns the next message. It logs and skips lines that are not messages, at most maxStray bytes.
func (c *pipes) Read(ctx context.Context) (jsonrpc.Message, error) {
	for stray := 0; stray < maxStray; {
		if len(c.queue) > 0 {
			msg := c.queue[0]
			c.queue = c.queue[1:]
			return msg, nil
		}
		if !c.awaitAnswers(ctx) {
			return nil, io.EOF
		}
		line, err := c.lines.nextLine(maxMessage)
		var over *oversized
		if errors.As(err, &over) {
			if msg, ok := refusalFor(over.head, over.tail, tooLong); ok {
				return msg, nil
			}
			return nil, fmt.Errorf("the program wrote %w", over)
		}
		if n, ok := contentLength(line); ok && err == nil {
			line, err = c.lines.nextBody(n)
		}
		line, whole, lost := c.part.join(line)
		stray += lost
		if !whole && err == nil {
			continue
		}
		msgs, perr := c.parseMessages(line)
		if perr != nil {
			c.output.logStray(line)
			if msg, ok := refusalFor(line, line, "its answer cannot be read: "+perr.Error()); ok {
				return msg, nil
			}
			stray += len(line)
		}
		c.queue = c.dropFlood(msgs)
		if err != nil && len(c.queue) == 0 {
			return nil, c.endError(err)
		}
	}
	return nil, fmt.Errorf("the program wrote %d MiB that are not messages", maxStray>>20)
}

// endError returns why no more messages can be read.
func (c *pipes) endError(err error) error {
	select {
	case <-c.closed:
		return io.EOF
	default:
	}
	if errors.Is(err, io.EOF) || errors.Is(err, os.ErrDeadlineExceeded) {
		return errOutputEnded
	}
	return fmt.Errorf("reading the program's output: %w", err)
}

// awaitAnswers blocks while too many of the server's requests are unanswered, for at most answerPatience if
// the server reads none of our answers. It reports whether the connection is still open.
func (c *pipes) awaitAnswers(ctx context.Context) bool {
	for c.unanswered.Load() >= maxUnanswered && !c.stuck {
		patience := time.NewTimer(answerPatience)
		select {
		case <-c.answered:
		case <-patience.C:
			c.stuck = true
			c.output.log.Warn("the server sends requests without reading the answers; some of its requests get no answer", "unanswered", maxUnanswered)
		case <-c.closed:
			return false
		case <-ctx.Done():
			return false
		}
		patience.Stop()
	}
	select {
	case <-c.answered:
		c.stuck = false
	default:
	}
	select {
	case <-c.closed:
		return false
	default:
		return true
	}
}

// parseMessages decodes the messages in a line: none if it is empty, one, or several in a batch.
func (c *pipes) parseMessages(line []byte) ([]jsonrpc.Message, error) {
	line = trimMessage(line)
	if len(line) == 0 {
		return nil, nil
	}
	if id, ok := plainID(line); ok && !c.wire.repairs(id) {
		if msg, err := jsonrpc.DecodeMessage(line); err == nil {
			c.wire.keep(id, line)
			return []jsonrpc.Message{msg}, nil
		}
	}
	messages, err := c.wire.repair(line, -1)
	if err != nil {
		return nil, err
	}
	var all []jsonrpc.Message
	for _, raw := range messages {
		msg, err := jsonrpc.DecodeMessage(raw)
		if err != nil {
			return nil, err
		}
		all = append(all, msg)
	}
	return all, nil
}

// dropFlood counts requests and drops those beyond the limit. It handles log messages and progress itself and
// drops redundant list_changed notifications, so that a flood of them costs no more than reading it.
func (c *pipes) dropFlood(msgs []jsonrpc.Message) []jsonrpc.Message {
	return slices.DeleteFunc(msgs, func(m jsonrpc.Message) bool {
		r, ok := m.(*jsonrpc.Request)
		if !ok {
			return false
		}
		if r.IsCall() {
			if c.stuck && c.unanswered.Load() >= maxUnanswered {
				return true
			}
			c.unanswered.Add(1)
			return false
		}
		switch r.Method {
		case "notifications/message":
			if c.logged != nil {
				c.logged(r.Params)
			}
			return true
		case "notifications/progress":
			if c.progress != nil {
				c.progress(r.Params)
			}
			return true
		case "notifications/tools/list_changed":
			return c.relistDue != nil && c.relistDue()
		}
		return false
	})
}

// refusalFor returns an error answer in place of a line that cannot be read, if one end of the line contains
// the id of the call that it answers.
func refusalFor(head, tail []byte, why string) (jsonrpc.Message, bool) {
	n, ok := responseID(head[:min(len(head), endRoom)], tail[max(0, len(tail)-endRoom):])
	if !ok {
		return nil, false
	}
	id, err := jsonrpc.MakeID(float64(n))
	if err != nil {
		return nil, false
	}
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: why}}, true
}

// tooLong is the error text for an answer that is too long.
var tooLong = fmt.Sprintf("its answer is longer than %d MiB and was dropped", maxMessage>>20)

// Write sends a message, or gives up when ctx ends. If a message was written only in part, the next Write
// first sends the rest, so that the stream stays valid.
func (c *pipes) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() {
		if id, ok := r.ID.Raw().(int64); ok {
			c.wire.note(ctx, id, r.Method)
		}
	}
	if r, ok := msg.(*jsonrpc.Response); ok && r != nil {
		defer func() {
			c.unanswered.Add(-1)
			wakeup.Signal(c.answered)
		}()
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return sdk.ErrConnectionClosed
	}
	if len(c.unwritten) > 0 {
		n, err := c.writeUntilDone(ctx, c.unwritten)
		if c.unwritten = c.unwritten[n:]; err != nil {
			return err
		}
	}
	data = append(data, '\n')
	n, err := c.writeUntilDone(ctx, data)
	if n > 0 {
		c.unwritten = data[n:]
	}
	return err
}

// writeUntilDone writes data until ctx ends. Callers hold turn.
func (c *pipes) writeUntilDone(ctx context.Context, data []byte) (int, error) {
	fired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = c.in.SetWriteDeadline(time.Unix(1, 0))
		close(fired)
	})
	n, err := c.in.Write(data)
	if !stop() {
		<-fired
		_ = c.in.SetWriteDeadline(time.Time{})
	}
	switch {
	case err == nil:
		return n, nil
	case ctx.Err() != nil:
		return n, ctx.Err()
	}
	return n, fmt.Errorf("%w: writing to the program: %w", sdk.ErrConnectionClosed, err)
}
