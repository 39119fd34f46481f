package mcpserver_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// profiles are views as they come.
func profiles() map[string]mcpserver.LibraryView {
	return map[string]mcpserver.LibraryView{
		"zero":      {},
		"player":    promptView(memory.Anyone, promptEverything...),
		"npc_agent": promptView("bartok-the-barkeep", promptEverything...),
		"builder":   promptView("", promptEverything...),
		"only_npcs": promptView(memory.Anyone, "npc.read"),
		"dm":        dm(),
	}
}

func TestSecretsAreForTheDM(t *testing.T) {
	src := newSources(t)
	book := mcpserver.NewPromptLibrary(src)
	for name, v := range profiles() {
		t.Run(name, func(t *testing.T) {
			for _, npc := range src.NPCs {
				res, err := book.Get(t.Context(), v, "npc_persona", map[string]string{"npc": npc.ID})
				if errors.Is(err, mcpserver.ErrUnknownPrompt) && name == "zero" {
					continue
				}
				promptMust(t, npc.ID, err)
				text := render(t, res)
				for _, secret := range npc.Secrets() {
					if got, want := strings.Contains(text, secret), name == "dm"; got != want {
						t.Errorf("%s shows %q: %t, want %t", npc.ID, secret, got, want)
					}
				}
				if npc.Voice.ID != "" && strings.Contains(text, npc.Voice.ID) {
					t.Errorf("%s shows the voice's id", npc.ID)
				}
			}
		})
	}
}

// wishes are prompts with arguments that reach for what is hidden.
var wishes = []struct {
	prompt string
	args   map[string]string
}{
	{"npc_persona", map[string]string{"npc": "juniper"}},
	{"npc_persona", map[string]string{"npc": "bartok-the-barkeep"}},
	{"encounter_builder", map[string]string{"level": "1", "party_size": "1", "place": "well"}},
	{"encounter_builder", map[string]string{"level": "1", "party_size": "1", "place": promptSecretID}},
	{"encounter_builder", map[string]string{"level": "1", "party_size": "1", "place": promptSecretName}},
	{"encounter_builder", map[string]string{"level": "1", "party_size": "1"}},
	{"scene_description", map[string]string{"focus": "the well"}},
	{"scene_description", map[string]string{"focus": "juniper"}},
	{"scene_description", nil},
	{"session_recap", nil},
	{"rules_question", map[string]string{"question": "vault"}},
}

func TestHiddenEntitiesAreInNoPrompt(t *testing.T) {
	book := mcpserver.NewPromptLibrary(newSources(t))
	for name, v := range profiles() {
		if v.Viewer == "" && v.May != nil {
			continue // sees all
		}
		t.Run(name, func(t *testing.T) {
			for _, w := range wishes {
				var text string
				res, err := book.Get(t.Context(), v, w.prompt, w.args)
				switch {
				case err == nil:
					text = render(t, res)
				case errors.Is(err, mcpserver.ErrUnknownPrompt), errors.Is(err, mcp.ErrInvalidArguments):
					continue // says back what was asked, and no more
				default:
					t.Fatalf("Get(%s) = %v", w.prompt, err)
				}
				for _, s := range []string{promptSecretName, promptSecretNote, promptSecretID} {
					if strings.Contains(text, s) {
						t.Errorf("%s %v shows %q", w.prompt, w.args, s)
					}
				}
			}
		})
	}
}

// TestArgumentsStayQuoted checks that no line of what a client writes stands
// in a prompt without its mark.
func TestArgumentsStayQuoted(t *testing.T) {
	book := mcpserver.NewPromptLibrary(newSources(t))
	plain := func(t *rapid.T, name string, args map[string]string) []string {
		res, err := book.Get(t.Context(), promptView(memory.Anyone, promptEverything...), name, args)
		if err != nil {
			t.Fatalf("Get: %v", err)
		}
		var out []string
		rendered := render(t, res)
		_, own, _ := strings.Cut(rendered[strings.LastIndex(rendered, "\n--- user"):], "user\n")
		for line := range strings.SplitSeq(own, "\n") {
			if !strings.HasPrefix(line, "> ") {
				out = append(out, line)
			}
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		text := "x" + rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\n\r\t\v\f>-\u0085\u2028\u2029")))).Draw(t, "text")
		want := plain(t, "scene_description", map[string]string{"mood": "calm"})
		got := plain(t, "scene_description", map[string]string{"mood": text})
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("mood %q changes the prompt's own words to %q", text, got)
		}
	})
}

func FuzzGet(f *testing.F) {
	book := mcpserver.NewPromptLibrary(newSources(f))
	for _, w := range wishes {
		for k, v := range w.args {
			f.Add(w.prompt, k, v)
		}
	}
	f.Add("", "", "")
	f.Add("npc_persona", "npc", "\x00\xff")
	f.Add("session_recap", "session", "20261031-190000-beef")
	f.Add("session_recap", "session", "x/transcript")
	f.Fuzz(func(t *testing.T, name, key, value string) {
		args := map[string]string{key: value}
		if name == "encounter_builder" {
			args["level"], args["party_size"] = "1", "1"
			args[key] = value
		}
		v := promptView("bartok-the-barkeep", promptEverything...)
		res, err := book.Get(t.Context(), v, name, args)
		if err != nil {
			if !errors.Is(err, mcpserver.ErrUnknownPrompt) && !errors.Is(err, mcp.ErrInvalidArguments) || len(err.Error()) > 3000 {
				t.Errorf("Get(%q, %q) = %v", name, args, err)
			}
			return
		}
		text := render(t, res)
		for _, s := range []string{promptSecretNote, "She found the bell's clapper"} {
			if strings.Contains(text, s) {
				t.Errorf("Get(%q, %q) shows %q", name, args, s)
			}
		}
		if strings.Contains(text, promptSecretName) && !strings.Contains(value, promptSecretName) {
			t.Errorf("Get(%q, %q) shows %q", name, args, promptSecretName)
		}
	})
}
