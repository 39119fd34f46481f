package wordvectors_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

var _ embeddings.Provider = (*wordvectors.Embedder)(nil)

func embed(t testing.TB, texts ...string) [][]float32 {
	t.Helper()
	vs, err := wordvectors.New().Embed(t.Context(), texts)
	if err != nil {
		t.Fatalf("Embed: %v", err)
	}
	if len(vs) != len(texts) {
		t.Fatalf("Embed gave %d vectors for %d texts", len(vs), len(texts))
	}
	return vs
}

func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestRelatedTextsAreNearer(t *testing.T) {
	rows := []struct{ name, query, related, unrelated string }{
		{
			name:      "english_subject",
			query:     "Who stole the silver crown?",
			related:   "The silver crown of Eldermoor was stolen at midnight.",
			unrelated: "The innkeeper serves a fine mushroom stew.",
		},
		{
			name:      "english_inflection",
			query:     "dragons burning villages",
			related:   "A dragon burned the village down.",
			unrelated: "Merchants trade wool at the harbour.",
		},
		{
			name:      "german_subject",
			query:     "Wo ist der Schlüssel zur Gruft?",
			related:   "Der alte Totengräber versteckt den Schlüssel der Gruft unter dem Altar.",
			unrelated: "Die Händler verkaufen am Morgen frische Äpfel.",
		},
		{
			name:      "german_compound",
			query:     "Drachen",
			related:   "Im Norden liegt eine Drachenhöhle.",
			unrelated: "Im Norden liegt ein Fischerdorf.",
		},
		{
			name:      "stop_words_decide_nothing",
			query:     "what is it that the wizard has",
			related:   "wizard tower",
			unrelated: "what is it that the baker has",
		},
		{
			name:      "other_words",
			query:     "Why does the captain dislike the physician?",
			related:   "The doctor let the commander's horse starve.",
			unrelated: "Three barrels of salt stand in the yard.",
		},
		{
			name:      "german_other_words",
			query:     "Womit wurde die Übernachtung beglichen?",
			related:   "Den Wirt in der Herberge haben sie mit Hasen bezahlt.",
			unrelated: "Im Turm hängt eine grüne Glocke.",
		},
		{
			name:      "across_languages",
			query:     "Wer hat den Schlüssel der Kirche?",
			related:   "The key of the chapel is with the smith.",
			unrelated: "The wolves were seen in the valley.",
		},
		{
			name:      "accents_and_case",
			query:     "MUHLE am BACH",
			related:   "Die Mühle am Bach steht still.",
			unrelated: "Der Turm am Berg steht still.",
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			v := embed(t, row.query, row.related, row.unrelated)
			near, far := cosine(v[0], v[1]), cosine(v[0], v[2])
			if near < far+0.1 {
				t.Errorf("related text scores %.3f, unrelated %.3f, want a lead of 0.1", near, far)
			}
		})
	}
}

func TestEmbedIsDeterministicAndNormalised(t *testing.T) {
	texts := []string{
		"The Rusty Flagon", "ein Wort", "x", "🐉", "!?", "", " \t\n", "\xff\xfe\x00",
		strings.Repeat("round and round we go ", 500), strings.Repeat("a", 1<<16),
	}
	first, second := embed(t, texts...), embed(t, texts...)
	for i, v := range first {
		if len(v) != wordvectors.Dimensions {
			t.Errorf("%q: %d dimensions, want %d", texts[i], len(v), wordvectors.Dimensions)
		}
		if !slices.Equal(v, second[i]) {
			t.Errorf("%q: two calls gave different vectors", texts[i])
		}
		if n := cosine(v, v); n != 0 && math.Abs(n-1) > 1e-5 {
			t.Errorf("%q: squared length %v, want 0 or 1", texts[i], n)
		}
	}
	if n := cosine(first[0], first[0]); n == 0 {
		t.Errorf("%q: zero vector, want length 1", texts[0])
	}
	if n := cosine(first[5], first[5]); n != 0 {
		t.Errorf("empty text: squared length %v, want 0", n)
	}
}

func TestEmbedKeepsAKnownVector(t *testing.T) {
	// Vectors are stored permanently, so if this test fails, the model's name must
	// change.
	v := embed(t, "The Rusty Flagon")[0]
	var sum float64
	for i, x := range v {
		sum += float64(i+1) * float64(x)
	}
	const want = 115.681624
	if math.Abs(sum-want) > 1e-3 {
		t.Errorf("weighted sum = %.6f, want %.6f", sum, want)
	}
}

func TestEmbedObeysContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := wordvectors.New().Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
	vs, err := wordvectors.New().Embed(t.Context(), nil)
	if err != nil || len(vs) != 0 {
		t.Errorf("no texts: %d vectors, err %v, want none", len(vs), err)
	}
}

func BenchmarkEmbed(b *testing.B) {
	e := wordvectors.New()
	text := []string{"The silver crown of Eldermoor was stolen at midnight by someone who knew the guards."}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Embed(b.Context(), text); err != nil {
			b.Fatal(err)
		}
	}
}
