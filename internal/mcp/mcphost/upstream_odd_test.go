package mcphost

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// oddity is what a server does differently from the protocol. The zero value is a server without oddities,
// whose tool "greet" answers "well met".
type oddity struct {
	opening string // the result of initialize
	tools   string // the result of tools/list
	result  string // the result of tools/call
	args    string // arguments of the call
	// write returns what is written for an answer; nil writes it on one line. After "\x00END" the server ends.
	write func(id any, method, answer string) string
}

const (
	plainOpening = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}`
	plainTools   = `{"tools":[{"name":"greet","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`
	plainResult  = `{"content":[{"type":"text","text":"well met"}]}`
)

// answer returns the answer to a message, or "" if it needs none.
func (o *oddity) answer(line []byte) (id any, method, answer string) {
	var m struct {
		ID     any    `json:"id"`
		Method string `json:"method"`
		Params struct {
			Arguments json.RawMessage `json:"arguments"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &m) != nil || m.ID == nil {
		return nil, m.Method, ""
	}
	or := func(text, usual string) string {
		if text == "" {
			return usual
		}
		return text
	}
	result := ""
	switch m.Method {
	case "initialize":
		result = or(o.opening, plainOpening)
	case "tools/list":
		result = or(o.tools, plainTools)
	case "tools/call":
		result = strings.ReplaceAll(or(o.result, plainResult), "ARGUMENTS", strings.ReplaceAll(string(m.Params.Arguments), `"`, `'`))
	default:
		return m.ID, m.Method, fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"error":{"code":-32601,"message":"unknown"}}`, m.ID)
	}
	return m.ID, m.Method, fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":%s}`, m.ID, result)
}

// overPipes connects a host to the server over pipes, as to a program.
func (o *oddity) overPipes(t *testing.T) *Host {
	t.Helper()
	var servers sync.WaitGroup
	h := New(WithDialer(func(_ context.Context, cfg config.MCPServerConfig) (*ServerConn, error) {
		inR, inW, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		outR, outW, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		servers.Go(func() {
			defer inR.Close()
			defer outW.Close()
			lines := bufio.NewScanner(inR)
			for lines.Scan() {
				id, method, answer := o.answer(lines.Bytes())
				if answer == "" {
					continue
				}
				if o.write != nil {
					answer = o.write(id, method, answer)
				} else {
					answer += "\n"
				}
				if _, err := io.WriteString(outW, strings.TrimSuffix(answer, "\x00END")); err != nil || strings.HasSuffix(answer, "\x00END") {
					return
				}
			}
		})
		p := newPipes(&process{stdin: inW, stdout: outR, output: newOutputLog(slog.New(slog.DiscardHandler), secretsOf(cfg))})
		return &ServerConn{Transport: p, HangUp: func() { _ = p.Close() }, Release: func() { _ = outR.Close() }}, nil
	}))
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		servers.Wait()
	})
	cfg := config.MCPServerConfig{Name: "odd", Transport: config.TransportStdio, Command: "odd", ConnectTimeout: config.Duration(time.Minute)}
	if err := h.RegisterServer(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	return h
}

// failingAfter returns a function that writes an error instead of the answers to a method after the first n.
func failingAfter(method string, n int) func(id any, called, answer string) string {
	return func(id any, called, answer string) string {
		if called == method {
			if n--; n < 0 {
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"error":{"code":-32000,"message":"no more"}}`, id) + "\n"
			}
		}
		return answer + "\n"
	}
}

// leftOut returns what the status says is left out, of tools and of the server.
func leftOut(h *Host) string {
	var all []string
	for _, s := range h.Status() {
		for _, what := range s.LeftOut {
			all = append(all, s.Name+": "+what)
		}
	}
	for _, s := range h.Servers() {
		all = append(all, s.Unusable...)
	}
	return strings.Join(all, "; ")
}

func TestOneOddThingCostsOneThing(t *testing.T) {
	t.Parallel()
	const echo = `{"content":[{"type":"text","text":"got ARGUMENTS"}]}`
	listing := func(member string) string {
		return `{"tools":[{"name":"greet","inputSchema":{"type":"object"},` + member + `},{"name":"other","inputSchema":{"type":"object"}}]}`
	}
	schema := func(text string) string { return `{"tools":[{"name":"greet","inputSchema":` + text + `}]}` }
	for _, row := range []struct {
		name  string
		odd   oddity
		want  string // text of the call; empty means the usual
		notes string
	}{
		{"no oddity", oddity{}, "", ""},

		{"a title is an object", oddity{tools: listing(`"title":{"en":"Greet"}`)}, "", "greet: title (an object of another form)"},
		{"a description is a number", oddity{tools: listing(`"description":12`)}, "", "greet: description (a number)"},
		{"icons are one address", oddity{tools: listing(`"icons":"icon.svg"`)}, "", "greet: icons (a text)"},
		{"annotations are a text", oddity{tools: listing(`"annotations":"readonly"`)}, "", "greet: annotations (a text)"},
		{"a hint is a text", oddity{tools: listing(`"annotations":{"idempotentHint":"no"}`)}, "", "greet: idempotentHint (a text)"},
		{"members that mean nothing", oddity{tools: listing(`"annotations":[],"_meta":null,"title":null,"icons":[]`)}, "", ""},
		{"a tool that is a text", oddity{tools: `{"tools":["greet",{"name":"greet","inputSchema":{"type":"object"}}]}`}, "", "a tool that is a text"},
		{"a tool without a name", oddity{tools: `{"tools":[{"inputSchema":{}},{"name":"greet","inputSchema":{}}]}`}, "", "a tool without a name"},
		{"a listing without an object around it", oddity{tools: `[{"name":"greet","inputSchema":{}}]`}, "", ""},
		{"a list with gaps, by PHP", oddity{tools: `{"tools":{"2":{"name":"greet","inputSchema":{"type":"object","required":{"0":"who"},"properties":{"who":{"enum":{"1":"x"}}}}}}}`, args: `{"who":"x"}`}, "", ""},
		{"a schema under another name", oddity{tools: `{"tools":[{"name":"greet","input_schema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}}]}`, args: `{"n":"1"}`, result: echo}, "got {'n':1}", ""},
		{"a listing claims what was left out", oddity{tools: listing(`"_meta":{"glyphoxa/leftOut":["everything"]}`)}, "", ""},

		{"no schema", oddity{tools: `{"tools":[{"name":"greet"}]}`}, "", ""},
		{"a schema encoded twice", oddity{tools: schema(`"{\"type\":\"object\"}"`)}, "", ""},
		{"a schema that is a number", oddity{tools: schema(`3`)}, "", "greet: inputSchema, which is not an object"},
		{"lists for objects", oddity{tools: schema(`{"type":"object","properties":[],"additionalProperties":[]}`)}, "", ""},
		{"exclusive bounds of draft-04", oddity{tools: schema(`{"type":"object","properties":{"n":{"type":"number","maximum":5,"exclusiveMaximum":true}}}`), args: `{"n":4}`, result: echo}, "got {'n':4}", ""},
		{"a pattern with a look-behind", oddity{tools: schema(`{"type":"object","properties":{"who":{"type":"string","pattern":"(?<=a)b"}}}`), args: `{"who":"x"}`, result: echo}, "got {'who':'x'}", "greet: the check of the pattern of who"},
		{"a reference to another document", oddity{tools: schema(`{"type":"object","properties":{"who":{"$ref":"other.json#/who"}}}`), args: `{"who":7}`, result: echo}, "got {'who':7}", "greet: the check of a reference of who"},
		{"a pattern below oneOf", oddity{tools: schema(`{"type":"object","properties":{"who":{"oneOf":[{"pattern":"(?!a)"},{"type":"null"}]}}}`), args: `{"who":"x"}`, result: echo}, "got {'who':'x'}", "greet: the check of its arguments"},
		{"an unknown type", oddity{tools: schema(`{"type":"object","properties":{"who":{"type":"str"}}}`), args: `{"who":"x"}`, result: echo}, "got {'who':'x'}", `greet: type "str" of who`},
		{"required says yes", oddity{tools: schema(`{"type":"object","properties":{"who":{"type":"string","required":true}}}`)}, "", "greet: required of who"},

		{"texts for other types", oddity{tools: schema(`{"type":"object","properties":{"n":{"type":"integer"},"deep":{"type":"boolean"},"tags":{"type":"array"}}}`), args: `{"n":"12","deep":"True","tags":"[1, 2]"}`, result: echo}, "got {'deep':true,'n':12,'tags':[1,2]}", ""},
		{"a text for a number in a schema that cannot be checked", oddity{tools: schema(`{"type":"object","properties":{"n":{"type":"integer"},"who":{"oneOf":[{"pattern":"(?!a)"}]}}}`), args: `{"n":"12"}`, result: echo}, "got {'n':12}", "greet: the check of its arguments"},

		{"a block of an unknown type", oddity{result: `{"content":[{"type":"chart","points":[]},{"type":"text","text":"well met"}]}`}, "well met\n[left out: 1 × content of the type \"chart\"]", ""},
		{"an image that is not base64", oddity{result: `{"content":[{"type":"image","data":"%%%","mimeType":"image/png"},{"type":"text","text":"well met"}]}`}, "well met\n[left out: 1 × image without readable data]", ""},
		{"a block that is a text", oddity{result: `{"content":["well met"]}`}, "", ""},
		{"content that is a text", oddity{result: `{"content":"well met"}`}, "", ""},
		{"content that is a block", oddity{result: `{"content":{"type":"text","text":"well met"}}`}, "", ""},
		{"a block without a type", oddity{result: `{"content":[{"text":"well met"}]}`}, "", ""},
		{"a number for a text", oddity{result: `{"content":[{"type":"text","text":42}]}`}, "42", ""},
		{"annotations of a block are a list", oddity{result: `{"content":[{"type":"text","text":"well met","annotations":["user"]}],"_meta":[]}`}, "", ""},
		{"a failure that is a text", oddity{result: `{"content":[{"type":"text","text":"well met"}],"isError":"no"}`}, "", ""},
		{"a result that is a text", oddity{result: `"well met"`}, "", ""},
		{"a result of another form", oddity{result: `{"greeting":"well met"}`}, `{"greeting":"well met"}`, ""},
		{"not a number", oddity{result: `{"content":[{"type":"text","text":"well met"}],"structuredContent":{"n":NaN,"NaN":[-Infinity]}}`}, "", ""},

		{"capabilities are true", oddity{opening: `{"protocolVersion":"2025-06-18","capabilities":{"tools":true,"logging":[]},"serverInfo":"odd"}`}, "", ""},
		{"an unknown revision", oddity{opening: `{"protocolVersion":"2025-09-01","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":2}}`}, "", ""},
		{"no revision", oddity{opening: `{"capabilities":null,"instructions":["be kind"]}`}, "", ""},

		{"ids are texts", oddity{write: func(id any, _, answer string) string {
			return strings.Replace(answer, fmt.Sprintf(`"id":%v`, id), fmt.Sprintf(`"id":"%v"`, id), 1) + "\n"
		}}, "", ""},
		{"a byte order mark", oddity{write: func(_ any, method, answer string) string { return "\ufeff" + answer + "\n" }}, "", ""},
		{"a log line without its end", oddity{write: func(_ any, method, answer string) string { return "12:00 {debug} sent " + answer + "\n" }}, "", ""},
		{"values that are no messages", oddity{write: func(_ any, method, answer string) string {
			return "null\n17\n\"ready\"\n{\"level\":\"info\",\"id\":1}\n[1,\n" + answer + "\n"
		}}, "", ""},
		{"a message over several lines", oddity{write: func(_ any, method, answer string) string {
			return "{\n" + strings.ReplaceAll(answer[1:len(answer)-1], `,"`, ",\n  \"") + "\n}\n"
		}}, "", ""},
		{"a bracket that opens nothing", oddity{write: func(_ any, method, answer string) string { return "{\nbegin\n" + answer + "\n" }}, "", ""},
		{"headers with a length", oddity{write: func(_ any, method, answer string) string {
			return fmt.Sprintf("Content-Length: %d\r\nContent-Type: json\r\n\r\n%s", len(answer), answer)
		}}, "", ""},
		{"a warning before the message", oddity{write: func(_ any, _, answer string) string { return "<b>Warning</b>: {x}" + answer + "<br>\n" }}, "", ""},
		{"an empty error beside the result", oddity{write: func(_ any, _, answer string) string {
			return strings.TrimSuffix(answer, "}") + `,"error":{}}` + "\n"
		}}, "", ""},
		{"no version of JSON-RPC", oddity{write: func(_ any, method, answer string) string {
			return strings.Replace(answer, `"jsonrpc":"2.0",`, "", 1) + "\n"
		}}, "", ""},
		{"a further page fails", oddity{tools: strings.Replace(plainTools, `"tools"`, `"nextCursor":"2","tools"`, 1), write: failingAfter(methodList, 1)}, "", "the pages after the first tools: no more"},
		{"an error without an id", oddity{write: func(id any, method, answer string) string {
			if method == methodDiscover {
				return `{"jsonrpc":"2.0","id":null,"error":{"code":"E1","message":"what?"}}` + "\n"
			}
			return answer + "\n"
		}}, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := row.odd.overPipes(t)
			if notes := leftOut(h); notes != row.notes && (row.notes == "" || !strings.Contains(notes, row.notes)) {
				t.Errorf("left out = %q, want %q", notes, row.notes)
			}
			want := row.want
			if want == "" {
				want = "well met"
			}
			res, err := h.ExecuteTool(t.Context(), "greet", row.odd.args)
			if err != nil || res.Text != want || res.IsError {
				t.Errorf("greet = %q, %v, want %q", res.Text, err, want)
			}
		})
	}
}

// overHTTP connects a host to a server over HTTP.
func overHTTP(t *testing.T, handler http.HandlerFunc) (*Host, error) {
	t.Helper()
	web := httptest.NewServer(handler)
	h := New()
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		web.CloseClientConnections()
		web.Close()
	})
	cfg := config.MCPServerConfig{Name: "odd", Transport: config.TransportStreamableHTTP, URL: web.URL + "/mcp", AllowPrivate: true, ConnectTimeout: config.Duration(time.Minute)}
	return h, h.RegisterServer(t.Context(), cfg)
}

func TestOddAnswersOverHTTP(t *testing.T) {
	t.Parallel()
	post := func(w http.ResponseWriter, r *http.Request) (method, answer string) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "cut", http.StatusBadRequest)
			return "", ""
		}
		_, method, answer = new(oddity).answer(body)
		return method, answer
	}
	// answering returns a handler that answers each request as write does.
	answering := func(write func(w http.ResponseWriter, answer string)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			if _, answer := post(w, r); answer != "" {
				write(w, answer)
				return
			}
			w.WriteHeader(http.StatusAccepted)
		}
	}
	typed := func(kind, before, after string) http.HandlerFunc {
		return answering(func(w http.ResponseWriter, answer string) {
			w.Header()["Content-Type"] = []string{kind}
			_, _ = io.WriteString(w, before+answer+after)
		})
	}
	// getting returns a handler that handles GET as get does.
	getting := func(get http.HandlerFunc) http.HandlerFunc {
		usual := typed("application/json", "", "")
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				get(w, r)
				return
			}
			usual(w, r)
		}
	}
	// noticing returns a handler that answers notifications with a status and a body.
	noticing := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, answer := post(w, r)
			if answer == "" {
				w.WriteHeader(status)
				answer = body
			} else {
				w.Header().Set("Content-Type", "application/json")
			}
			_, _ = io.WriteString(w, answer)
		}
	}
	var forgotten atomic.Bool
	for _, row := range []struct {
		name    string
		handler http.HandlerFunc
	}{
		{"no type", typed("", "", "")},
		{"another type", typed("text/json; charset=latin1", "", "")},
		{"two types", typed("application/json, text/event-stream", "", "")},
		{"a byte order mark", typed("application/json", "\ufeff", "")},
		{"a batch of one", typed("application/json", "[", "]")},
		{"another message first", typed("application/json", `[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}},`, "]")},
		{"lines that end with a return", typed("text/event-stream", "event: message\rdata: ", "\r\r")},
		{"an event without its end", typed("Text/Event-Stream;charset=utf-8", "data:", "")},
		{"events that are no messages", typed("text/event-stream", ": hi\n\nevent: ping\ndata: {}\n\ndata: [DONE]\n\nodd\n\nid: 1\nretry: 5\n\ndata: ", "\n\nevent: bye\ndata: x\n\n")},
		{"created", answering(func(w http.ResponseWriter, answer string) {
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, answer)
		})},
		{"the stream is a page", getting(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") })},
		{"the stream is refused", getting(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })},
		{"the stream breaks off", getting(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })},
		{"the stream never begins", getting(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })},
		{"the stream never says anything", getting(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		})},
		{"notifications are answered", noticing(http.StatusOK, `{"ok":true}`)},
		{"notifications are refused", noticing(http.StatusBadRequest, "what?")},
		{"notifications fail", noticing(http.StatusInternalServerError, "")},
		{"another address", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/mcp" {
				http.Redirect(w, r, "/elsewhere", http.StatusMovedPermanently)
				return
			}
			typed("application/json", "", "")(w, r)
		}},
		{"a session that is lost with status 400", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			method, answer := post(w, r)
			switch {
			case method == "initialize":
				w.Header().Set("Mcp-Session-Id", fmt.Sprint("s", forgotten.Load()))
			case method == "tools/call" && forgotten.CompareAndSwap(false, true), forgotten.Load() && r.Header.Get("Mcp-Session-Id") == "sfalse":
				w.WriteHeader(http.StatusBadRequest)
				answer = `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no valid session ID provided"}}`
			}
			_, _ = io.WriteString(w, answer)
		}},
		{"a session that is lost within a stream", losing(func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: error\ndata: {\"error\":\"unknown session\"}\n\n")
		})},
		{"a session that is not found, with an error of a framework", losing(func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"status":404,"error":"Not Found"}`)
		})},
		{"a session that is gone", losing(func(w http.ResponseWriter) { w.WriteHeader(http.StatusGone) })},
		{"answers on the other stream", elsewhere()},
		{"an answer that is compressed", answering(func(w http.ResponseWriter, answer string) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, answer)
			_ = z.Close()
		})},
		{"a cookie that leads to the machine", func(w http.ResponseWriter, r *http.Request) {
			if c, err := r.Cookie("machine"); err == nil && c.Value == "7" {
				typed("application/json", "", "")(w, r)
				return
			}
			http.SetCookie(w, &http.Cookie{Name: "machine", Value: "7"})
			if method, answer := post(w, r); method == "initialize" {
				_, _ = io.WriteString(w, answer)
				return
			}
			w.WriteHeader(http.StatusBadGateway)
		}},
		{"a session id that changes", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Mcp-Session-Id", fmt.Sprint(time.Now().UnixNano()))
			typed("application/json", "", "")(w, r)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h, err := overHTTP(t, row.handler)
			if err != nil {
				t.Fatal(err)
			}
			if res, err := h.ExecuteTool(t.Context(), "greet", ""); err != nil || res.Text != "well met" {
				t.Errorf("greet = %q, %v", res.Text, err)
			}
		})
	}
}

// losing returns a handler that loses the first session at its first call, and says so as lost does.
func losing(lost func(http.ResponseWriter)) http.HandlerFunc {
	var sessions atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, method, answer := new(oddity).answer(body)
		switch session := r.Header.Get("Mcp-Session-Id"); {
		case method == "initialize":
			w.Header().Set("Mcp-Session-Id", fmt.Sprint(sessions.Add(1)))
		case session == "1" && (method == "tools/call" || method == "ping"):
			lost(w)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}
}

// elsewhere returns a handler that answers calls on the stream that the client opened with GET.
func elsewhere() http.HandlerFunc {
	answers := make(chan string, 8)
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				_ = http.NewResponseController(w).Flush()
				select {
				case answer := <-answers:
					fmt.Fprintf(w, "data: %s\n\n", answer)
				case <-r.Context().Done():
				}
			}
			return
		}
		body, _ := io.ReadAll(r.Body)
		_, method, answer := new(oddity).answer(body)
		if method == "tools/call" {
			answers <- answer
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}
}

func TestARefusedCallDoesNotEndTheConnection(t *testing.T) {
	t.Parallel()
	var o oddity
	h, err := overHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, method, answer := o.answer(body)
		switch {
		case method == "tools/call" && strings.Contains(string(body), "refuse"):
			http.Error(w, "no such thing", http.StatusUnprocessableEntity)
		case method == "tools/call" && strings.Contains(string(body), "garble"):
			_, _ = io.WriteString(w, "<html>oops")
		default:
			_, _ = io.WriteString(w, answer)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		`{"do":"refuse"}`: "it answers with status 422: no such thing", `{"do":"garble"}`: "its answer cannot be read",
	} {
		_, err := h.ExecuteTool(t.Context(), "greet", args)
		if err == nil || !strings.Contains(err.Error(), want) || mcp.CodeOf(err) == mcp.CodeUnavailable {
			t.Errorf("greet %s = %v, want %q and not that the server is away", args, err, want)
		}
	}
	if res, err := h.ExecuteTool(t.Context(), "greet", ""); err != nil || res.Text != "well met" {
		t.Errorf("greet = %q, %v", res.Text, err)
	}
	if n := h.Servers()[0].Connects; n != 1 {
		t.Errorf("connected %d times, want once", n)
	}
}

func TestServersOfTheOlderTransportAreConnected(t *testing.T) {
	t.Parallel()
	answers := make(chan string, 8)
	var o oddity
	h, err := overHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet && r.URL.Path == "/mcp":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: endpoint\ndata: /say?to=1\n\n")
			for {
				_ = http.NewResponseController(w).Flush()
				select {
				case answer := <-answers:
					fmt.Fprintf(w, "event: message\ndata: %s\n\n", answer)
				case <-r.Context().Done():
					return
				}
			}
		case r.URL.Path == "/say":
			body, _ := io.ReadAll(r.Body)
			w.WriteHeader(http.StatusAccepted)
			if _, _, answer := o.answer(body); answer != "" {
				answers <- answer
			}
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
			fmt.Fprint(w, `{"status":405,"error":"Method Not Allowed","path":"/mcp"}`)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := h.ExecuteTool(t.Context(), "greet", ""); err != nil || res.Text != "well met" {
		t.Errorf("greet = %q, %v", res.Text, err)
	}
}

func TestAServerThatEndsAtTheNewerOpeningIsOpenedInTheOlderWay(t *testing.T) {
	t.Parallel()
	o := oddity{write: func(_ any, method, answer string) string {
		if method == methodDiscover {
			return "\x00END"
		}
		return answer + "\n"
	}}
	h := o.overPipes(t)
	if res, err := h.ExecuteTool(t.Context(), "greet", ""); err != nil || res.Text != "well met" {
		t.Errorf("greet = %q, %v", res.Text, err)
	}
}

func TestAServerWithoutToolsIsConnected(t *testing.T) {
	t.Parallel()
	o := oddity{write: func(id any, method, answer string) string {
		if method == methodList {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"error":{"code":-32601,"message":"unknown"}}`, id) + "\n"
		}
		return answer + "\n"
	}}
	if st := o.overPipes(t).Servers()[0]; st.State != "ready" || len(st.Unusable) != 1 || st.Unusable[0] != "it has no tools" {
		t.Errorf("status = %+v, want it ready without tools", st)
	}
}

func TestARevisionThatIsRefusedIsReplacedByAnOlderOne(t *testing.T) {
	t.Parallel()
	h, err := overHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id, method, answer := new(oddity).answer(body)
		if method == "initialize" && !strings.Contains(string(body), `"2025-03-26"`) {
			answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"error":{"code":-32602,"message":"Unsupported protocol version"}}`, id)
		}
		_, _ = io.WriteString(w, answer)
	})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := h.ExecuteTool(t.Context(), "greet", ""); err != nil || res.Text != "well met" {
		t.Errorf("greet = %q, %v", res.Text, err)
	}
}

func TestAServerOfNeitherTransportIsRefusedWithBothReasons(t *testing.T) {
	t.Parallel()
	_, err := overHTTP(t, http.NotFound)
	if err == nil || !strings.Contains(err.Error(), "Not Found") || !strings.Contains(err.Error(), "older HTTP+SSE transport") {
		t.Errorf("err = %v, want both reasons", err)
	}
}
