package sentencevectors

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// recorded is the model's output in its original implementation; see PROVENANCE.md.
type recorded struct {
	Text   string
	Pieces []int32
	Vector []float32
}

func record(t *testing.T) (all []recorded) {
	t.Helper()
	f, err := os.Open("testdata/recorded.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for in.Buffer(nil, 1<<20); in.Scan(); {
		var r recorded
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// TestAsRecorded compares pieces and vectors with the output of TensorFlow.js for the
// same weights.
func TestAsRecorded(t *testing.T) {
	all := record(t)
	if len(all) < 9 {
		t.Fatalf("%d texts are recorded", len(all))
	}
	for _, r := range all {
		if got := load().cut(r.Text); !slices.Equal(got, r.Pieces) {
			t.Errorf("%q is cut into %v, want %v", r.Text, got, r.Pieces)
		}
		if c := cosine(load().encode(r.Text), r.Vector); c < 0.995 {
			t.Errorf("%q: the cosine to what is recorded is %.4f", r.Text, c)
		}
	}
}

// TestEveryProcessor compares the code for each kind of processor with the portable code.
func TestEveryProcessor(t *testing.T) {
	if !fast {
		t.Skip("this processor has the plain way alone")
	}
	m := &load().layers[0].keys
	for n := range 2*together + 1 {
		x := room(n, m.in)
		for i := range x {
			x[i] = float32(math.Sin(float64(i)))
		}
		got, want := m.of(x), room(n, m.out)
		m.plain(x, want, n)
		for i := range want {
			if d := math.Abs(float64(got[i] - want[i])); d > 1e-4 {
				t.Fatalf("%d vectors: %g at %d, want %g", n, got[i], i, want[i])
			}
		}
	}
}

func TestEmbed(t *testing.T) {
	e := New()
	texts := []string{
		"The physician drowned in the lake.", "What happened to the doctor?", "The soup was cold again.",
		"", strings.Repeat("and on and on ", 4000), "☃", "\xff\xfe", "Der Schmied ist im See ertrunken.", "Was ist aus dem Schmied geworden?",
	}
	got, err := e.Embed(t.Context(), texts)
	if err != nil || len(got) != len(texts) {
		t.Fatalf("%d vectors, %v", len(got), err)
	}
	for i, v := range got {
		if len(v) != e.Dimensions() {
			t.Errorf("%.20q has %d dimensions, want %d", texts[i], len(v), e.Dimensions())
		}
		if c := cosine(v, v); texts[i] != "" && math.Abs(c-1) > 1e-3 {
			t.Errorf("%.20q has no direction", texts[i])
		}
	}
	for _, row := range []struct{ a, near, far int }{{1, 0, 2}, {8, 7, 2}} {
		if near, far := cosine(got[row.a], got[row.near]), cosine(got[row.a], got[row.far]); near <= far {
			t.Errorf("%q is %.2f like %q, but %.2f like %q", texts[row.a], near, texts[row.near], far, texts[row.far])
		}
	}
	again, err := e.Embed(t.Context(), texts[:1])
	if err != nil || !slices.Equal(again[0], got[0]) {
		t.Errorf("the same text has another vector the second time, %v", err)
	}
}

// TestAtOnce embeds for many callers concurrently.
func TestAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New()
		want, err := e.Embed(t.Context(), []string{"Where is the crown?"})
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			go func() {
				got, err := e.Embed(t.Context(), []string{"Where is the crown?"})
				if err != nil || !slices.Equal(got[0], want[0]) {
					t.Errorf("another vector beside others, %v", err)
				}
			}()
		}
		synctest.Wait()
	})
}

func FuzzCut(f *testing.F) {
	for _, seed := range []string{"", "Where is the crown?", "ﬁ ½ ☃☃", "\xff", "▁▁", strings.Repeat("ä", 9000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pieces := load().cut(text)
		if len(pieces) > maxTokens {
			t.Errorf("%d pieces", len(pieces))
		}
		for _, p := range pieces {
			if p != 0 && p < reserved || int(p) >= len(load().scores) {
				t.Errorf("piece %d", p)
			}
		}
	})
}

func BenchmarkQuestion(b *testing.B) {
	e := New()
	for b.Loop() {
		if _, err := e.Embed(b.Context(), []string{"What did Sister Wick say about wine until the Lantern Fair?"}); err != nil {
			b.Fatal(err)
		}
	}
}
