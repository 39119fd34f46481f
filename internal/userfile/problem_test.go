package userfile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

func TestString(t *testing.T) {
	for _, row := range []struct {
		name string
		in   userfile.Problem
		want string
	}{
		{"all_parts", userfile.Problem{File: "a.yaml", Line: 3, What: "no engine \"x\"", Fix: "use s2s"}, `a.yaml:3: no engine "x"; use s2s`},
		{"whole_file", userfile.Problem{File: "a.yaml", Line: 0, What: "cannot be read", Fix: ""}, "a.yaml: cannot be read"},
		{"no_file", userfile.Problem{File: "", Line: 0, What: "nothing to play", Fix: "add an NPC"}, "nothing to play; add an NPC"},
		{"line_breaks_become_spaces", userfile.Problem{File: "a", Line: 1, What: "x\r\ny", Fix: "p\nq"}, "a:1: x y; p q"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := row.in.String(); got != row.want {
				t.Errorf("String() = %q, want %q", got, row.want)
			}
		})
	}
}

func TestListSortsAndIsAnError(t *testing.T) {
	var l userfile.Problems
	if err := l.Err(); err != nil {
		t.Fatalf("Err() of an empty list = %v, want nil", err)
	}
	l.Add("b.yaml", 1, "third", "")
	l.Add("a.yaml", 9, "second", "")
	l.Add("a.yaml", 2, "first", "fix it")
	l.Add("b.yaml", 1, "fourth", "")
	l.Add("b.yaml", 1, "third", "")
	err := fmt.Errorf("loading: %w", l.Err())

	var got userfile.Problems
	if !errors.As(err, &got) {
		t.Fatalf("errors.As found no List in %v", err)
	}
	want := "a.yaml:2: first; fix it\na.yaml:9: second\nb.yaml:1: third\nb.yaml:1: fourth"
	if got.Error() != want {
		t.Errorf("Error() =\n%s\nwant\n%s", got.Error(), want)
	}
	if l[0].What != "third" {
		t.Errorf("Err reordered the list it was called on: first is %q", l[0].What)
	}
}

func TestNearest(t *testing.T) {
	tools := []string{"roll", "roll_table", "search_rules", "get_rule", "search_facts", "öffnen"}
	for _, row := range []struct{ name, in, want string }{
		{"dropped_letter", "serch_rules", "search_rules"},
		{"swapped_letters", "rlol", "roll"},
		{"case_and_dash", "Roll-Table", "roll_table"},
		{"exact", "get_rule", "get_rule"},
		{"umlaut_is_one_letter", "offnen", "öffnen"},
		{"one_letter_of_a_short_name", "rol", "roll"},
		{"too_far", "fireball", ""},
		{"empty", "", ""},
		{"absurdly_long", strings.Repeat("roll", 1000), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := userfile.Nearest(row.in, tools); got != row.want {
				t.Errorf("Nearest(%q) = %q, want %q", row.in, got, row.want)
			}
		})
	}
}

func ExampleNearest() {
	name := "serch_rules"
	if near := userfile.Nearest(name, []string{"roll", "search_rules"}); near != "" {
		fmt.Printf("there is no tool %q; did you mean %q?\n", name, near)
	}
	// Output: there is no tool "serch_rules"; did you mean "search_rules"?
}
