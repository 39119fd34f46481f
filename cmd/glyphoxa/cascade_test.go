package main_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

// TestCascade runs the real program with a fast model that opens answers and a
// strong one that continues them, both at one server.
func TestCascade(t *testing.T) {
	t.Parallel()
	h, server := newModelProgram(t, func(r fakeopenai.Request) fakeopenai.Response {
		talk := strings.Contains(r.Chat.LastUser(), "evening")
		switch {
		case r.Chat.Model == "quick" && talk:
			return fakeopenai.Say("[DONE] A fine ", "evening to you.")
		case r.Chat.Model == "quick":
			return fakeopenai.Say("[MORE] The fer", "ry, you say. It le", "aves at noon.")
		case r.Chat.Model == "strong" && strings.Contains(r.Chat.LastUser(), "fail"):
			return fakeopenai.Response{Status: 500, Message: "overloaded"}
		}
		return fakeopenai.Say("The ferry, you say. ", "It leaves at dawn.")
	})
	const entry = "{name: openai, base_url: '${MODEL_URL}', api_key: '${MODEL_KEY}', model: "
	h.append("glyphoxa.yaml", "cascade:\n  mode: always\n  opener: "+entry+"quick}\n  continuation: "+entry+"strong}\n")
	tr := h.play("Mira, when does the ferry leave?", "Good evening, Mira.", "Mira, do you ever fail?")
	turns := tr.want(3)
	for i, want := range [][]string{
		{"The ferry, you say.", "It leaves at dawn."}, {"A fine evening to you."}, {"The ferry, you say.", "The river has not told me."},
	} {
		if got := turns[i].sentences(); !slices.Equal(got, want) || turns[i].ended.Outcome != "delivered" {
			t.Errorf("turn %d: %q, %s; want %q", i+1, got, turns[i].ended.Outcome, want)
		}
	}
	var asked []string
	for _, r := range server.ChatRequests() {
		asked = append(asked, r.Chat.Model)
		if opens := r.Chat.Model == "quick"; opens == (len(r.Chat.Tools) > 0) {
			t.Errorf("%s was offered %q", r.Chat.Model, offered(r))
		}
		if last := r.Chat.Messages[len(r.Chat.Messages)-2]; r.Chat.Model == "strong" && (last.Role != "assistant" || last.Text() != "The ferry, you say.") {
			t.Errorf("the strong model goes on after %s %q", last.Role, last.Text())
		}
	}
	if asked = slices.Compact(asked); !slices.Equal(asked, []string{"quick", "strong", "quick", "strong"}) {
		t.Errorf("the models were asked in the order %q", asked)
	}
	if got := tr.notices("warning"); len(got) != 1 || !strings.Contains(got[0], "Mira the Ferrywoman could not go on after the first sentence: ") {
		t.Errorf("warnings %q, want one about the strong model", got)
	}
}

func (h *program) append(file, text string) {
	h.t.Helper()
	before, err := os.ReadFile(h.path(file))
	if err == nil {
		err = os.WriteFile(h.path(file), append(before, text...), 0o600)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}
