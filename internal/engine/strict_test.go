package engine

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
)

// strictModel is a model behind a service that accepts only some requests. It rolls dice with the tool when it
// is asked to, invents a roll when it is asked to cheat, and otherwise answers.
type strictModel struct {
	refuse  func(strictRequest) string
	refused int
}

type strictRequest struct {
	Messages []struct {
		Role      string          `json:"role"`
		Content   string          `json:"content"`
		Reasoning json.RawMessage `json:"reasoning_content"`
		ToolCalls []struct {
			ID string `json:"id"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools         json.RawMessage `json:"tools"`
	StreamOptions json.RawMessage `json:"stream_options"`
}

// roles returns the roles of the messages that are no part of a tool round.
func (r strictRequest) roles() (all []string) {
	for _, m := range r.Messages {
		if m.Role != "tool" && len(m.ToolCalls) == 0 {
			all = append(all, m.Role)
		}
	}
	return all
}

func (s *strictModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var req strictRequest
	_ = json.Unmarshal(raw, &req)
	if why := s.refuse(req); why != "" {
		s.refused++
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": why, "type": "invalid_request_error"}})
		return
	}
	delta := `{"content":"The bridge is out."}`
	said, result := "", false
	for _, m := range req.Messages {
		said += m.Content + "\n"
		result = result || m.Role == "tool" || strings.Contains(m.Content, "What your tools returned")
	}
	switch {
	case result && strings.Contains(said, "You named the result"):
		delta = `{"content":"Now it is real."}`
	case result:
		delta = `{"content":"The bones have fallen."}`
	case strings.Contains(said, "cheat"):
		delta = `{"reasoning_content":"I make it up.","content":"My roll is a six."}`
	case strings.Contains(said, "dice") && req.Tools != nil:
		delta = `{"reasoning_content":"They want dice.","tool_calls":[{"index":0,"id":"call_abc","function":{"name":"roll","arguments":"{\"expression\":\"2d6\"}"}}]}`
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", delta)
}

// TestStrictServices plays a turn, a turn with a tool, and a turn that is asked again because a roll was invented
// against services that accept different requests. Each time the NPC answers, and what a service taught in one
// turn holds in the next.
func TestStrictServices(t *testing.T) {
	for _, service := range []struct {
		name   string
		refuse func(strictRequest) string
		// refused is how many requests of the three turns the service refuses.
		refused int
		noTools bool
	}{
		{"one system message", func(r strictRequest) string {
			if slices.Contains(r.roles()[1:], "system") {
				return "System message must be at the beginning."
			}
			return ""
		}, 1, false},
		{"no system message", func(r strictRequest) string {
			if slices.Contains(r.roles(), "system") {
				return "System role not supported"
			}
			return ""
		}, 1, false},
		{"alternation", func(r strictRequest) string {
			roles := r.roles()
			if roles[0] == "system" {
				roles = roles[1:]
			}
			for i, role := range roles {
				if want := []string{"user", "assistant"}[i%2]; role != want {
					return "Conversation roles must alternate user/assistant/user/assistant/..."
				}
			}
			return ""
		}, 1, false},
		{"no tools", func(r strictRequest) string {
			if r.Tools != nil || len(r.roles()) < len(r.Messages) {
				return "this model does not support tools"
			}
			return ""
		}, 1, true},
		{"no stream options", func(r strictRequest) string {
			if r.StreamOptions != nil {
				return "Unrecognized request argument supplied: stream_options"
			}
			return ""
		}, 1, false},
		{"reasoning returned", func(r strictRequest) string {
			for _, m := range r.Messages {
				if len(m.ToolCalls) > 0 && m.Reasoning == nil {
					return "thinking is enabled but reasoning_content is missing in an assistant message with tool calls"
				}
			}
			return ""
		}, 1, false}, // the roll that the program makes has no reasoning
	} {
		t.Run(service.name, func(t *testing.T) {
			s := &strictModel{refuse: service.refuse}
			server := httptest.NewServer(s)
			defer server.Close()
			p, err := openai.New(openai.Options{BaseURL: server.URL, Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			e := NewGuarded(NewCascaded(p, nil), nil)
			e.newJudge = func(*guard.Card, guard.TurnOptions) judge { return &words{} }
			h := newHost(t)
			for _, turn := range []struct{ name, line, want, without string }{
				{"a turn", "Is the bridge out?", "The bridge is out.", "The bridge is out."},
				{"a turn with a tool", "Throw the dice!", "The bones have fallen.", "The bridge is out."},
				{"a turn that is asked again", "Throw them and cheat!", "Now it is real.", "Now it is real."},
			} {
				req := requestOf(h, "roll")
				req.ModelTimeout = time.Minute
				req.Messages = []llm.Message{
					{Role: llm.RoleSystem, Content: "You are Mira."},
					{Role: llm.RoleUser, Name: "Ben", Content: "Hail!"}, {Role: llm.RoleAssistant, Content: "Well met."},
					{Role: llm.RoleSystem, Content: "It rains."}, {Role: llm.RoleUser, Name: "Ben", Content: turn.line},
				}
				var said []string
				for ev, err := range e.Answer(t.Context(), req) {
					if err != nil {
						t.Fatalf("%s: %v", turn.name, err)
					}
					if sentence, ok := ev.(Sentence); ok {
						said = append(said, sentence.Text)
					}
				}
				want := turn.want
				if service.noTools {
					want = turn.without
				}
				if got := strings.Join(said, " "); got != want {
					t.Errorf("%s: said %q, want %q", turn.name, got, want)
				}
			}
			if s.refused != service.refused {
				t.Errorf("%d requests were refused, want %d", s.refused, service.refused)
			}
		})
	}
}
