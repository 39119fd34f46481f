package world_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// speaking is a model that answers with a tool call, or with words if args is empty.
type speaking struct{ args, words string }

func (speaking) Name() string { return "speaking" }

func (m speaking) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if len(req.Tools) != 1 || !strings.Contains(req.Messages[1].Content, "ferry bell") {
			yield(llm.Chunk{}, fmt.Errorf("asked with %+v", req))
			return
		}
		c := llm.Chunk{Text: m.words}
		if m.args != "" {
			c.ToolCalls = []llm.ToolCall{{ID: "1", Name: req.Tools[0].Name, Arguments: m.args}}
		}
		yield(c, nil)
	}
}

// proposals returns the arguments of the model's call.
func proposals(t *testing.T, all ...map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"proposals": all})
	chronicleMust(t, "writing proposals", err)
	return string(raw)
}

// TestProposalsAreHeldToTheirLines lets a model propose entries that its lines support, and
// others that they do not.
func TestProposalsAreHeldToTheirLines(t *testing.T) {
	e := newEvening(t, ferry()...)
	id := func(i int) int64 { return e.lines[i].ID }
	for _, row := range []struct {
		name, kind, text string
		lines            []int64
		kept             bool
	}{
		{"borne", "promise", "Ada promised Hedda the ferry bell.", []int64{id(0)}, true},
		{"of_two_lines", "debt", "Hedda owes Ada a crossing for the ferry bell.", []int64{id(0), id(1)}, true},
		{"no_line", "fact", "Ada promised the ferry bell.", nil, false},
		{"no_such_line", "fact", "Ada promised the ferry bell.", []int64{id(0), 9999}, false},
		{"other_lines", "death", "Tobin drowned at the weir.", []int64{id(0)}, false},
		{"name_of_another", "promise", "Brom promised Hedda the ferry bell.", []int64{id(0)}, false},
		{"name_of_nobody", "promise", "Ada promised Gundula the ferry bell.", []int64{id(0)}, false},
		{"invented", "fact", "Ada secretly rules seven distant northern kingdoms beyond mountains.", []int64{id(0)}, false},
		{"no_kind", "gossip", "Ada promised Hedda the ferry bell.", []int64{id(0)}, false},
		{"heard_by_nobody_of_both", "fact", "Ada promised the ferry bell, and Tobin drowned at the weir.", []int64{id(0), id(2)}, false},
		{"beside_the_game", "fact", "Ada swears the microphone hates her.", []int64{id(4)}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			model := speaking{args: proposals(t, map[string]any{"kind": row.kind, "text": row.text, "lines": row.lines, "npc": "Hedda", "person": "Ada"})}
			got, err := world.Propose(t.Context(), model, e.lines, names, "en")
			chronicleMust(t, "Propose", err)
			if kept := len(got) == 1; kept != row.kept {
				t.Fatalf("kept is %q, want it kept: %t", texts(got), row.kept)
			}
			if row.kept && (!slices.Equal(got[0].Lines, row.lines) || got[0].NPC != "hedda" || got[0].Person != "Ada" || !slices.Equal(got[0].Visible, memory.Heard("hedda")) || got[0].User != "u:ada") {
				t.Errorf("kept is %+v", got[0])
			}
		})
	}
}

// TestProposalsAreInTheirForm checks that proposals in another form are rejected.
func TestProposalsAreInTheirForm(t *testing.T) {
	e := newEvening(t, ferry()...)
	for _, answer := range []string{"", "I propose nothing.", `{"proposals":[{"kind":"fact","text":"x","lines":["1"]}]}`, `{"proposals":[],"more":1}`, `{"proposals":[]} {}`} {
		if got, err := world.Propose(t.Context(), speaking{words: answer}, e.lines, names, ""); err == nil {
			t.Errorf("%q is taken as %q", answer, texts(got))
		}
	}
	if got, err := world.Propose(t.Context(), speaking{words: `{"proposals":[]}`}, e.lines, names, ""); err != nil || len(got) > 0 {
		t.Errorf("nothing is taken as %q, %v", texts(got), err)
	}
}

// TestWithoutTheModelPhrasesAreLookedFor lets the model fail: the fixed phrases still find the
// entries of the session.
func TestWithoutTheModelPhrasesAreLookedFor(t *testing.T) {
	e := newEvening(t, ferry()...)
	c := open(t, e)
	got, err := c.Gather(t.Context(), e.lines, names, false, func([]memory.Line) ([]world.Entry, error) { return nil, errors.New("no model") })
	chronicleMust(t, "Gather", err)
	if len(got) != 3 {
		t.Errorf("proposed is %q, want what phrases find", texts(got))
	}
}

// TestTheModelsProposalsWait: a model's proposals wait like all others, once, and disappear if
// any of their lines is retracted.
func TestTheModelsProposalsWait(t *testing.T) {
	e := newEvening(t, ferry()...)
	c := open(t, e)
	model := speaking{args: proposals(t, map[string]any{"kind": "relation", "text": "Hedda owes Ada a crossing for the ferry bell.", "lines": []int64{e.lines[1].ID, e.lines[0].ID}, "npc": "hedda", "person": "Ada"})}
	digest := func(lines []memory.Line) ([]world.Entry, error) {
		return world.Propose(t.Context(), model, lines, names, "")
	}
	for range 2 {
		_, err := c.Gather(t.Context(), e.lines, names, false, digest)
		chronicleMust(t, "Gather", err)
	}
	if got := c.List(false); len(got) != 1 || got[0].Kind != world.Relation {
		t.Fatalf("%q wait", texts(got))
	}
	chronicleMust(t, "Retract", c.Retract(t.Context(), e.session, "m1"))
	if got := c.List(false); len(got) != 0 {
		t.Errorf("its message taken back, %q wait", texts(got))
	}
}

// TestDiary: NPCs write down only lines they heard, with their ids and once a session. They
// remember them later, until the speaker is forgotten.
func TestDiary(t *testing.T) {
	e := newEvening(t, append(ferry(), memory.Line{Turn: 4, Speaker: "Brom", User: "u:brom", To: "hedda", Text: "The weir will break before the winter, Hedda.", Present: memory.Heard("hedda")})...)
	c := open(t, e)
	heard := func(npc string) []memory.Line {
		lines, err := e.RecentFor(t.Context(), e.session, npc, 100)
		chronicleMust(t, "RecentFor", err)
		return lines
	}
	for range 2 {
		chronicleMust(t, "WriteDiary", c.WriteDiary(t.Context(), "hedda", e.session, heard("hedda"), nil, &world.Phrases{}))
	}
	chronicleMust(t, "WriteDiary", c.WriteDiary(t.Context(), "osric", e.session, heard("osric")[:1], nil, &world.Phrases{}))
	got := c.RecentDiary("hedda")
	text := strings.Join(got, "\n")
	if len(got) == 0 || len(got) > 3 || strings.Contains(text, "Tobin") || strings.Contains(text, "microphone") || !strings.Contains(text, fmt.Sprintf("(line %d)", e.lines[0].ID)) {
		t.Errorf("Hedda has written down:\n%s", text)
	}
	if got := c.RecentDiary("osric"); len(got) > 0 {
		t.Errorf("of next to nothing Osric has written %q", got)
	}
	if got := open(t, e).RecentDiary("hedda"); strings.Join(got, "\n") != text {
		t.Errorf("after a restart it is %q", got)
	}
	if known, listed := c.Between("hedda", "", nil), c.List(true); len(known)+len(listed) > 0 {
		t.Errorf("the diary is among %q and %q", known, texts(listed))
	}
	chronicleMust(t, "Forget", c.Forget(t.Context(), "u:ada"))
	if text := strings.Join(c.RecentDiary("hedda"), "\n"); strings.Contains(text, "bell") || strings.Contains(text, "Ada") || !strings.Contains(text, "I: Then I owe you a crossing") || !strings.Contains(text, "weir") {
		t.Errorf("once Ada is forgotten, it is:\n%s", text)
	}
}

// TestADiaryTells: a diary leaves out questions and stock phrases, because an hour of "I don't
// remember you" is no memory.
func TestADiaryTells(t *testing.T) {
	here := memory.Heard("hedda", "osric")
	lines := []memory.Line{
		{Turn: 1, Speaker: "Ada", To: "hedda", Text: "Hedda, who stole the silver quicksilver flask from the chapel?", Present: here},
		{Turn: 1, Speaker: "Hedda", NPC: "hedda", Text: "Well met. I don't remember you at all, and I never forget a ferry. First time here?", Present: here},
		{Turn: 2, Speaker: "Brom", To: "osric", Text: "osric, what do you know of the miller's ledger", Present: here},
		{Turn: 2, Speaker: "Osric", NPC: "osric", Text: "I find that page of the miller's ledger blank.", Present: here},
		{Turn: 3, Speaker: "Ada", To: "hedda", Text: "Hedda, we burned the old mill last night. Did you see the smoke?", Present: here},
		{Turn: 3, Speaker: "Hedda", NPC: "hedda", Text: "I remember. The mill's wheel was found in the reeds.", Present: here},
		{Turn: 4, Speaker: "Hedda", NPC: "hedda", Text: "I find that page of the miller's ledger blank.", Present: here}, // Osric's phrase, not hers
		{Turn: 5, Speaker: "Brom", To: "hedda", Text: "Good evening, Hedda. The king is dead. Who follows?", Present: here},
	}
	e := newEvening(t, lines...)
	c := open(t, e)
	var phrases world.Phrases
	phrases.Add("", "Well met.")
	phrases.Add("hedda", "I don't remember you at all, and I never forget a ferry. First time here?", "I remember. {answer}")
	phrases.Add("osric", "I find that page of the miller's ledger blank.")
	chronicleMust(t, "WriteDiary", c.WriteDiary(t.Context(), "hedda", e.session, e.lines, nil, &phrases))
	var got []string
	for _, d := range c.Diary("hedda") {
		got = append(got, d.Text)
	}
	want := []string{
		"Ada (player): Hedda, we burned the old mill last night. Did you see the smoke?",
		"I: I remember. The mill's wheel was found in the reeds.",
		"I: I find that page of the miller's ledger blank.",
		"Brom (player): Good evening, Hedda. The king is dead. Who follows?",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("Hedda has written down:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
