package guard_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/guard"
)

// judgeAll judges sentences in one turn.
func judgeAll(card *guard.Card, o guard.TurnOptions, sentences ...string) []guard.Verdict {
	turn := card.NewTurn(o)
	var all []guard.Verdict
	for _, s := range sentences {
		all = append(all, turn.Judge(s))
	}
	return all
}

func TestToldSecretsAreHeard(t *testing.T) {
	told := "She murdered her husband Tobin with a candlestick."
	for _, row := range []struct {
		name, text string
		told       []string
		heard      bool
	}{
		{"untold", "I killed my husband Tobin.", nil, false},
		{"told", "I killed my husband Tobin.", []string{told}, true},
		{"the_other", "The mayor is a vampire.", []string{told}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if v := judgeAll(wilda, guard.TurnOptions{RevealedSecrets: row.told}, row.text)[0]; (v.Text != "") != row.heard {
				t.Errorf("heard %q, %v, want it heard: %v", v.Text, v.Reasons, row.heard)
			}
		})
	}
}

// TestRulesInThePrompt: an NPC may quote a rule from its prompt, and no other.
func TestRulesInThePrompt(t *testing.T) {
	const rule = "A creature that you cannot see has advantage on attack rolls against you."
	for _, given := range []bool{false, true} {
		if v := judgeAll(wilda, guard.TurnOptions{Rules: given}, rule)[0]; (v.Text != "") != given {
			t.Errorf("with rules in the prompt (%v): heard %q, %v", given, v.Text, v.Reasons)
		}
	}
}

func TestSecretInPieces(t *testing.T) {
	all := judgeAll(wilda, guard.TurnOptions{PlayerLine: "What about the mayor?"}, "The mayor sleeps by day.", "In the old mill.", "He is a vampire.", "Soup?")
	if all[1].Text != "" && all[2].Text != "" {
		t.Errorf("heard %q and %q", all[1].Text, all[2].Text)
	}
	if all[3].Text != "Soup?" {
		t.Errorf("heard %q, want what is no secret", all[3].Text)
	}
}

func TestRollsThatToolsMade(t *testing.T) {
	for _, row := range []struct {
		name, text string
		heard      bool
	}{
		{"die", "A seven!", true},
		{"sum", "Ten altogether, with my three.", true},
		{"another", "A nineteen!", false},
		{"second", "Seven, and then a twelve.", false},
		{"natural", "A natural twenty!", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			turn := wilda.NewTurn(guard.TurnOptions{PlayerLine: "Roll for me!"})
			turn.RecordResult("roll", `{"expression":"1d20+3"}`, `{"expression":"1d20+3","rolls":[7],"total":10}`)
			if v := turn.Judge(row.text); (v.Text != "") != row.heard {
				t.Errorf("heard %q, %v, want it heard: %v", v.Text, v.Reasons, row.heard)
			}
		})
	}
}

func TestInventedRollNamesItsDice(t *testing.T) {
	for asked, want := range map[string]string{"Roll 2d6!": "2d6", "Würfel mal mit 3W6": "3d6", "Roll for me": "1d20"} {
		if v := judgeAll(wilda, guard.TurnOptions{PlayerLine: asked}, "A five!")[0]; v.Dice != want || v.Text != "" {
			t.Errorf("%s: dice %q, heard %q, want %q and nothing", asked, v.Dice, v.Text, want)
		}
	}
}

func TestKeepsWhatIsSpeech(t *testing.T) {
	for _, row := range []struct{ in, want string }{
		{"Come in (wipes the table) and sit.", "Come in and sit."},
		{"[nods] Fine.", "Fine."},
		{"That's [31mhot[0m soup.", "That's hot soup."},
		{"It's *very* hot.", "It's very hot."},
		{"See https://example.org/menu for soup.", "See for soup."},
		{"The inn (that's mine) is full.", "The inn (that's mine) is full."},
		{"Soup, {{player}}, and bread.", "Soup, and bread."},
		{"roll(\"1d20\") Here it comes.", "Here it comes."},
		{"3 * 4 is 12.", "3 * 4 is 12."},
		{"Bread &amp; butter.", "Bread butter."},
		{"Hot <b>soup</b>.", "Hot soup."},
	} {
		if v := judgeAll(wilda, guard.TurnOptions{}, row.in)[0]; v.Text != row.want || (v.Text == row.in) != (len(v.Reasons) == 0) {
			t.Errorf("%q: heard %q, %v, want %q", row.in, v.Text, v.Reasons, row.want)
		}
	}
}

func TestDirectionOverSentences(t *testing.T) {
	all := judgeAll(wilda, guard.TurnOptions{}, "Fine. [She looks away.", "Then she sighs.", "She sits.] Anything else?", "Good.")
	var heard []string
	for _, v := range all {
		heard = append(heard, v.Text)
	}
	if want := []string{"Fine.", "", "Anything else?", "Good."}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}

func TestRepeats(t *testing.T) {
	before := []string{"The soup has been on the fire since Thursday."}
	for _, row := range []struct {
		name, asked, text string
		heard             bool
	}{
		{"same", "And?", "The soup has been on the fire since Thursday.", false},
		{"other_marks", "And?", "the soup has been on the fire – since thursday!", false},
		{"filler", "And?", "Well, the soup has been on the fire since Thursday.", false},
		{"asked_again", "Say that again?", "The soup has been on the fire since Thursday.", true},
		{"other", "And?", "The bread has been in the oven since noon.", true},
		{"short", "And?", "Since Thursday.", true},
		{"motto", "Bye!", "Mind the stairs.", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if v := judgeAll(wilda, guard.TurnOptions{PlayerLine: row.asked, Recent: before}, row.text)[0]; (v.Text != "") != row.heard {
				t.Errorf("heard %q, %v, want it heard: %v", v.Text, v.Reasons, row.heard)
			}
		})
	}
}

func TestPeekRemembersNothing(t *testing.T) {
	turn := wilda.NewTurn(guard.TurnOptions{})
	for _, begun := range []string{"The", "The mayor", "The mayor is a", "The mayor is a vampire"} {
		v := turn.Peek(begun)
		if breach := begun == "The mayor is a vampire"; (v.Text == "") != breach {
			t.Errorf("%q: heard %q, %v", begun, v.Text, v.Reasons)
		}
	}
	if v := turn.Judge("The soup is hot today."); v.Text == "" {
		t.Errorf("a sentence after a look ahead is withheld: %v", v.Reasons)
	}
}

// seeds returns the sentences of every row of the tables.
func seeds(t testing.TB) []string {
	var all []string
	for _, rows := range withheldRows {
		for row := range strings.SplitSeq(strings.TrimSpace(rows), "\n") {
			all = append(all, strings.SplitN(row, " | ", 3)[2])
		}
	}
	for _, row := range readLines(t, "spoken.txt") {
		_, text, _ := strings.Cut(row, "|")
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

func FuzzJudge(f *testing.F) {
	for i, s := range seeds(f) {
		f.Add(s, "Roll for me!", i%2 == 0)
	}
	f.Add("(*[{<|`\\_)]}>", "", true)
	f.Add("\xff\xfe(", "\x00", false)
	f.Fuzz(func(t *testing.T, text, asked string, german bool) {
		card := wilda
		if german {
			card = ulf
		}
		o := guard.TurnOptions{PlayerLine: asked, Recent: []string{text}, Players: []string{asked}}
		first, second := judgeAll(card, o, text, asked, text), judgeAll(card, o, text, asked, text)
		for i, v := range first {
			in := []string{text, asked, text}[i]
			if v.Text != second[i].Text || !slices.Equal(v.Reasons, second[i].Reasons) || v.Dice != second[i].Dice {
				t.Errorf("%q: once %+v, then %+v", in, v, second[i])
			}
			if (v.Text == in) != (len(v.Reasons) == 0) && in != "" {
				t.Errorf("%q: %+v", in, v)
			}
			if !isPieces(in, v.Text) {
				t.Errorf("%q: heard %q, which is more than its pieces", in, v.Text)
			}
		}
		turn := card.NewTurn(o)
		turn.RecordResult(asked, text, asked)
		turn.Peek(text)
	})
}

// isPieces reports whether text is whole with parts removed, ignoring spaces.
func isPieces(whole, text string) bool {
	rest := []rune(whole)
	for _, r := range text {
		if r == ' ' {
			continue
		}
		i := slices.Index(rest, r)
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}

func TestJudgeIsLinear(t *testing.T) {
	for name, s := range map[string]string{
		"words": "The mayor counts his spoons and the miller counts his flour. ", "brackets": "(he [looks {at *it ", "marks": "*_*_`|<", "letters": "a b c d ",
		"calls": "roll_it(", "quotes": "\"says\" Petra ", "compound": "donaudampfschifffahrt", "names": "Petra: Petra, ",
	} {
		t.Run(name, func(t *testing.T) {
			took := func(n, times int) time.Duration {
				text := strings.Repeat(s, n)
				best := time.Hour
				for range times {
					turn := wilda.NewTurn(guard.TurnOptions{})
					start := time.Now()
					turn.Judge(text)
					best = min(best, time.Since(start))
				}
				return best
			}
			short, long := max(took(10, 9), 20*time.Microsecond), took(10_000, 1)
			if long > 20_000*short {
				t.Errorf("10 times takes %v, 10000 times %v", short, long)
			}
		})
	}
}

func TestJudgeAllocates(t *testing.T) {
	turn := wilda.NewTurn(guard.TurnOptions{PlayerLine: "What's for supper?"})
	texts := []string{"There's stew tonight.", "Sit where you like, it's warm by the fire.", "The bread is from this morning."}
	i := 0
	if n := testing.AllocsPerRun(300, func() {
		turn.Judge(texts[i%len(texts)])
		i++
	}); n > 80 {
		t.Errorf("%.1f allocations a sentence, want 80 at most", n)
	}
}

func BenchmarkJudge(b *testing.B) {
	sentences := seeds(b)
	b.ReportAllocs()
	turn := wilda.NewTurn(guard.TurnOptions{PlayerLine: "Roll for me!"})
	i := 0
	for b.Loop() {
		if i%8 == 0 {
			turn = wilda.NewTurn(guard.TurnOptions{PlayerLine: "Roll for me!"})
		}
		turn.Judge(sentences[i%len(sentences)])
		i++
	}
}
