package waterfall

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const ms = time.Millisecond

// spoken is a turn of a voice that was heard in time.
func spoken() Turn {
	return Turn{
		Number: 3, NPC: "Bartok the Barkeep", Tier: "fast", Target: 1200 * ms, First: 1000 * ms, Met: true,
		Spans: []Span{
			{Endpoint, 0, 400 * ms}, {Transcript, 400 * ms, 500 * ms}, {Route, 500 * ms, 500*ms + 10*time.Microsecond},
			{Context, 501 * ms, 505 * ms}, {Model, 505 * ms, 800 * ms}, {Voice, 900 * ms, 980 * ms},
			{Floor, 980 * ms, 1000 * ms}, {Answer, 1000 * ms, 4 * time.Second},
		},
	}
}

// drawn returns the picture of turns.
func drawn(t testing.TB, turns ...Turn) image.Image {
	t.Helper()
	var b bytes.Buffer
	if err := PNG(&b, turns, English()); err != nil {
		t.Fatal(err)
	}
	i, err := png.Decode(&b)
	if err != nil {
		t.Fatalf("decoding the picture: %v", err)
	}
	return i
}

// where returns the smallest rectangle with all pixels of a colour in part of a
// picture.
func where(i image.Image, part image.Rectangle, c color.RGBA) (out image.Rectangle) {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if color.RGBAModel.Convert(i.At(x, y)) == c {
				out = out.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return out
}

// rows returns the part of a picture with the stages of each turn.
func rows(turns ...Turn) (out []image.Rectangle) {
	s := newSheet(turns, English())
	for i := range turns {
		y := s.top() + float64(i)*s.row() + rowPad + nameLine
		out = append(out, image.Rect(0, int(y), width, int(y+s.row()-rowPad-nameLine)))
	}
	return out
}

func TestStagesStandWhereTheyWere(t *testing.T) {
	turns := []Turn{spoken(), spoken()}
	turns[1].Spans = []Span{{Endpoint, 0, 200 * ms}, {Model, 300 * ms, 1100 * ms}, {Answer, 1100 * ms, 1150 * ms}}
	i := drawn(t, turns...)
	// The longest first sound is at 1.0 s, so that the target and an eighth of it
	// is the right edge.
	const edge = 1350 * ms
	for n, row := range rows(turns...) {
		for _, sp := range turns[n].Spans {
			got := where(i, row, looks[sp.Stage].shade)
			from := margin + inner*float64(sp.From)/float64(edge)
			to := margin + inner*float64(min(sp.To, edge))/float64(edge)
			to = max(to, from+sliver)
			if tolerance := 3 * sliver * 1.0; math.Abs(float64(got.Min.X)-from) > tolerance || math.Abs(float64(got.Max.X)-to) > tolerance {
				t.Errorf("turn %d: %s is drawn from %d to %d, want %.0f to %.0f", n, English().Stages[sp.Stage], got.Min.X, got.Max.X, from, to)
			}
		}
	}
	if got := where(i, rows(turns...)[1], looks[Transcript].shade); !got.Empty() {
		t.Errorf("a transcript is drawn at %v of a turn that had none", got)
	}
}

func TestWhatRunsSideBySideIsDrawnSideBySide(t *testing.T) {
	guessed := spoken()
	guessed.Spans = append(guessed.Spans, Span{Model, 100 * ms, 450 * ms}) // before the transcript
	i := drawn(t, guessed)
	row := rows(guessed)[0]
	model, transcript := where(i, row, looks[Model].shade), where(i, row, looks[Transcript].shade)
	if model.Min.X >= transcript.Min.X || model.Min.Y < transcript.Max.Y {
		t.Errorf("the model is drawn at %v, want it beside and below the transcript at %v", model, transcript)
	}
}

func TestVerdict(t *testing.T) {
	late := spoken()
	late.First, late.Met, late.Note = 2400*ms, false, "late: model"
	never := Turn{Target: 1200 * ms, Note: "failed: model"}
	for _, row := range []struct {
		name        string
		turn        Turn
		first, rest string
	}{
		{"met", spoken(), "1 s", " of 1.2 s"},
		{"breached", late, "2.4 s", " of 1.2 s · late: model"},
		{"never heard", never, "no answer", " · failed: model"},
		{"no target", Turn{First: 30 * ms}, "30 ms", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if first, rest := English().verdict(row.turn); first != row.first || rest != row.rest {
				t.Errorf("verdict = %q and %q, want %q and %q", first, rest, row.first, row.rest)
			}
		})
	}
}

// TestBudgetShowsWithoutColours wants the signs of the two verdicts to differ in
// their shape: a disc leaves the corners of its square free.
func TestBudgetShowsWithoutColours(t *testing.T) {
	late := spoken()
	late.Met = false
	for _, row := range []struct {
		turn  Turn
		shade color.RGBA
		full  bool
	}{{spoken(), inTime, false}, {late, tooLate, true}} {
		i := drawn(t, row.turn)
		s := newSheet([]Turn{row.turn}, English())
		words, _ := English().verdict(row.turn)
		first, rest := float64(style(textSize, true).Width(words)), float64(style(textSize, false).Width(" of 1.2 s"))
		x, y := int(margin+inner-first-rest-48), int(s.top()+rowPad+3)
		mark := where(i, image.Rect(x-2, y-2, x+40, y+40), row.shade)
		if mark.Dx() < 34 || mark.Dy() < 34 {
			t.Fatalf("the sign is drawn at %v, want 36 pixels square at %d, %d", mark, x, y)
		}
		corner := color.RGBAModel.Convert(i.At(mark.Min.X+1, mark.Min.Y+1)) == row.shade
		if corner != row.full {
			t.Errorf("met %t: the corner of the sign is filled: %t", row.turn.Met, corner)
		}
	}
}

func TestTargetIsDrawn(t *testing.T) {
	turn := spoken()
	turn.Target, turn.First = 2*time.Second, time.Second
	i := drawn(t, turn)
	row := rows(turn)[0]
	x := margin + inner*8/9 // it has an eighth of itself behind it
	if got := where(i, image.Rect(x-20, row.Min.Y, x+20, row.Max.Y), ink); got.Empty() || got.Dy() < row.Dy()*3/4 {
		t.Errorf("the target is drawn at %v, want it at %d over the height of %v", got, x, row)
	}
}

func TestSizes(t *testing.T) {
	var before int
	for _, n := range []int{1, 2, MaxTurns / 2, MaxTurns} {
		turns := make([]Turn, n)
		for i := range turns {
			turns[i] = spoken()
		}
		got := drawn(t, turns...).Bounds()
		if got.Dx() != width || got.Dy() > 3*width {
			t.Errorf("%d turns make a picture of %v", n, got)
		}
		if n == MaxTurns && got.Dy() < width {
			t.Errorf("%d turns make a picture of %v, want it upright", n, got)
		}
		before = got.Dy()
	}
	if got := drawn(t, make([]Turn, 100)...).Bounds(); got.Dy() > before {
		t.Errorf("100 turns make a picture of %v, more than those of %d", got, MaxTurns)
	}
	if err := PNG(&bytes.Buffer{}, nil, English()); err == nil {
		t.Error("a picture of nothing was drawn")
	}
}

// TestContrast wants every stage to stand out from the ground, and letters from
// everything, as WCAG 2.2 asks for text.
func TestContrast(t *testing.T) {
	const least = 4.5
	for stage, l := range looks {
		for _, under := range []color.RGBA{ground, band} {
			if c := contrast(l.shade, under); c < least {
				t.Errorf("%s on its ground has a contrast of %.1f", English().Stages[stage], c)
			}
		}
		if c := contrast(dark, l.shade); c < least {
			t.Errorf("letters on %s have a contrast of %.1f", English().Stages[stage], c)
		}
	}
	for _, shade := range []color.RGBA{ink, faint, inTime, tooLate} {
		if c := contrast(shade, band); c < least {
			t.Errorf("letters in %v have a contrast of %.1f", shade, c)
		}
	}
}

func contrast(a, b color.RGBA) float64 {
	light := func(c color.RGBA) float64 {
		linear := func(v uint8) float64 {
			f := float64(v) / 255
			if f <= 0.04045 {
				return f / 12.92
			}
			return math.Pow((f+0.055)/1.055, 2.4)
		}
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"Jörg Größe-Süß":         "Jörg Größe-Süß",
		"Þórdís Łukasz Čapek":    "Þórdís Łukasz Čapek",
		"İnci Őze Țepeș ẞ":       "İnci Őze Țepeș ẞ",
		"Jo\u0308rg":             "Jörg", // decomposed
		"Ольга Αθηνά":            "Ольга Αθηνά",
		"Smaug 🐉 the\nGolden\t!": "Smaug the Golden !",
		"a\u202egnp.exe":         "agnp.exe", // no turning round
		"שלום":                   "םולש",     // as it is drawn
		"龍🐉\x00":                 "",
		"\xff\xfe":               "",
		"...":                    "",
		" ":                      "",
	} {
		if got := readable(name); got != want {
			t.Errorf("readable(%q) = %q, want %q", name, got, want)
		}
	}
	long := spoken()
	long.NPC, long.Tier, long.Note = strings.Repeat("W", 10_000), strings.Repeat("tier ", 100), strings.Repeat("M", 10_000)
	if got := drawn(t, long).Bounds(); got.Dx() != width {
		t.Errorf("a long name makes a picture of %v", got)
	}
	st := style(nameSize, true)
	if got := fit(st, strings.Repeat("W", 99), 300); st.Width(got) > 300 || !strings.HasSuffix(got, "…") || len(got) < 5 {
		t.Errorf("a long name is cut to %q, %v wide", got, st.Width(got))
	}
}

func TestScale(t *testing.T) {
	for _, row := range []struct {
		name       string
		turn       Turn
		end, ticks time.Duration
	}{
		{"target beyond everything", Turn{Target: 2 * time.Second, First: 10 * ms, Spans: []Span{{Answer, 10 * ms, 20 * ms}}}, 2250 * ms, 500 * ms},
		{"long answer", Turn{Target: time.Second, First: 1200 * ms, Spans: []Span{{Answer, 1200 * ms, 30 * time.Second}}}, 1500 * ms, 500 * ms},
		{"far too late", Turn{Target: time.Second, First: 10 * time.Second, Spans: []Span{{Model, 0, 10 * time.Second}}}, 2 * time.Second, 500 * ms},
		{"never heard", Turn{Spans: []Span{{Model, 0, 30 * time.Second}}}, 30 * time.Second, 5 * time.Second},
		{"nothing known", Turn{}, 10 * ms, 2 * ms},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := reach([]Turn{row.turn}); got != row.end {
				t.Errorf("reach = %v, want %v", got, row.end)
			}
			if got := step(row.end); got != row.ticks {
				t.Errorf("step = %v, want %v", got, row.ticks)
			}
		})
	}
}

func TestLabel(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-1: "0", 0: "0", 30 * time.Microsecond: "<1 ms", 820400 * time.Microsecond: "820 ms", 999600 * time.Microsecond: "1 s",
		1200 * ms: "1.2 s", 9960 * ms: "10 s", 34 * time.Second: "34 s", 24 * time.Hour: "1440 min",
	} {
		if got := Label(d); got != want {
			t.Errorf("Label(%v) = %q, want %q", d, got, want)
		}
	}
}

// anything is turns as nobody should make them.
func anything() *rapid.Generator[[]Turn] {
	return rapid.Custom(func(t *rapid.T) []Turn {
		times := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-1e9, 1e11))
		d := func(name string) time.Duration { return time.Duration(times.Draw(t, name)) }
		var turns []Turn
		for range rapid.IntRange(1, MaxTurns+3).Draw(t, "turns") {
			turn := Turn{
				Number: rapid.Int64().Draw(t, "number"), NPC: rapid.String().Draw(t, "npc"), Tier: rapid.String().Draw(t, "tier"),
				Target: d("target"), First: d("first"), Met: rapid.Bool().Draw(t, "met"), Note: rapid.String().Draw(t, "note"),
			}
			for range rapid.IntRange(0, 2*maxSpans).Draw(t, "spans") {
				turn.Spans = append(turn.Spans, Span{Stage(rapid.IntRange(-2, stageCount+2).Draw(t, "stage")), d("from"), d("to")})
			}
			turns = append(turns, turn)
		}
		return turns
	})
}

// TestAnything draws whatever it is given.
func TestAnything(t *testing.T) {
	for seed := range 6 {
		turns := anything().Example(seed)
		if got := drawn(t, turns...).Bounds(); got.Dx() != width || got.Dy() > 3*width {
			t.Errorf("%d: the picture is %v", seed, got)
		}
	}
}

// FuzzReadable wants every text to come out as one line that can be measured.
func FuzzReadable(f *testing.F) {
	for _, s := range []string{"Jörg", "שלום bar 123 (עמר)", "a\u202eb", "\xff", "👩‍👩‍👧", "1 שלום", "\u2067x\u2069"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := readable(s)
		if strings.ContainsAny(got, "\n\r\t") || len([]rune(got)) > maxName || style(nameSize, true).Width(got) < 0 {
			t.Errorf("readable(%q) = %q", s, got)
		}
	})
}

// TestTheSameTurnsMakeTheSamePicture draws by many at once.
func TestTheSameTurnsMakeTheSamePicture(t *testing.T) {
	var pictures [4]bytes.Buffer
	var all sync.WaitGroup
	for i := range pictures {
		all.Go(func() {
			if err := PNG(&pictures[i], []Turn{spoken(), spoken()}, English()); err != nil {
				t.Errorf("drawing: %v", err)
			}
		})
	}
	all.Wait()
	for i := range pictures {
		if !bytes.Equal(pictures[0].Bytes(), pictures[i].Bytes()) {
			t.Error("the same turns make different pictures")
		}
	}
}
