package waterfall

import (
	"cmp"
	"fmt"
	"image/color"
	"time"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Lengths in pixels. The picture is as wide as phones show without shrinking it
// below what can be read: the smallest type is a fortieth of its width.
const (
	width  = 1080
	margin = 44
	inner  = width - 2*margin

	titleSize, textSize, nameSize, tickSize = 56, 34, 40, 30

	legendLine = 50 // of the legend
	swatch     = 30
	tickLine   = 46 // of the scale
	rowPad     = 18 // above and below a row
	nameLine   = 56
	laneGap    = 4
	sliver     = 5 // the least width of a stage that happened
)

// The lanes of a row: what goes on side by side is shown side by side.
const (
	hearing = iota
	thinking
	speaking
	laneCount
)

// look is how a stage is shown. All shades are bright: dark letters stand on
// them, and they stand on a dark ground.
type look struct {
	lane  int
	shade color.RGBA
	// hatched marks stages in which nothing is done but to wait.
	hatched bool
}

var looks = [stageCount]look{
	Endpoint:   {hearing, color.RGBA{0x6c, 0xb4, 0xff, 0xff}, false},
	Transcript: {hearing, color.RGBA{0x4f, 0xe0, 0xd0, 0xff}, false},
	Queue:      {hearing, color.RGBA{0xb4, 0xba, 0xc8, 0xff}, true},
	Route:      {thinking, color.RGBA{0xee, 0xf2, 0xff, 0xff}, false},
	Context:    {thinking, color.RGBA{0xff, 0xe0, 0x66, 0xff}, false},
	Model:      {thinking, color.RGBA{0xff, 0x9f, 0x45, 0xff}, false},
	Writing:    {thinking, color.RGBA{0xd9, 0xb3, 0x8c, 0xff}, false},
	Tools:      {thinking, color.RGBA{0xff, 0x8f, 0xc8, 0xff}, false},
	Voice:      {speaking, color.RGBA{0xc4, 0xa5, 0xff, 0xff}, false},
	Floor:      {speaking, color.RGBA{0xd8, 0xdd, 0xe8, 0xff}, true},
	Filler:     {speaking, color.RGBA{0x7f, 0xe0, 0x8f, 0xff}, true},
	Answer:     {speaking, color.RGBA{0x4d, 0xdc, 0x6b, 0xff}, false},
}

var (
	ground  = color.RGBA{0x12, 0x14, 0x19, 0xff}
	band    = color.RGBA{0x1c, 0x1f, 0x27, 0xff} // behind every second row
	line    = color.RGBA{0x3c, 0x42, 0x50, 0xff}
	ink     = color.RGBA{0xff, 0xff, 0xff, 0xff}
	faint   = color.RGBA{0xc3, 0xc9, 0xd6, 0xff}
	dark    = color.RGBA{0x0b, 0x0d, 0x11, 0xff} // letters on a stage
	inTime  = color.RGBA{0x4d, 0xdc, 0x6b, 0xff}
	tooLate = color.RGBA{0xff, 0x7b, 0x72, 0xff}
)

// sheet is a picture in the making. Its y runs downwards.
type sheet struct {
	canvas *vgimg.Canvas
	draw   draw.Canvas
	turns  []Turn
	words  *Words
	end    time.Duration // at the right edge
	used   [stageCount]bool
	lanes  []int // those that are used
	lane   float64
	height float64
}

func newSheet(turns []Turn, words *Words) *sheet {
	s := &sheet{words: words}
	var lanes [laneCount]bool
	for _, t := range turns {
		t.First, t.Target, t.Spans = min(t.First, longest), min(t.Target, longest), tidy(t.Spans)
		t.NPC, t.Tier, t.Note = cmp.Or(readable(t.NPC), nameless), readable(t.Tier), readable(t.Note)
		for _, sp := range t.Spans {
			s.used[sp.Stage], lanes[looks[sp.Stage].lane] = true, true
		}
		s.turns = append(s.turns, t)
	}
	s.end = reach(s.turns)
	for i, used := range lanes {
		if used {
			s.lanes = append(s.lanes, i)
		}
	}
	s.lane = laneHeight(len(turns))
	s.height = s.top() + float64(len(turns))*s.row() + tickLine + margin/2
	s.canvas = vgimg.NewWith(vgimg.UseWH(px(width), px(s.height)), vgimg.UseDPI(72), vgimg.UseBackgroundColor(ground))
	s.draw = draw.New(s.canvas)
	return s
}

// laneHeight lets few turns fill a picture, and many fit into one.
func laneHeight(turns int) float64 {
	switch {
	case turns == 1:
		return 80
	case turns <= 4:
		return 56
	case turns <= 8:
		return 40
	}
	return 34
}

// row is the height of a turn.
func (s *sheet) row() float64 {
	n := float64(len(s.lanes))
	return 2*rowPad + nameLine + n*s.lane + max(n-1, 0)*laneGap
}

// top is where the first row begins.
func (s *sheet) top() float64 {
	return margin + titleSize + 22 + textSize + 26 + float64(len(s.legend()))*legendLine + 8 + tickLine
}

// at is where a time is, from the left edge of the picture.
func (s *sheet) at(d time.Duration) float64 {
	return margin + inner*float64(min(max(d, 0), s.end))/float64(s.end)
}

func (s *sheet) paint() {
	s.head()
	y := s.top()
	for i := range s.turns {
		if i%2 == 0 {
			s.box(0, y, width, s.row(), band)
		}
		y += s.row()
	}
	s.scale(s.top(), y)
	for i, t := range s.turns {
		s.turn(t, s.top()+float64(i)*s.row())
	}
}

// head writes the title and the legend.
func (s *sheet) head() {
	title := s.words.Turn
	if n := len(s.turns); n > 1 {
		title = fmt.Sprintf(s.words.Turns, n)
	}
	y := float64(margin)
	s.write(style(titleSize, true), ink, margin, y, title)
	y += titleSize + 22
	s.write(style(textSize, false), faint, margin, y, s.words.Since)
	y += textSize + 26
	for _, items := range s.legend() {
		x := float64(margin)
		for _, it := range items {
			if it.stage < 0 {
				s.due(x+swatch/2, y+7, y+11+swatch)
			} else {
				s.block(looks[it.stage], x, y+9, swatch, swatch, false)
			}
			s.write(style(textSize, false), ink, x+swatch+12, y, it.name)
			x += it.width
		}
		y += legendLine
	}
}

// entry is a part of the legend; the target has a stage below 0.
type entry struct {
	stage int
	name  string
	width float64
}

// legend is what the picture shows, in lines.
func (s *sheet) legend() (lines [][]entry) {
	all := []entry{{stage: -1, name: s.words.Target}}
	for i, used := range s.used {
		if used {
			all = append(all, entry{stage: i, name: s.words.Stages[i]})
		}
	}
	room := 0.0
	for _, it := range all {
		it.width = swatch + 12 + float64(style(textSize, false).Width(it.name)) + 34
		if it.width > room {
			lines, room = append(lines, nil), inner+34
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], it)
		room -= it.width
	}
	return lines
}

// ticks are the times that are marked.
func (s *sheet) ticks() []time.Duration {
	var all []time.Duration
	for d, by := time.Duration(0), step(s.end); d <= s.end; d += by {
		all = append(all, d)
	}
	return all
}

// scale names the ticks, above top and below bottom.
func (s *sheet) scale(top, bottom float64) {
	st := style(tickSize, false)
	for _, d := range s.ticks() {
		label := s.words.label(d)
		wide := float64(st.Width(label))
		x := min(max(s.at(d)-wide/2, margin/2), width-margin/2-wide)
		s.write(st, faint, x, top-tickLine, label)
		s.write(st, faint, x, bottom, label)
	}
}

// write puts a line of text with its top left corner at x, y.
func (s *sheet) write(st text.Style, shade color.Color, x, y float64, line string) {
	st.Color, st.YAlign = shade, text.YTop
	s.draw.FillText(st, s.point(x, y), line)
}

func (s *sheet) point(x, y float64) vg.Point { return vg.Point{X: px(x), Y: px(s.height - y)} }

// box fills a rectangle.
func (s *sheet) box(x, y, w, h float64, shade color.Color) {
	s.shape(shade, x, y, x+w, y, x+w, y+h, x, y+h)
}

// shape fills a polygon of points.
func (s *sheet) shape(shade color.Color, xy ...float64) {
	var points []vg.Point
	for i := 0; i+1 < len(xy); i += 2 {
		points = append(points, s.point(xy[i], xy[i+1]))
	}
	s.draw.FillPolygon(shade, points)
}
