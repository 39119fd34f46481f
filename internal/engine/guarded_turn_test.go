package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// words is a judge that withholds sentences by a word in them, and removes the word "cut"
// from its sentence.
type words struct{ rolled bool }

func (w *words) RecordResult(tool, _, _ string) { w.rolled = w.rolled || tool == "roll" }

func (w *words) Judge(s string) guard.Verdict {
	for _, r := range []guard.Reason{guard.Secret, guard.Roll, guard.Direction, guard.Voice} {
		if strings.Contains(s, string(r)) && !strings.HasPrefix(s, "cut ") && (r != guard.Roll || !w.rolled) {
			return guard.Verdict{Reasons: []guard.Reason{r}, Dice: map[bool]string{true: "2d6"}[r == guard.Roll]}
		}
	}
	if rest := strings.ReplaceAll(s, "cut ", ""); rest != s {
		return guard.Verdict{Text: rest, Reasons: []guard.Reason{guard.Markup}}
	}
	return guard.Verdict{Text: s}
}

func (w *words) Peek(s string) guard.Verdict { return w.Judge(s) }

// script is an engine that plays one list of events per call; an error ends a list.
type script struct {
	answers [][]any
	asked   []Request
	causes  []error // why each answer was cancelled
}

func (s *script) Answer(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		n := len(s.asked)
		s.asked = append(s.asked, req)
		s.causes = append(s.causes, nil)
		if n >= len(s.answers) {
			yield(nil, ErrNothingSaid)
			return
		}
		for _, ev := range s.answers[n] {
			ok := false
			switch ev := ev.(type) {
			case string:
				ok = yield(Sentence{Text: ev}, nil)
			case error:
				ok = yield(nil, ev)
			case Event:
				ok = yield(ev, nil)
			}
			if !ok {
				s.causes[n] = context.Cause(ctx)
				return
			}
		}
	}
}

// newHost returns a host with the dice tool.
func newHost(t *testing.T) *mcphost.Host {
	t.Helper()
	h := mcphost.New()
	t.Cleanup(func() { h.Close() })
	for _, tool := range diceroller.Tools() {
		if err := h.RegisterBuiltin(tool); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func requestOf(h *mcphost.Host, tools ...string) Request {
	return Request{
		NPC:      config.NPC{ID: "mira", Name: "Mira", Lines: map[string][]string{"refusal": {"My lips are sealed."}}},
		Messages: []llm.Message{{Role: llm.RoleSystem, Content: "You are Mira."}, {Role: llm.RoleUser, Name: "Anna", Content: "What do you know?"}},
		Tools:    h.Toolset(mcphost.ToolsetOptions{Tier: mcp.BudgetDeep, Allow: tools}), Rounds: 2,
	}
}

// play plays an answer and returns its events in short form.
func play(t *testing.T, s *script, req Request, o *GuardedOptions) (got []string, err error) {
	t.Helper()
	e := NewGuarded(s, o)
	e.newJudge = func(*guard.Card, guard.TurnOptions) judge { return &words{} }
	for ev, failed := range e.Answer(t.Context(), req) {
		if err = failed; err != nil {
			break
		}
		switch ev := ev.(type) {
		case Sentence:
			got = append(got, ev.Text)
		case Guarded:
			got = append(got, fmt.Sprintf("guarded %s", ev.Reasons))
		case Withdrawn:
			got = append(got, fmt.Sprintf("withdrawn at %s", ev.At))
		case Spoken:
			got = append(got, fmt.Sprintf("spoken %s", ev.Text))
		case Wording:
			got = append(got, fmt.Sprintf("wording %s", ev.Text))
		case ToolCalled:
			got = append(got, fmt.Sprintf("call %d %s%s", ev.Round, ev.Call.Name, ev.Call.Arguments))
		case ToolFinished:
			got = append(got, fmt.Sprintf("finished %d %s %v", ev.Round, ev.Call.Name, ev.Err == nil))
		case RoundEnded:
			got = append(got, fmt.Sprintf("round %d", ev.Round))
		case Notice:
			got = append(got, "notice "+ev.Text)
		}
	}
	return got, err
}

var errVendor = errors.New("the vendor is away")

func TestWhatIsWithheldIsMadeGood(t *testing.T) {
	h := newHost(t)
	call := llm.ToolCall{ID: "c1", Name: "roll", Arguments: `{"expression":"1d6"}`}
	long := strings.Repeat("a", 150) // ten seconds
	for _, c := range []struct {
		name    string
		answers [][]any
		tools   []string
		o       GuardedOptions
		remark  bool
		want    []string
		asked   int
		err     error
	}{
		{name: "nothing to withhold", answers: [][]any{{"One.", "Two."}}, want: []string{"One.", "Two."}, asked: 1},
		{name: "a failure is a failure", answers: [][]any{{errVendor}}, asked: 1, err: errVendor},
		{name: "a part is withheld", answers: [][]any{{"So cut be it."}}, want: []string{"guarded [markup]", "So be it."}, asked: 1},
		{name: "what follows stands for a direction", answers: [][]any{{"A direction.", "Two."}}, want: []string{"guarded [direction]", "Two."}, asked: 1},
		{name: "a direction at the end lacks nothing", answers: [][]any{{"One.", "A direction."}}, want: []string{"One.", "guarded [direction]"}, asked: 1},
		{name: "asked once more with nothing said", answers: [][]any{{"A direction."}, {"Two."}}, want: []string{"guarded [direction]", "Two."}, asked: 2},
		{name: "a secret breaks off", answers: [][]any{{"One.", "The secret.", "More of it."}, {"Two."}}, want: []string{"One.", "guarded [secret]", "Two."}, asked: 2},
		{name: "a doubled opener is cut", answers: [][]any{{"Well met, stranger.", "The secret."}, {"Well met, stranger!", "Sit down."}}, want: []string{"Well met, stranger.", "guarded [secret]", "Sit down."}, asked: 2},
		{name: "what is no opener may come again", answers: [][]any{{"One.", "The secret."}, {"Two.", "One."}}, want: []string{"One.", "guarded [secret]", "Two.", "One."}, asked: 2},
		{name: "twice a secret", answers: [][]any{{"The secret."}, {"The secret again."}}, want: []string{"guarded [secret]", "guarded [secret]", "My lips are sealed."}, asked: 2},
		{name: "twice a secret after a word", answers: [][]any{{"One.", "The secret."}, {"The secret again."}}, want: []string{"One.", "guarded [secret]", "guarded [secret]"}, asked: 2},
		{name: "then silence", answers: [][]any{{"The secret."}, {ErrNothingSaid}}, want: []string{"guarded [secret]", "My lips are sealed."}, asked: 2},
		{name: "then a failure", answers: [][]any{{"The secret."}, {errVendor}}, want: []string{"guarded [secret]", "notice Mira could not go on: the vendor is away", "My lips are sealed."}, asked: 2},
		{name: "a remark may be nothing", answers: [][]any{{"The secret."}}, remark: true, want: []string{"guarded [secret]"}, asked: 1},
		{
			name: "a roll is made", answers: [][]any{{"A roll of 17."}, {"A roll indeed."}}, tools: []string{"roll"}, asked: 2,
			want: []string{"guarded [roll]", `call 1 roll{"expression":"2d6"}`, "finished 1 roll true", "round 1", "A roll indeed."},
		},
		{name: "a roll without the tool", answers: [][]any{{"A roll of 17.", "You hit."}}, want: []string{"guarded [roll]", "My lips are sealed."}, asked: 1},
		{
			name: "a true roll is no invention", tools: []string{"roll"}, asked: 1,
			answers: [][]any{{ToolCalled{Round: 1, Call: call}, ToolFinished{Round: 1, Call: call}, RoundEnded{Round: 1}, "A roll of 4."}},
			want:    []string{"call 1 roll{\"expression\":\"1d6\"}", "finished 1 roll true", "round 1", "A roll of 4."},
		},
		{
			name: "calls under way end", tools: []string{"roll"}, asked: 2,
			answers: [][]any{{ToolCalled{Round: 1, Call: call}, "The secret."}, {"Two."}},
			want:    []string{"call 1 roll{\"expression\":\"1d6\"}", "guarded [secret]", "finished 1 roll false", "Two."},
		},
		{name: "nonsense without end", answers: [][]any{{"direction 1", "direction 2", "direction 3", "direction 4", "direction 5"}, {"One."}}, asked: 2,
			want: []string{"guarded [direction]", "guarded [direction]", "guarded [direction]", "guarded [direction]", "One."}},
		{name: "too long", answers: [][]any{{long, long, long}}, o: GuardedOptions{MaxSpeech: 25 * time.Second}, want: []string{long, long, "guarded [too_long]"}, asked: 1},
		{name: "one long sentence", answers: [][]any{{long}}, o: GuardedOptions{MaxSpeech: time.Second}, want: []string{long}, asked: 1},
		{name: "the model does not end", answers: [][]any{{"One.", ErrTooLong}}, want: []string{"One.", "guarded [too_long]"}, asked: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &script{answers: c.answers}
			req := requestOf(h, c.tools...)
			req.Background.IsReaction = c.remark
			got, err := play(t, s, req, &c.o)
			if !slices.Equal(got, c.want) || !errors.Is(err, c.err) {
				t.Errorf("got %q, %v\nwant %q, %v", got, err, c.want, c.err)
			}
			if len(s.asked) != c.asked {
				t.Errorf("the engine was asked %d times, want %d", len(s.asked), c.asked)
			}
			for i, r := range s.asked[min(1, len(s.asked)):] {
				if !r.Retry || strings.Contains(fmt.Sprint(r.Messages), "The secret") {
					t.Errorf("request %d is %+v", i+2, r)
				}
			}
		})
	}
}

// TestRoundsAreTheTurns retries with the turn's remaining rounds and the results its
// tools already returned.
func TestRoundsAreTheTurns(t *testing.T) {
	call := llm.ToolCall{ID: "c1", Name: "roll", Arguments: `{"expression":"1d6"}`}
	s := &script{answers: [][]any{
		{ToolCalled{Round: 1, Call: call}, ToolFinished{Round: 1, Call: call}, RoundEnded{Round: 1}, "One.", "The secret."},
		{ToolCalled{Round: 1, Call: call}, ToolFinished{Round: 1, Call: call}, RoundEnded{Round: 1}, "Two."},
	}}
	got, err := play(t, s, requestOf(newHost(t), "roll"), nil)
	if err != nil || !slices.Contains(got, "call 2 roll"+call.Arguments) {
		t.Errorf("got %q, %v; want a second round", got, err)
	}
	again := s.asked[1]
	if again.Rounds != 1 {
		t.Errorf("%d rounds are left, want 1", again.Rounds)
	}
	var roles []llm.Role
	for _, m := range again.Messages {
		roles = append(roles, m.Role)
	}
	want := []llm.Role{llm.RoleSystem, llm.RoleUser, llm.RoleAssistant, llm.RoleTool, llm.RoleAssistant, llm.RoleSystem}
	if !slices.Equal(roles, want) || again.Messages[4].Content != "One." {
		t.Errorf("asked again with %+v", again.Messages)
	}
	if !errors.Is(s.causes[0], ErrWithheld) {
		t.Errorf("the first answer was broken off with %v, want %v", s.causes[0], ErrWithheld)
	}
}

// sound is d of voice.
func sound(d time.Duration) Event {
	return Sound{Samples: make([]int16, int(d*audio.SampleRate/time.Second))}
}

func TestOwnVoiceIsCut(t *testing.T) {
	const second = time.Second
	for _, c := range []struct {
		name   string
		heard  time.Duration
		o      GuardedOptions
		answer []any
		want   []string
		// told is the amount that the engine may count as heard in the end.
		told time.Duration
	}{
		{
			name: "before its sentence begins", heard: 500 * time.Millisecond, told: second,
			answer: []any{sound(second), Spoken{Text: "One.", Until: second}, Wording{Text: "The secr"}, Wording{Text: "The secret"}, sound(second)},
			want:   []string{"spoken One.", "wording The secr", "guarded [secret]", "withdrawn at 1s", "Two."},
		},
		{
			name: "while it is heard", heard: 1200 * time.Millisecond, told: 1200 * time.Millisecond,
			answer: []any{sound(2 * second), Spoken{Text: "One.", Until: second}, Wording{Text: "The secret"}},
			want:   []string{"spoken One.", "guarded [secret]", "withdrawn at 1.2s", "Two."},
		},
		{
			name: "before any sound", told: 0,
			answer: []any{Wording{Text: "The secret"}, sound(second)},
			want:   []string{"guarded [secret]", "withdrawn at 0s", "Two."},
		},
		{
			name: "known at its end only", heard: 100 * time.Millisecond, told: 100 * time.Millisecond,
			answer: []any{sound(second), Spoken{Text: "The secret.", Until: second}},
			want:   []string{"guarded [secret]", "withdrawn at 100ms", "Two."},
		},
		{
			name: "what can be left out of the text does not cut", heard: 0, told: 0,
			answer: []any{sound(second), Spoken{Text: "So cut be it.", Until: second}},
			want:   []string{"guarded [markup]", "spoken So be it."},
		},
		{
			name: "too long", heard: second, o: GuardedOptions{MaxSpeech: 2 * second}, told: 1500 * time.Millisecond,
			answer: []any{sound(1900 * time.Millisecond), Spoken{Text: "One.", Until: 1500 * time.Millisecond}, sound(second), sound(second)},
			want:   []string{"spoken One.", "withdrawn at 1.5s", "guarded [too_long]"},
		},
		{
			name: "too long and heard already", heard: 1800 * time.Millisecond, o: GuardedOptions{MaxSpeech: 2 * second}, told: 2500 * time.Millisecond,
			answer: []any{sound(1900 * time.Millisecond), Spoken{Text: "One.", Until: 1500 * time.Millisecond}, sound(second), Spoken{Text: "Two.", Until: 2500 * time.Millisecond}, sound(second)},
			want:   []string{"spoken One.", "spoken Two.", "withdrawn at 2.5s", "guarded [too_long]"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			heard := c.heard
			s := &script{answers: [][]any{c.answer, {"Two."}}}
			req := requestOf(newHost(t))
			req.Playback.Heard = func() time.Duration { return heard }
			got, err := play(t, s, req, &c.o)
			if !slices.Equal(got, c.want) || err != nil {
				t.Errorf("got %q, %v\nwant %q", got, err, c.want)
			}
			if told := s.asked[0].Playback.Heard(); told != c.told {
				t.Errorf("the engine is told that %s were heard, want %s", told, c.told)
			}
			if heard = time.Hour; s.causes[0] == nil {
				return
			}
			if told := s.asked[0].Playback.Heard(); told != c.told {
				t.Errorf("what another engine says counts as heard of the voice: %s", told)
			}
		})
	}
}

func TestEvasionsChange(t *testing.T) {
	req := Request{Background: Background{Turn: 1}}
	first := evasion(req, []string{"de-AT"})
	if !slices.Contains(evasions["de"], first) {
		t.Errorf("%q is no German evasion", first)
	}
	req.Background.Recent = []string{first}
	if second := evasion(req, []string{"de"}); second == first {
		t.Errorf("%q comes twice in a row", second)
	}
}

// TestCardsFollowTheCast builds one card per NPC and cast, and keeps no more than the
// limit.
func TestCardsFollowTheCast(t *testing.T) {
	e := NewGuarded(&script{}, nil)
	req := requestOf(newHost(t))
	first := e.cardsOf(req)
	if e.cardsOf(req) != first {
		t.Error("a card was made twice")
	}
	req.Background.Cast++
	if e.cardsOf(req) == first {
		t.Error("a card has outlived its cast")
	}
	for i := range 2 * maxCards {
		req.NPC.ID = fmt.Sprint(i)
		e.cardsOf(req)
	}
	if len(e.cards) > maxCards {
		t.Errorf("%d cards are kept, want %d at most", len(e.cards), maxCards)
	}
}

// TestLinesInAnotherLanguage has an NPC answer a player in the player's language.
func TestLinesInAnotherLanguage(t *testing.T) {
	const german = "Ich habe die Frau gestern nicht mehr auf der Straße gesehen."
	for asked, want := range map[string]string{"Where is the woman that I met on the road?": "", "Wo ist die Frau, die ich auf der Straße gesehen habe?": german} {
		s := &script{answers: [][]any{{german}}}
		req := requestOf(newHost(t))
		req.Background.PlayerLine, req.Background.IsReaction = asked, true
		got := ""
		for ev, err := range NewGuarded(s, &GuardedOptions{Languages: []string{"en"}}).Answer(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
			if s, ok := ev.(Sentence); ok {
				got += s.Text
			}
		}
		if got != want {
			t.Errorf("%q is answered with %q, want %q", asked, got, want)
		}
	}
}

// TestRemnantsJoinNoSentences judges each sentence by itself even if its end was hidden.
func TestRemnantsJoinNoSentences(t *testing.T) {
	s := &script{answers: [][]any{{"cut One. Some other_voice speaks. More."}, {"Two."}}}
	got, err := play(t, s, requestOf(newHost(t)), nil)
	if want := []string{"guarded [markup other_voice]", "One.", "Two."}; !slices.Equal(got, want) || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
