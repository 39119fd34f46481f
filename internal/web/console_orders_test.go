package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// audited returns the newest record of a caller's calls of a tool.
func (f *fixture) audited(who, tool string) access.LogRecord {
	f.t.Helper()
	all, _, err := f.game.Registry.Governance.Audit.Query(f.t.Context(), access.LogQuery{Who: who, Tool: tool, Limit: 1})
	if err != nil {
		f.t.Fatal(err)
	}
	if len(all) == 0 {
		f.t.Fatalf("there is no record of %s by %s", tool, who)
	}
	return all[0]
}

// nowhere discards the NPCs' sound.
type nowhere struct{}

func (nowhere) Write(context.Context, *audio.Frame) error { return nil }

// tried collects the voices requested from a synthesiser.
type tried struct {
	mu  sync.Mutex // guards all
	all []string
}

func (v *tried) speak(text, voice string) []int16 {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.all = append(v.all, voice+": "+text)
	return fakeopenai.Speech(text, voice, 1)
}

func (v *tried) heard() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return strings.Join(v.all, "\n")
}

// TestOrders gives every order in turn and checks the table, its events and the audit log. A
// visitor without the right is refused, which is recorded too.
func TestOrders(t *testing.T) {
	var voices tried
	server := fakeopenai.Start(t, nil, &fakeopenai.Options{Voice: voices.speak})
	f := openWith(t, strings.Replace(settings, "{name: Bartok,", "{name: Bartok, voice: {id: echo},", 1)+
		fmt.Sprintf("providers: {tts: {name: openai, model: tts-1, api_key: key, base_url: '%s'}}\n", server.URL()))
	f.beginAnother(play.SessionOptions{Sink: discard{}, OpenSound: func() (play.Sound, error) {
		return play.Sound{Outlet: nowhere{}, Playback: mixer.Options{Unpaced: true}}, nil
	}})
	p, player := f.visit("lead"), f.visit("full")
	tells := func(parts ...string) func() string { // waits for an event
		return func() string {
			if got := p.follow(parts...); !strings.Contains(got, parts[0]) {
				return got
			}
			return ""
		}
	}
	shows := func(want string, of func(c card) any) func() string {
		return func() string {
			if got := fmt.Sprint(of(p.card())); got != want {
				return "the card has " + got
			}
			return ""
		}
	}
	listens := func() string {
		how, err := f.session.Table.Listening(t.Context())
		if err != nil || how != address.CalledOnly {
			return fmt.Sprintf("they listen %v, %v", how, err)
		}
		return ""
	}
	tries := func() string {
		p.follow("A sound sleep.", `"kind":"turn.ended"`)
		if got := voices.heard(); !strings.Contains(got, "onyx: A sound sleep.") || !strings.Contains(got, "echo: ") {
			return "what was heard is " + got
		}
		return ""
	}
	for _, row := range []struct {
		name, order string
		happens     func() string // describes the actual outcome
	}{
		{"hear", `{"order":"hear","speaker":"Ana","text":"Bartok, good evening"}`, tells(`"turn":1,"npc":"Bartok","outcome":"delivered"`)},
		{"say", `{"order":"say","npc":"Bartok","text":"The bridge is closed."}`, tells(`"text":"The bridge is closed."`, `"kind":"turn.ended"`)},
		{"direct", `{"order":"direct","npc":"Bartok","text":"lie about the key","turns":9}`, shows("lie about the key", func(c card) any { return c.Directive })},
		{"raise", `{"order":"raise","npc":"Bartok","tier":"deep","turns":5}`, shows("deep 5 deep", func(c card) any { return fmt.Sprint(c.LeaseTier, " ", c.LeaseTurns, " ", c.Ceiling) })},
		{"lower", `{"order":"lower","npc":"Bartok","tier":"fast"}`, shows("fast", func(c card) any { return c.Ceiling })},
		{"reveal", `{"order":"reveal","npc":"Bartok","text":"all"}`, shows("1", func(c card) any { return c.Revealed })},
		{"conceal", `{"order":"conceal","npc":"Bartok"}`, shows("0", func(c card) any { return c.Revealed })},
		{"mute", `{"order":"mute","npc":"Bartok"}`, shows("true", func(c card) any { return c.Muted })},
		{"unmute", `{"order":"unmute","npc":"Bartok"}`, shows("false", func(c card) any { return c.Muted })},
		{"unsay", `{"order":"unsay","npc":"Bartok"}`, tells(`"kind":"erased","turn":2`)},
		{"again", `{"order":"again","npc":"Bartok"}`, tells(`"route":"again"`, `"again":1`)},
		{"listening", `{"order":"listening","text":"called_only"}`, listens},
		{"try_voice", `{"order":"try_voice","npc":"Bartok","voice":"onyx","text":"A sound sleep."}`, tries},
	} {
		t.Run(row.name, func(t *testing.T) {
			if status, text := player.ask("POST", "/console/order?room=home", row.order); status != http.StatusForbidden {
				t.Errorf("a player's order = %d, want 403: %s", status, text)
			}
			if r := f.audited("full", "console_"+row.name); r.Decision != access.Denied {
				t.Errorf("a player's order is recorded as %+v, want it denied", r)
			}
			if status, text := p.ask("POST", "/console/order?room=home", row.order); status != http.StatusOK {
				t.Fatalf("the order = %d: %s", status, text)
			}
			if instead := row.happens(); instead != "" {
				t.Error(instead)
			}
			if r := f.audited("lead", "console_"+row.name); r.Decision != access.Allowed || r.Code != "" || r.Transport != "console" || r.Profile != "dm" {
				t.Errorf("the order is recorded as %+v", r)
			}
		})
	}
}

// harbour is an MCP server whose definitions change.
func harbour(t *testing.T) (change func(description string), cfg config.MCPServerConfig) {
	server := sdk.NewServer(&sdk.Implementation{Name: "harbour", Version: "1"}, nil)
	change = func(description string) {
		tool := &sdk.Tool{Name: "tide", Description: description, InputSchema: map[string]any{"type": "object"}}
		server.AddTool(tool, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "rising"}}}, nil
		})
	}
	change("Tells the tide.")
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections) // before it waits for them
	return change, config.MCPServerConfig{Name: "harbour", Transport: config.TransportStreamableHTTP, URL: web.URL, AllowPrivate: true, Pin: true}
}

// toolsSeen is the view of tools.
type toolsSeen struct {
	Tools []struct {
		Name, Source, State string
		Pin                 string
	}
	Held []struct{ Server, Name, Hash, Why string }
}

// pinOf returns the state of a tool's pin in the view, or "missing".
func (v toolsSeen) pinOf(name string) string {
	for _, one := range v.Tools {
		if one.Name == name {
			return one.Pin
		}
	}
	return "missing"
}

// TestApprovingADefinition lets a server change a pinned tool: the tool is held until the DM
// approves the definition shown.
func TestApprovingADefinition(t *testing.T) {
	f := consoleOpen(t)
	change, cfg := harbour(t)
	if err := f.game.Registry.Host.RegisterServer(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	p := f.visit("lead")
	seen := func(until func(toolsSeen) bool) (v toolsSeen) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
			v = toolsSeen{}
			if p.get(&v, "GET", "/console/tools", ""); until(v) {
				return v
			}
		}
		t.Fatalf("the tools are %+v", v)
		return v
	}
	first := seen(func(v toolsSeen) bool { return v.pinOf("tide") == "approved" })
	if first.pinOf("roll") != "" {
		t.Errorf("a tool of ours is shown as %q", first.pinOf("roll"))
	}
	change("Tells the tide, and more.")
	// The list of held tools and the state of each tool are read separately, so one view may
	// have only the list.
	held := seen(func(v toolsSeen) bool { return len(v.Held) == 1 && v.pinOf("tide") == "held" })
	order := func(name string) (int, string) {
		body, err := json.Marshal(map[string]string{"order": "approve_tool", "text": name})
		if err != nil {
			t.Fatal(err)
		}
		return p.ask("POST", "/console/order?room=home", string(body))
	}
	if status, text := order("harbour/tide@000000000000"); status != http.StatusBadRequest {
		t.Errorf("approving what was not offered = %d, want 400: %s", status, text)
	}
	one := held.Held[0]
	if status, text := order(one.Server + "/" + one.Name + "@" + one.Hash); status != http.StatusOK {
		t.Fatalf("approving = %d: %s", status, text)
	}
	seen(func(v toolsSeen) bool { return len(v.Held) == 0 && v.pinOf("tide") == "approved" })
	if r := f.audited("lead", "console_approve_tool"); r.Decision != access.Allowed || r.Code != "" {
		t.Errorf("it is recorded as %+v", r)
	}
}

// TestDecidingWhatIsLearnt rejects a proposal, accepts another and removes it again.
func TestDecidingWhatIsLearnt(t *testing.T) {
	f := consoleOpen(t)
	p := f.visit("lead")
	f.hear("Bartok, I promise to bring you the copper kettle")
	f.hear("Bartok, I swear that the ferryman goes free")
	p.follow(`"kind":"turn.ended","turn":2`)
	f.lineWith(f.session.ID(), "Bartok, I swear that the ferryman goes free")
	decide := func(body string) {
		t.Helper()
		p.get(&map[string]any{}, "POST", "/console/memory", body)
		if r := f.audited("lead", "console_memory"); r.Decision != access.Allowed || r.Code != "" || r.Transport != "console" {
			t.Errorf("%s is recorded as %+v", body, r)
		}
	}
	type entry struct {
		ID   int64
		Text string
	}
	list := func() (v struct{ Waiting, Learnt []entry }) {
		p.get(&v, "GET", "/console/memory", "")
		return v
	}
	decide(`{"how":"gather"}`)
	v := list()
	if len(v.Waiting) != 2 || len(v.Learnt) != 0 {
		t.Fatalf("it is proposed and learnt: %+v", v)
	}
	decide(fmt.Sprintf(`{"id":%d,"how":"reject"}`, v.Waiting[0].ID))
	decide(fmt.Sprintf(`{"id":%d,"how":"accept","text":"The ferryman goes free."}`, v.Waiting[1].ID))
	if after := list(); len(after.Waiting) != 0 || len(after.Learnt) != 1 || after.Learnt[0] != (entry{v.Waiting[1].ID, "The ferryman goes free."}) {
		t.Errorf("after one was rejected and the other accepted: %+v", after)
	}
	decide(fmt.Sprintf(`{"id":%d,"how":"drop"}`, v.Waiting[1].ID))
	if after := list(); len(after.Waiting) != 0 || len(after.Learnt) != 0 {
		t.Errorf("after it was dropped: %+v", after)
	}
}

// TestMentionsAreShownOnce shows the DM where others mention a forgotten player, and deletes
// one of those lines.
func TestMentionsAreShownOnce(t *testing.T) {
	f := consoleOpen(t)
	p, player := f.visit("lead"), f.visit("full")
	f.hear("Bartok, Quirin the tinker was here")
	p.follow(`"kind":"turn.ended","turn":1`)
	line := f.lineWith(f.session.ID(), "Bartok, Quirin the tinker was here")
	f.game.OfferMentions(play.Mentions{Names: []string{"Quirin"}, Found: []play.Mention{{Kind: play.MentionLine, ID: fmt.Sprint(line.ID), Text: line.Text}}})
	waits := func() (v struct{ Mentions int }) {
		p.get(&v, "GET", "/console/memory", "")
		return v
	}
	if v := waits(); v.Mentions != 1 {
		t.Errorf("%d places wait, want 1", v.Mentions)
	}
	if status, text := player.ask("POST", "/console/memory?room=home", `{"how":"mentions"}`); status != http.StatusForbidden || strings.Contains(text, "Quirin") {
		t.Errorf("a player reads %d: %s", status, text)
	}
	var got struct{ Mentions *play.Mentions }
	p.get(&got, "POST", "/console/memory", `{"how":"mentions"}`)
	if got.Mentions == nil || got.Mentions.Found[0].Text != line.Text || waits().Mentions != 0 {
		t.Errorf("shown is %+v, and %d wait then", got.Mentions, waits().Mentions)
	}
	got.Mentions = nil
	p.get(&got, "POST", "/console/memory", `{"how":"mentions"}`)
	if got.Mentions != nil {
		t.Errorf("shown again is %+v", got.Mentions)
	}
	p.get(&map[string]any{}, "POST", "/console/memory", fmt.Sprintf(`{"how":"erase-line","id":%d}`, line.ID))
	if _, err := f.game.Store.Line(t.Context(), line.ID); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("the line is still there: %v", err)
	}
	if status, _ := p.ask("POST", "/console/memory?room=home", fmt.Sprintf(`{"how":"erase-line","id":%d}`, line.ID)); status != http.StatusBadRequest {
		t.Errorf("deleting it again = %d", status)
	}
}

// TestDecidingOnCalls lets a client's calls wait: one is refused, one is granted and passes
// once.
func TestDecidingOnCalls(t *testing.T) {
	f := openWith(t, settings+"  policy:\n    - {name: ask, rule: approval, who: [full], tools: [roll], expires: 10m}\n")
	p, player := f.visit("lead"), f.visit("full")
	const roll = `{"tool":"roll","args":"{\"expression\":\"1d6\"}"}`
	again := strings.Replace(roll, "1d6", "2d6", 1) // a refusal applies to the same arguments
	call := func(by *page, body string) (int, string) { return by.ask("POST", "/console/call?room=home", body) }
	waiting := func(body string) string {
		t.Helper()
		if status, text := call(player, body); status != http.StatusForbidden || !strings.Contains(text, "approv") {
			t.Fatalf("a call that takes approval = %d: %s", status, text)
		}
		pending := f.game.Registry.Governance.Policy.Pending()
		if len(pending) != 1 || pending[0].Caller != "full" || pending[0].Tool != "roll" {
			t.Fatalf("it waits: %+v", pending)
		}
		if got := p.follow(`"kind":"approval.waits"`, pending[0].ID); !strings.Contains(got, pending[0].ID) {
			t.Errorf("who may decide is not told: %s", got)
		}
		return pending[0].ID
	}
	decide := func(by *page, id string, grant bool) (int, string) {
		return call(by, fmt.Sprintf(`{"tool":"decide_approval","args":"{\"id\":\"%s\",\"grant\":%v}"}`, id, grant))
	}
	id := waiting(roll)
	if status, text := decide(player, id, true); status != http.StatusNotFound {
		t.Errorf("a player's decision = %d, want 404: %s", status, text)
	}
	if status, text := decide(p, id, false); status != http.StatusOK {
		t.Errorf("refusing = %d: %s", status, text)
	}
	if status, text := call(player, roll); status == http.StatusOK {
		t.Errorf("the refused call = %d: %s", status, text)
	}
	if r := f.audited("full", "roll"); r.Decision != access.Denied || r.Rule != "ask" || r.DecidedBy != "lead" {
		t.Errorf("the refused call is recorded as %+v", r)
	}
	id = waiting(again)
	if status, text := decide(p, id, true); status != http.StatusOK {
		t.Errorf("granting = %d: %s", status, text)
	}
	if status, text := call(player, again); status != http.StatusOK || !strings.Contains(text, "2d6") {
		t.Errorf("the granted call = %d: %s", status, text)
	}
	if r := f.audited("full", "roll"); r.Decision != access.Allowed || r.DecidedBy != "lead" {
		t.Errorf("the granted call is recorded as %+v", r)
	}
	if status, _ := call(player, again); status == http.StatusOK {
		t.Error("it passes twice")
	}
	if r := f.audited("lead", "decide_approval"); r.Decision != access.Allowed || r.Transport != "console" {
		t.Errorf("the decision is recorded as %+v", r)
	}
}
