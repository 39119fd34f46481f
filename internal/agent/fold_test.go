package agent_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

var citedTurn = regexp.MustCompile(`\(turn (\d+)\)`)

// TestNoFactIsLostByFolding folds the oldest part of long conversations. Each fact is
// still in the prompt or can be recalled by this NPC; the fold cites turns that contain
// what it says, and stays within its size limit.
func TestNoFactIsLostByFolding(t *testing.T) {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	tale := 0
	rapid.Check(t, func(t *rapid.T) {
		tale++
		session, err := s.StartSession(t.Context(), "folds")
		if err != nil {
			t.Fatal(err)
		}
		a := agent.New(config.NPC{ID: "mira", Name: "Mira"}, agent.Options{History: rapid.IntRange(1, 6).Draw(t, "keep")})
		said := map[string]string{} // by turn
		facts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"We promise you the bell called %s.", "I owe you a debt of %s.", "My brother %s drowned at the weir.", "Lovely weather, says %s.", "Where is %s?",
		}), 8, 24).Draw(t, "facts")
		var lines []memory.Line
		for i, f := range facts {
			word := fmt.Sprintf("zaun%dx%d", tale, i)
			l := memory.Line{Session: session.ID, Turn: int64(i + 1), Speaker: "Ana", To: "mira", Text: fmt.Sprintf(f, word), Present: memory.Heard("mira")}
			lines = append(lines, l)
			said[strconv.Itoa(i+1)] = l.Text
			a.Remember(agent.Exchange{Source: agent.Source{User: "ana", Ref: strconv.Itoa(i % 4)}, Turn: l.Turn, Speaker: "Ana", Utterance: l.Text, Answer: "Aye."})
		}
		if _, err := s.Append(t.Context(), lines...); err != nil {
			t.Fatal(err)
		}
		for i := range facts {
			word := fmt.Sprintf("zaun%dx%d", tale, i)
			hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: word, Viewer: "mira", Limit: 5})
			if err != nil || len(hits) == 0 {
				t.Fatalf("%q is not found: %v", word, err)
			}
		}
		system := a.Snapshot().Conversation()[0].Content
		_, folded, _ := strings.Cut(system, "Before that, in short")
		if n := cost.EstimateTokens(len(folded)); n > 330 {
			t.Errorf("the fold has %d tokens", n)
		}
		for line := range strings.Lines(folded) {
			turn := citedTurn.FindStringSubmatch(line)
			if turn == nil {
				continue
			}
			_, text, _ := strings.Cut(line, "Ana: ")
			if text = strings.TrimSpace(text); !strings.HasPrefix(said[turn[1]], strings.TrimSuffix(text, "…")) {
				t.Errorf("the fold has %q of turn %s, in which was said %q", text, turn[1], said[turn[1]])
			}
		}
		a.RetractLines(func(from agent.Source) bool { return from.User == "ana" })
		for _, m := range a.Snapshot().Conversation() {
			if strings.Contains(m.Content, "zaun") {
				t.Errorf("taken back, there is still %q", m.Content)
			}
		}
	})
}

// TestWhatWeighsStaysInTheFold follows a promise with much small talk: the fold keeps the
// promise.
func TestWhatWeighsStaysInTheFold(t *testing.T) {
	a := agent.New(config.NPC{ID: "mira", Name: "Mira"}, agent.Options{History: 2})
	say := func(turn int64, text string) {
		a.Remember(agent.Exchange{Turn: turn, Speaker: "Ana", Utterance: text, Answer: "Aye."})
	}
	say(1, "Mira, we promise you the ferry bell.")
	for i := range int64(80) {
		say(i+2, "What a long and rainy day it has been on the river, do you not think so too?")
	}
	if got := a.Snapshot().Conversation()[0].Content; !strings.Contains(got, "(turn 1) Ana: Mira, we promise you the ferry bell.") {
		t.Errorf("the promise is not in mind: %s", got)
	}
}
