package speech_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/speech"
)

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"numbers_stay", "Roll 2d6+3, AC 15, on 24/12 at 18:30!", "Roll 2d6+3, AC 15, on 24/12 at 18:30!"},
		{"german_stays", "Am 3. Mai, 5 °C, §7: 1W20 - 2.", "Am 3. Mai, 5 °C, §7: 1W20 - 2."},
		{"markup_goes", "## **Bold** and `code`, *truly*", "Bold and code, truly"},
		{"stage_directions_go", "*sighs* Well. (laughs) Fine.", "Well. Fine."},
		{"emoji_go", "Hello 😀👍🏽!", "Hello !"},
		{"nothing_else", "*sighs*", "sighs"},
		{"lines", "One\ntwo", "One, two"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := speech.Plain(tt.text); got != tt.want {
				t.Errorf("Plain(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range []string{"Roll 2d6+3!", "*sighs*", "😀 a", "[x](y)", "\x1b[1m", "**"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := speech.Plain(text); len(got) > 3*len(text)+1 {
			t.Errorf("%q became %q", text, got)
		}
	})
}
