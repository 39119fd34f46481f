package simulate

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Format is a picture's format.
type Format string

// The supported formats.
const (
	SVG Format = "svg"
	PNG Format = "png"
)

// FormatOf returns the format for a file name's extension.
func FormatOf(file string) (Format, error) {
	switch f := Format(strings.ToLower(strings.TrimPrefix(filepath.Ext(file), "."))); f {
	case SVG, PNG:
		return f, nil
	}
	return "", fmt.Errorf("%q is no picture that can be drawn; the name has to end in .svg or .png", file)
}

// curve is one line of a panel. It leaves out values of exactly zero, because
// these did not occur or could not be measured.
type curve struct {
	name  string
	shade color.Color
	value func(Point) float64
}

var (
	blue   = color.RGBA{0x1f, 0x77, 0xb4, 0xff}
	orange = color.RGBA{0xff, 0x7f, 0x0e, 0xff}
	red    = color.RGBA{0xd6, 0x27, 0x28, 0xff}
)

// panels are the four panels of a plot, by row.
var panels = [2][2]struct {
	title  string
	curves []curve
}{
	{{"Frame lateness, ms", []curve{
		{"p50", blue, func(p Point) float64 { return p.FrameLateness.P50 }},
		{"p99", red, func(p Point) float64 { return p.FrameLateness.P99 }},
	}}, {"First sound, ms", []curve{
		{"p50", blue, func(p Point) float64 { return p.FirstSound.P50 }},
		{"p95", orange, func(p Point) float64 { return p.FirstSound.P95 }},
		{"p99", red, func(p Point) float64 { return p.FirstSound.P99 }},
	}}},
	{{"CPU, % of one processor", []curve{
		{"", blue, func(p Point) float64 { return p.CPUPercent }},
	}}, {"Memory, MB resident", []curve{
		{"", blue, func(p Point) float64 { return p.RSSMB }},
	}}},
}

// Draw draws points: lateness, first sound, processor and memory over x, which
// names X. There must be at least one point, in order of X.
func Draw(w io.Writer, f Format, x string, points []Point) error {
	const width, height = 24 * vg.Centimeter, 16 * vg.Centimeter
	rows := make([][]*plot.Plot, len(panels))
	for i, row := range panels {
		for _, panel := range row {
			p, err := drawn(panel.title, x, panel.curves, points)
			if err != nil {
				return fmt.Errorf("drawing %q: %w", panel.title, err)
			}
			rows[i] = append(rows[i], p)
		}
	}
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	if f == PNG {
		canvas = vgimg.PngCanvas{Canvas: vgimg.New(width, height)}
	} else {
		canvas = vgsvg.New(width, height)
	}
	const space = vg.Centimeter / 2
	tiles := draw.Tiles{Rows: len(panels), Cols: len(panels[0]), PadX: space, PadY: space, PadTop: space, PadBottom: space, PadLeft: space, PadRight: space}
	canvases := plot.Align(rows, tiles, draw.New(canvas))
	for i, row := range rows {
		for j, p := range row {
			p.Draw(canvases[i][j])
		}
	}
	if _, err := canvas.WriteTo(w); err != nil {
		return fmt.Errorf("writing the plot: %w", err)
	}
	return nil
}

func drawn(title, x string, curves []curve, points []Point) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text = title, x
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	for _, c := range curves {
		var xys plotter.XYs
		for _, pt := range points {
			if v := c.value(pt); v != 0 {
				xys = append(xys, plotter.XY{X: pt.X, Y: v})
			}
		}
		if len(xys) == 0 {
			continue
		}
		line, err := plotter.NewLine(xys)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = c.shade, vg.Points(1.2)
		p.Add(line)
		if c.name != "" {
			p.Legend.Add(c.name, line)
		}
		if len(points) < 20 {
			dots, err := plotter.NewScatter(xys)
			if err != nil {
				return nil, err
			}
			dots.Color = c.shade
			p.Add(dots)
		}
	}
	p.Y.Min, p.X.Min = 0, min(points[0].X, 0)
	p.X.Max = max(points[len(points)-1].X, p.X.Min+1e-3)
	if p.Y.Max = p.Y.Max * 1.3; math.IsInf(p.Y.Max, 0) || p.Y.Max <= 0 { // with room for the legend
		p.Y.Max = 1
	}
	return p, nil
}
