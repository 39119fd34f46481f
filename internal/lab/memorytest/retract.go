package memorytest

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

const (
	Ada = "discord:80351110224678912"
	Bob = "discord:80351110224678913"
)

// Write appends lines as an indexer does: with the facts made from them.
func Write(t testing.TB, s memory.Store, lines ...memory.Line) []memory.Line {
	t.Helper()
	out, err := s.Append(t.Context(), lines...)
	must(t, "Append", err)
	IndexAll(t, s)
	return out
}

// IndexAll makes the facts of all lines, and their vectors.
func IndexAll(t testing.TB, s memory.Store) {
	t.Helper()
	for {
		n, err := s.IndexLines(t.Context())
		must(t, "IndexLines", err)
		if n == 0 {
			break
		}
	}
	_, err := EmbedAll(t, s)
	must(t, "reindex", err)
}

// check checks a session's lines, as "Speaker: text", each with word in it: in
// the session, in search, and in the facts.
func check(t testing.TB, s memory.Store, session, word string, want []string) {
	t.Helper()
	all, err := s.Recent(t.Context(), session, 1000)
	must(t, "Recent", err)
	hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: word, Session: session, Limit: 1000})
	must(t, "SearchLines", err)
	facts, err := s.SearchFacts(t.Context(), word, "", 1000)
	must(t, "SearchFacts", err)
	sessions, err := s.Sessions(t.Context(), 0)
	must(t, "Sessions", err)

	var recent, lines, texts []string
	for _, l := range all {
		recent = append(recent, l.Speaker+": "+l.Text)
	}
	for _, h := range hits {
		lines = append(lines, h.Speaker+": "+h.Text)
	}
	for _, h := range facts {
		if h.Source == "session:"+session {
			texts = append(texts, h.Text)
		}
	}
	slices.Sort(lines)
	slices.Sort(texts)
	once := slices.Sorted(slices.Values(want))
	for what, diff := range map[string]string{
		"Recent":      cmp.Diff(want, recent),
		"SearchLines": cmp.Diff(once, lines),
		"SearchFacts": cmp.Diff(slices.Compact(slices.Clone(once)), texts),
	} {
		if diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	i := slices.IndexFunc(sessions, func(s memory.Session) bool { return s.ID == session })
	if sessions[i].Lines != len(want) {
		t.Errorf("session has %d lines, want %d", sessions[i].Lines, len(want))
	}
}

func testReopen(t *testing.T, h Harness) {
	s := h.plain(t)
	id := StartSession(t, s)
	Say(t, s, id, "one")
	must(t, "EndSession", s.EndSession(t.Context(), id))
	for range 2 { // the second time it is already running
		must(t, "Reopen", s.Reopen(t.Context(), id))
		all, err := s.Sessions(t.Context(), 0)
		must(t, "Sessions", err)
		if !all[0].Ended.IsZero() || all[0].Lines != 1 {
			t.Errorf("session = %+v, want it to run, with its line", all[0])
		}
	}
	Say(t, s, id, "two")
	must(t, "EndSession", s.EndSession(t.Context(), id))
	all, err := s.Sessions(t.Context(), 0)
	must(t, "Sessions", err)
	if all[0].Ended.IsZero() || all[0].Lines != 2 {
		t.Errorf("session = %+v, want it ended, with two lines", all[0])
	}
	if err := s.Reopen(t.Context(), "nope"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Reopen(nope) = %v, want ErrNotFound", err)
	}
}

func testLinesKeepUserAndMessage(t *testing.T, h Harness) {
	s := h.plain(t)
	id := StartSession(t, s)
	in := memory.Line{Session: id, Speaker: "Ada", Text: "the zebra", User: Ada, Ref: "m1"}
	written := Write(t, s, in)[0]
	if written.User != in.User || written.Ref != in.Ref {
		t.Errorf("Append = %+v, want user and message of %+v", written, in)
	}
	recent, err := s.Recent(t.Context(), id, 1)
	must(t, "Recent", err)
	if diff := cmp.Diff(written, recent[0]); diff != "" {
		t.Errorf("Recent (-want +got):\n%s", diff)
	}
	hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: "zebra"})
	must(t, "SearchLines", err)
	if diff := cmp.Diff(written, hits[0].Line); diff != "" {
		t.Errorf("SearchLines (-want +got):\n%s", diff)
	}
}

// scene are lines of three people, all with a zebra.
func scene(session string) []memory.Line {
	return []memory.Line{
		{Session: session, Turn: 1, Speaker: "Ada", Text: "I saw a zebra.", User: Ada, Ref: "m1"},
		{Session: session, Turn: 1, Speaker: "Bartok", NPC: "bartok", Text: "What zebra?"},
		{Session: session, Turn: 2, Speaker: "Bob", Text: "A zebra, yes.", User: Bob, Ref: "m2"},
		{Session: session, Turn: 3, Speaker: "Ada", Text: "Zebra!", User: Ada, Ref: "m3"},
		{Session: session, Turn: 4, Speaker: "Ada", Text: "Zebra!", User: Ada},
	}
}

func testTakingBack(t *testing.T, h Harness) {
	const saw, what, yes, shout = "Ada: I saw a zebra.", "Bartok: What zebra?", "Bob: A zebra, yes.", "Ada: Zebra!"
	rows := []struct {
		name   string
		do     func(s memory.Store, session string) (int, error)
		n      int
		recent []string
	}{
		{name: "retract", n: 1, recent: []string{what, yes, shout, shout},
			do: func(s memory.Store, id string) (int, error) { return s.Retract(t.Context(), id, "m1") }},
		{name: "retract_what_is_said_again", n: 1, recent: []string{saw, what, yes, shout},
			do: func(s memory.Store, id string) (int, error) { return s.Retract(t.Context(), id, "m3") }},
		{name: "retract_unknown_message", recent: []string{saw, what, yes, shout, shout},
			do: func(s memory.Store, id string) (int, error) { return s.Retract(t.Context(), id, "m9") }},
		{name: "retract_no_message", recent: []string{saw, what, yes, shout, shout},
			do: func(s memory.Store, id string) (int, error) { return s.Retract(t.Context(), id, "") }},
		{name: "retract_elsewhere", recent: []string{saw, what, yes, shout, shout},
			do: func(s memory.Store, id string) (int, error) { return s.Retract(t.Context(), "nope", "m1") }},
		{name: "reword", n: 1, recent: []string{"Ada: I saw no zebra at all.", what, yes, shout, shout},
			do: func(s memory.Store, id string) (int, error) {
				return s.Reword(t.Context(), id, "m1", "I saw no zebra at all.")
			}},
		{name: "reword_to_the_same", n: 1, recent: []string{saw, what, yes, shout, shout},
			do: func(s memory.Store, id string) (int, error) {
				return s.Reword(t.Context(), id, "m1", "I saw a zebra.")
			}},
		{name: "reword_to_what_was_said", n: 1, recent: []string{shout, what, yes, shout, shout},
			do: func(s memory.Store, id string) (int, error) { return s.Reword(t.Context(), id, "m1", "Zebra!") }},
		{name: "reword_what_is_said_again", n: 1, recent: []string{saw, what, yes, "Ada: No zebra.", shout},
			do: func(s memory.Store, id string) (int, error) { return s.Reword(t.Context(), id, "m3", "No zebra.") }},
		{name: "reword_no_message", recent: []string{saw, what, yes, shout, shout},
			do: func(s memory.Store, id string) (int, error) { return s.Reword(t.Context(), id, "", "x") }},
		{name: "forget", n: 3, recent: []string{what, yes},
			do: func(s memory.Store, id string) (int, error) { return s.Forget(t.Context(), Ada) }},
		{name: "forget_nobody", recent: []string{saw, what, yes, shout, shout},
			do: func(s memory.Store, id string) (int, error) { return s.Forget(t.Context(), "") }},
		{name: "forget_unknown", recent: []string{saw, what, yes, shout, shout},
			do: func(s memory.Store, id string) (int, error) { return s.Forget(t.Context(), "discord:9") }},
	}
	for _, row := range rows {
		for _, o := range []embeddings.Provider{nil, wordvectors.New()} {
			t.Run(row.name, func(t *testing.T) {
				s := h.fresh(t, o)
				id := StartSession(t, s)
				Write(t, s, scene(id)...)
				n, err := row.do(s, id)
				must(t, row.name, err)
				if n != row.n {
					t.Errorf("%d lines, want %d", n, row.n)
				}
				check(t, s, id, "zebra", row.recent)
			})
		}
	}
}
