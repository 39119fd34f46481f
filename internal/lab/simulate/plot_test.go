package simulate

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"
)

func TestDraw(t *testing.T) {
	points := []Point{
		{X: 10, FrameLateness: Lateness{0.1, 0.5, 2}, FirstSound: Percentiles{900, 1500, 2000}, CPUPercent: 12, RSSMB: 80},
		{X: 100, FrameLateness: Lateness{0.2, 3, 12}, FirstSound: Percentiles{950, 1600, 2500}, CPUPercent: 120, RSSMB: 300},
	}
	for _, tt := range []struct {
		name   string
		format Format
		points []Point
		check  func(*testing.T, []byte)
	}{
		{"svg", SVG, points, wellFormed},
		{"one_point", SVG, points[:1], wellFormed},
		{"nothing_measured", SVG, []Point{{X: 1}, {X: 2}}, wellFormed},
		{"png", PNG, points, func(t *testing.T, data []byte) {
			if _, err := png.Decode(bytes.NewReader(data)); err != nil {
				t.Errorf("decoding the picture: %v", err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Draw(&b, tt.format, "tables", tt.points); err != nil {
				t.Fatal(err)
			}
			tt.check(t, b.Bytes())
		})
	}
}

// wellFormed requires XML that names all four panels.
func wellFormed(t *testing.T, data []byte) {
	t.Helper()
	var text strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("reading the picture: %v", err)
		}
		if c, ok := token.(xml.CharData); ok {
			text.Write(c)
		}
	}
	for _, row := range panels {
		for _, p := range row {
			if !strings.Contains(text.String(), p.title) {
				t.Errorf("no panel is called %q in %q", p.title, text.String())
			}
		}
	}
}

func TestFormatOf(t *testing.T) {
	for file, want := range map[string]Format{"a.svg": SVG, "b/c.PNG": PNG, "plain": "", "x.jpg": "", ".svg": SVG} {
		got, err := FormatOf(file)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("FormatOf(%q) = %q, %v, want %q", file, got, err, want)
		}
	}
}
