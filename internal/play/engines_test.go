package play

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// speaker is an engine and a model that says its own name.
type speaker string

func (s speaker) Name() string { return string(s) }

func (s speaker) Answer(context.Context, engine.Request) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) { yield(engine.Sentence{Text: string(s)}, nil) }
}

func (s speaker) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) { yield(llm.Chunk{Text: string(s)}, nil) }
}

// named returns a configured model that says a sentence.
func named(sentence string) config.ProviderChain {
	return config.ProviderChain{Provider: config.Provider{Name: "openai", Model: sentence}}
}

// newEngines returns engines whose models say their names.
func newEngines(made *[]string) *engines {
	e := &engines{cascaded: speaker("Cascaded."), llm: named("Usual.")}
	e.model = func(c config.ProviderChain, setting string) (llm.Provider, bool, error) {
		*made = append(*made, setting+" "+c.Model)
		if c.Model == "broken" {
			return nil, false, errors.New("no such model")
		}
		return speaker(c.Model), c.Name == "offline", nil
	}
	return e
}

// answer returns an NPC's answer, with notices in brackets.
func answer(t *testing.T, e *engines, npc config.NPC, late bool) string {
	t.Helper()
	host := mcphost.New()
	defer func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	}()
	var said []string
	for ev, err := range e.Answer(t.Context(), engine.Request{NPC: npc, FirstSoundLate: late, Tools: host.Toolset(mcphost.ToolsetOptions{})}) {
		if err != nil {
			t.Fatal(err)
		}
		switch ev := ev.(type) {
		case engine.Sentence:
			said = append(said, ev.Text)
		case engine.Notice:
			said = append(said, "["+ev.Text+"]")
		}
	}
	return strings.Join(said, " ")
}

func TestEachNPCAnswersWithItsEngine(t *testing.T) {
	quick := config.Cascade{Opener: named("Quick.")}
	with := func(engine string, c config.Cascade, mode string) config.NPC {
		c.Mode = mode
		return config.NPC{Name: "Mira", Engine: engine, Cascade: c}
	}
	for _, row := range []struct {
		name string
		npc  config.NPC
		late bool
		want string
	}{
		{"cascaded", with(config.EngineCascaded, quick, ""), true, "Cascaded."},
		{"sentence_cascade", with(config.EngineSentenceCascade, quick, ""), false, "Quick. Usual."},
		{"off", with(config.EngineSentenceCascade, quick, config.CascadeOff), true, "Cascaded."},
		{"auto_in_time", with(config.EngineCascaded, quick, config.CascadeAuto), false, "Cascaded."},
		{"auto_late", with(config.EngineCascaded, quick, config.CascadeAuto), true, "Quick. Usual."},
		{"always", with(config.EngineCascaded, quick, config.CascadeAlways), false, "Quick. Usual."},
		{"its_own_continuation", with(config.EngineSentenceCascade, config.Cascade{Opener: named("Quick."), Continuation: named("Strong.")}, ""), false, "Quick. Strong."},
		{"nothing_configured", with(config.EngineSentenceCascade, config.Cascade{}, ""), false, "Usual."}, // a repetition of the opener is not said
		{"scripted_opener", with(config.EngineSentenceCascade, config.Cascade{Opener: config.ProviderChain{Provider: config.Provider{Name: "offline"}}}, ""), false, "Usual."},
		{"no_speech_to_speech_model", with(config.EngineS2S, quick, config.CascadeAlways), true, "Cascaded."},
	} {
		t.Run(row.name, func(t *testing.T) {
			var made []string
			e := newEngines(&made)
			if err := e.prepareEngines([]config.NPC{row.npc}); err != nil {
				t.Fatal(err)
			}
			prepared := len(made)
			if got := answer(t, e, row.npc, row.late); got != row.want {
				t.Errorf("it says %q, want %q", got, row.want)
			}
			if len(made) != prepared {
				t.Errorf("models were made in the middle of a turn: %q", made[prepared:])
			}
		})
	}
}

func TestNPCsShareTheModelsOfACascade(t *testing.T) {
	var made []string
	e := newEngines(&made)
	c := config.Cascade{Mode: config.CascadeAlways, Opener: named("Quick.")}
	if err := e.prepareEngines([]config.NPC{{Name: "Mira", Cascade: c}, {Name: "Bartok", Cascade: c}}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"cascade.continuation Usual.", "cascade.opener Quick."}; !slices.Equal(made, want) {
		t.Errorf("models made: %q, want %q", made, want)
	}
}

func TestCascadeThatCannotBeMade(t *testing.T) {
	var made []string
	e := newEngines(&made)
	npc := config.NPC{Name: "Mira", Engine: config.EngineSentenceCascade, Cascade: config.Cascade{Opener: named("broken")}}
	if got := answer(t, e, npc, false); got != "[Mira answers without a quick first sentence: no such model] Cascaded." {
		t.Errorf("it says %q", got)
	}
	if got := answer(t, e, npc, false); got != "Cascaded." {
		t.Errorf("the second time it says %q", got)
	}
	if err := newEngines(&made).prepareEngines([]config.NPC{npc}); err == nil {
		t.Error("a session begins with a model that cannot be made")
	}
}

// TestWhoJudges: the fast model of the cascade judges, otherwise the model that answers. With
// prepared lines there is no judge.
func TestWhoJudges(t *testing.T) {
	scripted := config.ProviderChain{Provider: config.Provider{Name: "offline", Model: "Scripted."}}
	for _, row := range []struct {
		name        string
		mode        string
		opener, llm config.ProviderChain
		want        []string // models created, in order
		judges      bool
	}{
		{"the usual model", config.JudgeAuto, config.ProviderChain{}, named("Usual."), []string{"providers.llm Usual."}, true},
		{"the fast model", config.JudgeAuto, named("Quick."), named("Usual."), []string{"cascade.opener Quick."}, true},
		{"a scripted opener", config.JudgeAuto, scripted, named("Usual."), []string{"cascade.opener Scripted.", "providers.llm Usual."}, true},
		{"scripted", config.JudgeAuto, config.ProviderChain{}, scripted, []string{"providers.llm Scripted."}, false},
		{"off", config.JudgeOff, named("Quick."), named("Usual."), nil, false},
	} {
		var made []string
		g := &Game{Config: config.Default()}
		g.Config.Table.Judge, g.Config.Cascade.Opener, g.Config.Providers.LLM = row.mode, row.opener, row.llm
		j, err := g.judge(newEngines(&made))
		if err != nil || (j != nil) != row.judges || !slices.Equal(made, row.want) {
			t.Errorf("%s: %v, %v, made %q; want %v of %q", row.name, j, err, made, row.judges, row.want)
		}
	}
}
