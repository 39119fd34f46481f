package mcphost

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

// A server may ask the client behind a call a question: a form for a person or a prompt for a model
// (docs/adr/0052).
const (
	methodElicit = "elicitation/create"
	methodSample = "sampling/createMessage"

	maxQuestionsAtOnce = 8         // open questions of one server
	maxQuestions       = 16        // of one call, one after the other
	maxRounds          = 8         // answers to one call that ask for more
	maxQuestion        = 256 << 10 // bytes of one encoded question
	maxQuestionText    = 4000      // characters of the text a person reads

	// Codes for refused questions, in the range that JSON-RPC leaves to implementations.
	codeNotAsked         = -32001
	codeTooManyQuestions = -32010
)

// capabilities declares that a server may ask questions. Whether the client can answer depends on the call.
// We offer no roots, because roots do not belong to a call.
func capabilities() *sdk.ClientCapabilities {
	return &sdk.ClientCapabilities{
		Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}, Sampling: &sdk.SamplingCapabilities{},
	}
}

// clientQuestioner puts a server's questions to the client behind a running call.
type clientQuestioner struct {
	client string
	// send sends a question to the client, with the values of the call's context. It ends with the call or
	// with ctx.
	send          func(ctx context.Context, question any) (any, error)
	questionCount atomic.Int32
}

// questionerOfCall returns the asker of a call, or nil if its client cannot be asked.
func (s *Server) questionerOfCall(ctx context.Context) *clientQuestioner {
	asking := mcp.ClientRequestsFrom(ctx)
	if asking == nil {
		return nil
	}
	return &clientQuestioner{client: asking.Client, send: func(end context.Context, question any) (any, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(end, cancel)()
		return s.putQuestion(ctx, question, asking.Send)
	}}
}

type callKey struct{}

// withCallKey returns a context that marks its HTTP requests as part of a call; see [marker].
func withCallKey(ctx context.Context, key uint64, a *clientQuestioner) context.Context {
	if a == nil {
		return ctx
	}
	return context.WithValue(ctx, callKey{}, strconv.FormatUint(key, 10))
}

// answerQuestions answers questions that arrive as separate requests, which servers may send up to revision
// 2025-11-25.
func (s *Server) answerQuestions(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if method != methodElicit && method != methodSample {
			return next(ctx, method, req)
		}
		params := req.GetParams()
		mark, _ := params.GetMeta()[metaCall].(string)
		answer, err := s.forwardQuestion(ctx, s.questionerByMark(mark), params)
		if err != nil {
			return nil, questionError(err)
		}
		return answer.(sdk.Result), nil
	}
}

// questionError returns the error for a question without an answer. It explains what is wrong with the
// question and reveals nothing about the client.
func questionError(err error) error {
	var why *mcp.Refusal
	if errors.As(err, &why) {
		code := int64(codeNotAsked)
		switch why.Code {
		case mcp.CodeInvalidInput:
			code = jsonrpc.CodeInvalidParams
		case mcp.CodeCapacityExceeded:
			code = codeTooManyQuestions
		}
		return &jsonrpc.Error{Code: code, Message: why.Reason}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the question was not answered"}
}

// notAsked returns a refusal to put a question to the client; by is for the audit record.
func notAsked(code mcp.Code, by, reason string) *mcp.Refusal {
	return &mcp.Refusal{Code: code, By: by, Reason: reason}
}

// forwardQuestion puts a question to the client of a and returns the answer. If a is nil, no single client can be asked,
// so ask records and refuses the question.
func (s *Server) forwardQuestion(ctx context.Context, a *clientQuestioner, question any) (any, error) {
	if a == nil {
		caller, why := mcp.Caller{Client: "nobody"}, notAsked(mcp.CodeForbidden, "ambiguous", "it is not certain which call the question is about")
		if c, one := s.onlyCaller(); one {
			caller, why = c, notAsked(mcp.CodeForbidden, "client", "the call has no client that can be asked")
		}
		s.recordQuestion(mcp.WithCaller(ctx, caller), question, 0, why)
		return nil, why
	}
	if a.questionCount.Add(1) > maxQuestions {
		why := notAsked(mcp.CodeCapacityExceeded, "limits", fmt.Sprintf("the call has asked %d times already", maxQuestions))
		s.recordQuestion(mcp.WithCaller(ctx, mcp.Caller{Client: a.client}), question, 0, why)
		return nil, why
	}
	return a.send(ctx, question)
}

// putQuestion cleans a question, puts it to the client through ask, and records it.
func (s *Server) putQuestion(ctx context.Context, question any, ask func(context.Context, any) (any, error)) (any, error) {
	start := time.Now()
	answer, err := any(nil), error(nil)
	select {
	case s.questions <- struct{}{}:
		defer func() { <-s.questions }()
		if err = s.cleanQuestion(question); err == nil {
			answer, err = ask(ctx, question)
		}
	default:
		err = notAsked(mcp.CodeCapacityExceeded, "limits", fmt.Sprintf("%d questions wait for an answer already", maxQuestionsAtOnce))
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

// recordQuestion reports a question, asked of the caller in ctx, to [ServerOptions.Asked].
func (s *Server) recordQuestion(ctx context.Context, question any, took time.Duration, err error) {
	if s.onQuestion == nil {
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
	s.onQuestion(ctx, &mcp.Call{
		Target: mcp.Target{Tool: method, Source: s.cfg.Name, ReadOnly: true}, Caller: mcp.CallerFrom(ctx), Args: string(args),
		Admitted: !errors.As(err, new(*mcp.Refusal)),
	}, took, err)
}

// questionerByMark returns the asker of the call that mark names. Without a mark, it is not known which call the
// question belongs to, so questionerByMark returns an asker only if all running calls have the same client, else nil.
func (s *Server) questionerByMark(mark string) *clientQuestioner {
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
	var one *clientQuestioner
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

// onlyCaller returns the caller of the running calls, if they all have the same one.
func (s *Server) onlyCaller() (one mcp.Caller, ok bool) {
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

// callAnswering calls a tool. If the result contains questions, as in revision 2026-07-28 and later, it calls
// the tool again with the answers.
func (s *Server) callAnswering(ctx context.Context, l *link, params *sdk.CallToolParams, a *clientQuestioner) (*sdk.CallToolResult, error) {
	if opened := l.session.InitializeResult(); a == nil && opened != nil && opened.ProtocolVersion >= perRequestOptions {
		if params.Meta == nil {
			params.Meta = sdk.Meta{}
		}
		params.Meta[sdk.MetaKeyClientCapabilities] = struct{}{} // in this revision each request states what may be asked
	}
	for round := 0; ; round++ {
		res, err := l.callTool(ctx, params)
		if err != nil || res.InputRequests == nil {
			return res, err
		}
		if round == maxRounds || len(res.InputRequests) > maxQuestions {
			return nil, s.unanswered(notAsked(mcp.CodeCapacityExceeded, "limits", "it asks too many questions"))
		}
		again := *params
		again.RequestState, again.InputResponses = res.RequestState, sdk.InputResponseMap{}
		for id, question := range res.InputRequests {
			if p, ok := question.(*sdk.CreateMessageParams); ok {
				question = withTools(p)
			}
			answer, err := s.forwardQuestion(ctx, a, question)
			if err != nil {
				return nil, s.unanswered(err)
			}
			again.InputResponses[id] = answer.(sdk.InputResponse)
		}
		params = &again
	}
}

// unanswered returns the error of a call whose server needs an answer and did not get one.
func (s *Server) unanswered(err error) error {
	if why, ok := errors.AsType[*mcp.Refusal](err); ok {
		err = errors.New(why.Reason) // must not look like a refusal of the call itself
	}
	return &unansweredError{mcp.PublicError(fmt.Errorf("server %q asked a question and got no answer: %w", s.cfg.Name, err))}
}

// unansweredError is separate because it says nothing about the state of the connection.
type unansweredError struct{ error }

func (e *unansweredError) Unwrap() error { return e.error }

// cleanQuestion bounds a question, cleans its text, removes the server's secrets, and adds the server's name
// where a person reads it. It returns a [*mcp.Refusal] for a question that must not be passed on.
func (s *Server) cleanQuestion(question any) error {
	raw, err := json.Marshal(question)
	if err != nil || len(raw) > maxQuestion {
		return notAsked(mcp.CodeInvalidInput, "limits", fmt.Sprintf("a question may have at most %d KiB", maxQuestion>>10))
	}
	switch q := question.(type) {
	case *sdk.ElicitParams:
		return s.cleanForm(q)
	case *sdk.CreateMessageWithToolsParams:
		return s.cleanSampling(q)
	}
	return notAsked(mcp.CodeForbidden, "client", "only forms and messages for a model are passed on")
}

// cleanForm cleans a form for a person.
func (s *Server) cleanForm(q *sdk.ElicitParams) error {
	if q.Mode != "" && q.Mode != "form" || q.URL != "" {
		return notAsked(mcp.CodeInvalidInput, "client", "only forms are passed on, not addresses to open")
	}
	q.Meta, q.ElicitationID = nil, ""
	q.Message = s.cfg.Name + ": " + s.maskText(q.Message, maxQuestionText)
	q.RequestedSchema = s.maskStrings(cleanStrings(q.RequestedSchema, maxDescription))
	return nil
}

// cleanSampling cleans a prompt for a model.
func (s *Server) cleanSampling(q *sdk.CreateMessageWithToolsParams) error {
	if len(q.Tools) > 0 || q.ToolChoice != nil {
		return notAsked(mcp.CodeInvalidInput, "client", "a model can only be asked without tools")
	}
	q.Meta, q.Metadata, q.IncludeContext = nil, nil, ""
	q.SystemPrompt = s.maskText(q.SystemPrompt, maxResult)
	for i, stop := range q.StopSequences {
		q.StopSequences[i] = s.maskText(stop, maxLine)
	}
	for _, m := range q.Messages {
		for _, c := range m.Content {
			switch c := c.(type) {
			case *sdk.TextContent:
				c.Text, c.Meta = s.maskText(c.Text, maxResult), nil
			case *sdk.ImageContent:
				c.MIMEType, c.Meta = cleanLine(c.MIMEType), nil
			case *sdk.AudioContent:
				c.MIMEType, c.Meta = cleanLine(c.MIMEType), nil
			default:
				return notAsked(mcp.CodeInvalidInput, "client", "a model can only be asked with text, images and sound")
			}
		}
	}
	return nil
}

// maskStrings masks the server's secrets in all texts of v.
func (s *Server) maskStrings(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = s.maskStrings(value)
		}
	case []any:
		for i, item := range v {
			v[i] = s.maskStrings(item)
		}
	case string:
		return s.mask.Text(s.secrets.redact(v))
	}
	return v
}

// withTools converts a question to the newer type.
func withTools(p *sdk.CreateMessageParams) *sdk.CreateMessageWithToolsParams {
	q := &sdk.CreateMessageWithToolsParams{
		MaxTokens: p.MaxTokens, ModelPreferences: p.ModelPreferences, StopSequences: p.StopSequences,
		SystemPrompt: p.SystemPrompt, Temperature: p.Temperature,
	}
	for _, m := range p.Messages {
		q.Messages = append(q.Messages, &sdk.SamplingMessageV2{Content: []sdk.Content{m.Content}, Role: m.Role})
	}
	return q
}
