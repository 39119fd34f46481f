package diceroller_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
)

var good = []struct {
	name, in, want string
}{
	{"sum", "2d6+3", "2d6+3"},
	{"single_die", "1d20", "1d20"},
	{"minus", "4d8-1", "4d8-1"},
	{"count_left_out", "d8", "1d8"},
	{"percent", "d%", "1d100"},
	{"two_percent", "2d%", "2d100"},
	{"number", "7", "7"},
	{"leading_minus", "-1d4+3", "-1d4+3"},
	{"leading_plus", "+3", "3"},
	{"own_sign", "1d20+-1", "1d20-1"},
	{"minus_minus", "1d20 - -1", "1d20+1"},
	{"keep_highest", "4d6kh3", "4d6kh3"},
	{"keep_short", "4d6k3", "4d6kh3"},
	{"keep_default", "2d20kh", "2d20kh1"},
	{"keep_lowest", "3d6kl2", "3d6kl2"},
	{"drop_lowest", "4d6dl1", "4d6kh3"},
	{"drop_highest", "4d6dh", "4d6kl3"},
	{"keep_all", "2d6kl2", "2d6"},
	{"advantage", "d20adv", "2d20kh1"},
	{"advantage_of_two", "2d20adv", "2d20kh1"},
	{"advantage_of_three", "3d20adv", "3d20kh1"},
	{"disadvantage", "1d20dis+5", "2d20kl1+5"},
	{"words", "1d20 with Advantage + 2", "2d20kh1+2"},
	{"spaces", "\t2 d 6 kh 1 +\u00a03\n", "2d6kh1+3"},
	{"minus_sign", "2d6−1", "2d6-1"},
	{"dash", "2d6 – 1", "2d6-1"},
	{"upper_case", "4D6KH3", "4d6kh3"},
	{"german", "2W6 + w4", "2d6+1d4"},
	{"leading_zeros", "002d06", "2d6"},
	{"many_terms", strings.Repeat("1+", diceroller.MaxTerms-1) + "1", strings.Repeat("1+", diceroller.MaxTerms-1) + "1"},
	{"limits", "100d1000+1000000", "100d1000+1000000"},
}

func TestParse(t *testing.T) {
	for _, tt := range good {
		t.Run(tt.name, func(t *testing.T) {
			e, err := diceroller.Parse(tt.in)
			if err != nil {
				t.Fatalf("Parse(%q): %v", tt.in, err)
			}
			if got := e.String(); got != tt.want {
				t.Errorf("Parse(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

var bad = []struct {
	name, in string
	pos      int
	part     string
	reason   string
}{
	{"empty", "", 1, "", "nothing to roll"},
	{"blank", "  ", 3, "", "nothing to roll"},
	{"words", "fireball", 1, "f", "belong here"},
	{"ends_in_operator", "2d6+", 5, "", "belong here"},
	{"ends_in_d", "2d", 3, "", "number of sides"},
	{"no_sides", "2d+1", 3, "+", "number of sides"},
	{"no_dice", "0d6", 1, "0", "1 to 100 dice"},
	{"too_many_dice", "1d4+101d6", 5, "101", "1 to 100 dice"},
	{"no_sided", "2d0", 3, "0", "1 to 1000 sides"},
	{"too_many_sides", "d1001", 2, "1001", "1 to 1000 sides"},
	{"huge_number", "99999999999999999999999999", 1, "99999999999999999999999999", "at most 1000000"},
	{"large_number", "1d6-1000001", 5, "1000001", "at most 1000000"},
	{"no_operator", "2d6 3", 5, "3", "put + or -"},
	{"dice_after_dice", "2d6d8", 4, "d", "may end in"},
	{"unknown_ending", "2d6x", 4, "x", "may end in"},
	{"exploding", "2d6!", 4, "!", "put + or -"},
	{"product", "2*3", 2, "*", "put + or -"},
	{"parenthesis", "(2d6)", 1, "(", "belong here"},
	{"keep_none", "4d6kh0", 4, "kh0", "keep 1 to 4"},
	{"keep_too_many", "4d6kh5", 4, "kh5", "keep 1 to 4"},
	{"drop_all", "4d6dl4", 4, "dl4", "at least one"},
	{"drop_only_die", "d6dl", 3, "dl", "at least one"},
	{"two_endings", "4d6kh3dl1", 7, "d", "put + or -"},
	{"ending_on_number", "5kh1", 2, "k", "put + or -"},
	{"with_what", "d20 with luck", 5, "with luck", "advantage or disadvantage"},
	{"after_wide_characters", "2d6−1 ä", 7, "ä", "put + or -"},
	{"invalid_utf8", "2d6\xff", 4, "\xff", "put + or -"},
	{"zero_byte", "2d6\x00", 4, "\x00", "put + or -"},
	{"too_many_terms", strings.Repeat("1+", diceroller.MaxTerms) + "1d6", 2*diceroller.MaxTerms + 1, "1d6", "at most 20 terms"},
	{"too_long", strings.Repeat(" ", diceroller.MaxLength) + "1", 1, strings.Repeat(" ", diceroller.MaxLength) + "1", "at most 500"},
}

func TestParseErrors(t *testing.T) {
	for _, tt := range bad {
		t.Run(tt.name, func(t *testing.T) {
			e, err := diceroller.Parse(tt.in)
			var syntax *diceroller.SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("Parse(%q) = %v, %v; want a *SyntaxError", tt.in, e, err)
			}
			if e != (diceroller.Expr{}) {
				t.Errorf("Parse(%q) = %v beside its error, want the zero Expr", tt.in, e)
			}
			if !errors.Is(err, mcp.ErrInvalidArguments) {
				t.Errorf("errors.Is(%v, ErrInvalidArguments) = false", err)
			}
			if syntax.Pos != tt.pos || syntax.Part != tt.part {
				t.Errorf("Parse(%q) blames %q at %d, want %q at %d", tt.in, syntax.Part, syntax.Pos, tt.part, tt.pos)
			}
			if !strings.Contains(syntax.Reason, tt.reason) {
				t.Errorf("Parse(%q): reason %q does not contain %q", tt.in, syntax.Reason, tt.reason)
			}
			if text := err.Error(); len(text) > 400 || !utf8.ValidString(text) {
				t.Errorf("Parse(%q): error text is too long or not UTF-8: %q", tt.in, text)
			}
		})
	}
}

func TestSyntaxErrorText(t *testing.T) {
	_, err := diceroller.Parse("2d6+1x4")
	want := `invalid arguments: dice expression "2d6+1x4", at character 6, "x": put + or - between two terms`
	if err == nil || err.Error() != want {
		t.Errorf("err = %v\nwant  %s", err, want)
	}
}

// genTerm draws a valid term with its smallest and largest total.
func genTerm(t *rapid.T) (text string, least, most int) {
	if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
		n := rapid.IntRange(0, diceroller.MaxConstant).Draw(t, "constant")
		return itoa(n), n, n
	}
	count := rapid.IntRange(1, diceroller.MaxDice).Draw(t, "count")
	sides := rapid.IntRange(1, diceroller.MaxSides).Draw(t, "sides")
	text, keep := itoa(count)+"d"+itoa(sides), count
	switch rapid.SampledFrom([]string{"", "kh", "kl", "dh", "dl", "adv"}).Draw(t, "ending") {
	case "kh":
		keep = rapid.IntRange(1, count).Draw(t, "keep")
		text += "kh" + itoa(keep)
	case "kl":
		keep = rapid.IntRange(1, count).Draw(t, "keep")
		text += " KL " + itoa(keep)
	case "dh":
		if count > 1 {
			keep = rapid.IntRange(1, count-1).Draw(t, "keep")
			text += "dh" + itoa(count-keep)
		}
	case "dl":
		if count > 1 {
			keep = rapid.IntRange(1, count-1).Draw(t, "keep")
			text += " dl" + itoa(count-keep)
		}
	case "adv":
		keep = 1
		text += "adv"
	}
	return text, keep, keep * sides
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

func TestRollStaysWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text string
		var least, most int
		for i := range rapid.IntRange(1, diceroller.MaxTerms).Draw(t, "terms") {
			term, lo, hi := genTerm(t)
			sign := rapid.SampledFrom([]string{"+", "-", " − "}).Draw(t, "sign")
			switch {
			case sign != "+":
				lo, hi = -hi, -lo
				text += sign
			case i > 0:
				text += sign
			}
			text, least, most = text+term, least+lo, most+hi
		}
		e, err := diceroller.Parse(text)
		if err != nil {
			t.Fatalf("Parse(%q): %v", text, err)
		}
		again, err := diceroller.Parse(e.String())
		if err != nil || again != e {
			t.Fatalf("Parse(%q) = %v, %v; want %v", e.String(), again, err, e)
		}
		o := e.Roll(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
		if o.Total < least || o.Total > most {
			t.Fatalf("%s rolled %d, want %d to %d", text, o.Total, least, most)
		}
		lowest := e.Roll(fixed(0)).Total
		highest := e.Roll(fixed(diceroller.MaxSides)).Total
		if lowest < least || highest > most {
			t.Fatalf("%s rolled %d and %d at the ends, want within %d to %d", text, lowest, highest, least, most)
		}
	})
}

// fixed is a source that always returns the same number, or the largest one below n.
type fixed int

func (f fixed) IntN(n int) int { return min(int(f), n-1) }

func FuzzParse(f *testing.F) {
	for _, tt := range good {
		f.Add(tt.in)
	}
	for _, tt := range bad {
		f.Add(tt.in)
	}
	roll := diceroller.Tools(diceroller.WithSeed(1))[0].Handler
	f.Fuzz(func(t *testing.T, s string) {
		e, err := diceroller.Parse(s)
		if err != nil {
			var syntax *diceroller.SyntaxError
			if !errors.As(err, &syntax) || !errors.Is(err, mcp.ErrInvalidArguments) {
				t.Fatalf("Parse(%q): %T is no *SyntaxError", s, err)
			}
			if syntax.Pos < 1 || syntax.Pos > utf8.RuneCountInString(s)+1 || !strings.Contains(s, syntax.Part) {
				t.Fatalf("Parse(%q) blames %q at %d", s, syntax.Part, syntax.Pos)
			}
			return
		}
		again, err := diceroller.Parse(e.String())
		if err != nil || again != e {
			t.Fatalf("Parse(%q) = %v, %v; want %v", e.String(), again, err, e)
		}
		args, err := json.Marshal(map[string]string{"expression": s})
		if err != nil {
			t.Fatal(err)
		}
		out, err := roll(t.Context(), string(args))
		if err != nil {
			t.Fatalf("roll(%s): %v", args, err)
		}
		checkRoll(t, s, out)
	})
}
