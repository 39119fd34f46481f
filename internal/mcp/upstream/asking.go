package upstream

//lint:file-ignore SA1019 servers of the older revisions know no other way to ask a model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// What a server may ask of the client behind a call; docs/adr/0052 says why.
const (
	methodElicit = "elicitation/create"
	methodSample = "sampling/createMessage"

	maxAsks      = 8         // questions of a server at a time
	maxQuestions = 16        // of one call, one after the other
	maxRounds    = 8         // answers to one call that ask for more
	maxQuestion  = 256 << 10 // bytes of one, encoded
	maxAsked     = 4000      // characters of what a person is asked

	// What a server is answered whose question is refused, in the range that JSON-RPC
	// leaves to implementations.
	codeNotAsked = -32001
	codeAsksMuch = -32010
)

// capabilities are what we tell a server of ourselves: that a question can be asked. Whether
// it is depends on the call. Roots are no call's, so nobody's are told.
func capabilities() *sdk.ClientCapabilities {
	return &sdk.ClientCapabilities{
		Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}, Sampling: &sdk.SamplingCapabilities{},
	}
}

// questions is what a server asks of the clients behind its calls. It is safe for
// concurrent use.
type questions struct {
	*Server
	// asked is told of each question, nil if nobody is; see [Options].
	asked  func(ctx context.Context, c *mcp.Call, took time.Duration, err error)
	places chan struct{} // one for every question under way
}

// asker asks the client behind a call under way, as long as the call lasts.
type asker struct {
	client string
	// ask asks with the call's context, which ends with ctx.
	ask   func(ctx context.Context, question any) (any, error)
	asked atomic.Int32
}

// askerOf returns how the client of a call is asked, nil if there is none that can be.
func (s *questions) askerOf(ctx context.Context) *asker {
	asking := mcp.AskingFrom(ctx)
	if asking == nil {
		return nil
	}
	return &asker{client: asking.Client, ask: func(end context.Context, question any) (any, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(end, cancel)()
		return s.putQuestion(ctx, question, asking.Ask)
	}}
}

type callKey struct{}

// withCallKey returns a context whose requests are known as those of a call; see [marker].
func withCallKey(ctx context.Context, key uint64, a *asker) context.Context {
	if a == nil {
		return ctx
	}
	return context.WithValue(ctx, callKey{}, strconv.FormatUint(key, 10))
}

// answerQuestions answers what a server asks by requests of its own, which it may until
// 2025-11-25.
func (s *questions) answerQuestions(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if method != methodElicit && method != methodSample {
			return next(ctx, method, req)
		}
		params := req.GetParams()
		mark, _ := params.GetMeta()[metaCall].(string)
		answer, err := s.ask(ctx, s.askerFor(mark), params)
		if err != nil {
			return nil, refusedQuestion(err)
		}
		return answer.(sdk.Result), nil
	}
}

// refusedQuestion is what a server is told whose question was not answered: what is wrong
// with it, nothing of whom it would have gone to.
func refusedQuestion(err error) error {
	var why *mcp.Refusal
	if errors.As(err, &why) {
		code := int64(codeNotAsked)
		switch why.Code {
		case mcp.CodeInvalidInput:
			code = jsonrpc.CodeInvalidParams
		case mcp.CodeCapacityExceeded:
			code = codeAsksMuch
		}
		return &jsonrpc.Error{Code: code, Message: why.Reason}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the question was not answered"}
}

// notAsked is why nobody is asked; by is for the record.
func notAsked(code mcp.Code, by, reason string) *mcp.Refusal {
	return &mcp.Refusal{Code: code, By: by, Reason: reason}
}

// ask puts a question through a, which is nil if there is nobody to ask.
func (s *questions) ask(ctx context.Context, a *asker, question any) (any, error) {
	if a == nil {
		caller, why := mcp.Caller{Client: "nobody"}, notAsked(mcp.CodeForbidden, "ambiguous", "it is not certain which call the question is about")
		if c, one := s.onlyCaller(); one {
			caller, why = c, notAsked(mcp.CodeForbidden, "client", "nobody behind the call can be asked")
		}
		s.recordQuestion(mcp.WithCaller(ctx, caller), question, 0, why)
		return nil, why
	}
	if a.asked.Add(1) > maxQuestions {
		why := notAsked(mcp.CodeCapacityExceeded, "limits", fmt.Sprintf("the call has asked %d times already", maxQuestions))
		s.recordQuestion(mcp.WithCaller(ctx, mcp.Caller{Client: a.client}), question, 0, why)
		return nil, why
	}
	return a.ask(ctx, question)
}

// putQuestion has ask put a question that was looked through, and keeps the record.
func (s *questions) putQuestion(ctx context.Context, question any, ask func(context.Context, any) (any, error)) (any, error) {
	start := time.Now()
	answer, err := any(nil), error(nil)
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
		if err = s.cleanQuestion(question); err == nil {
			answer, err = ask(ctx, question)
		}
	default:
		err = notAsked(mcp.CodeCapacityExceeded, "limits", fmt.Sprintf("%d questions wait for an answer already", maxAsks))
	}
	s.recordQuestion(ctx, question, time.Since(start), err)
	if err != nil {
		return nil, err
	}
	switch r := answer.(type) {
	case *sdk.ElicitResult:
		r.Meta = nil
	case *sdk.CreateMessageWithToolsResult:
		r.Meta = nil
	default:
		return nil, fmt.Errorf("the answer is a %T", answer)
	}
	return answer, nil
}

// recordQuestion has a question recorded, under the caller of ctx.
func (s *questions) recordQuestion(ctx context.Context, question any, took time.Duration, err error) {
	if s.asked == nil {
		return
	}
	method := methodElicit
	if _, model := question.(*sdk.CreateMessageWithToolsParams); model {
		method = methodSample
	}
	args, bad := json.Marshal(question)
	if bad != nil {
		args = []byte("{}")
	}
	s.asked(ctx, &mcp.Call{
		Target: mcp.Target{Tool: method, Source: s.cfg.Name, ReadOnly: true}, Caller: mcp.CallerFrom(ctx), Args: string(args),
		Admitted: !errors.As(err, new(*mcp.Refusal)),
	}, took, err)
}

// askerFor returns who is asked what comes with a mark, or without: the client of all calls
// under way, nil if they are not all one client's that can be asked.
func (s *questions) askerFor(mark string) *asker {
	l := s.live.Load()
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if key, err := strconv.ParseUint(mark, 10, 64); err == nil {
		return l.calls[key].asker
	}
	var first uint64
	var one *asker
	for key, c := range l.calls {
		if c.asker == nil || one != nil && one.client != c.asker.client {
			return nil
		}
		if one == nil || key < first {
			first, one = key, c.asker
		}
	}
	return one
}

// onlyCaller returns who has made all calls under way, if that is one caller.
func (s *questions) onlyCaller() (one mcp.Caller, ok bool) {
	l := s.live.Load()
	if l == nil {
		return one, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.calls {
		if ok && one != c.caller {
			return mcp.Caller{}, false
		}
		one, ok = c.caller, true
	}
	return one, ok
}

// callAsking calls a tool, and again with the answers if its result asks for them, as
// servers do from 2026-07-28 on.
func (s *questions) callAsking(ctx context.Context, l *link, params *sdk.CallToolParams, a *asker) (*sdk.CallToolResult, error) {
	if opened := l.session.InitializeResult(); a == nil && opened != nil && opened.ProtocolVersion >= withoutLevels {
		if params.Meta == nil {
			params.Meta = sdk.Meta{}
		}
		params.Meta[sdk.MetaKeyClientCapabilities] = struct{}{} // each request says anew what can be asked
	}
	for round := 0; ; round++ {
		res, err := l.session.CallTool(ctx, params)
		if err != nil || res.InputRequests == nil {
			return res, err
		}
		if round == maxRounds || len(res.InputRequests) > maxQuestions {
			return nil, s.unanswered(notAsked(mcp.CodeCapacityExceeded, "limits", "it asks for more and more"))
		}
		again := *params
		again.RequestState, again.InputResponses = res.RequestState, sdk.InputResponseMap{}
		for id, question := range res.InputRequests {
			if p, ok := question.(*sdk.CreateMessageParams); ok {
				question = withTools(p)
			}
			answer, err := s.ask(ctx, a, question)
			if err != nil {
				return nil, s.unanswered(err)
			}
			again.InputResponses[id] = answer.(sdk.InputResponse)
		}
		params = &again
	}
}

// unanswered is the error of a call whose server does not go on without an answer.
func (s *questions) unanswered(err error) error {
	if why, ok := errors.AsType[*mcp.Refusal](err); ok {
		err = errors.New(why.Reason) // the call itself was not refused
	}
	return &unansweredError{mcp.Told(fmt.Errorf("server %q asks something, and was not answered: %w", s.cfg.Name, err))}
}

// unansweredError says nothing about the connection.
type unansweredError struct{ error }

func (e *unansweredError) Unwrap() error { return e.error }
