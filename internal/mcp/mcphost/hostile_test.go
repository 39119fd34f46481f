package mcphost_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// quickly makes connecting time out soon.
func quickly(cfg *config.MCPServerConfig) {
	cfg.ConnectTimeout = config.Duration(300 * time.Millisecond)
}

// patiently gives a server time on a machine with other work.
func patiently(cfg *config.MCPServerConfig) {
	cfg.ConnectTimeout = config.Duration(2 * time.Minute)
}

func TestServersThatCannotBeConnected(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		modes []string
		edit  func(*config.MCPServerConfig)
		want  string // in the error
	}{
		{"hangs on initialize", []string{"hang-initialize"}, quickly, "no answer within 300ms"},
		{"hangs on initialize and will not leave", []string{"hang-initialize", "stubborn"}, quickly, "no answer within 300ms"},
		{"hangs on list", []string{"hang-list"}, quickly, "no answer within 300ms"},
		{"writes one line without end", []string{"drivel"}, patiently, "a line of more than 256 MiB"},
		{"dies at once, saying why", []string{"doomed"}, nil, "exit status 3): cannot find my configuration"},
		{"asks without end and reads no answer", []string{"pester-deaf"}, quickly, "no answer within 300ms"},
		{"dies at once, leaving children", []string{"litter", "awaited"}, nil, "exit status 4"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, err := newScene(t, row.modes, row.edit)
			if !errors.Is(err, mcp.ErrUnavailable) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("err = %v, want ErrUnavailable with %q", err, row.want)
			}
			if s.has("bad_echo") {
				t.Error("the tools of a server that is not there are listed")
			}
			if st := s.server(); st.State != "down" && st.State != "connecting" || st.Reason == "" {
				t.Errorf("status = %+v, want down with a reason", st)
			}
		})
	}
}

func TestServersThatAreNoisyAndWorkAnyway(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		modes []string
		edit  func(*config.MCPServerConfig)
		tools int // that are listed at last; 0 is the usual
		log   string
	}{
		{"garbage on stdout", []string{"garbage"}, nil, 0, "is no message"},
		{"flood of stderr", []string{"stderr"}, nil, 0, "of many"},
		{"10,000 changes announced", []string{"storm"}, nil, 0, ""},
		{"5,000 pings", []string{"pester"}, nil, 0, ""},
		{"5,000 pings before it reads an answer", []string{"pester-first"}, nil, 0, "sends requests without reading the answers"},
		{"20,000 log messages", []string{"chatter"}, nil, 0, ""},
		{"5,000 tools", []string{"many"}, nil, 1000, "lists too many tools"},
		{"endless new pages", []string{"endless"}, nil, 1000, "lists too many tools"},
		{"the same page again", []string{"endless-same"}, nil, 0, "same page without end"},
		{"new opening is not understood", []string{"mute-discover"}, quickly, 0, ""},
		{"children hold the pipes", []string{"litter"}, nil, 0, ""},
		{"children in a group of their own", []string{"orphan"}, nil, 0, ""},
		{"ignores the end of stdin and SIGTERM", []string{"stubborn"}, nil, 0, ""},
		{"leaves late", []string{"late"}, nil, 0, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, err := newScene(t, row.modes, row.edit)
			if err != nil && row.modes[0] != "mute-discover" {
				t.Fatal(err)
			}
			eventually(t, "the server is ready", func() bool { return s.server().State == "ready" })
			if row.tools > 0 {
				if got := s.server(); got.Tools != row.tools || got.LeftOut == 0 {
					t.Errorf("%d tools and %d left out, want %d and some", got.Tools, got.LeftOut, row.tools)
				}
			} else if res, err := s.ExecuteTool(t.Context(), "bad_echo", `{"text":"hi"}`); err != nil || !strings.HasPrefix(res.Text, "echo hi") {
				t.Errorf("echo = %q, %v", res.Text, err)
			}
			if !strings.Contains(s.log.String(), row.log) {
				t.Errorf("the log does not say %q", row.log)
			}
		})
	}
}

func TestFloodOfStderrDoesNotFloodTheLog(t *testing.T) {
	t.Parallel()
	s, err := newScene(t, []string{"stderr"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "lines are dropped", func() bool { return strings.Contains(s.log.String(), "dropped_lines") })
	if n := strings.Count(s.log.String(), "server says"); n > 2000 {
		t.Errorf("%d lines in the log", n)
	}
}

func TestStormOfChangesCostsFewListings(t *testing.T) {
	t.Parallel()
	s, err := newScene(t, []string{"storm"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var snapshots <-chan struct{}
	for i := range 20 { // each answer comes after part of the storm
		if _, err := s.ExecuteTool(t.Context(), "bad_echo", `{}`); err != nil {
			t.Fatal(err)
		}
		if i == 5 { // it is in its tier by now
			snapshots = s.Changed()
		}
	}
	if n := len(s.notes.lines("listings")); n > 20 {
		t.Errorf("10,000 announcements cost %d listings", n)
	}
	select {
	case <-snapshots:
		t.Error("announcements without a change are told to subscribers")
	default:
	}
}

func TestCallsThatGoWrong(t *testing.T) {
	t.Parallel()
	s, err := newScene(t, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		tool  string
		limit time.Duration
		want  error
		text  string // in the error or the result
	}{
		{"says_no", 0, nil, "no"},
		{"rpc_error", 0, nil, `server "bad" answered with an error: the well is dry: [redacted]`},
		{"huge", 0, nil, "longer than 16 MiB"},
		{"huge_late", 0, nil, "longer than 16 MiB"},
		{"broken_json", 0, nil, "its answer cannot be read"},
		{"items", 0, nil, "[4744 more items left out]"},
		{"fits", 0, nil, "echo"},
		{"misfits", 0, nil, "echo"},
		{"unstructured", 0, nil, "echo"},
		{"wrong_but_error", 0, nil, "echo"},
		{"hang", 2 * time.Second, mcp.ErrTimeout, "timed out"},
		{"die", 0, mcp.ErrUnavailable, "closed its output"},
	} {
		t.Run(row.tool, func(t *testing.T) {
			eventually(t, "the server is ready", func() bool { return s.has("bad_" + row.tool) })
			ctx := t.Context()
			if row.limit > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, row.limit)
				defer cancel()
			}
			res, err := s.ExecuteTool(ctx, "bad_"+row.tool, `{}`)
			got := res.Text
			if err != nil {
				got = err.Error()
			}
			if row.want != nil && !errors.Is(err, row.want) || !strings.Contains(got, row.text) {
				t.Errorf("%s = %q, %v; want %v with %q", row.tool, cut(res.Text), err, row.want, row.text)
			}
			if strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && untrusted.Hidden(r) }) {
				t.Errorf("%q has hidden characters", cut(got))
			}
			if row.want == mcp.ErrTimeout { // before the next call kills the server
				eventually(t, "the time-out reaches the server", func() bool { return len(s.notes.lines("cancelled")) > 0 })
			}
			s.healthy(t)
		})
	}
	eventually(t, "the server is back", func() bool { st := s.server(); return st.State == "ready" && st.Connects == 2 })
	if st := s.server(); st.Failures != 0 || st.Connects != 2 {
		t.Errorf("status = %+v: want no connection lost but the one to the dead server", st)
	}
}

func cut(text string) string { return text[:min(len(text), 300)] }

func TestOversizedResultsCostBoundedMemory(t *testing.T) {
	s, err := newScene(t, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 2 {
		if _, err := s.ExecuteTool(t.Context(), "bad_huge", `{}`); err == nil {
			t.Error("50 MB are passed on")
		}
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys-before.HeapSys) >> 20; grown > 200 {
		t.Errorf("the heap has grown by %d MiB over 100 MB of results", grown)
	}
	if st := s.server(); st.Connects != 1 {
		t.Errorf("connected %d times, want the connection to survive", st.Connects)
	}
}

func TestDrawnTextIsCleaned(t *testing.T) {
	t.Parallel()
	s, err := newScene(t, []string{"paint"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.ExecuteTool(t.Context(), "bad_paint", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(res.Text)); n > 20000 {
		t.Errorf("the text has %d characters, want it capped", n)
	}
	texts := []string{res.Text, string(res.Structured)}
	for _, c := range res.Content {
		texts = append(texts, c.Text, c.URI, c.Name, c.MIMEType)
	}
	if len(res.Content) != 4 || len(res.Content[3].Data) != 3 {
		t.Errorf("content = %+v, want text, link, resource and image", res.Content)
	}
	for _, d := range s.AvailableTools(mcp.BudgetDeep) {
		texts = append(texts, d.Name, d.Description, fmt.Sprint(d.Parameters))
		if strings.ContainsFunc(d.Name, func(r rune) bool { return r > unicode.MaxASCII }) {
			t.Errorf("name %q is not for model APIs", d.Name)
		}
	}
	for _, st := range s.Status() {
		texts = append(texts, fmt.Sprint(st))
	}
	for _, text := range texts {
		if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && untrusted.Hidden(r) }) || strings.Contains(text, "\\u200b") {
			t.Errorf("%q has hidden characters", cut(text))
		}
	}
}

func TestToolsWithBrokenSchemasAreTakenAndNotChecked(t *testing.T) {
	t.Parallel()
	s, err := newScene(t, []string{"schemas"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"bad_string", "bad_type", "bad_ref", "bad_remote", "bad_self", "bad_loop", "bad_deep", "bad_doubling", "bad_pattern",
	} {
		if st := status(t, s.Host, name); st.State != "ready" || len(st.LeftOut) == 0 {
			t.Errorf("status of %s = %+v, want it ready, and what is left out", name, st)
		}
	}
	if st := s.server(); s.has("bad_10mb") || len(st.Unusable) != 1 || !strings.Contains(st.Unusable[0], `"bad_10mb": its definition has`) {
		t.Errorf("bad_10mb is listed, or the status does not say that it is not: %q", st.Unusable)
	}
	for _, name := range []string{"ok_dialect", "ok_bad_output", "ok_null"} {
		if _, err := s.ExecuteTool(t.Context(), name, `{}`); err != nil {
			t.Errorf("%s = %v", name, err)
		}
	}
	if st := status(t, s.Host, "ok_lists"); st.Probe != "no valid input can be made from its schema" {
		t.Errorf("the input of ok_lists would have 16 to the power of 7 parts; its probe is %q", st.Probe)
	}
}

func TestTwinsAndLongNames(t *testing.T) {
	t.Parallel()
	s, err := newScene(t, []string{"twins"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	long := 0
	for _, name := range s.Names() {
		if len(name) > 64 || name == "" {
			t.Errorf("name %q has %d characters", name, len(name))
		}
		if strings.HasPrefix(name, "longlong") {
			long++
		}
	}
	if long != 2 {
		t.Errorf("%d tools with long names, want each its own", long)
	}
	for _, d := range s.AvailableTools(mcp.BudgetDeep) {
		if d.Description == "an impostor" {
			t.Error("the second tool of a name took the place of the first")
		}
	}
}

func TestDescriptionsThatChangeAreFollowed(t *testing.T) {
	t.Parallel()
	s, err := newScene(t, []string{"shifting"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	description := func() string {
		for _, d := range s.AvailableTools(mcp.BudgetDeep) {
			if d.Name == "bad_echo" {
				return d.Description
			}
		}
		return ""
	}
	waitFor(t, s.Host, "the last revision is listed", func() bool { return description() == "revision 5" })
	if !strings.Contains(s.log.String(), "tool definition changed") {
		t.Error("nobody is told of the changes")
	}
}

// A program that reads nothing fills its pipe. Calls still end in time, and so
// does Close.
func TestServerThatStopsReading(t *testing.T) {
	t.Parallel()
	s, err := newScene(t, nil, func(cfg *config.MCPServerConfig) { cfg.CallTimeout = config.Duration(3 * time.Second) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ExecuteTool(t.Context(), "bad_deafen", `{}`); err != nil {
		t.Fatal(err)
	}
	big := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 1<<20))
	for range 3 {
		start := time.Now()
		_, err := s.ExecuteTool(t.Context(), "bad_count", big)
		if took := time.Since(start); err == nil || took > watchdog {
			t.Errorf("a call to a deaf server ended after %v with %v", took, err)
		}
		s.healthy(t)
	}
	eventually(t, "the deaf server is dropped and started again", func() bool { return s.server().Connects > 1 })
	if n := s.notes.count("count"); n != 0 {
		t.Errorf("%d of the lost calls were made after all", n)
	}
}

func TestListingThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	s, err := newScene(t, []string{"hang-second-list"}, func(cfg *config.MCPServerConfig) { cfg.ConnectTimeout = config.Duration(10 * time.Second) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ExecuteTool(t.Context(), "bad_switch", `{"to":"new"}`); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the connection is dropped and made again", func() bool { return s.server().Connects > 1 })
	if !strings.Contains(s.log.String(), "listing its tools again: no answer within 10s") {
		t.Errorf("the log does not say why: %s", cut(s.log.String()))
	}
}
