package mcphost

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Methods whose results are repaired.
const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodList       = "tools/list"
	methodCall       = "tools/call"
)

// wire repairs the messages of one connection before the SDK decodes them, because the SDK drops a whole
// answer, and over HTTP the connection, for one field of an unexpected type (docs/adr/0086). Messages in the
// usual form pass unchanged, and without the cost of decoding them twice. It is safe for concurrent use.
type wire struct {
	mu   sync.Mutex // guards sent
	sent map[int64]sentCall
}

// sentCall is a request whose answer may need repair.
type sentCall struct {
	method string
	kept   *keptAnswer // for tools/call; may be nil
}

func newWire() *wire { return &wire{sent: map[int64]sentCall{}} }

// keptAnswer keeps the answer to a tool call as the server sent it, because the SDK does not return an answer
// that it cannot decode.
type keptAnswer struct {
	wire *wire
	id   atomic.Int64
	raw  atomic.Pointer[[]byte] // the whole message; nil before the answer
}

type keptKey struct{}

// keepAnswer returns a context whose tool call keeps its answer in the returned keptAnswer.
func keepAnswer(ctx context.Context) (context.Context, *keptAnswer) {
	k := &keptAnswer{}
	return context.WithValue(ctx, keptKey{}, k), k
}

// forget ends the wait for the answer.
func (k *keptAnswer) forget() {
	if k.wire != nil {
		k.wire.take(k.id.Load())
	}
}

// note records that a request is about to be sent.
func (w *wire) note(ctx context.Context, id int64, method string) {
	call := sentCall{method: method}
	switch method {
	case methodCall:
		if call.kept, _ = ctx.Value(keptKey{}).(*keptAnswer); call.kept != nil {
			call.kept.wire = w
			call.kept.id.Store(id)
		}
	case methodInitialize, methodDiscover, methodList:
	default:
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent[id] = call
}

// take returns a request and forgets it.
func (w *wire) take(id int64) sentCall {
	w.mu.Lock()
	defer w.mu.Unlock()
	call := w.sent[id]
	delete(w.sent, id)
	return call
}

// method returns the method of a request, or "" if its answer needs no repair.
func (w *wire) method(id int64) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent[id].method
}

// repairs reports whether the answer to a request is decoded and repaired before the SDK sees it.
func (w *wire) repairs(id int64) bool {
	method := w.method(id)
	return method != "" && method != methodCall
}

// onlySent returns the id of the only request that waits for an answer.
func (w *wire) onlySent() (id int64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.sent) != 1 {
		return 0, false
	}
	for id = range w.sent {
		return id, true
	}
	return 0, false
}

// keep hands the answer to a tool call to its caller.
func (w *wire) keep(id int64, message []byte) {
	if call := w.take(id); call.kept != nil {
		call.kept.raw.Store(&message)
	}
}

// plainID returns the id of a response with a result in one of two usual forms: {"jsonrpc":"2.0","id":1,"result":
// {…}} or {"result":{…},"jsonrpc":"2.0","id":1}, with or without a space after commas and colons. It does not
// check the JSON between both ends.
func plainID(message []byte) (id int64, ok bool) {
	if len(message) == 0 || message[len(message)-1] != '}' || bytes.Contains(message, []byte(`"error":`)) {
		return 0, false // perhaps an error beside the result
	}
	if rest, ok := skipTokens(message, `{"jsonrpc":`, `"2.0",`, `"id":`); ok {
		if id, rest, ok = leadingID(rest); !ok {
			return 0, false
		}
		_, ok = skipTokens(rest, `,`, `"result":`, `{`)
		return id, ok
	}
	if _, ok := skipTokens(message, `{"result":`, `{`); !ok {
		return 0, false
	}
	end := message[max(0, len(message)-endRoom):]
	from := bytes.LastIndex(end, []byte(`"jsonrpc":`))
	if from < 0 {
		return 0, false
	}
	rest, ok := skipTokens(end[from:], `"jsonrpc":`, `"2.0",`, `"id":`)
	if !ok {
		return 0, false
	}
	if id, rest, ok = leadingID(rest); !ok || string(rest) != "}" {
		return 0, false
	}
	before := bytes.TrimRight(end[:from], " ")
	return id, len(before) > 0 && before[len(before)-1] == ','
}

// skipTokens returns the text after the given tokens, with at most one space before each.
func skipTokens(text []byte, tokens ...string) (rest []byte, ok bool) {
	for _, token := range tokens {
		text = bytes.TrimPrefix(text, []byte{' '})
		if len(text) < len(token) || string(text[:len(token)]) != token {
			return nil, false
		}
		text = text[len(token):]
	}
	return text, true
}

// leadingID returns the id of at most 15 digits with which a text begins, and the rest of the text.
func leadingID(text []byte) (id int64, rest []byte, ok bool) {
	text = bytes.TrimPrefix(text, []byte{' '})
	n := 0
	for ; n < len(text) && n < 15 && '0' <= text[n] && text[n] <= '9'; n++ {
		id = 10*id + int64(text[n]-'0')
	}
	return id, text[n:], n > 0
}

// sentRequest returns the id and the method of an encoded request from its beginning, in the form in which the
// SDK encodes it.
func sentRequest(head []byte) (id int64, method string, ok bool) {
	rest, ok := skipTokens(head, `{"jsonrpc":`, `"2.0",`, `"id":`)
	if !ok {
		return 0, "", false
	}
	if id, rest, ok = leadingID(rest); !ok {
		return 0, "", false
	}
	if rest, ok = skipTokens(rest, `,`, `"method":`, `"`); !ok {
		return 0, "", false
	}
	end := bytes.IndexByte(rest, '"')
	return id, string(rest[:max(end, 0)]), end > 0
}

// maxHead is how much of a request is searched for its method, in bytes.
const maxHead = 256

var byteOrderMark = []byte("\xef\xbb\xbf")

// trimMessage removes white space and a byte order mark around a message.
func trimMessage(message []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(message), byteOrderMark))
}

// errNoMessage means that a text is not a JSON-RPC message.
var errNoMessage = errors.New("it is not a JSON-RPC message")

// repair returns the messages in a text from the server in the form that the SDK accepts; a batch has several.
// If the text is not a message, such as a line of a log, repair returns the answer within it, if there is one.
// answers is the id of the request that the text answers, or -1 if that is unknown.
func (w *wire) repair(text []byte, answers int64) ([][]byte, error) {
	text = trimMessage(text)
	if len(text) == 0 {
		return nil, nil
	}
	if id, ok := plainID(text); ok && !w.repairs(id) && json.Valid(text) {
		w.keep(id, text)
		return [][]byte{text}, nil
	}
	if !json.Valid(text) {
		text = replaceNaN(text)
	}
	all, err := w.repairAll(text, answers)
	if err == nil {
		return all, nil
	}
	if answer := findAnswer(text); answer != nil {
		return w.repairAll(answer, answers)
	}
	return nil, err
}

// repairAll repairs a message or a batch of messages.
func (w *wire) repairAll(text []byte, answers int64) ([][]byte, error) {
	batch := []json.RawMessage{text}
	if text[0] == '[' {
		if err := json.Unmarshal(text, &batch); err != nil {
			return nil, err
		}
	}
	var all [][]byte
	for _, raw := range batch {
		one, err := w.repairOne(raw, answers)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// repairOne repairs one message.
func (w *wire) repairOne(raw []byte, answers int64) ([]byte, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		if json.Valid(raw) {
			err = errNoMessage
		}
		return nil, err
	}
	if m == nil {
		return nil, errNoMessage // null
	}
	versioned := m["jsonrpc"] != nil
	m["jsonrpc"] = json.RawMessage(`"2.0"`)
	if isString(m["method"]) {
		if params := m["params"]; params != nil && params[0] != '{' {
			delete(m, "params") // PHP encodes an empty object as []
		}
		return json.Marshal(m)
	}
	delete(m, "method")
	id, ok := integerOf(m["id"])
	if !ok {
		if id = answers; id < 0 {
			if id, ok = w.onlySent(); !ok {
				return nil, errNoMessage
			}
		}
	}
	result, failure := m["result"], repairError(m["error"])
	if empty := objectOf(m["error"]); empty != nil && len(empty) == 0 && result != nil {
		failure = nil
	}
	delete(m, "error")
	delete(m, "result")
	switch {
	case failure != nil:
		m["error"] = failure
		w.take(id)
	case result == nil && !versioned:
		return nil, errNoMessage
	case result == nil, w.method(id) == "" && result[0] != '{': // the result of a ping and the like means nothing
		m["result"] = json.RawMessage("{}")
	case w.repairs(id):
		m["result"] = repairResult(w.take(id).method, result)
	default:
		m["result"] = result
	}
	m["id"] = json.RawMessage(strconv.FormatInt(id, 10))
	out, err := json.Marshal(m)
	if err == nil {
		w.keep(id, out)
	}
	return out, err
}

// repairError returns the error of a response in the form of JSON-RPC, or nil if there is none.
func repairError(raw json.RawMessage) json.RawMessage {
	if raw == nil || string(raw) == "null" || string(raw) == "false" {
		return nil
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		m = map[string]json.RawMessage{"message": raw} // such as a text
	}
	code, ok := integerOf(m["code"])
	if !ok {
		code = jsonrpc.CodeInternalError
	}
	repaired := object{}
	repaired.set("code", code)
	repaired.set("message", textOf(m["message"]))
	if data := m["data"]; data != nil {
		repaired["data"] = data
	}
	return repaired.encode()
}

// isString reports whether raw is a JSON string.
func isString(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '"' }

// textOf returns a JSON string's value, "" for null, and the JSON text of anything else.
func textOf(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// integerOf returns an integer that is encoded as such, with a fraction of zero, or as a string.
func integerOf(raw json.RawMessage) (n int64, ok bool) {
	text := strings.TrimSpace(textOf(raw))
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	return int64(f), err == nil && f == float64(int64(f)) && f < 1<<53 && f > -1<<53
}

// isNothing reports whether raw is absent, null, or an empty array, which is how PHP encodes an empty object.
func isNothing(raw json.RawMessage) bool {
	return raw == nil || string(raw) == "null" || raw[0] == '[' && len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0
}

// listOf returns the items of a list, or of an object whose keys are numbers, which is how PHP encodes a list
// with gaps. It returns nil for anything else.
func listOf(raw json.RawMessage) (items []json.RawMessage) {
	if json.Unmarshal(raw, &items) == nil {
		return items
	}
	o := objectOf(raw)
	keys := slices.SortedFunc(maps.Keys(o), func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	for _, key := range keys {
		if _, err := strconv.Atoi(key); err != nil {
			return nil
		}
		items = append(items, o[key])
	}
	return items
}

// replaceNaN replaces NaN and infinite numbers outside strings, which some encoders write, with null.
func replaceNaN(text []byte) []byte {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text
	}
	var out []byte
	for inString, i := false, 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\' && i+1 < len(text):
			out = append(out, c)
			i++
		case c == '"':
			inString = !inString
		case !inString:
			for _, word := range []string{"NaN", "-Infinity", "Infinity"} {
				if bytes.HasPrefix(text[i:], []byte(word)) {
					out = append(out, "nul"...)
					i += len(word) - 1
					text[i] = 'l' // completes "null"
					break
				}
			}
		}
		out = append(out, text[i])
	}
	return out
}

// errorAnswer returns an error answer to a request.
func errorAnswer(id, code int64, why string) []byte {
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	if err != nil {
		panic(err) // cannot happen for text and numbers
	}
	return raw
}
