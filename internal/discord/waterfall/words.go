package waterfall

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

const (
	// maxName bounds a name, in letters, before it is measured.
	maxName = 120
	// nameless stands for an NPC of whose name no letter can be drawn.
	nameless = "NPC"
	// bold is the weight of x/image's font package.
	bold = 3
)

// style is a way to write. The font has the letters of the languages written in
// Latin, Greek, Cyrillic and Hebrew.
func style(size float64, heavy bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: px(size)}
	if heavy {
		f.Weight = bold
	}
	return text.Style{Font: f, Handler: plot.DefaultTextHandler}
}

// readable is a text as it can be drawn: one line, of letters that the font has,
// from left to right; empty if it has none.
func readable(name string) string {
	face := plot.DefaultTextHandler.Cache().Lookup(style(1, true).Font, 1).Face
	var kept []rune
	for _, r := range norm.NFC.String(strings.Join(strings.Fields(strings.ToValidUTF8(name, "")), " ")) {
		if len(kept) == maxName {
			break
		}
		if glyph, err := face.GlyphIndex(nil, r); err == nil && glyph != 0 && unicode.IsPrint(r) {
			kept = append(kept, r)
		}
	}
	out := strings.Join(strings.Fields(string(kept)), " ")
	if !strings.ContainsFunc(out, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return visual(out)
}

// visual is a line, which is not empty, in the order in which it is drawn.
func visual(line string) string {
	var p bidi.Paragraph
	if _, err := p.SetString(line); err != nil {
		return line
	}
	o, err := p.Order()
	if err != nil || o.NumRuns() == 0 {
		return line
	}
	var runs []string
	for i := range o.NumRuns() {
		run := o.Run(i)
		text := run.String()
		if run.Direction() == bidi.RightToLeft {
			text = bidi.ReverseString(text)
		}
		runs = append(runs, text)
	}
	if o.Direction() == bidi.RightToLeft { // as the line begins
		slices.Reverse(runs)
	}
	return strings.Join(runs, "")
}

// fit cuts a line so that it is no wider than most.
func fit(s text.Style, line string, most vg.Length) string {
	if s.Width(line) <= most {
		return line
	}
	letters := []rune(line)
	for len(letters) > 0 && s.Width(string(letters)+"…") > most {
		letters = letters[:len(letters)-1]
	}
	return strings.TrimSpace(string(letters)) + "…"
}
