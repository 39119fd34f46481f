package mcphost

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/outbound"
)

const (
	sessionHeader     = "Mcp-Session-Id"
	lastEventHeader   = "Last-Event-ID"
	contentTypeHeader = "Content-Type"
	typeJSON          = "application/json"
	typeEvents        = "text/event-stream"
)

// mender is the HTTP transport below the SDK. It repairs and bounds what a server answers, because the SDK
// ends the whole connection for an answer that it does not expect (docs/adr/0086): the messages in it (see
// [wire]), its status and its content type. What cannot be repaired fails one request.
type mender struct {
	next   http.RoundTripper
	wire   *wire
	logged func(params []byte) // receives log messages; may be nil
	jar    http.CookieJar      // of the connection; may be nil
	// older says that the server uses the HTTP+SSE transport of revision 2024-11-05.
	older bool
	// refused is set when the server refuses the POST that opens a session, as servers of the older transport
	// do; may be nil.
	refused *atomic.Bool

	deaf atomic.Bool // the server refused the stream of [mender.listen]
	lost atomic.Bool // the server said within a stream that the session is lost
}

// codeSessionLost marks a call that was not run because the session is lost.
const codeSessionLost = -32098

// RoundTrip implements [http.RoundTripper].
func (m *mender) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case r.Method == http.MethodPost:
		return m.post(r)
	case r.Method == http.MethodGet && m.older:
		resp, err := m.next.RoundTrip(r)
		if err == nil && isEventStream(resp) {
			resp.Body = m.events(r, resp.Body, -1, -1)
		}
		return resp, err
	case r.Method == http.MethodGet && r.Header.Get(lastEventHeader) != "":
		return m.resume(r)
	case r.Method == http.MethodGet:
		return m.listen(r), nil
	}
	return m.next.RoundTrip(r)
}

// post sends a message. The SDK encodes messages, so their form is known.
func (m *mender) post(r *http.Request) (*http.Response, error) {
	id, method := requestHead(r)
	if id >= 0 {
		m.wire.note(r.Context(), id, method)
	}
	inSession := r.Header.Get(sessionHeader) != ""
	if inSession && m.lost.Load() {
		_ = r.Body.Close() // required of a RoundTripper
		return withBody(newResponse(r), http.StatusNotFound, nil), nil
	}
	resp, err := m.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if 300 <= resp.StatusCode && resp.StatusCode < 400 { // the client follows redirects
		if resp.StatusCode == http.StatusMovedPermanently || resp.StatusCode == http.StatusFound {
			resp.StatusCode = http.StatusPermanentRedirect // with which the client repeats the message
		}
		return resp, nil
	}
	if err := decompress(resp); err != nil {
		return nil, err
	}
	if inSession {
		resp.Header.Del(sessionHeader) // a session keeps the id that it began with
	}
	if id < 0 || m.older {
		return settle(resp, inSession, m.older), nil
	}
	if isEventStream(resp) && resp.StatusCode < 300 {
		resp.StatusCode = http.StatusOK
		resp.Header.Set(contentTypeHeader, typeEvents)
		resp.Body = m.events(r, resp.Body, maxMessage, id)
		return resp, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage+1))
	_ = resp.Body.Close() // the rest is not needed
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if len(body) > maxMessage {
		return withBody(resp, http.StatusOK, errorAnswer(id, jsonrpc.CodeInternalError, tooLong)), nil
	}
	if resp.StatusCode == http.StatusAccepted && len(body) == 0 && !m.deaf.Load() && method != methodInitialize && method != methodDiscover {
		return newResponse(r), nil // the answer comes on the other stream
	}
	return m.answer(resp, body, id, method, inSession), nil
}

// newResponse returns a response to r that is an event stream without any event. It ends with the request.
func newResponse(r *http.Request) *http.Response {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{contentTypeHeader: {typeEvents}}, ContentLength: -1, Request: r, Body: silence{r.Context()},
	}
}

// silence is a body that sends nothing until its context ends.
type silence struct{ ctx context.Context }

func (s silence) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, context.Cause(s.ctx)
}

func (s silence) Close() error { return nil }

// decompress decompresses a response. We do not ask for compression, but some proxies compress anyway.
func decompress(resp *http.Response) error {
	if !strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		return nil
	}
	plain, err := gzip.NewReader(resp.Body)
	if err != nil {
		return errors.Join(fmt.Errorf("decompressing the answer: %w", err), resp.Body.Close())
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{plain, resp.Body}
	resp.ContentLength = -1
	resp.Header.Del("Content-Encoding")
	return nil
}

// answer returns the response to a request with its body repaired.
func (m *mender) answer(resp *http.Response, body []byte, id int64, method string, inSession bool) *http.Response {
	opens := method == methodInitialize || method == methodDiscover
	messages, err := m.wire.repair(body, id)
	message := chooseAnswer(messages, id)
	if status := resp.StatusCode; m.refused != nil && method == methodInitialize && status >= 400 && status < 500 &&
		status != http.StatusUnauthorized && status != http.StatusForbidden && !bytes.Contains(body, []byte(`"jsonrpc"`)) {
		m.refused.Store(true)
	}
	if inSession && (resp.StatusCode == http.StatusGone || resp.StatusCode == http.StatusNotFound && !isUnknownMethod(message) || (resp.StatusCode >= 400 || isUnaddressedError(body)) && saysSessionIsLost(body)) {
		return withBody(resp, http.StatusNotFound, nil) // the status that the protocol asks for
	}
	switch status := resp.StatusCode; {
	case err == nil && message != nil:
		if status < 400 || status >= 500 {
			status = http.StatusOK
		}
		return withBody(resp, status, message)
	case status < 300:
		if err == nil {
			err = errNoMessage
		}
		return withBody(resp, http.StatusOK, errorAnswer(id, jsonrpc.CodeInternalError, "its answer cannot be read: "+err.Error()))
	case opens, status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusTooManyRequests, status >= 500 && status != http.StatusNotImplemented:
	default:
		return withBody(resp, status, errorAnswer(id, jsonrpc.CodeInternalError, fmt.Sprintf("it answers with status %d: %s", status, cleanLine(string(body[:min(len(body), maxLine)])))))
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp
}

// withBody returns resp with another status and body.
func withBody(resp *http.Response, status int, body []byte) *http.Response {
	resp.StatusCode, resp.Status = status, fmt.Sprintf("%d %s", status, http.StatusText(status))
	resp.Header.Set(contentTypeHeader, typeJSON)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp
}

// chooseAnswer returns the message that answers a request: a server may send others in the same batch.
func chooseAnswer(messages [][]byte, id int64) []byte {
	for _, message := range messages {
		if found, ok := plainID(message); ok && found == id {
			return message
		}
	}
	for _, message := range messages {
		msg, err := jsonrpc.DecodeMessage(message)
		if r, ok := msg.(*jsonrpc.Response); err == nil && ok && r.ID.Raw() == id {
			return message
		}
	}
	return nil
}

// isUnknownMethod reports whether a message says that the server does not know a method.
func isUnknownMethod(message []byte) bool {
	code, ok := integerOf(objectOf(objectOf(message)["error"])["code"])
	return ok && code == jsonrpc.CodeMethodNotFound
}

// isUnaddressedError reports whether a text is an error without the id of the request, which therefore is not
// about what the request asked for.
func isUnaddressedError(text []byte) bool {
	if !bytes.Contains(text, []byte(`"error"`)) {
		return false
	}
	o := objectOf(trimMessage(text))
	return o["error"] != nil && isNothing(o["id"])
}

// saysSessionIsLost reports whether a refusal is about the session. Many servers refuse an unknown session
// with another status than 404.
func saysSessionIsLost(body []byte) bool { return sessionLost.Match(body[:min(len(body), maxTapped)]) }

var sessionLost = regexp.MustCompile(`(?i)\b(?:no|not|invalid|unknown|expired|missing|bad|stale)\b[^.]{0,30}\bsession|` +
	`\bsession\b[^.]{0,40}\b(?:not|no|invalid|unknown|expired|missing|required|terminated|closed|ended|gone|lost)\b`)

// settle returns the response to a notification or an answer, which needs none. Refusing one does not end the
// connection, unless the session is lost or the server asks for other credentials.
func settle(resp *http.Response, inSession, older bool) *http.Response {
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusTooManyRequests,
		status == http.StatusNotFound && inSession, older && status >= 400:
		return resp
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxTapped)) // so that the connection can be used again
	_ = resp.Body.Close()                                            // the body means nothing
	return withBody(resp, http.StatusAccepted, nil)
}

// isEventStream reports whether a response is an event stream.
func isEventStream(resp *http.Response) bool {
	kind, _, _ := strings.Cut(resp.Header.Get(contentTypeHeader), ";")
	return strings.EqualFold(strings.TrimSpace(kind), typeEvents)
}

// events returns a stream whose messages are repaired. answers is the id of the request that the stream
// answers, or -1.
func (m *mender) events(r *http.Request, body io.ReadCloser, limit, answers int64) *eventStream {
	call, _ := r.Context().Value(callKey{}).(string)
	inSession := r.Header.Get(sessionHeader) != ""
	return newEventStream(body, limit, func(data []byte) [][]byte {
		messages, err := m.wire.repair(data, answers)
		if err != nil {
			return nil // such as a keep-alive
		}
		for i, message := range messages {
			if params := logMessage(message); params != nil && m.logged != nil {
				m.logged(params)
			}
			switch {
			case answers >= 0 && inSession && isUnaddressedError(data) && saysSessionIsLost(data):
				m.lost.Store(true)
				messages[i] = errorAnswer(answers, codeSessionLost, "the session is lost")
			case call != "":
				messages[i] = markQuestion(message, call)
			}
		}
		return messages
	})
}

// resume continues the interrupted stream of a call. If the server cannot, only the call fails.
func (m *mender) resume(r *http.Request) (*http.Response, error) {
	resp, err := m.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK && isEventStream(resp) {
		resp.Header.Set(contentTypeHeader, typeEvents)
		resp.Body = m.events(r, resp.Body, maxMessage, -1)
		return resp, nil
	}
	kept, ok := r.Context().Value(keptKey{}).(*keptAnswer)
	if !ok {
		return resp, nil
	}
	_ = resp.Body.Close() // it means nothing
	failed := "data: " + string(errorAnswer(kept.id.Load(), jsonrpc.CodeInternalError, fmt.Sprintf("its answer broke off, and it does not continue it (status %d)", resp.StatusCode))) + "\n\n"
	resp = withBody(resp, http.StatusOK, []byte(failed))
	resp.Header.Set(contentTypeHeader, typeEvents)
	return resp, nil
}

// requestHead returns the id and the method of an encoded message. The id is -1 for a message without an
// answer.
func requestHead(r *http.Request) (id int64, method string) {
	if r.GetBody == nil {
		return -1, ""
	}
	body, err := r.GetBody()
	if err != nil {
		return -1, ""
	}
	var head [maxHead]byte
	n, _ := io.ReadFull(body, head[:]) // an error shows in the lack of a match
	_ = body.Close()                   // it is in memory
	if id, method, ok := sentRequest(head[:n]); ok {
		return id, method
	}
	return -1, ""
}

// listen returns the stream on which a server sends messages of its own accord. It does not wait for the
// server, which may answer late, refuse or break off while requests work.
func (m *mender) listen(r *http.Request) *http.Response {
	resp := newResponse(r)
	client := outbound.Client(&http.Client{Transport: m.next, Jar: m.jar}, outbound.Policy{AnyPrivate: true, MaxBody: -1}) // next restricts the addresses
	resp.Body = &listener{mender: m, request: r, client: client}
	return resp
}

// The wait before the stream is opened again. It doubles while the server sends nothing.
const (
	firstListen   = time.Second
	longestListen = time.Minute
)

// listener is the body of a response of [mender.listen]. Its only reader opens the stream, and opens it again
// when it ends, until the request's context ends.
type listener struct {
	mender  *mender
	request *http.Request
	client  *http.Client // follows redirects

	stream *eventStream // nil while there is none
	lastID string
	wait   time.Duration
}

// Close implements [io.Closer]. The request's context ends a pending Read.
func (l *listener) Close() error {
	if l.stream == nil {
		return nil
	}
	return l.stream.Close()
}

// Read implements [io.Reader].
func (l *listener) Read(p []byte) (int, error) {
	ctx := l.request.Context()
	for ctx.Err() == nil {
		if l.stream == nil && !l.open() {
			<-ctx.Done() // the server has no such stream
			break
		}
		if l.stream != nil {
			n, err := l.stream.Read(p)
			if n > 0 {
				l.wait = 0
				return n, nil
			}
			if err != nil {
				l.lastID = l.stream.lastID
				_ = l.stream.Close() // it has ended
				l.stream = nil
			}
		}
		l.wait = min(max(2*l.wait, firstListen), longestListen)
		sleepFor(ctx, l.wait)
	}
	return 0, context.Cause(ctx)
}

// open tries to open the stream. It returns false if the server has none, and true if a later attempt may
// succeed.
func (l *listener) open() bool {
	r := l.request.Clone(l.request.Context())
	if l.lastID != "" {
		r.Header.Set(lastEventHeader, l.lastID)
	}
	resp, err := l.client.Do(r)
	if err != nil {
		return true
	}
	if resp.StatusCode == http.StatusOK && isEventStream(resp) {
		l.stream = l.mender.events(l.request, resp.Body, -1, -1)
		return true
	}
	_ = resp.Body.Close() // it means nothing
	l.mender.deaf.Store(resp.StatusCode < 500 || resp.StatusCode == http.StatusNotImplemented)
	return !l.mender.deaf.Load()
}

// olderTransport connects to a server of the HTTP+SSE transport. The SDK's transport reads the stream under
// the context of Connect, which ends when the connection is ready.
type olderTransport struct{ *sdk.SSEClientTransport }

// Connect implements [sdk.Transport].
func (t olderTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, end)
	conn, err := t.SSEClientTransport.Connect(life)
	if !stop() && err == nil {
		err = errors.Join(context.Cause(ctx), conn.Close())
	}
	if err != nil {
		end()
		return nil, err
	}
	return &olderConnection{conn, end}, nil
}

type olderConnection struct {
	sdk.Connection
	end context.CancelFunc
}

// Close implements [sdk.Connection].
func (c *olderConnection) Close() error {
	c.end()
	return c.Connection.Close()
}
