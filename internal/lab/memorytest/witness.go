package memorytest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// fair fills a store with an evening at which characters heard different lines,
// and returns its session.
func fair(t *testing.T, s memory.Store, groups *memory.Groups) string {
	t.Helper()
	groups.Set(map[string][]string{"oake": {"watch"}, "rook": {"watch"}, "gam": {"stall"}, "nettie": {"stall"}}, "stall")
	session, err := s.StartSession(t.Context(), "Fair")
	if err != nil {
		t.Fatal(err)
	}
	say := func(day int64, date, text string, present ...string) memory.Line {
		return memory.Line{Session: session.ID, Speaker: "Ada", Text: text, Present: present, Date: memory.Date{Day: day, Text: date}}
	}
	_, err = s.Append(t.Context(),
		memory.Line{Session: session.ID, Speaker: "Ada", Text: "bell of old"},
		say(1, "1 Reed", "bell openly", "oake", "gam", memory.Anyone),
		say(2, "2 Reed", "bell whispered", memory.Heard("oake")...),
		say(2, "2 Reed", "bell at the stall", groups.Share(memory.Heard("gam"))...),
		say(3, "3 Reed", "bell of the watch", "watch"),
		say(3, "3 Reed", "bell beside the table", memory.Heard()...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.IndexLines(t.Context()); err != nil {
		t.Fatal(err)
	}
	return session.ID
}

func testLinesAreFoundByThoseWhoHeardThem(t *testing.T, h Harness) {
	groups := &memory.Groups{}
	s, err := h.Open(t.Context(), h.New(t), nil, groups)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	session := fair(t, s, groups)
	for _, row := range []struct {
		viewer string
		want   []string
	}{
		{"", []string{"of old", "openly", "whispered", "at the stall", "of the watch", "beside the table"}},
		{memory.Anyone, []string{"of old", "openly"}},
		{"oake", []string{"of old", "openly", "whispered", "of the watch"}},
		{"rook", []string{"of old", "of the watch"}},
		{"gam", []string{"of old", "openly", "at the stall"}},
		{"nettie", []string{"of old", "at the stall"}},
		{"stranger", []string{"of old"}},
		{"oake\x1fgam", []string{"of old"}},
	} {
		t.Run(row.viewer, func(t *testing.T) {
			lines, err := s.RecentFor(t.Context(), session, row.viewer, 10)
			if diff := cmp.Diff(row.want, bells(said(lines))); diff != "" || err != nil {
				t.Errorf("RecentFor: %v (-want +got):\n%s", err, diff)
			}
			for _, within := range []string{"", session} {
				hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: "bell", Session: within, Viewer: row.viewer})
				got := slices.Sorted(slices.Values(bells(said(hits))))
				if diff := cmp.Diff(slices.Sorted(slices.Values(row.want)), got); diff != "" || err != nil {
					t.Errorf("SearchLines in %q: %v (-want +got):\n%s", within, err, diff)
				}
			}
			facts, err := s.SearchFacts(t.Context(), "bell", row.viewer, 10)
			got := slices.Sorted(slices.Values(bells(said(facts))))
			if diff := cmp.Diff(slices.Sorted(slices.Values(row.want)), got); diff != "" || err != nil {
				t.Errorf("SearchFacts: %v (-want +got):\n%s", err, diff)
			}
		})
	}
	t.Run("of_a_day", func(t *testing.T) {
		for _, text := range []string{"", "bell"} {
			hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: text, Viewer: "gam", Days: &memory.Days{First: 2, Last: 3}})
			if err != nil || len(hits) != 1 || hits[0].Text != "bell at the stall" || hits[0].Date != (memory.Date{Day: 2, Text: "2 Reed"}) {
				t.Errorf("lines of days 2 and 3 with %q = %+v, %v; want the one at the stall", text, hits, err)
			}
		}
	})
	t.Run("many_that_others_heard_hide_none", func(t *testing.T) {
		crowd := make([]memory.Line, 500)
		for i := range crowd {
			crowd[i] = memory.Line{Session: session, Speaker: "Bob", Text: "bell", Present: memory.Heard("oake")}
		}
		if _, err := s.Append(t.Context(), crowd...); err != nil {
			t.Fatal(err)
		}
		hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: "bell", Viewer: "nettie"})
		if err != nil || len(hits) != 2 {
			t.Errorf("%d lines, %v; want the two that Nettie knows of", len(hits), err)
		}
	})
}

// said returns the texts of lines, hits or facts.
func said[T memory.Line | memory.LineHit | memory.FactHit](all []T) []string {
	out := make([]string, len(all))
	for i, one := range all {
		switch one := any(one).(type) {
		case memory.Line:
			out[i] = one.Text
		case memory.LineHit:
			out[i] = one.Text
		case memory.FactHit:
			out[i] = one.Text
		}
	}
	return out
}

// bells returns the texts without their common part.
func bells(texts []string) []string {
	for i, text := range texts {
		texts[i] = strings.TrimPrefix(strings.TrimPrefix(text, "Ada: "), "bell ")
	}
	return texts
}
