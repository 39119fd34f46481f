package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// drainTime bounds the wait for answers once the client has closed its end.
const drainTime = 30 * time.Second

// Stdio returns the transport over this process's standard streams. A client
// that sends its requests and closes its end, as a shell's pipe does, still
// gets every answer.
func Stdio() sdk.Transport { return Draining(&sdk.StdioTransport{}) }

// Draining returns t with the end of its input held back until every request
// read from it has been answered, or half a minute has passed.
func Draining(t sdk.Transport) sdk.Transport { return draining{t} }

type draining struct{ sdk.Transport }

func (d draining) Connect(ctx context.Context) (sdk.Connection, error) {
	conn, err := d.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &drainConn{Connection: conn, open: map[jsonrpc.ID]bool{}, change: make(chan struct{})}, nil
}

// drainConn counts the requests that have no answer yet.
type drainConn struct {
	sdk.Connection
	mu     sync.Mutex // guards the fields below
	open   map[jsonrpc.ID]bool
	change chan struct{} // closed when a request is answered
}

func (c *drainConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if err != nil {
		c.drain(ctx)
		return nil, err
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
		c.mu.Lock()
		c.open[req.ID] = true
		c.mu.Unlock()
	}
	return msg, nil
}

func (c *drainConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if resp, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, resp.ID)
		close(c.change)
		c.change = make(chan struct{})
		c.mu.Unlock()
	}
	return err
}

// drain waits until nothing is open.
func (c *drainConn) drain(ctx context.Context) {
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	for {
		c.mu.Lock()
		open, change := len(c.open), c.change
		c.mu.Unlock()
		if open == 0 {
			return
		}
		select {
		case <-change:
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		}
	}
}
