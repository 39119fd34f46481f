package salient_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/salient"
)

func TestWhatIsWorthKeeping(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []salient.Sentence
	}{
		{"a promise among small talk", "Fine weather. Hedda, we promise you the ferry bell before the first frost. Another ale!",
			[]salient.Sentence{{Text: "Hedda, we promise you the ferry bell before the first frost.", Kind: salient.Promise}}},
		{"a debt", "You owe me forty silver, captain.", []salient.Sentence{{Text: "You owe me forty silver, captain.", Kind: salient.Debt}}},
		{"a German promise", "Na gut. Ich verspreche dir, den Schlüssel zu bringen.",
			[]salient.Sentence{{Text: "Ich verspreche dir, den Schlüssel zu bringen.", Kind: salient.Promise}}},
		{"a German debt", "Ihr schuldet mir zwölf Taler.", []salient.Sentence{{Text: "Ihr schuldet mir zwölf Taler.", Kind: salient.Debt}}},
		{"kin, and a death", "My brother Tobin was a ferryman. He drowned in spring.",
			[]salient.Sentence{{Text: "My brother Tobin was a ferryman.", Kind: salient.Kin}, {Text: "He drowned in spring.", Kind: salient.Death}}},
		{"something changed", "The mill is no longer ours.", []salient.Sentence{{Text: "The mill is no longer ours.", Kind: salient.Change}}},
		{"a title does not end a sentence", "I owe Dr. Vane a new lamp.", []salient.Sentence{{Text: "I owe Dr. Vane a new lamp.", Kind: salient.Debt}}},
		{"a question keeps nothing", "Do you owe me money?", nil},
		{"an exclamation is too short", "I swear!", nil},
		{"a part of a word is no word", "The bower in the garden showed its flowers.", nil},
		{"nothing", "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, salient.Of(tc.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzOf(f *testing.F) {
	f.Add("I owe Dr. Vane a lamp. You have my word… Ist er tot?")
	f.Add("..! ? \xff. a")
	f.Fuzz(func(t *testing.T, text string) {
		plain := strings.Join(strings.Fields(text), "")
		for _, s := range salient.Of(text) {
			if s.Kind == "" || utf8.ValidString(text) && !strings.Contains(plain, strings.Join(strings.Fields(s.Text), "")) {
				t.Errorf("%+v is not of %q", s, text)
			}
		}
	})
}
