package dialect_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai/dialect"
)

// FuzzCuts cuts an answer in three at any bytes: neither speech nor calls nor the habits of the model depend
// on where it is cut.
func FuzzCuts(f *testing.F) {
	for i, row := range dialects {
		f.Add(row.text, i*7, i*3, i%2 == 0, i%3 != 0)
	}
	for _, text := range []string{"Be wary.\n</think>\n\nCold night, eh?", "<", "[TOOL_", "◁", "```", "assistant", "<|start|>", "<s>a</s>b</s>c", "\u00a0{\"name\""} {
		f.Add(text, 2, 1, true, true)
	}
	f.Fuzz(func(t *testing.T, text string, first, second int, known, complete bool) {
		model := "unheard-of"
		if known {
			model = "claude"
		}
		first = min(max(first, 0), len(text))
		second = first + min(max(second, 0), len(text)-first)
		whole, cut := dialect.NewHabits(model, ""), dialect.NewHabits(model, "")
		want := read(inn, whole, complete, text)
		got := read(inn, cut, complete, text[:first], text[first:second], text[second:])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q, %q, %q (-whole +cut):\n%s", text[:first], text[first:second], text[second:], diff)
		}
		const next = "One. Two."
		if a, b := dialect.New(nil, whole).Feed(next), dialect.New(nil, cut).Feed(next); a != b {
			t.Errorf("after %q, the next answer begins with %q; cut, with %q", text, a, b)
		}
	})
}

// FuzzPlain checks that text without a marker passes unchanged, and on one line at once.
func FuzzPlain(f *testing.F) {
	for _, text := range []string{"Cold night, eh?", "3 > 2, no?\n\nAye (so they say) * * *", " \n\tWell.", "Größe \xff ¿Qué?"} {
		f.Add(text, 3)
	}
	// Phrases begin a line with one of these letters.
	phrases := strings.NewReplacer("\nA", "\n", "\nC", "\n", "\nF", "\n", "\nT", "\n", "\nf", "\n", "\nt", "\n", ">>>", "")
	f.Fuzz(func(t *testing.T, text string, at int) {
		if strings.ContainsAny(text, "<[`") || strings.Contains(text, "\xe2") {
			t.Skip("it has a marker")
		}
		text = "Q" + phrases.Replace(text)
		at = min(max(at, 0), len(text))
		r := dialect.New(nil, plainModel())
		said := ""
		for _, piece := range []string{text[:at], text[at:]} {
			got := r.Feed(piece)
			if got != piece && !strings.Contains(text, "\n") {
				t.Errorf("%q: passed on %q at once", piece, got)
			}
			said += got
		}
		if said += r.End(true); said != text {
			t.Errorf("%q became %q", text, said)
		}
	})
}
