package openai

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// TestMessagesFit converts one conversation for endpoints that accept different messages. A row lists the roles
// and the beginnings of the contents; calls are listed by their IDs.
func TestMessagesFit(t *testing.T) {
	say := func(role llm.Role, text string) llm.Message { return llm.Message{Role: role, Content: text} }
	conversation := []llm.Message{
		say(llm.RoleSystem, "persona"), say(llm.RoleSystem, "manners"),
		say(llm.RoleUser, "hail"), say(llm.RoleAssistant, "well met"),
		say(llm.RoleSystem, "facts"), say(llm.RoleUser, "roll!"),
		{Role: llm.RoleAssistant, Content: "wait", ToolCalls: []llm.ToolCall{{ID: "call_1", Name: "roll", Arguments: "{}"}, {ID: "call_2", Name: "look"}}},
		{Role: llm.RoleTool, ToolCallID: "call_1", Name: "roll", Content: "9"}, {Role: llm.RoleTool, ToolCallID: "call_2", Name: "look", Content: "dark"},
		say(llm.RoleSystem, "go on"),
	}
	const notes, end, results, resultsOver = noteBegins + "\n", "\n" + noteEnds, resultsBegin + "\n", "\n" + resultsEnd
	talk := []string{"user: hail", "assistant: well met"}
	round := []string{"assistant call_1 call_2: wait", "tool call_1: 9", "tool call_2: dark"}
	tests := []struct {
		name  string
		terms terms
		want  []string
	}{
		{"anything", terms{}, append(append([]string{"system: persona", "system: manners"}, talk...),
			append(append([]string{"system: facts", "user: roll!"}, round...), "system: go on")...)},
		{"system messages first", terms{system: SystemFirst}, append(append([]string{"system: persona", "system: manners"}, talk...),
			append(append([]string{"user: " + notes + "facts" + end + "\n\nroll!"}, round...), "user: "+notes+"go on"+end)...)},
		{"one system message", terms{system: SystemOne}, append(append([]string{"system: persona\n\nmanners"}, talk...),
			append(append([]string{"user: " + notes + "facts" + end + "\n\nroll!"}, round...), "user: "+notes+"go on"+end)...)},
		{"no system message", terms{system: SystemNone}, append([]string{"user: " + notes + "persona\n\nmanners" + end + "\n\nhail", "assistant: well met"},
			append(append([]string{"user: " + notes + "facts" + end + "\n\nroll!"}, round...), "user: "+notes+"go on"+end)...)},
		{"no message after a result", terms{system: SystemOne, noNoteAfter: true}, append(append([]string{"system: persona\n\nmanners"}, talk...),
			"user: "+notes+"facts"+end+"\n\nroll!", round[0], round[1], round[2]+"\n\n"+notes+"go on"+end)},
		{"alternation", terms{system: SystemOne, alternate: true}, append(append([]string{"system: persona\n\nmanners"}, talk...),
			"user: "+notes+"facts"+end+"\n\nroll!", round[0], round[1], round[2]+"\n\n"+notes+"go on"+end)},
		{"alternation without tools", terms{system: SystemOne, alternate: true, noTools: true}, append(append([]string{"system: persona\n\nmanners"}, talk...),
			"user: "+notes+"facts"+end+"\n\nroll!", "assistant: wait",
			"user: "+results+"- roll {}: 9\n- look {}: dark"+resultsOver+"\n\n"+notes+"go on"+end)},
		{"one call per message", terms{singleCalls: true}, append(append([]string{"system: persona", "system: manners"}, talk...),
			"system: facts", "user: roll!", "assistant call_1: wait", "tool call_1: 9", "assistant call_2: ", "tool call_2: dark", "system: go on")},
		{"no text beside calls", terms{onlyCalls: true}, append(append([]string{"system: persona", "system: manners"}, talk...),
			"system: facts", "user: roll!", "assistant call_1 call_2: ", round[1], round[2], "system: go on")},
	}
	p, err := New(Options{BaseURL: "http://127.0.0.1:1/v1", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range p.messages(conversation, &tt.terms, &offer{}) {
				s := m.role
				for _, c := range m.calls {
					s += " " + c.id
				}
				if m.callID != "" {
					s += " " + m.callID
				}
				got = append(got, s+": "+m.content)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTheBeginningStaysTheSame converts two turns in a row. A vendor can cache the beginning of the second
// conversation, because it is the first one up to the last line.
func TestTheBeginningStaysTheSame(t *testing.T) {
	p, err := New(Options{BaseURL: "http://127.0.0.1:1/v1", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	history := []llm.Message{{Role: llm.RoleSystem, Content: "persona"}, {Role: llm.RoleUser, Content: "hail"}, {Role: llm.RoleAssistant, Content: "well met"}}
	turn := func(facts, line string) []message {
		return p.messages(append(history[:len(history):len(history)], llm.Message{Role: llm.RoleSystem, Content: facts}, llm.Message{Role: llm.RoleUser, Content: line}),
			&terms{system: SystemOne, alternate: true}, &offer{})
	}
	first := turn("it rains", "who are you?")
	history = append(history, llm.Message{Role: llm.RoleUser, Content: "who are you?"}, llm.Message{Role: llm.RoleAssistant, Content: "Mira"})
	second := turn("it snows", "and he?")
	for i := range history[:3] {
		if first[i].content != second[i].content || strings.Contains(first[i].content, "rain") {
			t.Errorf("message %d changed from %q to %q", i, first[i].content, second[i].content)
		}
	}
}
