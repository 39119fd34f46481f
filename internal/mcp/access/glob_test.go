package access

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var globRows = []struct {
	name, glob, in string
	want           bool
}{
	{"itself", "roll", "roll", true},
	{"whole_name", "roll", "roll_table", false},
	{"not_its_end", "roll", "troll", false},
	{"case_counts", "Roll", "roll", false},
	{"star_alone", "*", "", true},
	{"star_at_the_end", "write_*", "write_file", true},
	{"star_matches_nothing", "write_*", "write_", true},
	{"star_in_the_middle", "a*c", "abbbc", true},
	{"star_comes_back", "*ab", "aab", true},
	{"stars", "*a*b*", "xxaxxbxx", true},
	{"stars_missing_one", "*a*b*", "xxbxxaxx", false},
	{"star_crosses_a_slash", "oauth:*", "oauth:acme/ann", true},
	{"question_mark", "npc:?", "npc:b", true},
	{"question_mark_needs_one", "npc:?", "npc:", false},
	{"question_mark_is_a_character", "?", "ß", true},
	{"question_mark_and_invalid_text", "?", "\xff", true},
	{"empty", "", "", true},
	{"empty_matches_nothing_else", "", "a", false},
	{"dot_is_a_dot", "a.c", "abc", false},
}

func TestMatch(t *testing.T) {
	for _, tt := range globRows {
		t.Run(tt.name, func(t *testing.T) {
			if got := match(tt.glob, tt.in); got != tt.want {
				t.Errorf("match(%q, %q) = %v, want %v", tt.glob, tt.in, got, tt.want)
			}
		})
	}
}

func TestMatchStaysQuick(t *testing.T) {
	start := time.Now()
	if match(strings.Repeat("*a", 100)+"b", strings.Repeat("a", 10_000)) {
		t.Error("match = true, want false")
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("match took %v", took)
	}
}

// FuzzMatch compares match with an equivalent regular expression.
func FuzzMatch(f *testing.F) {
	for _, tt := range globRows {
		f.Add(tt.glob, tt.in)
	}
	f.Fuzz(func(t *testing.T, glob, in string) {
		got := match(glob, in)
		if len(glob) > 200 || !utf8.ValidString(glob) || !utf8.ValidString(in) {
			return // the oracle needs valid text
		}
		expr := regexp.QuoteMeta(glob)
		expr = strings.ReplaceAll(strings.ReplaceAll(expr, `\*`, `.*`), `\?`, `.`)
		want := regexp.MustCompile(`(?s)\A` + expr + `\z`).MatchString(in)
		if got != want {
			t.Errorf("match(%q, %q) = %v, want %v", glob, in, got, want)
		}
	})
}
