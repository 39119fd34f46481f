package main_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

// TestModelFailures checks what players hear when the model fails: the turn
// ends as failed with a reason, spoken text stays, an NPC that has said nothing
// says so in character, and the next turn works.
func TestModelFailures(t *testing.T) {
	t.Parallel()
	const silence = "The river has not told me."
	fail := func(status int, message string) fakeopenai.Response { return fakeopenai.Fail(status, message) }
	echo := fakeopenai.Response{Status: 401, Message: "Incorrect API key provided", Code: "invalid_api_key", EchoKey: true}
	rows := []struct {
		name    string
		script  []fakeopenai.Response // answers to the first line
		said    string
		notice  []string
		timeout string
	}{
		{"overloaded, twice", []fakeopenai.Response{fail(500, "overloaded"), fail(500, "overloaded")}, silence, []string{"unavailable", "overloaded"}, ""},
		{"no longer than it says", []fakeopenai.Response{fakeopenai.RateLimited("3600")}, silence, []string{"rate limit"}, ""},
		{"rate limited for ever", []fakeopenai.Response{fakeopenai.RateLimited("0"), fakeopenai.RateLimited("0")}, silence, []string{"rate limit"}, ""},
		{"a wrong key, echoed", []fakeopenai.Response{echo}, silence, []string{"check providers.llm.api_key", "[redacted]"}, ""},
		{"a request it refuses", []fakeopenai.Response{fail(400, "it does not support tools"), fail(400, "it does not support tools")}, silence, []string{"cannot use tools"}, ""},
		{"a gateway's page", []fakeopenai.Response{
			{Status: 502, Message: "<html>Bad Gateway</html>", PlainBody: true}, {Status: 502, Message: "<html>Bad Gateway</html>", PlainBody: true},
		}, silence, []string{"unavailable", "HTTP 502 (a web page)"}, ""},
		{"cut before the first word", []fakeopenai.Response{{CutAfter: -1}, {CutAfter: -1}}, silence, []string{"unavailable"}, ""},
		{"cut in mid-sentence", []fakeopenai.Response{{Pieces: []string{"The river is high. ", "I would"}, CutAfter: 3}}, "The river is high.", []string{"unavailable"}, ""},
		{"an error in mid-sentence", []fakeopenai.Response{{Pieces: []string{"The river is high. ", "I would"}, FailAfter: 3}}, "The river is high.", []string{"broke off"}, ""},
		{"no word at all", []fakeopenai.Response{{}, {}}, silence, []string{"the model said nothing"}, ""},
		{"a silence before the first word", []fakeopenai.Response{fakeopenai.HangAfter()}, silence, []string{"the model stopped answering for 300ms"}, "300ms"},
		{"a silence in mid-sentence", []fakeopenai.Response{fakeopenai.HangAfter("The river is high. I would")}, "The river is high.", []string{"the model stopped answering for 300ms"}, "300ms"},
	}
	short := []string{"overloaded, twice", "a wrong key, echoed", "cut in mid-sentence", "a silence before the first word"}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && !slices.Contains(short, row.name) {
				t.Skip("each is a play; make test-all runs them all")
			}
			h, server := newModelProgram(t, fakeopenai.Sequence(append(row.script, fakeopenai.Say("Aye."))...))
			if row.timeout != "" {
				h.set("MODEL_TIMEOUT", row.timeout)
			}
			tr := h.play("Mira, can we cross?", "Mira, and now?")
			turns := tr.want(2)
			tr.noticed("error", append(row.notice, "Mira the Ferrywoman could not answer: ")...)
			if turns[0].ended.Outcome != "failed" || turns[0].ended.Text != row.said {
				t.Errorf("the turn ended %q with %q, want failed with %q", turns[0].ended.Outcome, turns[0].ended.Text, row.said)
			}
			if l := turns[0].ledger; l.Budget != "breached" || l.BreachStage != "llm" || row.timeout != "" && l.TotalMS < 300 {
				t.Errorf("ledger %+v, want it breached by the model, and not before the timeout", l)
			}
			if turns[1].ended.Outcome != "delivered" || turns[1].ended.Text != "Aye." {
				t.Errorf("the next turn ended %q with %q, want it delivered", turns[1].ended.Outcome, turns[1].ended.Text)
			}
			asked := server.ChatRequests()
			if len(asked) != len(row.script)+1 {
				t.Fatalf("the model was asked %d times, want %d", len(asked), len(row.script)+1)
			}
			if !remembers(asked[len(asked)-1], row.said) || strings.Contains(string(asked[len(asked)-1].Body), "I would") {
				t.Errorf("the next prompt should hold what was heard, %q, and nothing else: %s", row.said, asked[len(asked)-1].Body)
			}
			if found := h.found("cross"); !slices.Contains(found, "Player: Mira, can we cross?") {
				t.Errorf("the transcript has %q, want the player's line of the failed turn", found)
			}
		})
	}
}

// TestModelRecovers lists failures that cost only time.
func TestModelRecovers(t *testing.T) {
	t.Parallel()
	troubles := []string{"rate limited for a moment", "overloaded once", "cut before the first word"}
	h, server := newModelProgram(t, fakeopenai.Sequence(
		fakeopenai.RateLimited("0.05"), fakeopenai.Say("Aye."),
		fakeopenai.Fail(503, "overloaded"), fakeopenai.Say("Aye, indeed."),
		fakeopenai.Response{CutAfter: -1}, fakeopenai.Say("Aye, once more."),
	))
	tr := h.play("Mira, can we cross?", "Mira, can we go back?", "Mira, can we stay?")
	for i, tn := range tr.want(len(troubles)) {
		if want := []string{"Aye.", "Aye, indeed.", "Aye, once more."}[i]; tn.ended.Outcome != "delivered" || tn.ended.Text != want {
			t.Errorf("%s: said %q, %s; want the second answer, %q", troubles[i], tn.ended.Text, tn.ended.Outcome, want)
		}
	}
	if len(server.ChatRequests()) != 6 || len(tr.notices("")) != 0 {
		t.Errorf("asked %d times, notices %q; want twice each, and quietly", len(server.ChatRequests()), tr.notices(""))
	}
}

// TestNoModelThere uses addresses without a server, or with a server that is
// not a model.
func TestNoModelThere(t *testing.T) {
	t.Parallel()
	const closed = "http://127.0.0.1:1/v1" // a privileged port, which no other test can get
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html>It works!</html>")) // the client may be gone
	}))
	t.Cleanup(page.Close)
	for name, url := range map[string]string{"nobody listens": closed, "a web page": page.URL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, _ := newModelProgram(t, nil)
			h.set("MODEL_URL", url)
			tr := h.play("Mira, can we cross?")
			tr.only("failed")
			tr.noticed("error", "Mira the Ferrywoman could not answer: ")
		})
	}
}

// TestKeyStaysSecret runs everything that could print the key; each house
// checks its program's output for it.
func TestKeyStaysSecret(t *testing.T) {
	t.Parallel()
	echo := fakeopenai.Response{Status: 401, Message: "Incorrect API key provided", EchoKey: true}
	h, server := newModelProgram(t, fakeopenai.Always(echo))
	for _, args := range [][]string{
		{"play"}, {"play", "--json", "--verbose"}, {"check"}, {"doctor"}, {"schema"}, {"tools", "--json"}, {"tools", "calibrate", "--verbose"},
	} {
		// The doctor has a finding: the server does not list the model.
		if r := h.run("Mira, hello\n/ledger\n/tools\n", args...); r.code != 0 && args[0] != "doctor" || r.stdout == "" {
			t.Errorf("%q: exit code %d, stderr %q", args, r.code, r.stderr)
		}
	}
	h.write("glyphoxa.yaml", "providers:\n  llm: {name: openai, api_key: \"${MODEL_KEY}\", base_url: \"http://${MODEL_KEY}:${MODEL_KEY}@127.0.0.1:1/\"}\nnpcs: [{name: Mira}]\n")
	h.run("Mira, hello\n", "play", "--verbose")
	if len(server.ChatRequests()) == 0 {
		t.Error("the key was never used, so nothing was tried")
	}
}
