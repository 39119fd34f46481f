package speech_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/speech"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// splitRows hold sentences that must come out unchanged; joined by a space, or by sep,
// they are the input.
var splitRows = []struct {
	name string
	sep  string
	want []string
}{
	{"two", " ", []string{"The door creaks.", "Nobody is there."}},
	{"marks", " ", []string{"Who goes there?", "Halt!", "What?!", "Never!!!", "Go."}},
	{"titles", " ", []string{"Dr. Vex met Mr. Bartok and Mrs. Holt at St. Cuthbert.", "They fought."}},
	{"latin", " ", []string{"Bring light, e.g. a torch, i.e. fire.", "It is dark."}},
	{"etc_goes_on", " ", []string{"Swords, axes etc. are forbidden.", "Leave them, etc.", "Thank you."}},
	{"german", " ", []string{"Nimm z. B. ein Seil, d. h. etwas Festes.", "Es kostet ca. 5 Gold bzw. 50 Silber.", "Gut."}},
	{"german_tight", " ", []string{"Nimm z.B. ein Seil, d.h. etwas Festes.", "Schwerter usw. sind verboten."}},
	{"usw_ends", " ", []string{"Seile, Haken usw.", "Alles da."}},
	{"house_number", " ", []string{"Geht zu Haus Nr. 7 dort.", "Cell No. 9 is empty.", "No.", "I said no."}},
	{"decimals", " ", []string{"It weighs 3.5 pounds.", "It is 1.000,50 Gold wert."}},
	{"date", " ", []string{"Wir sehen uns am 3. Mai im Turm.", "Es war der 12. Oktober.", "Am 1. Tag regnete es."}},
	{"month_without_article", " ", []string{"Treffpunkt: 3. Mai.", "Kommt nicht zu spät."}},
	{"act", " ", []string{"1. Akt", "Im 2. Akt stirbt er."}[1:]},
	{"number_ends", " ", []string{"You rolled a 17.", "The goblin falls.", "I am 20.", "You are not."}},
	{"year_ends", " ", []string{"Das war bis 1432.", "Dann kam der Drache."}},
	{"ordinal_lower", " ", []string{"Friedrich der 2. war König.", "Ludwig XIV. war eitel.", "Read chapter IV.", "Then rest."}},
	{"dice", " ", []string{"Roll 2d6+3.", "Then add 1d20.", "Go."}},
	{"ellipsis", " ", []string{"Well... maybe not.", "I wonder…", "Perhaps … yes."}},
	{"quotes", " ", []string{"“Stop!” he cried.", "„Halt!“, rief er.", "»Wer da?« fragte sie.", "She said “no.”", "Then silence."}},
	{"brackets", " ", []string{"(He left.)", "They stayed [for now.]", "It rained."}},
	{"initials", " ", []string{"J. R. Tolkien wrote of J.R.R. Bracegirdle.", "So did I.", "Karl I. war dort."}},
	{"roman_numeral_one", " ", []string{"It was I.", "You knew."}},
	{"url", " ", []string{"See https://example.com/a.b?c=d!e for more.", "Or example.com."}},
	{"version", " ", []string{"Use v1.2.3 now.", "Yes."}},
	{"lines", "\n", []string{"No stop here", "nor here", "and Mr.", "Smith."}},
	{"paragraphs", "\r\n\r\n", []string{"First part", "Second part."}},
	{"list", "\n", []string{"- a rope", "- a hook", "1. Open the door", "2. Run", "3) Hide"}},
	{"numbers_in_list", "\n", []string{"1. Akt", "2. Akt"}},
	{"chinese", "", []string{"你好。", "你是谁？", "「走开！」", "他说。", "“来！”", "好。"}},
	{"markdown_closers", " ", []string{"**Stop!**", "Go _now._", "Yes."}},
	{"all_lower", " ", []string{"hello there.", "how are you?", "fine."}},
	{"times", " ", []string{"Come at 5 p.m. to the inn.", "Be there at 8 p.m.", "Goodbye."}},
	{"inverted", " ", []string{"Vale.", "¿Quién eres?", "¡Fuera!"}},
	{"signs_join_words", " ", []string{"... Hm.", "- Yes!"}},
}

func splitAll(chunks ...string) []string {
	var s speech.Splitter
	var out []string
	for _, chunk := range chunks {
		out = append(out, s.Push(chunk)...)
	}
	return append(out, s.Flush()...)
}

func TestSplitter(t *testing.T) {
	for _, tt := range splitRows {
		t.Run(tt.name, func(t *testing.T) {
			in := strings.Join(tt.want, tt.sep)
			if got := splitAll(in); !slices.Equal(got, tt.want) {
				t.Errorf("split %q\n got %q\nwant %q", in, got, tt.want)
			}
			if got := splitAll(strings.Split(in, "")...); !slices.Equal(got, tt.want) {
				t.Errorf("rune by rune\n got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestSplitterSpeaksEarly(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"dot_and_space", "Welcome. ", "Welcome."},
		{"question_and_space", "Who? ", "Who?"},
		{"line", "Welcome\n", "Welcome"},
		{"number_and_word_that_is_no_month", "It is 17. T", "It is 17."},
		{"ellipsis_and_capital", "Hm… S", "Hm…"},
		{"wide_stop", "你好。你", "你好。"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s speech.Splitter
			if got := s.Push(tt.in); len(got) != 1 || got[0] != tt.want {
				t.Errorf("Push(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
	for _, held := range []string{"Welcome.", "Mr. ", "Wait..", "am 3. Ma", "3.", "\"No.\" "} {
		var s speech.Splitter
		if got := s.Push(held); got != nil {
			t.Errorf("Push(%q) = %q, want nothing yet", held, got)
		}
	}
}

func TestSplitterCutsLongRuns(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		first    string
	}{
		{"at_the_last_comma", strings.Repeat("and on, ", 25) + strings.Repeat("and on ", 25), strings.TrimSpace(strings.Repeat("and on, ", 25))},
		{"at_a_space", strings.Repeat("on ", 200), strings.TrimSpace(strings.Repeat("on ", 100))},
		{"in_a_word", strings.Repeat("x", 700), strings.Repeat("x", 300)},
		{"wide_comma", strings.Repeat("一二三，", 100), strings.Repeat("一二三，", 74) + "一二三，"},
		{"early_comma_is_no_place", "Well, " + strings.Repeat("on ", 200), "Well, " + strings.TrimSpace(strings.Repeat("on ", 98))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := splitAll(tt.in)
			if len(got) < 2 {
				t.Fatalf("got %d pieces, want several", len(got))
			}
			if n := utf8.RuneCountInString(got[0]); n > 300 {
				t.Errorf("first piece has %d runes", n)
			}
			if !strings.HasPrefix(tt.first, got[0]) || len(got[0]) < len(tt.first)-12 {
				t.Errorf("first piece = %q\nwant about %q", got[0], tt.first)
			}
		})
	}
}

func TestSplitterIsReusable(t *testing.T) {
	var s speech.Splitter
	s.Push("Unfinished \xe4")
	if got := s.Flush(); len(got) != 1 || got[0] != "Unfinished \ufffd" {
		t.Errorf("Flush = %q", got)
	}
	if got := s.Flush(); got != nil {
		t.Errorf("second Flush = %q, want nothing", got)
	}
	if got := append(s.Push("Next. One"), s.Flush()...); !slices.Equal(got, []string{"Next.", "One"}) {
		t.Errorf("after Flush: %q", got)
	}
}

// squeeze removes white space and replaces invalid bytes.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, string([]rune(s)))
}

// checkSplit checks the properties that hold for every text in any pieces.
func checkSplit(t interface {
	Helper()
	Errorf(string, ...any)
}, in string, chunks []string) {
	t.Helper()
	whole := splitAll(in)
	if got, want := squeeze(strings.Join(whole, "")), squeeze(in); got != want {
		t.Errorf("sentences of %q say %q, want %q", in, got, want)
	}
	if cut := splitAll(chunks...); !slices.Equal(cut, whole) {
		t.Errorf("chunks %q yield %q, whole %q", chunks, cut, whole)
	}
	for _, s := range whole {
		if n := utf8.RuneCountInString(s); s == "" || n > 300 || strings.TrimSpace(s) != s {
			t.Errorf("sentence of %d runes: %q", n, s)
		}
	}
}

func chunksOf(s string, sizes []byte) []string {
	var out []string
	for _, size := range sizes {
		n := min(int(size), len(s))
		out = append(out, s[:n])
		s = s[n:]
	}
	return append(out, s)
}

func FuzzSplitter(f *testing.F) {
	for _, tt := range splitRows {
		f.Add(strings.Join(tt.want, tt.sep), []byte{1, 2, 3, 5, 8})
	}
	f.Add(strings.Repeat("a, b ", 200), []byte{250, 3, 255})
	f.Add(strings.Repeat("x.", 290)+strings.Repeat(")", 40)+" 3. Mai", []byte{1, 255, 255, 17})
	f.Add("\xff\xf0\x9f\x98 ok. \xe2\x80", []byte{1, 1, 1})
	f.Fuzz(func(t *testing.T, in string, sizes []byte) { checkSplit(t, in, chunksOf(in, sizes)) })
}

func TestSplitterIgnoresChunks(t *testing.T) {
	words := []string{
		"the", "The", "I", "Mr.", "z.", "B.", "3.", "17.", "Mai", "Mais", "am", "etc.", "...", "…", "?", "!", "“", "”", ")", "*",
		"XIV.", "。", "，", "\n", "\r\n", " ", "  ", ".", ",", strings.Repeat("long ", 30), strings.Repeat("y", 120), "\xc3", "\u2028",
	}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for _, w := range rapid.SliceOfN(rapid.SampledFrom(words), 0, 40).Draw(t, "words") {
			b.WriteString(w)
			if rapid.Bool().Draw(t, "space") {
				b.WriteByte(' ')
			}
		}
		sizes := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "sizes")
		checkSplit(t, b.String(), chunksOf(b.String(), sizes))
	})
}

// tokens cuts a text as models stream it.
func tokens(s string) []string { return strings.SplitAfter(s, " ") }

func BenchmarkSplitter(b *testing.B) {
	text := tokens(strings.Repeat("Dr. Vex nods. “Roll 2d6+3, my friend!” Es kostet ca. 5 Gold, d. h. viel. ", 14))
	b.ReportAllocs()
	for b.Loop() {
		var s speech.Splitter
		for _, token := range text {
			s.Push(token)
		}
		s.Flush()
	}
}
