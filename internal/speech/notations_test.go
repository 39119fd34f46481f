package speech_test

import (
	"fmt"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/speech"
)

// group separates thousands.
func group(n int64, apart string) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + apart + digits[i:]
	}
	return digits
}

// roman writes n in Roman numerals, 1 to 39.
func roman(n int) string {
	out := ""
	for _, step := range []struct {
		value int
		text  string
	}{{10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= step.value; n -= step.value {
			out += step.text
		}
	}
	return out
}

// TestSpeakableReadsNotationsAlike checks that two notations of one value are spoken
// alike.
func TestSpeakableReadsNotationsAlike(t *testing.T) {
	alike := func(t *rapid.T, language, one, other string) {
		t.Helper()
		if a, b := speech.Speakable(one, language, speech.Full), speech.Speakable(other, language, speech.Full); a != b {
			t.Errorf("%q is %q, %q is %q", one, a, other, b)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1000, 999_999_999).Draw(t, "n")
		alike(t, "en", fmt.Sprintf("There were %d men at the gate.", n), fmt.Sprintf("There were %s men at the gate.", group(n, ",")))
		alike(t, "en", fmt.Sprintf("There were %d men at the gate.", n), fmt.Sprintf("There were %s men at the gate.", group(n, "'")))
		alike(t, "de", fmt.Sprintf("Da waren %d Mann vor dem Tor.", n), fmt.Sprintf("Da waren %s Mann vor dem Tor.", group(n, ".")))
		alike(t, "de", fmt.Sprintf("Da waren %d Mann vor dem Tor.", 1000*n/1000*1000), fmt.Sprintf("Da waren %s Mann vor dem Tor.", group(1000*n/1000*1000, " ")))

		small := rapid.IntRange(2, 39).Draw(t, "small")
		alike(t, "en", fmt.Sprintf("See Chapter %d, please.", small), fmt.Sprintf("See Chapter %s, please.", roman(small)))
		alike(t, "de", fmt.Sprintf("Siehe Kapitel %d, bitte.", small), fmt.Sprintf("Siehe Kapitel %s, bitte.", roman(small)))
		alike(t, "de", fmt.Sprintf("Im %d. Weltkrieg fiel sie.", small), fmt.Sprintf("Im %s. Weltkrieg fiel sie.", roman(small)))

		language := rapid.SampledFrom([]string{"en", "de"}).Draw(t, "language")
		unit := rapid.SampledFrom([]string{"kg", "km", "kW", "MHz", "mSv", "GB", "cm", "%", "°C", "ft", "V", "€"}).Draw(t, "unit")
		alike(t, language, fmt.Sprintf("Bartok: %d %s.", small, unit), fmt.Sprintf("Bartok: %d%s.", small, unit))
		alike(t, language, fmt.Sprintf("Bartok: %d-%d %s.", small, small+3, unit), fmt.Sprintf("Bartok: %d–%d %s.", small, small+3, unit))
		alike(t, language, fmt.Sprintf("Bartok: %d € da.", small), fmt.Sprintf("Bartok: €%d da.", small))
	})
	for sign, written := range map[string]string{"½": "1/2", "⅓": "1/3", "¾": "3/4", "⅝": "5/8", "⅖": "2/5"} {
		for _, text := range []string{"%s of it", "davon %s voll"} {
			if a, b := speech.Speakable(fmt.Sprintf(text, sign), "de", speech.Full), speech.Speakable(fmt.Sprintf(text, written), "de", speech.Full); a != b {
				t.Errorf("%s is %q, %s is %q", sign, a, written, b)
			}
		}
	}
}

// TestSpeakableClasses covers more notations that tables write, class by class.
func TestSpeakableClasses(t *testing.T) {
	for _, tt := range []struct{ language, text, want string }{
		{"en", "3 GW at 400 V, 1420 MHz, 5 mg/l", "three gigawatts at four hundred volts, one thousand four hundred twenty megahertz, five milligrams per litre"},
		{"en", "5G, Cell 7B, Map 3A", "five G, Cell seven B, Map three A"},
		{"de", "2,5 mSv, 9 m/s, ein 9-mm-Geschoss", "zwei Komma fünf Millisievert, neun Meter pro Sekunde, ein neun Millimeter Geschoss"},
		{"de", "nach 1 Stunde, mit 15 TP, nach 5 m", "nach einer Stunde, mit fünfzehn Trefferpunkten, nach fünf Metern"},
		{"en", "$2.5 million, $5-10, $0.99, ¥5000", "two point five million dollars, five to ten dollars, ninety-nine cents, five thousand yen"},
		{"de", "2,5 Mio. €, 0,50 €", "zwei Komma fünf Millionen Euro, fünfzig Cent"},
		{"en", "3² + √16, 2^3, 10⁶ cells, ×2", "three squared plus square root of sixteen, two cubed, ten to the power of six cells, times two"},
		{"de", "10 : 2 = 5", "zehn durch zwei gleich fünf"},
		{"en", "12/30 HP, SAN 0/1d4, 3/day, 1d6/round", "twelve of thirty hit points, SAN zero slash one d four, three per day, one d six per round"},
		{"en", "5°–10°, $5–$10", "five degrees to ten degrees, five to ten dollars"},
		{"en", "open Mon.–Fri., closed Sun. The sun.", "open Monday to Friday, closed Sunday The sun."},
		{"de", "Mo., Mi. und Fr. zu, Fr. Voss am Di. da, Do, re, mi", "Montag, Mittwoch und Freitag zu, Frau Voss am Dienstag da, Do, re, mi"},
		{"en", "40°26′ N, 10 km S of here, 500 N. Main St.", "forty degrees twenty-six minutes north, ten kilometres south of here, five hundred north Main Street."},
		{"de", "5 km NO der Stadt, südl. von hier", "fünf Kilometer nordöstlich der Stadt, südlich von hier"},
		{"en", "WW II, Vol. II, Acts II and III, it struck IX, the IV drip", "World War Two, volume two, Acts two and three, it struck nine, the IV drip"},
		{"de", "der II. Weltkrieg, Tor III, I. Müller", "der zweite Weltkrieg, Tor drei, I. Müller"},
		{"de", "Falk u. a. kamen, es gibt u. a. Orks", "Falk und andere kamen, es gibt unter anderem Orks"},
		{"de", "der ehem. Wirt, sog. Helden, tägl. frisch", "der ehemalige Wirt, sogenannte Helden, täglich frisch"},
		{"de", "Hausnr. 9, 3. OG, Mitte des 17. Jh. dort", "Hausnummer neun, drittes Obergeschoss, Mitte des siebzehnten Jahrhunderts dort"},
		{"en", "the answer is no. I did, and I am Max. You go.", "the answer is no. I did, and I am Max. You go."},
		{"en", "*long pause* No. (to the guard) You! *Never* go. [Door creaks] Who?", "No. You! Never go. Who?"},
		{"en", "[The innkeeper] says no.", "The innkeeper, says no."},
		{"de", "*Er lacht.* Gut. Held:innen", "Gut. Heldinnen"},
		{"en", "yes :smile: <3 you xD", "yes you"},
		{"en", "Hmm. PSST! 0600 hours, 1:30:00", "Hmm. psst! oh six hundred hours, one hour thirty minutes"},
		{"en", "1914-18, 100s of men, May 3–9", "nineteen fourteen to eighteen, hundreds of men, May third to ninth"},
	} {
		if got := speech.Speakable(tt.text, tt.language, speech.Full); got != tt.want {
			t.Errorf("Speakable(%q, %q)\n got %q\nwant %q", tt.text, tt.language, got, tt.want)
		}
	}
}
