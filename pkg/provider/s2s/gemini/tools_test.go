package gemini_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakegemini"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// roll is an answer with one call, and speech before and after it.
func roll(id string) fakegemini.Turn {
	return fakegemini.Turn{Steps: []fakegemini.Step{
		fakegemini.Speak{Text: "Let me see."},
		fakegemini.CallTools{Calls: []fakegemini.Call{{ID: id, Name: "roll", Args: map[string]any{"expression": "1d20"}}}},
		fakegemini.Speak{Text: "Seventeen."},
	}}
}

var rolls = s2s.SessionOptions{Tools: []llm.ToolDefinition{tool("roll")}}

// responses returns the results in each message received.
func responses(t *testing.T, service *fakegemini.Server) [][]result {
	t.Helper()
	var all [][]result
	for _, body := range service.Of("toolResponse") {
		var m struct{ FunctionResponses []result }
		if err := json.Unmarshal(body, &m); err != nil {
			t.Fatal(err)
		}
		all = append(all, m.FunctionResponses)
	}
	return all
}

type result struct {
	ID, Name, Scheduling string
	Response             map[string]string
}

func (r result) String() string {
	return strings.TrimSpace(r.ID + " " + r.Name + " " + r.Response["output"] + r.Response["error"] + " " + r.Scheduling)
}

// sentResults returns the results sent, one line per message.
func sentResults(t *testing.T, service *fakegemini.Server) []string {
	t.Helper()
	var lines []string
	for _, message := range responses(t, service) {
		var line []string
		for _, r := range message {
			line = append(line, r.String())
		}
		lines = append(lines, strings.Join(line, ", "))
	}
	return lines
}

// TestToolCall covers an answer that continues after a result, for each kind of model.
func TestToolCall(t *testing.T) {
	for _, model := range []string{"", older, "gemini-live-2.5-flash-preview"} {
		t.Run(model, func(t *testing.T) {
			tk := connect(t, model, rolls, roll("7"), fakegemini.Say("What else?"))
			tk.say()
			check(t, "up to the call", []string{
				"started", "says 1.1 Let me see.", "sound 1.1", "item 1.1", `calls 7 roll {"expression":"1d20"}`, "done 1 completed",
			}, tk.until("done"))
			if len(tk.calls) != 1 || tk.calls[0].ID != "7" {
				t.Errorf("the handler got %+v", tk.calls)
			}
			tk.must(tk.session.SendToolResult(t.Context(), s2s.ToolResult{ID: "7", Name: "roll", Text: "it fell off the table", IsError: true}))
			check(t, "after it", []string{"says 1.2 Seventeen.", "sound 1.2", "item 1.2", "done 0 completed"}, tk.until("done"))
			tk.say()
			check(t, "the next turn", spoken(2, "What else?"), tk.until("done"))
			check(t, "the result", []string{"7 roll it fell off the table"}, sentResults(t, tk.service))
			if err := tk.session.SendToolResult(t.Context(), s2s.ToolResult{ID: "7", Name: "roll", Text: "17"}); err != nil {
				t.Errorf("a second result failed: %v", err)
			}
		})
	}
}

// TestParallelCalls checks that results of parallel calls are returned together, in any
// order of completion, and that sound in between is delivered.
func TestParallelCalls(t *testing.T) {
	tk := connect(t, "", rolls, fakegemini.Turn{Steps: []fakegemini.Step{
		fakegemini.CallTools{
			Calls:    []fakegemini.Call{{ID: "a", Name: "roll"}, {ID: "b", Name: "roll"}},
			Trailing: 40 * time.Millisecond,
		},
		fakegemini.Speak{Text: "Both."},
	}})
	tk.say()
	check(t, "the calls", []string{"started", "calls a roll {}", "calls b roll {}", "done 2 completed", "sound 1.1"}, tk.until("sound"))
	tk.answer("b", "2")
	tk.answer("a", "1")
	check(t, "the rest", []string{"says 1.1 Both.", "sound 1.1", "item 1.1", "done 0 completed"}, tk.until("done"))
	check(t, "the results", []string{"b roll 2, a roll 1"}, sentResults(t, tk.service))
}

// TestNoHandler checks that calls without a handler are refused.
func TestNoHandler(t *testing.T) {
	tk := connect(t, "", rolls, roll("7"))
	tk.session.OnToolCall(nil)
	tk.say()
	tk.until("done 0 completed")
	check(t, "the refusal", []string{"7 roll there are no tools now"}, sentResults(t, tk.service))
}

// TestSilentResults checks that an answer ends after results that need no reply.
func TestSilentResults(t *testing.T) {
	tk := connect(t, "", rolls, roll("7"), fakegemini.Say("Yes?"))
	tk.say()
	tk.until("done 1")
	tk.must(tk.session.SendToolResult(t.Context(), s2s.ToolResult{ID: "7", Name: "roll", Text: "17", Silent: true}))
	tk.service.Await(t, "toolResponse", 1)
	tk.say()
	check(t, "the next turn", spoken(2, "Yes?"), tk.until("done"))
	check(t, "the result", []string{"7 roll 17 SILENT"}, sentResults(t, tk.service))
}

// TestCallTakenBack has the service cancel calls: it receives no results for them.
func TestCallTakenBack(t *testing.T) {
	tk := connect(t, "", rolls, fakegemini.Turn{Steps: []fakegemini.Step{
		fakegemini.CallTools{Calls: []fakegemini.Call{{ID: "a", Name: "roll"}, {ID: "b", Name: "roll"}}, Cancel: []string{"b", "other"}},
		fakegemini.Speak{Text: "One will do."},
	}}, fakegemini.Turn{Steps: []fakegemini.Step{
		fakegemini.CallTools{Calls: []fakegemini.Call{{ID: "c", Name: "roll"}}, Cancel: []string{"c"}},
		fakegemini.Speak{Text: "None will do."},
	}}, fakegemini.Say("So be it."))
	tk.say()
	check(t, "the calls", []string{"started", "calls a roll {}", "calls b roll {}", "done 2 completed", "cancels b"}, tk.until("cancels"))
	tk.answer("b", "too late")
	tk.answer("a", "17")
	check(t, "the rest", []string{"says 1.1 One will do.", "sound 1.1", "item 1.1", "done 0 completed"}, tk.until("done"))
	tk.say()
	check(t, "an answer without its only call", []string{
		"started", "calls c roll {}", "done 1 completed", "cancels c", "says 2.1 None will do.", "sound 2.1", "item 2.1", "done 0 completed",
	}, tk.until("done 0"))
	tk.say()
	tk.until("done 0")
	check(t, "the result", []string{"a roll 17"}, sentResults(t, tk.service))
	if text := string(tk.service.Of("text")[0]); !strings.Contains(text, "What roll told too late: too late") {
		t.Errorf("the late result was told by %s", text)
	}
}

// TestHungTool has a player speak while a tool runs: the service must receive a result
// before the player's turn.
func TestHungTool(t *testing.T) {
	for _, model := range []string{"", older} {
		for _, interrupted := range []bool{true, false} {
			t.Run(model, func(t *testing.T) {
				tk := connect(t, model, rolls, roll("7"), fakegemini.Say("Yes?"), fakegemini.Say("Ah."))
				tk.say()
				tk.until("done 1")
				if interrupted {
					tk.interrupt(0)
				}
				tk.say()
				check(t, "the next turn", append([]string{"done 0 cancelled"}, spoken(2, "Yes?")...), append(tk.until("done 0 cancelled"), tk.until("done 0 completed")...))
				kinds := tk.service.Kinds(0)
				check(t, "what was sent", []string{"setup", "activityStart", "audio", "activityEnd", "toolResponse", "activityStart"}, kinds[:6])
				tk.answer("7", "17")
				tk.say()
				check(t, "the turn after it", spoken(3, "Ah."), tk.until("done"))
				if got := sentResults(t, tk.service); len(got) != 1 || !strings.HasPrefix(got[0], "7 roll the player spoke before there was a result") {
					t.Errorf("the results were %q", got)
				}
				texts := tk.service.Of("text")
				if text := string(texts[len(texts)-1]); !strings.Contains(text, "What roll told too late: 17") {
					t.Errorf("the late result was told by %s", text)
				}
			})
		}
	}
}

// TestInterruptedCalls covers results between an interruption and the player's next turn:
// they are sent at once, without a spoken reply.
func TestInterruptedCalls(t *testing.T) {
	tk := connect(t, "", rolls, fakegemini.Turn{Steps: []fakegemini.Step{
		fakegemini.CallTools{Calls: []fakegemini.Call{{ID: "a", Name: "roll"}, {ID: "b", Name: "roll"}}},
		fakegemini.Speak{Text: "Nobody hears this."},
	}}, fakegemini.Say("Yes?"))
	tk.say()
	tk.until("done 2")
	tk.answer("a", "1")
	tk.interrupt(0)
	tk.answer("b", "2")
	tk.service.Await(t, "toolResponse", 2)
	tk.say()
	check(t, "the next turn", append([]string{"done 0 cancelled"}, spoken(2, "Yes?")...), append(tk.until("done 0 cancelled"), tk.until("done 0 completed")...))
	check(t, "the results", []string{"a roll 1 SILENT", "b roll 2 SILENT"}, sentResults(t, tk.service))
}

// TestChangeOfTools replaces and removes a session's tools, for models that support it.
func TestChangeOfTools(t *testing.T) {
	call := func(id, name string) fakegemini.Turn {
		return fakegemini.Turn{Steps: []fakegemini.Step{fakegemini.CallTools{Calls: []fakegemini.Call{{ID: id, Name: name}}}, fakegemini.Speak{Text: "So."}}}
	}
	tk := connect(t, "", rolls, call("1", "roll"), call("2", "look_up"))
	for i, name := range []string{"roll", "look_up"} {
		if i > 0 {
			tk.must(tk.session.SetTools(t.Context(), []llm.ToolDefinition{tool(name)}))
		}
		tk.say()
		tk.until("done 1")
		tk.answer(tk.calls[i].ID, "17")
		tk.until("done 0 completed")
	}
	tk.must(tk.session.SetTools(t.Context(), nil))
	updates := tk.service.Await(t, "contextUpdate", 2)
	want := `{"tools":{"tools":[{"functionDeclarations":[{"behavior":"BLOCKING","description":"Does it.","name":"look_up","parametersJsonSchema":{"type":"object"}}]}]}}`
	if got := string(updates[0]); got != want {
		t.Errorf("tools were changed by %s, want %s", got, want)
	}
	if got := string(updates[1]); got != `{"tools":{}}` {
		t.Errorf("tools were taken away by %s", got)
	}
	other := connect(t, older, rolls)
	if err := other.session.SetTools(t.Context(), nil); !errors.Is(err, s2s.ErrUnsupported) {
		t.Errorf("SetTools of an older model = %v, want ErrUnsupported", err)
	}
}

// TestToolsThatDoNotBlock covers a model with only non-blocking calls: speech before the
// results does not end the answer.
func TestToolsThatDoNotBlock(t *testing.T) {
	tk := connect(t, "gemini-3.8-live-extended-thinking", rolls, fakegemini.Turn{Steps: []fakegemini.Step{
		fakegemini.CallTools{Calls: []fakegemini.Call{{ID: "7", Name: "roll"}}, NoWait: true}, fakegemini.Speak{Text: "One moment."},
	}}, fakegemini.Say("Seventeen."), fakegemini.Say("What else?"))
	tk.say()
	check(t, "up to the call", []string{"started", "calls 7 roll {}", "done 1 completed"}, tk.until("done"))
	check(t, "meanwhile", []string{"says 1.1 One moment.", "sound 1.1"}, tk.until("sound"))
	tk.answer("7", "17")
	check(t, "after it", []string{"says 1.1 Seventeen.", "sound 1.1", "item 1.1", "done 0 completed"}, tk.until("done"))
	tk.say()
	check(t, "the next turn", spoken(2, "What else?"), tk.until("done"))
	check(t, "the result", []string{"7 roll 17 WHEN_IDLE"}, sentResults(t, tk.service))
	if setup := string(tk.service.Of("setup")[0]); !strings.Contains(setup, `"behavior":"NON_BLOCKING"`) {
		t.Errorf("the tools were declared by %s", setup)
	}
}
