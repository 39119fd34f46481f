package speech_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// TestProfiles renders one sentence for engines of both kinds.
func TestProfiles(t *testing.T) {
	for _, tt := range []struct{ name, language, text, full, game string }{
		{"dice", "en", "Roll 2d6+3, not 1!", "Roll two d six plus three, not one!", "Roll two d six plus three, not 1!"},
		{"dice_with_spaces", "en", "Roll 2d8 + 1d4 - 1.", "Roll two d eight plus one d four minus one.", "Roll two d eight plus one d four minus one."},
		{"dice_kept", "en", "4d6kh3, then a d20 or d%", "four d six keep highest three, then a d twenty or d percent", "four d six keep highest three, then a d twenty or d percent"},
		{"dice_german", "de", "Wirf 1W20 - 2!", "Wirf ein W zwanzig minus zwei!", "Wirf ein W zwanzig minus zwei!"},
		{"bonus_dice", "en", "Add +1d4 (2d6).", "Add plus one d four, two d six.", "Add plus one d four (two d six)."},
		{"coins", "en", "It costs 5 gp.", "It costs five gold pieces.", "It costs five gold pieces."},
		{"coins_per_day", "en", "5 gp/day, 3-5 lb. of it", "five gold pieces per day, three to five pounds of it", "five gold pieces per day, three to five pounds of it"},
		{"size", "en", "a 10' pole, 10 x 12 ft., 6'2\"", "a ten foot pole, ten by twelve feet, six feet two inches", "a ten foot pole, ten by twelve feet, six feet two inches"},
		{"angle", "en", "47°9′ at 5 mg/l", "forty-seven degrees nine minutes at five milligrams per litre", "forty-seven degrees nine minutes at five milligrams per litre"},
		{"decade", "en", "at 3 pm in the 90s", "at three p m in the nineties", "at 3 pm in the 90s"},
		{"cold", "en", "It is -5 °C.", "It is minus five degrees Celsius.", "It is minus five degrees Celsius."},
		{"case_german", "de", "mit 15 TP, nach 5 m", "mit fünfzehn Trefferpunkten, nach fünf Metern", "mit fünfzehn Trefferpunkten, nach fünf Metern"},
		{"values", "en", "AC 15, a STR check, 24/31 HP", "armor class fifteen, a strength check, twenty-four of thirty-one hit points", "armor class 15, a strength check, twenty-four of thirty-one hit points"},
		{"score", "en", "HP 3/8", "hit points three of eight", "hit points three of eight"},

		{"roman_numeral", "en", "Aldric IV rules in Chapter III.", "Aldric the fourth rules in Chapter three.", "Aldric IV rules in Chapter III."},
		{"fraction", "en", "3/4 of it", "three quarters of it", "3/4 of it"},
		{"telephone", "en", "Call 555-0143.", "Call five five five, zero one four three.", "Call 555-0143."},
		{"mail", "en", "Mail a@inn.example.", "Mail a at inn dot example.", "Mail a@inn.example."},
		{"clock", "en", "Come at 18:30.", "Come at eighteen thirty.", "Come at 18:30."},
		{"date_german", "de", "am 24.12.2026", "am vierundzwanzigsten Dezember zweitausendsechsundzwanzig", "am 24.12.2026"},
		{"year", "en", "Since 1492 it cost $5.", "Since fourteen ninety-two it cost five dollars.", "Since 1492 it cost $5."},
		{"abbreviation", "en", "Mr. Smith, e.g. here", "Mister Smith, for example here", "Mr. Smith, e.g. here"},
		{"stage_direction", "en", "*sighs* **Well.** 😀 Take 2 gp.", "Well. Take two gold pieces.", "Well. Take two gold pieces."},
		{"other_language", "fr", "J'ai 3 kg.", "J'ai 3 kg.", "J'ai 3 kg."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := speech.Speakable(tt.text, tt.language, speech.Full); got != tt.full {
				t.Errorf("Full: Speakable(%q)\n got %q\nwant %q", tt.text, got, tt.full)
			}
			if got := speech.Speakable(tt.text, tt.language, speech.Game); got != tt.game {
				t.Errorf("Game: Speakable(%q)\n got %q\nwant %q", tt.text, got, tt.game)
			}
		})
	}
}

func TestAsWritten(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"numbers_stay", "Roll 2d6+3, AC 15, on 24/12 at 18:30!", "Roll 2d6+3, AC 15, on 24/12 at 18:30!"},
		{"german_stays", "Am 3. Mai, 5 °C, §7: 1W20 - 2.", "Am 3. Mai, 5 °C, §7: 1W20 - 2."},
		{"markup_is_removed", "## **Bold** and `code`, *truly*", "Bold and code, truly"},
		{"stage_directions_are_removed", "*sighs* Well. (laughs) Fine.", "Well. Fine."},
		{"emoji_are_removed", "Hello 😀👍🏽!", "Hello !"},
		{"nothing_else", "*sighs*", "sighs"},
		{"lines", "One\ntwo", "One, two"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := speech.Speakable(tt.text, "en", speech.AsWritten); got != tt.want {
				t.Errorf("Speakable(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func FuzzProfiles(f *testing.F) {
	for _, s := range []string{"Roll 2d6+3!", "*sighs*", "😀 a", "[x](y)", "\x1b[1m", "**", "5 gp/day, 6'2\"", "HP 3/8", "1d", "- 5 °C", "d%x2", "10 x 12 ft"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, german bool) {
		language := "en"
		if german {
			language = "de"
		}
		for _, engine := range []speech.Profile{speech.Game, speech.AsWritten} {
			got := speech.Speakable(text, language, engine)
			if len(got) > 8*len(text) || !utf8.ValidString(got) {
				t.Errorf("Speakable(%q, %d) = %q", text, engine, got)
			}
			if got == "" && strings.ContainsFunc(untrusted.Clean(text, 0), unicode.IsLetter) {
				t.Errorf("Speakable(%q, %d) is empty", text, engine)
			}
		}
	})
}
