package table_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/engine/s2s"
	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	provider "github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// speechMoods decide how a speech-to-speech model answers, and record the prompts of its
// sessions.
type speechMoods struct {
	able    provider.Capabilities
	resumes bool

	mu    sync.Mutex // guards the fields below
	moods []int
	next  int
	given map[int][]string // texts by session
	begun []begun
}

// voiced returns a text in Mira's voice, as fast as it comes.
func voiced(text string) []s2stest.Step {
	sound := slices.Repeat([]int16{1000}, audio.SampleRate*len(text)/15)
	return append(s2stest.After(200*ms, s2stest.Say("item", text, sound, audio.SampleRate, 4)), s2stest.Done("item"))
}

func (m *speechMoods) answer(turn s2stest.Turn) s2stest.Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	mood := m.moods[m.next%len(m.moods)]
	m.next++
	if turn.Round == 0 {
		m.given[turn.Session] = append(m.given[turn.Session], turn.Response.Text)
		prompt := append([]string{turn.Options.Instructions, turn.Response.Context}, m.given[turn.Session]...)
		for _, k := range turn.Known {
			prompt = append(prompt, k.Content)
		}
		m.begun = append(m.begun, begun{time.Now(), strings.Join(prompt, "\n")})
	}
	said := voiced("Aye, nine it is. And now the river rises, as it does each spring.")
	switch {
	case mood == 1 && turn.Round == 0 && len(turn.Tools) > 0:
		return s2stest.Answer{Steps: append(voiced("Let me look."), s2stest.Calls(llm.ToolCall{Name: turn.Tools[0].Name, Arguments: `{"x":"a"}`})...)}
	case mood == 2 && turn.Round == 0 && len(turn.Tools) > 0:
		return s2stest.Answer{Steps: s2stest.Calls(llm.ToolCall{Name: "write", Arguments: `{"x":"y"}`})}
	case mood == 3:
		return s2stest.Answer{Steps: append(said[:len(said)/2], s2stest.Step{After: 100 * ms, Ends: provider.ErrUnavailable})}
	case mood == 4:
		return s2stest.Answer{Steps: s2stest.After(2*time.Second, said)}
	case mood == 5:
		return s2stest.Answer{Hangs: true, Steps: said[:len(said)/3]}
	case mood == 6:
		return s2stest.Answer{Steps: said[:len(said)/2], Status: "failed", Err: provider.ErrRateLimited}
	case mood == 7:
		return s2stest.Answer{}
	case mood == 8:
		return s2stest.Answer{Steps: said, Late: said[:5]}
	case mood == 10 && turn.Round == 0: // not possible if the line named Mira
		return s2stest.Answer{Steps: s2stest.Calls(llm.ToolCall{Name: "stay_silent", Arguments: "{}"})}
	case mood == 11 && strings.Contains(turn.Response.Context, "stay_silent"):
		return s2stest.Answer{Steps: voiced("[silent]")}
	}
	return s2stest.Answer{Steps: said}
}

// TestRandomTablesWithOwnVoices is TestRandomTables with an NPC whose engine has its own voice.
func TestRandomTablesWithOwnVoices(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		acts := drawActs(rt)
		m := drawMoods(rt)
		m.voices = []int{0} // the other engine's answers sound normal
		v := &speechMoods{
			moods: rapid.SliceOfN(rapid.IntRange(0, 12), 4, 12).Draw(rt, "answers"), resumes: rapid.Bool().Draw(rt, "resumes"),
			given: map[int][]string{},
			able: provider.Capabilities{
				InputRate: audio.SampleRate, OutputRate: audio.SampleRate, Clears: true, Truncates: true, Typed: true, EndsTurns: true,
				ToolChange: rapid.SampledFrom([]provider.ToolChange{provider.ToolsByUpdate, provider.ToolsByNewSession}).Draw(rt, "tools"),
			},
		}
		v.able.ManualTurns = rapid.Bool().Draw(rt, "manual")
		manner := config.Interruptibility{Style: config.StyleYields, Confirm: config.Duration(250 * ms), Resumes: rapid.Bool().Draw(rt, "resumes")}
		var faults []string
		synctest.Test(t, func(t *testing.T) { faults = randomTable(t, acts, m, manner, v) })
		if len(faults) > 0 {
			rt.Fatalf("%s\nacts: %+v", strings.Join(faults, "\n"), acts)
		}
	})
}

// speakItself gives Mira an engine with its own voice. The result returns violations of the
// contract of sessions.
func (m *speechMoods) speakItself(set *setting) (violations func() []string) {
	p := s2stest.New(s2stest.Options{Capabilities: m.able, Resumes: m.resumes, Answer: m.answer})
	set.ownVoice = func(h *mcphost.Host, instead engine.Engine) *s2s.Engine { return s2s.New(p, h, instead, nil) }
	return p.Violations
}

// rest makes every later answer succeed, and returns the sessions' prompts so far.
func (m *speechMoods) rest() []begun {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.moods = []int{9}
	return m.begun
}
