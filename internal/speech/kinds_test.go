package speech_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/speech"
)

// TestSpeakableKinds covers the notations that tables write, kind by kind.
func TestSpeakableKinds(t *testing.T) {
	for _, tt := range []struct{ name, language, text, want string }{
		{"feet_and_inches_signs", "en", "It is 20' up and 6\" wide.", "It is twenty feet up and six inches wide."},
		{"quoted_number_is_no_inch", "en", `"We are 12" he said.`, "We are twelve he said."},
		{"size_of_a_room", "en", "a 20'x30' room with 8\" thick doors", "a twenty by thirty foot room with eight inch thick doors"},
		{"size_without_article", "en", "The hall is 30 x 40 ft., no more.", "The hall is thirty by forty feet, no more."},
		{"size_german", "de", "Der Raum misst 10 x 12 m und 20 m².", "Der Raum misst zehn mal zwölf Meter und zwanzig Quadratmeter."},
		{"inches_german", "de", "6' hoch, 3\" dick", "sechs Fuß hoch, drei Zoll dick"},
		{"square_feet", "en", "200 sq. ft. at most", "two hundred square feet at most"},
		{"with_and_without", "en", "ale w/ honey, w/o water", "ale with honey, without water"},
		{"counted_unit_before_noun", "en", "the 5 gp fine", "the five gold piece fine"},
		{"thousands_letter", "en", "10k men", "ten thousand men"},
		{"copper_german", "de", "7 KM, 7 km", "sieben Kupfermünzen, sieben Kilometer"},

		{"telephone", "en", "Call 555-0143 or (555) 010-0187.", "Call five five five, zero one four three or five five five, zero one zero, zero one eight seven."},
		{"telephone_international", "en", "Dial +1 555 010 0123", "Dial plus one, five five five, zero one zero, zero one two three"},
		{"telephone_short", "en", "Dial 911!", "Dial nine one one!"},
		{"telephone_german", "de", "Tel. 030/5550199", "Telefon null drei null, fünf fünf fünf null eins neun neun"},
		{"range_is_no_telephone", "en", "100-1500 men", "one hundred to one thousand five hundred men"},

		{"mail", "en", "Mail the_smith@old.example.", "Mail the underscore smith at old dot example."},
		{"mail_german", "de", "An wirt@krug.example, bitte.", "An wirt at krug Punkt example, bitte."},
		{"host", "en", "See www.forge.example or map.pdf.", "See w w w dot forge dot example or map dot p d f."},

		{"abilities", "en", "CHA 18, INT 7, a STR check", "charisma eighteen, intelligence seven, a strength check"},
		{"abilities_german", "de", "KON 14, ein STÄ-Wurf und eine GES-Probe", "Konstitution vierzehn, ein Stärkewurf und eine Geschicklichkeitsprobe"},
		{"ability_in_a_shout", "en", "IT IS A CON, RUN!", "it is A con, run!"},
		{"score_behind_its_value", "en", "HP 3/8", "hit points three of eight"},
		{"one_point", "de", "1 TP", "ein Trefferpunkt"},

		{"plural_of_letters", "en", "two NPCs and the NPC's IDs", "two N P Cs and the N P C's I Ds"},
		{"mixed_letters", "en", "an AoE", "an A o E"},

		{"year_without_in", "en", "It was 1215 when it rained; founded 1203.", "It was twelve fifteen when it rained; founded twelve oh three."},
		{"years_from_to", "en", "1450-1455 and 1066 AD", "fourteen fifty to fourteen fifty-five and ten sixty-six A D"},
		{"count_is_no_year", "en", "1492 crowns and 1500 men", "one thousand four hundred ninety-two crowns and one thousand five hundred men"},
		{"year_german", "de", "1348 kam die Pest, von 1450 bis 1455", "dreizehnhundertachtundvierzig kam die Pest, von vierzehnhundertfünfzig bis vierzehnhundertfünfundfünfzig"},
		{"count_is_no_year_german", "de", "1500 Mann, 1250 tapfere Krieger", "tausendfünfhundert Mann, tausendzweihundertfünfzig tapfere Krieger"},
		{"year_and_a_dash_at_the_end", "en", "1261-", "one thousand two hundred sixty-one"},
		{"decades", "en", "the '90s, his 40s, the 1200s", "the nineties, his forties, the twelve hundreds"},
		{"seconds_are_no_decade", "en", "wait 30s", "wait thirty seconds"},
		{"decades_german", "de", "die 80er Jahre, die 1420er-Jahre", "die achtziger Jahre, die vierzehnhundertzwanziger Jahre"},
		{"joined_german", "de", "3-mal, 4-köpfig, 6er-Trupp, 100%ig", "dreimal, vierköpfig, Sechsertrupp, hundertprozentig"},

		{"ruler_one_letter", "en", "Queen Maud I ruled, Pope Leo X died.", "Queen Maud the first ruled, Pope Leo the tenth died."},
		{"ruler_who_is_asked", "en", "King Aldric, I beg you.", "King Aldric, I beg you."},
		{"ruler_cases_german", "de", "Unter König Otto III. und gegen Ludwig XIV. half nichts.", "Unter König Otto dem Dritten und gegen Ludwig den Vierzehnten half nichts."},
		{"ruler_genitive_german", "de", "Der Thron Karls V. ist leer.", "Der Thron Karls des Fünften ist leer."},
		{"ruler_behind_a_verb_german", "de", "Das Schloss gehört Friedrich II. und dir.", "Das Schloss gehört Friedrich dem Zweiten und dir."},
		{"calculation", "en", "8 / 2 = 4, 3 * 3 = 9, 5-3=2", "eight divided by two equals four, three times three equals nine, five minus three equals two"},
		{"ruler_feminine_german", "de", "von Kaiserin Maria II. geerbt", "von Kaiserin Maria der Zweiten geerbt"},
		{"chapter_one", "en", "Chapter I: Rats. Book XLII", "Chapter one: Rats. Book forty-two"},

		{"ordinal_feminine_german", "de", "in der 1. Reihe, ein Magier 5. Stufe", "in der ersten Reihe, ein Magier fünfter Stufe"},
		{"ordinal_possessive_german", "de", "mein 2. Versuch, ihre 3. Frau, unser 1. Kind", "mein zweiter Versuch, ihre dritte Frau, unser erstes Kind"},
		{"ordinal_range_german", "de", "vom 3.-5. Mai", "vom dritten bis fünften Mai"},
		{"ordinal_alone_german", "de", "Kommt am 5.", "Kommt am fünften."},

		{"mixed_number", "en", "2 1/2 days, 3 1/4 pounds, 1/2 cup", "two and a half days, three and a quarter pounds, half a cup"},
		{"halves_german", "de", "nach ½ Stunde, 1 1/2 Fässer, 1/2 Brot", "nach einer halben Stunde, eineinhalb Fässer, ein halbes Brot"},
		{"bare_decimal", "en", "not .25 of it", "not point two five of it"},
		{"bare_decimal_german", "de", "nur .5 davon", "nur null Komma fünf davon"},
		{"version_german", "de", "Version 2.0", "Version zwei Punkt null"},

		{"month_and_day", "en", "on 12/24, since 5 May 1423, by Dec. 3", "on December twenty-fourth, since the fifth of May fourteen twenty-three, by December third"},
		{"hours_of_a_day", "en", "9 am - 5 pm, 7:30 PM", "nine a m to five p m, seven thirty p m"},
		{"ratio_is_no_time", "en", "a ratio of 3:10", "a ratio of three to ten"},
		{"ratio_german", "de", "Maßstab 1:50", "Maßstab eins zu fünfzig"},
		{"range_with_spaces", "en", "5 - 10 guards", "five to ten guards"},

		{"street_german", "de", "Hauptstr. 12, Marktpl. 3", "Hauptstraße zwölf, Marktplatz drei"},
		{"titles_without_dots", "en", "Mr Hale and Dr Voss, apt. 4", "Mister Hale and Doctor Voss, apartment four"},
		{"optional_plural", "en", "the key(s) there", "the keys there"},
		{"struck_out", "en", "~~ten~~ nine", "ten nine"},
		{"comparison", "en", "If it is > 5, run.", "If it is more than five, run."},
		{"gesture_begins", "de", "*schlägt die Tür zu* Raus! (zögernd) Nein.", "Raus! Nein."},
		{"parenthesis_of_words", "en", "(Two of them.) Come.", "Two of them. Come."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := speech.Speakable(tt.text, tt.language, speech.Full); got != tt.want {
				t.Errorf("Speakable(%q, %q)\n got %q\nwant %q", tt.text, tt.language, got, tt.want)
			}
			checkSpeakable(t, tt.text, tt.language)
		})
	}
}
