package speech_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/speech"
)

func TestWhatIsWorthKeeping(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []speech.SalientSentence
	}{
		{"a promise among small talk", "Fine weather. Hedda, we promise you the ferry bell before the first frost. Another ale!",
			[]speech.SalientSentence{{Text: "Hedda, we promise you the ferry bell before the first frost.", Kind: speech.SalientPromise}}},
		{"a debt", "You owe me forty silver, captain.", []speech.SalientSentence{{Text: "You owe me forty silver, captain.", Kind: speech.SalientDebt}}},
		{"a German promise", "Na gut. Ich verspreche dir, den Schlüssel zu bringen.",
			[]speech.SalientSentence{{Text: "Ich verspreche dir, den Schlüssel zu bringen.", Kind: speech.SalientPromise}}},
		{"a German debt", "Ihr schuldet mir zwölf Taler.", []speech.SalientSentence{{Text: "Ihr schuldet mir zwölf Taler.", Kind: speech.SalientDebt}}},
		{"kin, and a death", "My brother Tobin was a ferryman. He drowned in spring.",
			[]speech.SalientSentence{{Text: "My brother Tobin was a ferryman.", Kind: speech.SalientKin}, {Text: "He drowned in spring.", Kind: speech.SalientDeath}}},
		{"something changed", "The mill is no longer ours.", []speech.SalientSentence{{Text: "The mill is no longer ours.", Kind: speech.SalientChange}}},
		{"a title does not end a sentence", "I owe Dr. Vane a new lamp.", []speech.SalientSentence{{Text: "I owe Dr. Vane a new lamp.", Kind: speech.SalientDebt}}},
		{"a question keeps nothing", "Do you owe me money?", nil},
		{"an exclamation is too short", "I swear!", nil},
		{"a part of a word is no word", "The bower in the garden showed its flowers.", nil},
		{"nothing", "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, speech.FindSalient(tc.text)); diff != "" {
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
		for _, s := range speech.FindSalient(text) {
			if s.Kind == "" || utf8.ValidString(text) && !strings.Contains(plain, strings.Join(strings.Fields(s.Text), "")) {
				t.Errorf("%+v is not of %q", s, text)
			}
		}
	})
}
