package untrusted_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

var cleanRows = []struct {
	name string
	in   string
	max  int
	want string
}{
	{"empty", "", 10, ""},
	{"plain", "A troll sleeps here.", 0, "A troll sleeps here."},
	{"newline_and_tab_stay", "a\n\tb", 0, "a\n\tb"},
	{"carriage_return_goes", "a\r\nb", 0, "a\nb"},
	{"nul_and_bell_go", "a\x00b\x07c\x7f", 0, "abc"},
	{"colour", "\x1b[1;31mred\x1b[0m", 0, "red"},
	{"c1_colour", "\u009b31mred", 0, "red"},
	{"title_with_bell", "\x1b]0;owned\x07text", 0, "text"},
	{"title_with_terminator", "\x1b]0;owned\x1b\\text", 0, "text"},
	{"link_in_terminal", "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", 0, "click"},
	{"unclosed_title_keeps_text", "\x1b]0;all this stays", 0, "0;all this stays"},
	{"unclosed_colour_keeps_text", "\x1b[31", 0, "31"},
	{"charset_switch", "\x1b(Bx", 0, "x"},
	{"reset", "\x1bcx", 0, "x"},
	{"escape_at_end", "x\x1b", 0, "x"},
	{"zero_width", "ig\u200bno\u2060re\ufeff", 0, "ignore"},
	{"bidi", "\u202egnp.exe\u202c \u2066x\u2069", 0, "gnp.exe x"},
	{"soft_hyphen", "dra\u00adgon", 0, "dragon"},
	{"tag_characters", "hi\U000e0041\U000e0042", 0, "hi"},
	{"variation_selectors", "❤\ufe0f x\U000e0100", 0, "❤ x"},
	{"arabic_number_sign_stays", "\u0600١", 0, "\u0600١"},
	{"line_separator", "a\u2028b\u2029c", 0, "a\nb\nc"},
	{"invalid_utf8", "a\xffb\xc3", 0, "a\ufffdb\ufffd"},
	{"replacement_character_stays", "a\ufffdb", 0, "a\ufffdb"},
	{"cut", "abcdef", 4, "abc…"},
	{"cut_on_a_rune", "äöüß", 3, "äö…"},
	{"exactly_as_long", "äöüß", 4, "äöüß"},
	{"hidden_runes_do_not_count", "ab\u200bcd", 4, "abcd"},
	{"trailing_hidden_is_no_reason_to_cut", "abcd\u200b\x1b[0m", 4, "abcd"},
	{"cut_to_one", "abc", 1, "…"},
	{"negative_cap_is_none", "abc", -1, "abc"},
}

func TestClean(t *testing.T) {
	for _, tt := range cleanRows {
		t.Run(tt.name, func(t *testing.T) {
			if got := untrusted.Clean(tt.in, tt.max); got != tt.want {
				t.Errorf("Clean(%q, %d) = %q, want %q", tt.in, tt.max, got, tt.want)
			}
		})
	}
}

func TestCleanDoesNotAllocateWhenClean(t *testing.T) {
	in := strings.Repeat("The innkeeper nods. Größe zählt.\n", 30)
	got := testing.AllocsPerRun(100, func() { untrusted.Clean(in, len(in)) })
	if got != 0 {
		t.Errorf("allocations = %v, want 0", got)
	}
}

func FuzzClean(f *testing.F) {
	for _, tt := range cleanRows {
		f.Add(tt.in, tt.max)
	}
	f.Fuzz(func(t *testing.T, in string, limit int) {
		got := untrusted.Clean(in, limit)
		if again := untrusted.Clean(got, limit); again != got {
			t.Errorf("Clean twice = %q, once = %q", again, got)
		}
		if !utf8.ValidString(got) {
			t.Errorf("Clean(%q) = %q is not valid UTF-8", in, got)
		}
		if n := utf8.RuneCountInString(got); limit > 0 && n > limit {
			t.Errorf("Clean(%q, %d) has %d runes", in, limit, n)
		}
		for _, r := range got {
			if untrusted.Hidden(r) {
				t.Errorf("Clean(%q) = %q holds %U", in, got, r)
			}
		}
	})
}

func ExampleClean() {
	fmt.Println(untrusted.Clean("\x1b[31mThe d\u200bragon wakes\x1b[0m and roars", 16))
	// Output: The dragon wake…
}

func BenchmarkClean(b *testing.B) {
	clean := strings.Repeat("The innkeeper nods and pours. ", 34)
	for _, bb := range []struct{ name, in string }{
		{"clean_1kB", clean},
		{"german_1kB", strings.Repeat("Größe zählt für müde Zwerge. ", 34)},
		{"dirty_1kB", strings.Repeat("The inn\u200bkeeper \x1b[1mnods\x1b[0m. ", 34)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(bb.in)))
			for b.Loop() {
				untrusted.Clean(bb.in, 4096)
			}
		})
	}
}

func TestLine(t *testing.T) {
	for _, row := range []struct {
		name, text string
		most       int
		want       string
	}{
		{"as_it_is", "a line", 0, "a line"},
		{"white_space", " a\n\tline \u2028 of\x1b[2J many ", 0, "a line of many"},
		{"cut", "a\n\n\nline", 4, "a l…"},
		{"fits_once_joined", "a\n\n\nline", 6, "a line"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := untrusted.Line(row.text, row.most); got != row.want {
				t.Errorf("Line = %q, want %q", got, row.want)
			}
		})
	}
}

func TestClip(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Zwerg": "Zwerg", "Zwerge": "Zwer…", "größer": "größ…", "größe": "größe", "a\x1bbcde": "a\x1bbc…",
	} {
		if got := untrusted.Clip(text, 5); got != want {
			t.Errorf("Clip(%q) = %q, want %q", text, got, want)
		}
	}
}
