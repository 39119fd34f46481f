package main_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

// modelKey is a secret in every test with a model: house.run fails a test whose
// program prints it.
const modelKey = "sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"

// newModelProgram is a house with a model that gives scripted answers.
func newModelProgram(t testing.TB, script fakeopenai.Script) (*program, *fakeopenai.Server) {
	t.Helper()
	server := fakeopenai.Start(t, script, &fakeopenai.Options{APIKey: modelKey})
	h := newProgram(t)
	h.configure("model.yaml")
	h.set("MODEL_URL", server.URL())
	h.set("MODEL_KEY", modelKey)
	h.secrets = append(h.secrets, modelKey, modelKey[10:24])
	return h, server
}

// offered lists the tools in a request.
func offered(r fakeopenai.Request) []string {
	var names []string
	for _, tool := range r.Chat.Tools {
		names = append(names, tool.Function.Name)
	}
	return names
}

// results lists the tool results in a request, by call id, in order.
func results(r fakeopenai.Request) (ids, texts []string) {
	for _, m := range r.Chat.Messages {
		if m.Role == "tool" {
			ids, texts = append(ids, m.ToolCallID), append(texts, m.Text())
		}
	}
	return ids, texts
}

// TestAnswerIsStreamed checks the prompt of a model, and that its streamed
// answer is cut into sentences as it arrives.
func TestAnswerIsStreamed(t *testing.T) {
	t.Parallel()
	h, server := newModelProgram(t, fakeopenai.Always(fakeopenai.Say("The fer", "ry leaves at da", "wn. Be e", "arly!")))
	turns := h.play("Mira, when does the ferry leave?", "And how early?").want(2)
	if got, want := turns[0].sentences(), []string{"The ferry leaves at dawn.", "Be early!"}; !slices.Equal(got, want) {
		t.Errorf("sentences = %q, want %q", got, want)
	}
	if l := turns[0].ledger; l.LLMFirstTokenMS <= 0 || l.LLMFirstTokenMS > l.FirstSoundMS || l.FirstSoundMS > l.TotalMS || l.Budget != "met" {
		t.Errorf("ledger = %+v, want the first token before the first sound before the end", l)
	}
	asked := server.ChatRequests()
	if len(asked) != 2 {
		t.Fatalf("the model was asked %d times, want twice", len(asked))
	}
	first := asked[0]
	if first.Key != modelKey || first.Chat.Model != "gpt-4-test" || !first.Chat.Stream {
		t.Errorf("request: right key %v, model %q, stream %v", first.Key == modelKey, first.Chat.Model, first.Chat.Stream)
	}
	if got, want := offered(first), []string{"read_file", "roll", "search_rules", "write_file"}; !slices.Equal(got, want) {
		t.Errorf("offered %q, want %q", got, want)
	}
	system := first.Chat.Messages[0]
	for _, want := range []string{"Mira the Ferrywoman", "patient woman", "Never leave the ferry.", "You keep some things to yourself"} {
		if system.Role != "system" || !strings.Contains(system.Text(), want) {
			t.Errorf("the first message is %s %q, want the system's, with %q", system.Role, system.Text(), want)
		}
	}
	if strings.Contains(string(first.Body), "The old jetty is hollow.") {
		t.Errorf("a secret that may not be told is in the request: %s", first.Body)
	}
	if got := first.Chat.LastUser(); got != "Player (player): Mira, when does the ferry leave?" {
		t.Errorf("the model was asked %q", got)
	}
	if !remembers(asked[1], "The ferry leaves at dawn. Be early!") {
		t.Errorf("the second prompt lacks the first answer: %s", asked[1].Body)
	}
}

// remembers reports whether a prompt contains an earlier answer.
func remembers(r fakeopenai.Request, answer string) bool {
	return slices.ContainsFunc(r.Chat.Messages, func(m fakeopenai.Message) bool {
		return m.Role == "assistant" && m.Text() == answer
	})
}

// TestSpokenWhileTheModelStillWrites checks that a sentence is spoken as soon
// as it is complete, while the model still writes.
func TestSpokenWhileTheModelStillWrites(t *testing.T) {
	t.Parallel()
	h, server := newModelProgram(t, fakeopenai.Always(fakeopenai.HangAfter("The river is high today. I would ra")))
	s := h.start("play", "--json")
	s.say("Mira, can we cross?")
	if e := s.wait("sentence"); e.Text != "The river is high today." {
		t.Errorf("first sentence = %q", e.Text)
	}
	if server.Aborted() != 0 {
		t.Error("the model's answer was cut short")
	}
}

// TestParallelCalls makes several calls in one round: all run, and the model
// gets their results under their ids, in its order.
func TestParallelCalls(t *testing.T) {
	t.Parallel()
	h, server := newModelProgram(t, fakeopenai.Sequence(
		fakeopenai.CallTools(
			fakeopenai.Call{ID: "c3", Name: "roll", Arguments: `{"expression":"4d6kh3"}`},
			fakeopenai.Call{ID: "c1", Name: "search_rules", Arguments: `{"query":"blinded"}`},
			fakeopenai.Call{ID: "c2", Name: "roll", Arguments: `{"expression":"d20"}`},
		),
		fakeopenai.Say("It is done."),
	))
	tn := h.play("Mira, what about the rules?").only("delivered")
	if got, want := tn.called(), []string{"roll", "search_rules", "roll"}; !slices.Equal(got, want) {
		t.Errorf("called %q, want %q", got, want)
	}
	for _, f := range tn.of("tool.finished") {
		if !f.OK {
			t.Errorf("%s: %s", f.Tool, f.Error)
		}
	}
	if tn.ledger.ToolRounds != 1 || tn.ended.Text != "It is done." {
		t.Errorf("%d rounds, then %q; want one, then the answer", tn.ledger.ToolRounds, tn.ended.Text)
	}
	ids, texts := results(server.ChatRequests()[1])
	if !slices.Equal(ids, []string{"c3", "c1", "c2"}) {
		t.Fatalf("results came back as %q, want c3, c1, c2", ids)
	}
	for i, want := range []string{`"expression":"4d6kh3"`, "condition-blinded", `"expression":"d20"`} {
		if !json.Valid([]byte(texts[i])) || !strings.Contains(texts[i], want) {
			t.Errorf("result %s = %s, want %s in it", ids[i], texts[i], want)
		}
	}
}

// TestCallsThatCannotBe covers malformed, unknown and excess calls, and checks
// that the NPC still speaks.
func TestCallsThatCannotBe(t *testing.T) {
	t.Parallel()
	const good, broken = `{"expression":"2d6"}`, `{"expression":`
	call := func(tool, args string) fakeopenai.Response {
		return fakeopenai.CallTools(fakeopenai.Call{Name: tool, Arguments: args})
	}
	say := fakeopenai.Say("So be it.")
	rows := []struct {
		name, line string
		script     []fakeopenai.Response
		ok         []bool // of each call
		reason     string // of those that failed
		lastOffers bool   // the last request offers tools
	}{
		{"malformed once, then right", "Mira, luck?", []fakeopenai.Response{call("roll", broken), call("roll", good), say}, []bool{false, true}, "not valid JSON", true},
		{"malformed twice ends the tools", "Mira, luck?", []fakeopenai.Response{call("roll", broken), call("roll", broken), say}, []bool{false, false}, "not valid JSON", false},
		{"arguments against the schema", "Mira, luck?", []fakeopenai.Response{call("roll", `{"dice":6}`), call("roll", good), say}, []bool{false, true}, "invalid arguments", true},
		{"an unknown tool", "Mira, luck?", []fakeopenai.Response{call("summon", `{}`), say}, []bool{false}, "not allowed", true},
		{"a tool its tier strips", "Bartok, luck?", []fakeopenai.Response{call("search_rules", `{"query":"x"}`), say}, []bool{false}, "not allowed", true},
		{"a tool off its whitelist", "Mira, luck?", []fakeopenai.Response{call("search_sessions", `{"query":"x"}`), say}, []bool{false}, "not allowed", true},
		{"rounds end with the tier's", "Mira, luck?", []fakeopenai.Response{call("roll", good), call("roll", good), say}, []bool{true, true}, "", false},
		{"a call after the last round", "Mira, luck?", []fakeopenai.Response{call("roll", good), call("roll", good), {Pieces: []string{"So be it."}, Calls: []fakeopenai.Call{{Name: "roll", Arguments: good}}}}, []bool{true, true}, "", false},
	}
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && i%2 > 0 {
				t.Skip("each is a play; make test-all runs them all")
			}
			h, server := newModelProgram(t, fakeopenai.Sequence(row.script...))
			tn := h.play(row.line).only("delivered")
			var ok []bool
			for _, f := range tn.of("tool.finished") {
				ok = append(ok, f.OK)
				if !f.OK && !strings.Contains(f.Error, row.reason) {
					t.Errorf("%s failed with %q, want %q", f.Tool, f.Error, row.reason)
				}
			}
			if !slices.Equal(ok, row.ok) || tn.ended.Text != "So be it." {
				t.Errorf("calls ended %v, then %q; want %v, then the answer", ok, tn.ended.Text, row.ok)
			}
			asked := server.ChatRequests()
			if len(asked) != len(row.script) {
				t.Fatalf("the model was asked %d times, want %d", len(asked), len(row.script))
			}
			if got := len(offered(asked[len(asked)-1])) > 0; got != row.lastOffers {
				t.Errorf("the last request offers tools: %v, want %v", got, row.lastOffers)
			}
		})
	}
}

// TestOnlyWordsAreSpoken covers model output that is not speech and must not be
// spoken.
func TestOnlyWordsAreSpoken(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name   string
		pieces []string
		want   string
	}{
		{"its own name in front", []string{"Mira", ": The fog lifts."}, "The fog lifts."},
		{"thoughts", []string{"<think>They look ", "rich.</think>The fog lifts."}, "The fog lifts."},
		{"markup and stage directions", []string{"*smiles* The **fog** ", "lifts."}, "The fog lifts."},
		{"invisible characters", []string{"The \u200bfog\u202e lifts.\x00"}, "The fog lifts."},
	}
	var script []fakeopenai.Response
	var lines []string
	for _, row := range rows {
		script, lines = append(script, fakeopenai.Say(row.pieces...)), append(lines, "Mira, what now?")
	}
	h, _ := newModelProgram(t, fakeopenai.Sequence(script...))
	for i, tn := range h.play(lines...).want(len(rows)) {
		t.Run(rows[i].name, func(t *testing.T) {
			if tn.ended.Outcome != "delivered" || tn.ended.Text != rows[i].want {
				t.Errorf("spoke %q, %s; want %q", tn.ended.Text, tn.ended.Outcome, rows[i].want)
			}
		})
	}
}

// TestCallsInTheText checks that a call that a model writes as text runs like
// any other, and that no part of it is spoken.
func TestCallsInTheText(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name   string
		pieces []string
		said   string
		ok     bool
	}{
		{"in tags", []string{"I shake the cup. ", "<tool_", `call>{"name":"roll","arguments":{"expression":"2d6"}}</tool_call>`, "A nine!"}, "I shake the cup. So be it.", true},
		{"as code", []string{"I shake the cup. ", `roll(expression="2d6")`}, "I shake the cup. So be it.", true},
		{"of a tool that it may not use", []string{`<tool_call>{"name":"summon","arguments":{}}</tool_call>`}, "So be it.", false},
	}
	var script []fakeopenai.Response
	var lines []string
	for _, row := range rows {
		script, lines = append(script, fakeopenai.Say(row.pieces...), fakeopenai.Say("So be it.")), append(lines, "Mira, luck?")
	}
	h, _ := newModelProgram(t, fakeopenai.Sequence(script...))
	for i, tn := range h.play(lines...).want(len(rows)) {
		t.Run(rows[i].name, func(t *testing.T) {
			if f := tn.of("tool.finished"); len(f) != 1 || f[0].OK != rows[i].ok {
				t.Errorf("tool.finished = %+v, want one that ends well: %v", f, rows[i].ok)
			}
			if tn.ended.Outcome != "delivered" || tn.ended.Text != rows[i].said {
				t.Errorf("spoke %q, %s; want %q", tn.ended.Text, tn.ended.Outcome, rows[i].said)
			}
		})
	}
}

// TestWritesWaitForTheTurn checks that a tool with side effects runs only after
// the answer was heard, and never if it was not heard.
func TestWritesWaitForTheTurn(t *testing.T) {
	t.Parallel()
	note := fakeopenai.CallTools(fakeopenai.Call{Name: "write_file", Arguments: `{"path":"notes/debts.txt","content":"Ada: 2 gold"}`})
	written := func(h *program) bool {
		_, err := os.Stat(h.path(".glyphoxa/files/notes/debts.txt"))
		return err == nil
	}
	t.Run("heard", func(t *testing.T) {
		t.Parallel()
		h, server := newModelProgram(t, fakeopenai.Sequence(note, fakeopenai.Say("It is noted.")))
		tn := h.play("Mira, write it down").only("delivered")
		if f := tn.of("tool.finished"); len(f) != 1 || !f[0].OK || !written(h) {
			t.Errorf("tool.finished = %+v, file there: %v; want it written", f, written(h))
		}
		if _, texts := results(server.ChatRequests()[1]); len(texts) != 1 || !strings.Contains(texts[0], "accepted") {
			t.Errorf("the model was told %q, want that it is accepted", texts)
		}
		if out := h.run("", "tools", "call", "read_file", `{"path":"notes/debts.txt"}`).ok(t).stdout; !strings.Contains(out, "Ada: 2 gold") {
			t.Errorf("read_file says %s, want the debt", out)
		}
	})
	t.Run("not heard", func(t *testing.T) {
		t.Parallel()
		h, _ := newModelProgram(t, fakeopenai.Sequence(note, fakeopenai.Fail(400, "no"), fakeopenai.Fail(400, "no")))
		h.write("glyphoxa.yaml", withoutLines(t, h))
		tn := h.play("Mira, write it down").only("failed")
		if f := tn.of("tool.finished"); len(f) != 1 || f[0].OK || written(h) {
			t.Errorf("tool.finished = %+v, file there: %v; want nothing done", f, written(h))
		}
	})
}

// withoutLines is the house's configuration without stock phrases, so that a
// failed turn is silent.
func withoutLines(t testing.TB, h *program) string {
	t.Helper()
	content, err := os.ReadFile(h.path("glyphoxa.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(content), "    lines:\n")
	_, after, ok2 := strings.Cut(rest, "\n")
	if !ok || !ok2 {
		t.Fatal("model.yaml has no lines to leave out")
	}
	return before + after
}
