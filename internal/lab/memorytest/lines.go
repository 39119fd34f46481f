package memorytest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func StartSession(t testing.TB, s memory.Store) string {
	t.Helper()
	sess, err := s.StartSession(t.Context(), "Eldermoor")
	must(t, "StartSession", err)
	return sess.ID
}

// Say appends texts as lines of one session.
func Say(t testing.TB, s memory.Store, session string, texts ...string) []memory.Line {
	t.Helper()
	lines := make([]memory.Line, len(texts))
	for i, text := range texts {
		lines[i] = memory.Line{Session: session, Turn: int64(i), Speaker: "Ada", Text: text}
	}
	out, err := s.Append(t.Context(), lines...)
	must(t, "Append", err)
	return out
}

func testSessions(t *testing.T, h Harness) {
	s := h.plain(t)
	first, err := s.StartSession(t.Context(), "Eldermoor")
	must(t, "StartSession", err)
	second, err := s.StartSession(t.Context(), "Saltmarsh")
	must(t, "StartSession", err)
	if first.ID == second.ID || first.ID == "" {
		t.Fatalf("ids %q and %q, want two different ones", first.ID, second.ID)
	}
	Say(t, s, first.ID, "one", "two")
	must(t, "EndSession", s.EndSession(t.Context(), first.ID))

	all, err := s.Sessions(t.Context(), 0)
	must(t, "Sessions", err)
	if len(all) != 2 || all[0].ID != second.ID || all[1].ID != first.ID {
		t.Fatalf("sessions = %+v, want the second, then the first", all)
	}
	if all[1].Lines != 2 || all[1].Ended.IsZero() || all[1].Campaign != "Eldermoor" || !all[1].Started.Equal(first.Started) {
		t.Errorf("first session = %+v, want 2 lines, an end and what StartSession gave", all[1])
	}
	if all[0].Lines != 0 || !all[0].Ended.IsZero() {
		t.Errorf("second session = %+v, want a running one without lines", all[0])
	}
	ended := all[1].Ended
	must(t, "EndSession again", s.EndSession(t.Context(), first.ID))
	newest, err := s.Sessions(t.Context(), 1)
	must(t, "Sessions", err)
	if len(newest) != 1 || newest[0].ID != second.ID {
		t.Errorf("newest session = %+v, want %s alone", newest, second.ID)
	}
	all, err = s.Sessions(t.Context(), 0)
	must(t, "Sessions", err)
	if !all[1].Ended.Equal(ended) {
		t.Errorf("end moved from %v to %v, want it to stay", ended, all[1].Ended)
	}
	if err := s.EndSession(t.Context(), "nope"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("EndSession(nope) = %v, want ErrNotFound", err)
	}
}

func testAppendAndRecent(t *testing.T, h Harness) {
	s := h.plain(t)
	a, b := StartSession(t, s), StartSession(t, s)
	at := time.Date(2026, 3, 1, 20, 15, 0, 123456789, time.FixedZone("CET", 3600))
	in := []memory.Line{
		{Session: a, Turn: 1, Speaker: "Ada", To: "bartok", Text: "Hello there!", At: at},
		{Session: b, Turn: 1, Speaker: "Bob", Text: "elsewhere", At: at},
		{Session: a, Turn: 1, Speaker: "Bartok", NPC: "bartok", Text: "Grüß dich 🐉\x00\xff\"'); DROP TABLE lines;--", At: at},
	}
	got, err := s.Append(t.Context(), in...)
	must(t, "Append", err)
	for i := range got {
		if i > 0 && got[i].ID <= got[i-1].ID {
			t.Errorf("ids %d then %d, want them to increase", got[i-1].ID, got[i].ID)
		}
		want := in[i]
		want.ID, want.At = got[i].ID, at.Truncate(time.Microsecond).UTC()
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Errorf("line %d (-want +got):\n%s", i, diff)
		}
	}
	recent, err := s.Recent(t.Context(), a, 10)
	must(t, "Recent", err)
	if diff := cmp.Diff([]memory.Line{got[0], got[2]}, recent); diff != "" {
		t.Errorf("Recent (-want +got):\n%s", diff)
	}
	recent, err = s.Recent(t.Context(), a, 1)
	must(t, "Recent", err)
	if diff := cmp.Diff([]memory.Line{got[2]}, recent); diff != "" {
		t.Errorf("Recent of 1 (-want +got):\n%s", diff)
	}
	for _, n := range []int{0, -1} {
		if recent, err := s.Recent(t.Context(), a, n); err != nil || len(recent) != 0 {
			t.Errorf("Recent of %d = %v, %v, want nothing", n, recent, err)
		}
	}
}

func testAppendIsAllOrNothing(t *testing.T, h Harness) {
	s := h.plain(t)
	id := StartSession(t, s)
	_, err := s.Append(t.Context(), memory.Line{Session: id, Text: "kept?"}, memory.Line{Session: "gone", Text: "x"})
	if !errors.Is(err, memory.ErrNotFound) {
		t.Fatalf("err = %v, want ErrNotFound", err)
	}
	recent, err := s.Recent(t.Context(), id, 10)
	must(t, "Recent", err)
	if len(recent) != 0 {
		t.Errorf("%d lines were written, want none", len(recent))
	}
	hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: "kept"})
	must(t, "SearchLines", err)
	if len(hits) != 0 {
		t.Errorf("%d lines are found, want none", len(hits))
	}
	before := time.Now().Add(-time.Second)
	if got := Say(t, s, id, "no time given"); got[0].At.Before(before) {
		t.Errorf("time = %v, want about now", got[0].At)
	}
}

func testSearchLines(t *testing.T, h Harness) {
	s := h.plain(t)
	other := StartSession(t, s)
	Say(t, s, other, "The dragon of the east sleeps")
	id := StartSession(t, s)
	Say(t, s, id,
		"We met a dragon near the old mill",
		"Der Drachen schläft in der Mühle am Großen Fluss",
		"The innkeeper poured another ale",
		"Nobody said anything of note",
		"dragon dragon dragon",
		"What is it that you have?",
		"Éowyn rode to Łódź",
	)
	rows := []struct {
		name, text, session string
		limit               int
		want                []string // beginnings, in order
		unordered           bool
	}{
		{name: "one_word_all_sessions", text: "dragon", unordered: true, want: []string{"dragon dragon", "We met", "The dragon"}},
		{name: "one_session", text: "dragon", session: other, want: []string{"The dragon"}},
		{name: "unknown_session", text: "dragon", session: "nope", want: nil},
		{name: "all_words_first", text: "dragon mill", want: []string{"We met", "dragon dragon", "The dragon"}},
		{name: "limit", text: "dragon mill", limit: 1, want: []string{"We met"}},
		{name: "question_with_stop_words", text: "What did the innkeeper do?", want: []string{"The innkeeper"}},
		{name: "only_stop_words", text: "what is it", want: []string{"What is it"}},
		{name: "prefix", text: "innk", want: []string{"The innkeeper"}},
		{name: "short_last_word_is_prefix", text: "inn", want: []string{"The innkeeper"}},
		{name: "umlaut_missing", text: "muhle", want: []string{"Der Drachen"}},
		{name: "umlaut_upper_case", text: "MÜHLE", want: []string{"Der Drachen"}},
		{name: "sharp_s", text: "GROSSEN fluß", want: []string{"Der Drachen"}},
		{name: "accents", text: "eowyn lodz", want: []string{"Éowyn"}},
		{name: "no_match", text: "spaceship", want: nil},
		{name: "empty", text: "", want: nil},
		{name: "signs_only", text: `"*^()-+:{}[]`, want: nil},
		{name: "operators_are_words", text: `dragon AND NOT (mill OR "`, want: []string{"We met", "dragon dragon", "The dragon"}},
		{name: "column_filter_is_harmless", text: `words: dragon*`, want: []string{"dragon dragon", "We met", "The dragon"}, unordered: true},
		{name: "session_word_is_no_word", text: "¤1 ¤2", want: nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: row.text, Session: row.session, Limit: row.limit})
			must(t, "SearchLines", err)
			if len(hits) != len(row.want) {
				t.Fatalf("%d hits %v, want %q", len(hits), hits, row.want)
			}
			for i, h := range hits {
				if !row.unordered && !strings.HasPrefix(h.Text, row.want[i]) {
					t.Errorf("hit %d = %q, want it to begin with %q", i, h.Text, row.want[i])
				}
				if i > 0 && h.Score > hits[i-1].Score {
					t.Errorf("score rises from %v to %v at hit %d", hits[i-1].Score, h.Score, i)
				}
			}
		})
	}
}

func testSearchLinesPrefersTheNewestOfVeryMany(t *testing.T, h Harness) {
	s := h.plain(t)
	id := StartSession(t, s)
	texts := make([]string, 500)
	for i := range texts {
		texts[i] = fmt.Sprintf("the tavern again number%d", i)
	}
	texts[3] = "the tavern and a griffon"
	lines := Say(t, s, id, texts...)
	hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: "tavern", Limit: 5})
	must(t, "SearchLines", err)
	if len(hits) != 5 || hits[0].ID < lines[370].ID {
		t.Errorf("hits = %v, want 5 of the newest", hits)
	}
	hits, err = s.SearchLines(t.Context(), memory.LineQuery{Text: "griffon tavern someplace", Limit: 5})
	must(t, "SearchLines", err)
	if len(hits) == 0 || hits[0].ID != lines[3].ID {
		t.Errorf("hits = %v, want the old line with the rare word first", hits)
	}
	hits, err = s.SearchLines(t.Context(), memory.LineQuery{Text: "tavern", Limit: 300})
	must(t, "SearchLines", err)
	if len(hits) != 300 {
		t.Errorf("%d hits, want as many as asked for", len(hits))
	}
}

// FuzzSearch writes and searches any text.
func FuzzSearch(f *testing.F, h Harness) {
	f.Helper()
	for _, s := range []string{"dragon", `"`, "a*b", "NEAR(a b, 2)", "words : x", "^x", "x NOT y", "\x00", "\xff", "ä ß İ", "'; --", "a AND", "{a b}: c", strings.Repeat("w ", 200)} {
		f.Add(s)
	}
	s := h.plain(f)
	id := StartSession(f, s)
	f.Fuzz(func(t *testing.T, text string) {
		line := Say(t, s, id, text)[0]
		if line.Text != text {
			t.Fatalf("Append changed %q to %q", text, line.Text)
		}
		for _, session := range []string{"", id} {
			if _, err := s.SearchLines(t.Context(), memory.LineQuery{Text: text, Session: session}); err != nil {
				t.Errorf("SearchLines(%q): %v", text, err)
			}
		}
		if _, err := s.FindEntities(t.Context(), memory.EntityQuery{Name: text, Viewer: text, Type: text}); err != nil {
			t.Errorf("FindEntities(%q): %v", text, err)
		}
		if _, err := s.SearchFacts(t.Context(), text, text, 3); err != nil {
			t.Errorf("SearchFacts(%q): %v", text, err)
		}
	})
}

// testAppendMissing appends lines, some of which are already stored.
func testAppendMissing(t *testing.T, h Harness) {
	s := h.plain(t)
	session := StartSession(t, s)
	at := time.Date(2026, 3, 1, 20, 15, 0, 123456789, time.UTC)
	line := func(turn int64, speaker, npc string, after time.Duration) memory.Line {
		return memory.Line{Session: session, Turn: turn, Speaker: speaker, NPC: npc, Text: fmt.Sprint("zebra ", turn, "\x00"), At: at.Add(after)}
	}
	all := []memory.Line{line(1, "Ada\xff", "", 0), line(1, "Bartok", "bartok", 0), line(1, "Ada\xff", "", time.Microsecond), line(2, "Ada", "", 0)}
	first, err := s.Append(t.Context(), all[0], all[2])
	must(t, "Append", err)
	got, err := s.AppendMissing(t.Context(), append(all[:len(all):len(all)], all[3])...)
	must(t, "AppendMissing", err)
	if got[4].ID != got[3].ID {
		t.Errorf("a line that comes twice has the ids %d and %d, want it written once", got[3].ID, got[4].ID)
	}
	got = got[:len(all)]
	if got[0].ID != first[0].ID || got[2].ID != first[1].ID {
		t.Errorf("ids %d and %d, want those they had: %d and %d", got[0].ID, got[2].ID, first[0].ID, first[1].ID)
	}
	again, err := s.AppendMissing(t.Context(), all...)
	must(t, "AppendMissing", err)
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("the second time (-first +second):\n%s", diff)
	}
	recent, err := s.Recent(t.Context(), session, 10)
	must(t, "Recent", err)
	if len(recent) != len(all) || recent[2].Speaker != "Bartok" || recent[3].Turn != 2 {
		t.Errorf("there are %+v, want each line once, the missing ones last", recent)
	}
	if hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: "zebra"}); err != nil || len(hits) != len(all) {
		t.Errorf("%d lines are found, %v; want %d", len(hits), err, len(all))
	}
	if _, err := s.AppendMissing(t.Context(), memory.Line{Session: "nope", Text: "zebra"}); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("in no session: %v, want ErrNotFound", err)
	}
}
