package waterfall

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// tidy returns the spans that can be shown, by time, those of one stage that
// overlap as one.
func tidy(spans []Span) []Span {
	var out []Span
	for _, s := range spans[:min(len(spans), maxSpans)] {
		if s.From, s.To = max(s.From, 0), min(s.To, longest); s.Stage >= 0 && int(s.Stage) < stageCount && s.To > s.From {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Span) int {
		if a.Stage != b.Stage {
			return int(a.Stage - b.Stage)
		}
		return int(min(max(a.From-b.From, -1), 1))
	})
	n := 0
	for _, s := range out {
		if n > 0 && out[n-1].Stage == s.Stage && s.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, s.To)
			continue
		}
		out[n] = s
		n++
	}
	return out[:n]
}

// turn draws one row below y.
func (s *sheet) turn(t Turn, y float64) {
	y += rowPad
	s.caption(t, y)
	y += nameLine
	n := float64(len(s.lanes))
	for _, d := range s.ticks() {
		s.box(s.at(d)-1, y, 2, n*(s.lane+laneGap)-laneGap, line)
	}
	bottom := y
	for _, lane := range s.lanes {
		s.stages(t, lane, bottom)
		bottom += s.lane + laneGap
	}
	if t.Target > 0 {
		s.due(s.at(t.Target), y-8, bottom-laneGap+8)
	}
	for i, lane := range s.lanes {
		s.lengths(t, lane, y+float64(i)*(s.lane+laneGap))
	}
}

// caption says who answered, and whether in time, by a sign and in words.
func (s *sheet) caption(t Turn, y float64) {
	shade := tooLate
	if t.Met {
		shade = inTime
	}
	first, rest := s.words.verdict(t)
	heavy, plain := style(textSize, true), style(textSize, false)
	rest = fit(plain, rest, px(inner*0.52)-heavy.Width(first))
	x := margin + inner - float64(heavy.Width(first)+plain.Width(rest))
	s.write(heavy, shade, x, y+4, first)
	s.write(plain, ink, x+float64(heavy.Width(first)), y+4, rest)
	const mark = 36
	x -= mark + 12
	s.mark(t.Met, shade, x, y+3, mark)

	left := float64(margin)
	number := fmt.Sprintf("#%d ", t.Number)
	s.write(style(nameSize, false), faint, left, y, number)
	left += float64(style(nameSize, false).Width(number))
	tier := "  " + t.Tier
	name := fit(style(nameSize, true), t.NPC, px(x-left-20)-plain.Width(tier))
	s.write(style(nameSize, true), ink, left, y, name)
	s.write(plain, faint, left+float64(style(nameSize, true).Width(name)), y+5, tier)
}

// verdict is when the first sound came and of which time; and what else there is
// to say.
func (w *Words) verdict(t Turn) (first, rest string) {
	first, rest = w.NoAnswer, ""
	if t.First > 0 {
		first = w.label(t.First)
		if t.Target > 0 {
			rest = fmt.Sprintf(" "+w.Of, w.label(t.Target))
		}
	}
	if t.Note != "" {
		rest += " · " + t.Note
	}
	return first, rest
}

// mark draws a tick in a disc or a cross in a square, so that it can be told
// without seeing colours.
func (s *sheet) mark(met bool, shade color.Color, x, y, size float64) {
	stroke := draw.LineStyle{Color: dark, Width: px(size / 7)}
	if !met {
		s.box(x, y, size, size, shade)
		for _, l := range [][4]float64{{.26, .26, .74, .74}, {.74, .26, .26, .74}} {
			s.stroke(stroke, x+l[0]*size, y+l[1]*size, x+l[2]*size, y+l[3]*size)
		}
		return
	}
	var disc vg.Path
	disc.Move(s.point(x+size, y+size/2))
	disc.Arc(s.point(x+size/2, y+size/2), px(size/2), 0, 6.2832)
	disc.Close()
	s.draw.SetColor(shade)
	s.draw.Fill(disc)
	s.stroke(stroke, x+.24*size, y+.53*size, x+.43*size, y+.72*size, x+.77*size, y+.33*size)
}

// stroke draws a line through points.
func (s *sheet) stroke(l draw.LineStyle, xy ...float64) {
	var points []vg.Point
	for i := 0; i+1 < len(xy); i += 2 {
		points = append(points, s.point(xy[i], xy[i+1]))
	}
	s.draw.StrokeLines(l, points)
}

// due draws the line of a target: bright dashes on a dark line, so that it shows
// on everything.
func (s *sheet) due(x, top, bottom float64) {
	const half = 11
	s.box(x-5, top, 10, bottom-top, dark)
	s.shape(ink, x-half, top, x+half, top, x, top+half*1.4)
	for y := top; y < bottom; y += 16 {
		s.box(x-2, y, 4, min(10, bottom-y), ink)
	}
}

// stages draws the stages of a turn in one lane.
func (s *sheet) stages(t Turn, lane int, y float64) {
	s.box(margin, y+s.lane/2-1, inner, 2, line)
	for _, b := range s.bars(t.Spans, lane) {
		s.block(looks[b.Stage], b.x, y, b.w, s.lane, b.To > s.end)
	}
}

// bar is a span as it is drawn.
type bar struct {
	Span
	x, w float64
}

// bars places the spans of a lane. Slivers stand side by side.
func (s *sheet) bars(spans []Span, lane int) []bar {
	var out []bar
	end := 0.0 // of the one before
	for _, sp := range inLane(spans, lane) {
		x := s.at(sp.From)
		x = min(max(x, min(end, x+3*sliver)), margin+inner-sliver)
		w := max(s.at(sp.To)-x, sliver)
		out = append(out, bar{sp, x, w})
		end = x + w
	}
	return out
}

// inLane returns the spans of a lane by time.
func inLane(spans []Span, lane int) []Span {
	var out []Span
	for _, sp := range spans {
		if looks[sp.Stage].lane == lane {
			out = append(out, sp)
		}
	}
	slices.SortStableFunc(out, func(a, b Span) int { return int(min(max(a.From-b.From, -1), 1)) })
	return out
}

// lengths writes how long the stages of a lane took into their bars, where there
// is room beside the target.
func (s *sheet) lengths(t Turn, lane int, y float64) {
	size := min(s.lane*0.78, nameSize)
	st := style(size, true)
	for _, b := range s.bars(t.Spans, lane) {
		took := Label(b.To - b.From)
		wide := float64(st.Width(took))
		from, to := b.x+6, b.x+b.w-6
		if b.To > s.end {
			to -= s.lane / 2
		}
		if due := s.at(t.Target); t.Target > 0 && from < due && due < to {
			if due-from > to-due {
				to = due - 10
			} else {
				from = due + 10
			}
		}
		if wide > to-from {
			continue
		}
		x := (from + to - wide) / 2
		if looks[b.Stage].hatched {
			s.box(x-6, y, wide+12, s.lane, looks[b.Stage].shade)
		}
		s.write(st, dark, x, y+(s.lane-size*1.28)/2, took)
	}
}

// block draws a stage; one that goes on beyond the picture ends in an arrow.
func (s *sheet) block(l look, x, y, w, h float64, cut bool) {
	if cut {
		s.shape(l.shade, x, y, x+w-h/2, y, x+w, y+h/2, x+w-h/2, y+h, x, y+h)
	} else {
		s.box(x, y, w, h, l.shade)
	}
	if !l.hatched {
		return
	}
	const stripe, gap = 4, 12
	for at := x + gap/2; at+stripe+gap/2 <= x+w; at += stripe + gap {
		s.box(at, y, stripe, h, ground)
	}
}
