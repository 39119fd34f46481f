package speech_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// spoken holds texts and their spoken form.
var spoken = []struct{ name, language, text, want string }{
	{"empty", "en", "", ""},
	{"plain", "en", "Well met, traveller.", "Well met, traveller."},
	{"plain_german", "de", "Grüß dich, Fremder!", "Grüß dich, Fremder!"},
	{"no_language", "", "2 rats", "two rats"},
	{"region", "de-AT", "2 Ratten", "zwei Ratten"},
	{"underscore_region", "en_GB", "2 rats", "two rats"},
	{"other_language_keeps_numbers", "fr", "J'ai 3 pommes à 18:30, 3,5 kg.", "J'ai 3 pommes à 18:30, 3,5 kg."},
	{"other_language_is_cleaned", "fr", "« Bonjour »  *monsieur* 😀", "Bonjour monsieur"},
	{"other_language_shouts", "fr", "ATTENTION !", "attention!"},

	{"dice", "en", "Roll 2d6+3 for damage.", "Roll two d six plus three for damage."},
	{"dice_german", "de", "Würfle 2d6+3 für den Schaden.", "Würfle zwei W sechs plus drei für den Schaden."},
	{"dice_german_w", "de", "Wirf 3W6!", "Wirf drei W sechs!"},
	{"dice_spaced", "en", "2d8 + 1d4 - 1", "two d eight plus one d four minus one"},
	{"dice_one_german", "de", "1W20", "ein W zwanzig"},
	{"dice_alone", "en", "a d20", "a d twenty"},
	{"dice_capital", "en", "1D100", "one d one hundred"},
	{"dice_percent", "en", "d%", "d percent"},
	{"dice_minus", "en", "2d6-1", "two d six minus one"},
	{"dice_keep", "en", "4d6kh3", "four d six keep highest three"},
	{"dice_keep_low_german", "de", "2w20kl1", "zwei W zwanzig behalte die niedrigsten eins"},

	{"zero", "en", "0", "zero"},
	{"teens", "en", "13 and 19", "thirteen and nineteen"},
	{"tens", "en", "It is 42.", "It is forty-two."},
	{"hundreds", "en", "all 305 of us", "all three hundred five of us"},
	{"thousands", "en", "all 1,200 of us", "all one thousand two hundred of us"},
	{"millions", "en", "some 2,000,001 rats", "some two million one rats"},
	{"billions", "en", "3000000000 stars", "three billion stars"},
	{"ungrouped", "en", "15000 men", "fifteen thousand men"},
	{"beyond", "en", "1234567890123 grains", "one two three four five six seven eight nine zero one two three grains"},
	{"leading_zero", "en", "agent 007 here", "agent zero zero seven here"},
	{"zero_german", "de", "0 Gold", "null Gold"},
	{"one_german", "de", "Zimmer Nr. 1.", "Zimmer Nummer eins."},
	{"one_noun_german", "de", "1 Goldstück", "ein Goldstück"},
	{"tens_german", "de", "21, 30, 66, 76", "einundzwanzig, dreißig, sechsundsechzig, sechsundsiebzig"},
	{"hundreds_german", "de", "die 100 und die 216 da", "die hundert und die zweihundertsechzehn da"},
	{"thousands_german", "de", "gut 1.001 und 12.345 Mann", "gut tausendeins und zwölftausenddreihundertfünfundvierzig Mann"},
	{"million_german", "de", "1 Million, 2.000.000", "eine Million, zwei Millionen"},
	{"billions_german", "de", "1000000000 Sterne", "eine Milliarde Sterne"},
	{"six_hundred_german", "de", "600 Mann", "sechshundert Mann"},
	{"arabic_digits", "en", "٤٢ camels", "forty-two camels"},
	{"fullwidth_digits", "en", "４２ camels", "forty-two camels"},
	{"mathematical_digits", "en", "𝟜𝟚 camels", "forty-two camels"},
	{"lone_number_digit_by_digit", "en", "777", "seven seven seven"},

	{"decimal", "en", "3.14", "three point one four"},
	{"decimal_german", "de", "3,14", "drei Komma eins vier"},
	{"decimal_point_german", "de", "0.5 Liter", "null Komma fünf Liter"},
	{"version", "en", "version 1.2.3", "version one point two point three"},
	{"decimal_at_the_end", "en", "It is 3.", "It is three."},
	{"negative", "en", "It is -5 outside.", "It is minus five outside."},
	{"negative_sign", "en", "It is −5 outside.", "It is minus five outside."},
	{"plus_number", "en", "a +1 sword", "a plus one sword"},
	{"plus_minus", "en", "±2 days", "plus or minus two days"},
	{"hyphen_before_number", "en", "the F-16 thing", "the F sixteen thing"},

	{"ordinals", "en", "1st 2nd 3rd 4th 5th 8th 9th 12th", "first second third fourth fifth eighth ninth twelfth"},
	{"ordinals_tens", "en", "20th 21st 22nd 33rd 100th 101st", "twentieth twenty-first twenty-second thirty-third one hundredth one hundred first"},
	{"ordinal_german_dative", "de", "am 3. Tag", "am dritten Tag"},
	{"ordinal_german_nominative", "de", "Der 2. Mann, die 7. Frau, das 8. Kind.", "Der zweite Mann, die siebte Frau, das achte Kind."},
	{"ordinal_german_high", "de", "im 21. Jahr und im 101. Jahr", "im einundzwanzigsten Jahr und im hundertersten Jahr"},
	{"no_ordinal_german", "de", "Ich habe 3. Mehr nicht.", "Ich habe drei. Mehr nicht."},

	{"range", "en", "3-5 goblins", "three to five goblins"},
	{"range_dash", "en", "3–5 goblins", "three to five goblins"},
	{"range_spaced_dash", "en", "3 – 5 goblins", "three to five goblins"},
	{"range_german", "de", "3-5 Kobolde", "drei bis fünf Kobolde"},
	{"range_with_unit", "en", "10-20 ft of rope", "ten to twenty feet of rope"},
	{"subtraction", "en", "5 - 3", "five minus three"},
	{"score", "en", "You won 3:1 there.", "You won three to one there."},

	{"half", "en", "1/2 a loaf", "half a loaf"},
	{"quarters", "en", "3/4 of it", "three quarters of it"},
	{"thirds", "en", "2/3", "two thirds"},
	{"tenths", "en", "3/10", "three tenths"},
	{"fraction_german", "de", "3/4 davon, 1/3", "drei Viertel davon, ein Drittel"},
	{"fraction_sign", "en", "½ of it, ¾", "half of it, three quarters"},
	{"mixed", "en", "2½ miles", "two and a half miles"},
	{"mixed_german", "de", "2½ Meilen", "zweieinhalb Meilen"},
	{"hit_points_are_no_fraction", "en", "3/8 HP", "three of eight hit points"},
	{"large_ratio", "en", "24/31 left", "twenty-four of thirty-one left"},
	{"percent", "en", "50% and 12.5 %", "fifty percent and twelve point five percent"},
	{"percent_german", "de", "50 % davon", "fünfzig Prozent davon"},

	{"gold", "en", "5 gp, 1 sp, 3cp", "five gold pieces, one silver piece, three copper pieces"},
	{"platinum", "en", "2 pp or 1 ep", "two platinum pieces or one electrum piece"},
	{"gold_german", "de", "10 GM, 1 SM", "zehn Goldmünzen, eine Silbermünze"},
	{"platinum_german", "de", "2 PM", "zwei Platinmünzen"},
	{"gold_at_the_end", "en", "It costs 5 gp.", "It costs five gold pieces."},
	{"gold_per_day", "en", "5 gp/day", "five gold pieces per day"},
	{"dollars", "en", "$5 or $1.50", "five dollars or one dollar fifty"},
	{"dollars_small_change", "en", "it is $2.05 now", "it is two dollars five now"},
	{"euros", "en", "3€ or 1 €", "three euros or one euro"},
	{"euros_german", "de", "3,50 € und 1 €", "drei Euro fünfzig und ein Euro"},
	{"lone_dollar", "en", "cash $ only", "cash only"},

	{"feet", "en", "30 ft. away", "thirty feet away"},
	{"feet_at_the_end", "en", "It is 30 ft.", "It is thirty feet."},
	{"foot", "en", "1 ft", "one foot"},
	{"pounds", "en", "10 lb. of flour and 1 lb", "ten pounds of flour and one pound"},
	{"metres", "en", "5 m and 2km", "five metres and two kilometres"},
	{"speed", "en", "16 km/h", "sixteen kilometres per hour"},
	{"speed_german", "de", "16 km/h", "sechzehn Kilometer pro Stunde"},
	{"metres_german", "de", "1 m, 30 m weit", "ein Meter, dreißig Meter weit"},
	{"celsius", "en", "-5 °C", "minus five degrees Celsius"},
	{"celsius_german", "de", "21°C", "einundzwanzig Grad Celsius"},
	{"degrees", "en", "turn 90° left", "turn ninety degrees left"},
	{"kilos_german", "de", "3 kg Mehl", "drei Kilogramm Mehl"},
	{"minutes", "en", "10 min. later, 30 sec", "ten minutes later, thirty seconds"},
	{"hour_german", "de", "1 Std. Rast", "eine Stunde Rast"},
	{"in_is_no_inch", "en", "5 in a row", "five in a row"},
	{"unit_needs_its_end", "en", "5 might come", "five might come"},
	{"no_unit_without_number", "en", "the sp thing", "the sp thing"},

	{"time", "en", "at 18:30", "at eighteen thirty"},
	{"time_full_hour", "en", "at 9:00", "at nine o'clock"},
	{"time_late_full_hour", "en", "at 18:00", "at eighteen hundred"},
	{"time_few_minutes", "en", "at 6:05", "at six oh five"},
	{"time_half_day", "en", "at 6:30 a.m. sharp", "at six thirty a m sharp"},
	{"time_german", "de", "um 18:30 Uhr", "um achtzehn Uhr dreißig"},
	{"time_german_without_word", "de", "um 1:00", "um ein Uhr"},
	{"time_german_point", "de", "um 18.30 Uhr", "um achtzehn Uhr dreißig"},
	{"no_time", "en", "odds of 99:99", "odds of ninety-nine to ninety-nine"},
	{"iso_date", "en", "on 2026-11-21", "on November twenty-first twenty twenty-six"},
	{"iso_date_german", "de", "am 2026-11-21", "am einundzwanzigsten November zweitausendsechsundzwanzig"},
	{"date_german", "de", "am 21.11.2026 da", "am einundzwanzigsten November zweitausendsechsundzwanzig da"},
	{"date_german_short", "de", "vom 3.5. an", "vom dritten Mai an"},
	{"date_german_name", "de", "3. März", "dritter März"},
	{"date_english", "en", "November 21, 2026", "November twenty-first twenty twenty-six"},
	{"date_english_ordinal", "en", "May 3rd", "May third"},
	{"year", "en", "in 1492", "in fourteen ninety-two"},
	{"year_round", "en", "since 1500", "since fifteen hundred"},
	{"year_thousands", "en", "in 2004", "in two thousand four"},
	{"year_with_unit", "en", "in 1492 gp", "in one thousand four hundred ninety-two gold pieces"},
	{"year_german", "de", "im Jahr 1492", "im Jahr vierzehnhundertzweiundneunzig"},
	{"impossible_date", "en", "on 2026-13-41 maybe", "on two thousand twenty-six to thirteen to forty-one maybe"},

	{"feet_and_inches", "en", "I'm 5'10\" tall.", "I'm five feet ten inches tall."},
	{"decade", "en", "the 1920s", "the nineteen twenties"},
	{"date_slashes", "en", "on 11/21/2026", "on November twenty-first twenty twenty-six"},
	{"date_slashes_german", "de", "am 24/12/2026", "am vierundzwanzigsten Dezember zweitausendsechsundzwanzig"},
	{"date_dots", "en", "on 24.12.2026", "on December twenty-fourth twenty twenty-six"},
	{"percent_range", "en", "10%-20%", "ten percent to twenty percent"},
	{"ordinals_joined_german", "de", "am 3. und 4. Tag", "am dritten und vierten Tag"},
	{"ordinal_goes_on_german", "de", "3. oder 4. Tag", "dritte oder vierte Tag"},
	{"coins_end_a_sentence_german", "de", "Kostet 5 SM. Ja.", "Kostet fünf Silbermünzen. Ja."},
	{"one_feminine_german", "de", "1 Ratte, 1 Wirt", "eine Ratte, ein Wirt"},
	{"eleven_hundred_german", "de", "1.100 Mann", "tausendeinhundert Mann"},
	{"page_and_volume", "en", "vol. 2, p. 12", "volume two, page twelve"},
	{"page_german", "de", "S. 12, Kap. 3", "Seite zwölf, Kapitel drei"},
	{"kings_own", "en", "Aldric II's crown", "Aldric the second's crown"},

	{"king", "en", "Aldric IV rules", "Aldric the fourth rules"},
	{"king_fifth", "en", "Henry V fell", "Henry the fifth fell"},
	{"king_german", "de", "Aldric IV. kam", "Aldric der Vierte kam"},
	{"king_end_german", "de", "Es war Aldric III.", "Es war Aldric der Dritte."},
	{"chapter", "en", "Chapter III", "Chapter three"},
	{"chapter_german", "de", "Kapitel XII", "Kapitel zwölf"},
	{"no_numeral_after_article", "en", "The II", "The II"},
	{"no_numeral_after_pause", "en", "Aldric, II", "Aldric, II"},
	{"i_is_a_word", "en", "Bartok I trust", "Bartok I trust"},
	{"bad_numeral", "en", "Aldric IIX", "Aldric IIX"},
	{"quoted_numeral", "en", "Aldric \"IV\" rules", "Aldric the fourth rules"},

	{"mister", "en", "Mr. Smith and Mrs. Jones", "Mister Smith and Missus Jones"},
	{"doctor", "en", "Dr. Grey", "Doctor Grey"},
	{"saint", "en", "St. Cuthbert", "Saint Cuthbert"},
	{"street", "en", "on Mill St. tonight", "on Mill Street tonight"},
	{"for_example", "en", "fruit, e.g. apples", "fruit, for example apples"},
	{"that_is", "en", "rats, i.e. vermin", "rats, that is vermin"},
	{"et_cetera", "en", "rats, mice, etc.", "rats, mice, et cetera."},
	{"et_cetera_inside", "en", "rats etc. everywhere", "rats et cetera everywhere"},
	{"versus", "en", "Bart vs. Greta", "Bart versus Greta"},
	{"number_sign_word", "en", "No. 5 lives. No. That is it.", "number five lives. No. That is it."},
	{"for_example_german", "de", "z. B. Dr. Müller", "zum Beispiel Doktor Müller"},
	{"that_is_german", "de", "d.h. heute", "das heißt heute"},
	{"or_german", "de", "Bart bzw. Greta", "Bart beziehungsweise Greta"},
	{"and_so_on_german", "de", "Ratten usw.", "Ratten und so weiter."},
	{"about_german", "de", "ca. 5 Leute", "circa fünf Leute"},
	{"sankt_german", "de", "St. Martin", "Sankt Martin"},
	{"herr_german", "de", "Hr. Wirt und Fr. Wirtin", "Herr Wirt und Frau Wirtin"},
	{"no_abbreviation", "en", "I trust him. Dread him.", "I trust him. Dread him."},

	{"armour_class", "en", "AC 15, DC 12", "armor class fifteen, difficulty class twelve"},
	{"hit_points", "en", "24 HP and 300 XP", "twenty-four hit points and three hundred experience points"},
	{"german_values", "de", "RK 15, TP 8, SG 12, EP 300", "Rüstungsklasse fünfzehn, Trefferpunkte acht, Schwierigkeitsgrad zwölf, Erfahrungspunkte dreihundert"},
	{"npc", "en", "an NPC, the GM", "an N P C, the G M"},
	{"npc_compound_german", "de", "NSC-Namen", "N S C-Namen"},
	{"consonants", "en", "the HTML page", "the H T M L page"},
	{"shouting", "en", "STOP! RUN NOW!", "stop! run now!"},
	{"shouting_german", "de", "HALT! NEIN! TÜR ZU!", "halt! nein! tür zu!"},
	{"unknown_capitals", "en", "the UNO", "the UNO"},
	{"one_capital", "en", "I am A", "I am A"},

	{"and_sign", "en", "sword & board", "sword and board"},
	{"and_sign_german", "de", "Schwert & Schild", "Schwert und Schild"},
	{"sum", "en", "7+1=8", "seven plus one equals eight"},
	{"product", "en", "3x4, 3×4, 3*4", "three times four, three times four, three times four"},
	{"times", "en", "3x a day", "three times a day"},
	{"division_german", "de", "8÷2", "acht durch zwei"},
	{"or_sign", "en", "he/she", "he or she"},
	{"and_or", "en", "and/or", "and or"},
	{"hash_number", "en", "#3 of 5", "number three of five"},
	{"hashtag", "en", "#blessed", "blessed"},
	{"at_sign", "en", "@home", "at home"},
	{"about_sign", "en", "~50 men", "about fifty men"},
	{"section_sign_german", "de", "§ 5 gilt", "Paragraf fünf gilt"},
	{"lone_signs", "en", "well + = / & @ done", "well done"},

	{"address", "en", "See https://example.com/a_b?c=d. Now!", "See link. Now!"},
	{"address_without_scheme_german", "de", "auf www.example.de, ja", "auf w w w Punkt example Punkt de, ja"},
	{"markdown_link", "en", "the [old map](https://example.com/x) here", "the, old map, here"},
	{"bold", "en", "**Very** _nice_ `code`", "Very nice code"},
	{"heading", "en", "# The Inn", "The Inn"},
	{"bullets", "en", "- one\n- two", "one, two"},
	{"quotation", "en", "> so be it", "so be it"},
	{"emoji", "en", "😀 Hi 👋🏽 there ✨", "Hi there"},
	{"flag_and_keycap", "en", "🇩🇪 7️⃣ up", "seven up"},
	{"only_emoji", "en", "🙂", ""},

	{"stage_star", "en", "*sighs* Well.", "Well."},
	{"stage_parenthesis", "en", "Well (laughs), fine.", "Well, fine."},
	{"stage_bracket", "en", "[nods slowly] Fine.", "Fine."},
	{"stage_german", "de", "*seufzt* Na gut. (lacht)", "Na gut."},
	{"stage_moves", "en", "*turns to the door* Go.", "Go."},
	{"stage_alone_is_said", "en", "*sighs*", "sighs"},
	{"emphasis", "en", "I *really* mean it", "I really mean it"},
	{"parentheses", "en", "a man (a tall one) came", "a man, a tall one, came"},

	{"repeated_marks", "en", "What?!?! Really!!! No,, no", "What? Really! No, no"},
	{"ellipsis", "en", "Well... perhaps… or....", "Well… perhaps… or…"},
	{"leading_marks", "en", "... and then?", "and then?"},
	{"space_before_mark", "en", "Well , no !", "Well, no!"},
	{"trailing_comma", "en", "Well,", "Well"},
	{"dash_pause", "en", "Halt – who goes -- there — you?", "Halt, who goes, there, you?"},
	{"dash_at_the_end", "en", "I was—", "I was"},
	{"hyphen_inside", "en", "a well-known half-elf", "a well-known half-elf"},
	{"hyphen_left_over_german", "de", "Ein- und Ausgang", "Ein und Ausgang"},
	{"quotes", "en", `He said "hi" and “bye”, 'tis so.`, "He said hi and bye, tis so."},
	{"quotes_german", "de", "„Halt!“, rief er. »Ja« ‚gut‘", "Halt! rief er. Ja gut"},
	{"apostrophes", "en", "don’t, the players' o'clock", "don't, the players o'clock"},
	{"spaces", "en", "a\u00a0b\u2003c\td  e", "a b c d e"},
	{"zero_width", "en", "a\u200bb\ufeffc\u00add", "abcd"},
	{"lines", "en", "one\ntwo.\r\nthree", "one, two. three"},
	{"escape_sequence", "en", "\x1b[31mred\x1b[0m", "red"},
	{"invalid_utf8", "en", "a\xffb", "ab"},
	{"combining", "en", "cafe\u0301", "cafe\u0301"},
	{"other_scripts", "en", "дом 家。", "дом 家."},
}

func TestSpeakable(t *testing.T) {
	for _, tt := range spoken {
		t.Run(tt.name, func(t *testing.T) {
			if got := speech.Speakable(tt.text, tt.language, speech.Full); got != tt.want {
				t.Errorf("Speakable(%q, %q)\n got %q\nwant %q", tt.text, tt.language, got, tt.want)
			}
		})
	}
}

// checkSpeakable checks the properties that hold for any text.
func checkSpeakable(t interface {
	Helper()
	Errorf(string, ...any)
}, text, language string) {
	t.Helper()
	got := speech.Speakable(text, language, speech.Full)
	if !utf8.ValidString(got) {
		t.Errorf("Speakable(%q) = %q, which is no UTF-8", text, got)
	}
	if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }); i >= 0 {
		t.Errorf("Speakable(%q) = %q with a control character at %d", text, got, i)
	}
	if len(got) > 8*len(text) {
		t.Errorf("Speakable(%q) = %q: %d bytes of %d", text, got, len(got), len(text))
	}
	if got == "" && strings.ContainsFunc(untrusted.Clean(text, 0), unicode.IsLetter) {
		t.Errorf("Speakable(%q) is empty", text)
	}
	if again := speech.Speakable(got, language, speech.Full); again != got {
		t.Errorf("Speakable(%q) = %q, and again %q", text, got, again)
	}
}

func TestSpeakableKeepsItsWord(t *testing.T) {
	pieces := []string{
		"2d6", "W20", "1", "777", "0", "12,345", "1.234", ".", ",", " ", "gp", "GM", "ft.", "z.", "B.", "d.h.", "St.", "IV", "Aldric", "HP", "NEIN", "*", "(", ")",
		"[", "]", "sighs", "lacht", "-", "–", "/", "½", "°C", "€", "$", "+", "=", "#", "@", "&", "%", ":", "30", "Uhr", "am", "\n", "\"", "'", "…", "!", "?", "😀", "_",
		"https://x.y", "21.11.", "2026", "May", "kh", "x", "th", "\u200b", "\u0301", "٣", "\xff", "家", "ß", "İ",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		checkSpeakable(t, text, rapid.SampledFrom([]string{"en", "de", "fr"}).Draw(t, "language"))
	})
}

func TestSpeakableReadsNumbersApart(t *testing.T) {
	for _, language := range []string{"en", "de"} {
		said := map[string]int64{}
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.Int64Range(0, 999_999_999_999).Draw(t, "n")
			words := speech.Cardinal(language, n)
			if other, taken := said[words]; taken && other != n {
				t.Errorf("%d and %d are both %q", n, other, words)
			}
			said[words] = n
			if words == "" || strings.Contains(words, "  ") || strings.TrimSpace(words) != words {
				t.Errorf("%d is %q", n, words)
			}
		})
	}
}

func FuzzSpeakable(f *testing.F) {
	for _, tt := range spoken {
		f.Add(tt.text, tt.language == "de")
	}
	f.Fuzz(func(t *testing.T, text string, german bool) {
		language := "en"
		if german {
			language = "de"
		}
		checkSpeakable(t, text, language)
		if len(text) < 200 {
			checkSpeakable(t, text, "fr")
		}
	})
}

func BenchmarkSpeakable(b *testing.B) {
	text := "Roll 2d6+3: that is 5 gp for Mr. Smith, e.g. at 18:30 in the Rusty Flagon, or you will STOP here for good."
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if speech.Speakable(text, "en", speech.Full) == "" {
			b.Fatal("nothing to say")
		}
	}
}

func TestSpeakableBoundsLongTexts(t *testing.T) {
	for _, piece := range []string{"(", "*", "z. B. ", "1/", "1.", "777 ", "d", "[a](", "IV ", "www.", "1:", "½", "-", "A.", "٣"} {
		text := strings.Repeat(piece, 1<<17/len(piece))
		if got := speech.Speakable(text, "de", speech.Full); len(got) > 8*len(text) {
			t.Errorf("%q repeated became %d bytes of %d", piece, len(got), len(text))
		}
	}
}
