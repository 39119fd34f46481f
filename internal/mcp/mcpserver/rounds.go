package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// methodInput is the method in audit records of calls that need an answer from their client and may not wait
// for it.
const methodInput = "tools/call input"

// questionID is the id of the only question in a result.
const questionID = "question"

// rounds manages calls of clients of the newest revision that may be asked questions. Such a client cannot be
// sent requests. Instead, its call returns with the question, and the client calls again with the answer
// while the call continues here. rounds owns a goroutine per call; close waits for them. It is safe for
// concurrent use.
type rounds struct {
	dispatcher *dispatcher
	places     *quota // bounds calls that wait for their clients
	work       sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	closed  bool
	waiting map[string]*round // by the state with which their clients call again
}

// round is a call that continues between its client's requests. At most one request attends it at a time.
type round struct {
	caller, tool string
	args         []byte
	cancel       context.CancelFunc
	relay        atomic.Pointer[relay] // of the attending request; nil if there is none
	can          atomic.Pointer[sdk.ClientCapabilities]

	questions chan clientQuestion // its next question
	done      chan struct{}       // closed at its end, after the fields below are set
	result    *sdk.CallToolResult
	outcome   *answer
	err       error

	pending clientQuestion // the last question to its client; owned by the attending request

	// Guarded by rounds.mu.
	over  bool
	state string   // key in rounds.waiting; empty if it does not wait
	place *holding // while it waits
}

// clientQuestion is a question with the channel for its answer.
type clientQuestion struct {
	question any
	answer   chan any // capacity one
}

func newRounds(d *dispatcher) *rounds {
	return &rounds{dispatcher: d, places: newQuota("calls that wait for an answer", roundBounds()), waiting: map[string]*round{}}
}

// roundBounds are the bounds for calls that wait for an answer from their clients.
func roundBounds() quotaBounds {
	return quotaBounds{strangers: 8, strangersAt: 8, known: 256, each: 16, at: 64, certain: 4}
}

// answer answers a new call, or continues one that has asked its client a question.
func (rs *rounds) answer(ctx context.Context, req *sdk.CallToolRequest, p *peer, r *relay) (*sdk.CallToolResult, *answer, error) {
	c, err := rs.callOf(ctx, req, p, r)
	if err != nil {
		return nil, nil, err
	}
	c.relay.Store(r)
	defer c.relay.Store(nil)
	c.can.Store(req.ClientCapabilities())
	if !c.deliverAnswer(req.Params.InputResponses) {
		if res := rs.park(ctx, c, p.subject); res != nil {
			return res, nil, nil
		}
	}
	for {
		select {
		case <-c.done:
			return c.result, c.outcome, c.err
		case c.pending = <-c.questions:
			if res := rs.park(ctx, c, p.subject); res != nil {
				return res, nil, nil
			}
		case <-ctx.Done():
			c.cancel()
			<-c.done
			return c.result, c.outcome, c.err
		}
	}
}

// callOf returns the call that a request is about: a new one, or one that is waiting for this request.
func (rs *rounds) callOf(ctx context.Context, req *sdk.CallToolRequest, p *peer, r *relay) (*round, error) {
	if req.Params.RequestState == "" {
		return rs.begin(ctx, req, p, r), nil
	}
	if err := rs.dispatcher.chargeRequest(ctx, methodInput); err != nil {
		return nil, rs.dispatcher.refuse(err)
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	c := rs.waiting[req.Params.RequestState]
	if c == nil || c.caller != p.subject.Name || c.tool != req.Params.Name || !bytes.Equal(c.args, req.Params.Arguments) {
		return nil, errNoRound
	}
	rs.endWait(c)
	return c, nil
}

// errNoRound is the answer to a request that tries to continue a call that does not exist or belongs to
// another client.
var errNoRound = &jsonrpc.Error{
	Code: jsonrpc.CodeInvalidParams, Message: "no call of yours waits under this `requestState` with these arguments: it is over, or was answered; call again without it",
}

// begin starts a call.
func (rs *rounds) begin(ctx context.Context, req *sdk.CallToolRequest, p *peer, r *relay) *round {
	c := &round{
		caller: p.subject.Name, tool: req.Params.Name, args: bytes.Clone(req.Params.Arguments),
		questions: make(chan clientQuestion), done: make(chan struct{}),
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.cancel = cancel
	c.can.Store(req.ClientCapabilities()) // the call may ask before a request attends it
	if r != nil {
		life = c.attend(life, req.Params.GetProgressToken() != nil, rs.dispatcher.logLevel(req))
	}
	life = mcp.WithClientRequests(life, &mcp.ClientRequests{Client: c.caller, Send: c.ask})
	run := func() {
		defer cancel()
		c.result, c.outcome, c.err = rs.dispatcher.callTool(life, c.tool, c.args)
		rs.mu.Lock()
		defer rs.mu.Unlock()
		rs.endWait(c)
		c.over = true
		close(c.done)
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		c.err, c.over = errStopping, true
		cancel()
		close(c.done)
		return c
	}
	rs.work.Go(run)
	return c
}

// attend returns a context whose call reports to the relay of the request that attends it.
//
//lint:ignore SA1019 clients of the older revisions have it
func (c *round) attend(ctx context.Context, progress bool, level sdk.LoggingLevel) context.Context {
	if progress {
		ctx = mcp.WithProgress(ctx, func(done, total float64, message string) {
			if r := c.relay.Load(); r != nil {
				r.sendProgress(done, total, message)
			}
		})
	}
	if level == "" {
		return ctx
	}
	return mcp.WithClientLog(ctx, &mcp.ClientLog{Client: c.caller, Level: string(level), Send: func(level, logger string, data any) {
		if r := c.relay.Load(); r != nil {
			r.sendLog(level, logger, data)
		}
	}})
}

// ask asks the client a question and waits until it calls again with the answer.
func (c *round) ask(ctx context.Context, question any) (any, error) {
	if err := checkCapability(c.can.Load(), question); err != nil {
		return nil, err
	}
	a := clientQuestion{question, make(chan any, 1)}
	select {
	case c.questions <- a:
	case <-ctx.Done():
		return nil, answeredBadly(ctx, ctx.Err())
	}
	select {
	case answer := <-a.answer:
		if err, refused := answer.(error); refused {
			return nil, err
		}
		return answer, nil
	case <-ctx.Done():
		return nil, answeredBadly(ctx, ctx.Err())
	}
}

// deliverAnswer passes on the answer to the last question, if there was a question. It returns false if the
// answer is missing or has the wrong type.
func (c *round) deliverAnswer(answers sdk.InputResponseMap) bool {
	if c.pending.question == nil {
		return true
	}
	var fits bool
	answer := answers[questionID]
	switch c.pending.question.(type) {
	case *sdk.ElicitParams:
		_, fits = answer.(*sdk.ElicitResult)
	//lint:ignore SA1019 servers of the older revisions ask it
	case *sdk.CreateMessageWithToolsParams:
		//lint:ignore SA1019 and clients answer it
		_, fits = answer.(*sdk.CreateMessageWithToolsResult)
	}
	if !fits {
		return false
	}
	c.pending.answer <- answer
	c.pending = clientQuestion{}
	return true
}

// park makes a call wait for its client and returns a result with the question. It returns nil if the call
// does not wait because it is about to end.
func (rs *rounds) park(ctx context.Context, c *round, who *access.Subject) *sdk.CallToolResult {
	place, why := rs.places.acquire(holderOf(who), who.Address, nil)
	if why != nil {
		c.pending.answer <- why
		c.pending = clientQuestion{}
		return nil
	}
	state := rand.Text()
	question := c.pending.question.(sdk.InputRequest)
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if c.over || rs.closed {
		place.free()
		c.cancel()
		return nil
	}
	c.state, c.place, rs.waiting[state] = state, place, c
	return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{questionID: question}, RequestState: state}
}

// endWait ends the wait that park started, if any. Callers hold rs.mu.
func (rs *rounds) endWait(c *round) {
	if c.state != "" {
		delete(rs.waiting, c.state)
		c.place.free()
		c.state, c.place = "", nil
	}
}

// close ends the calls that wait for their clients, and waits for all others.
func (rs *rounds) close() {
	rs.mu.Lock()
	rs.closed = true
	for _, c := range rs.waiting {
		c.cancel()
	}
	rs.mu.Unlock()
	rs.work.Wait()
}
