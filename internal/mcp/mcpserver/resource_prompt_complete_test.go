package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func TestPromptComplete(t *testing.T) {
	book := mcpserver.NewPromptLibrary(newSources(t))
	for _, tc := range []struct {
		name, prompt, argument, prefix string
		want                           []string
	}{
		{"npc", "npc_persona", "npc", "jun", []string{"juniper"}},
		{"session", "session_recap", "session", "20261031", []string{"20261031-190000-beef"}},
		{"sessions_newest_first", "session_recap", "session", "", []string{"20261107-190000-cafe", "20261031-190000-beef"}},
		{"difficulty", "encounter_builder", "difficulty", "", []string{"easy", "medium", "hard", "deadly"}},
		{"difficulty_in_capitals", "encounter_builder", "difficulty", " HA", []string{"hard"}},
		{"level", "encounter_builder", "level", "2", []string{"2", "20"}},
		{"place", "encounter_builder", "place", "well", []string{"well"}},
		{"place_hidden", "encounter_builder", "place", "vault", nil},
		{"free_text", "rules_question", "question", "a", nil},
		{"no_such_argument", "npc_persona", "name", "a", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, more, err := book.Complete(t.Context(), promptView(memory.Anyone, promptEverything...), tc.prompt, tc.argument, tc.prefix)
			promptMust(t, "Complete", err)
			if diff := cmp.Diff(tc.want, got); diff != "" || more {
				t.Errorf("more %t; values (-want +got):\n%s", more, diff)
			}
		})
	}
	for _, name := range []string{"", "npc_persona"} {
		if _, _, err := book.Complete(t.Context(), promptView(memory.Anyone, "world.read"), name, "npc", ""); !errors.Is(err, mcpserver.ErrUnknownPrompt) {
			t.Errorf("Complete(%q) = %v, want ErrUnknown", name, err)
		}
	}
}

func TestRecapPicksASession(t *testing.T) {
	book, v := mcpserver.NewPromptLibrary(newSources(t)), promptView(memory.Anyone, promptEverything...)
	res, err := book.Get(t.Context(), v, "session_recap", map[string]string{"session": "20261107-190000-cafe"})
	promptMust(t, "Get", err)
	if got := render(t, res); !strings.Contains(got, "sessions/20261107-190000-cafe/transcript") {
		t.Errorf("got %s, want the session asked for", got)
	}
	src := newSources(t)
	src.Log = quiet{}
	_, err = mcpserver.NewPromptLibrary(src).Get(t.Context(), v, "session_recap", nil)
	if !errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), "no session yet") {
		t.Errorf("err = %v, want that there is no session yet", err)
	}
}

// quiet is a log without sessions.
type quiet struct{ evening }

func (quiet) Sessions(context.Context, int) ([]memory.Session, error) { return nil, nil }

// broken is a source that fails.
type broken struct{ err error }

func (b broken) Entity(context.Context, string, string) (memory.Entity, error) {
	return memory.Entity{}, b.err
}
func (b broken) FindEntities(context.Context, memory.EntityQuery) ([]memory.Entity, error) {
	return nil, b.err
}
func (b broken) Neighbours(context.Context, string, string, int) (memory.Neighbourhood, error) {
	return memory.Neighbourhood{}, b.err
}
func (b broken) Sessions(context.Context, int) ([]memory.Session, error) { return nil, b.err }
func (b broken) RecentFor(context.Context, string, string, int) ([]memory.Line, error) {
	return nil, b.err
}
func (b broken) Rules(context.Context) ([]mcpserver.RuleResource, error)          { return nil, b.err }
func (b broken) Rule(context.Context, string) (json.RawMessage, error)            { return nil, b.err }
func (b broken) Search(context.Context, string) ([]mcpserver.RuleResource, error) { return nil, b.err }

func TestFaultsAreNotTheCallers(t *testing.T) {
	fault := errors.New("disk on fire")
	src := newSources(t)
	src.Graph, src.Log, src.Rules = broken{fault}, broken{fault}, broken{fault}
	book := mcpserver.NewPromptLibrary(src)
	for name, args := range map[string]map[string]string{
		"npc_persona":       {"npc": "juniper"},
		"session_recap":     nil,
		"encounter_builder": {"level": "1", "party_size": "1", "place": "well"},
		"scene_description": nil,
		"rules_question":    {"question": "grappling"},
	} {
		_, err := book.Get(t.Context(), dm(), name, args)
		if !errors.Is(err, fault) || errors.Is(err, mcpserver.ErrUnknownPrompt) || errors.Is(err, mcp.ErrInvalidArguments) {
			t.Errorf("Get(%s) = %v, want the source's error", name, err)
		}
	}
}

func TestMissingSourcesOfferNoPrompt(t *testing.T) {
	src := newSources(t)
	src.Graph, src.Log, src.Rules, src.Scene = nil, nil, nil, nil
	book := mcpserver.NewPromptLibrary(src)
	var names []string
	for _, p := range book.List(dm()) {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"npc_persona"}, names); diff != "" {
		t.Errorf("prompts listed (-want +got):\n%s", diff)
	}
	if _, err := book.Get(t.Context(), dm(), "npc_persona", map[string]string{"npc": "juniper"}); err != nil {
		t.Errorf("Get = %v, want a persona without a world around it", err)
	}
}
