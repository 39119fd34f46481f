package simulate

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"
)

const (
	// jitterBuffer is the least buffer of listeners' programs: they hear a
	// later frame as a gap.
	jitterBuffer = 60 * time.Millisecond
	// shown bounds the points of a plot over time.
	shown = 120
)

// meter measures a running simulation. One goroutine, run, samples; the tables
// fill the histograms.
type meter struct {
	late    histogram
	written histogram // of frames at the network
	tally   *tally
	tell    func(string)
	began   time.Time
	cpu     time.Duration // used before began
	known   bool          // cpu is known
	most    int64         // resident bytes
	crowd   int           // goroutines, at most
	points  []Point
	before  reading
	planned time.Duration
}

// reading is a meter's values at one time.
type reading struct {
	at          time.Time
	cpu         time.Duration
	late, first distribution
}

func newMeter(t *tally, planned time.Duration, tell func(string)) *meter {
	return &meter{tally: t, tell: tell, planned: planned}
}

// beginMeasuring starts the measurement.
func (m *meter) beginMeasuring() {
	m.began = time.Now()
	m.cpu, m.known = processorTime()
	m.before = m.takeReading()
}

// frame counts a frame by its lateness when handed over.
func (m *meter) frame(late time.Duration) { m.late.addDuration(late) }

// writeLateness returns the frames' lateness at the network, or nil without
// frames.
func (m *meter) writeLateness() *Lateness {
	d := m.written.distribution()
	if d.total == 0 {
		return nil
	}
	late := lateness(d)
	return &late
}

func (m *meter) takeReading() reading {
	cpu, _ := processorTime()
	return reading{time.Now(), cpu, m.late.distribution(), m.tally.firstSound.distribution()}
}

// sampleRegularly samples until ctx ends.
func (m *meter) sampleRegularly(ctx context.Context) {
	every := m.interval()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	often := max(1, int(10*time.Second/every)) // samples between two progress messages
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		m.sample(m.takeReading())
		if n%often == 0 {
			m.progress()
		}
	}
}

// interval is the time between two samples.
func (m *meter) interval() time.Duration { return max(time.Second, m.planned/shown) }

// sample adds a point for the time since the last one.
func (m *meter) sample(now reading) {
	rss, _ := resident()
	m.most, m.crowd = max(m.most, rss), max(m.crowd, runtime.NumGoroutine())
	m.points = append(m.points, Point{
		X:             now.at.Sub(m.began).Minutes(),
		FrameLateness: lateness(now.late.since(m.before.late)),
		FirstSound:    percentiles(now.first.since(m.before.first)),
		CPUPercent:    percent(now.cpu-m.before.cpu, now.at.Sub(m.before.at)),
		RSSMB:         megabytes(rss),
	})
	m.before = now
}

// progress reports the progress to a person.
func (m *meter) progress() {
	p := m.points[len(m.points)-1]
	m.tell(fmt.Sprintf("%s of %s: %d turns, frames up to %.1f ms late (p99), CPU %.0f %%, %.0f MB",
		m.before.at.Sub(m.began).Round(time.Second), m.planned, m.before.first.total, p.FrameLateness.P99, p.CPUPercent, p.RSSMB))
}

// addToReport stores the measurements in r. run must have returned.
func (m *meter) addToReport(r *Report) {
	now := m.takeReading()
	if now.at.Sub(m.before.at) > m.interval()/2 || len(m.points) == 0 {
		m.sample(now) // otherwise the rest is too short for its own point
	}
	elapsed := now.at.Sub(m.began)
	r.Minutes = math.Round(elapsed.Minutes()*1000) / 1000
	r.Frames, r.Underruns = now.late.total, now.late.above(jitterBuffer)
	if late := lateness(now.late); now.late.total > 0 {
		r.FrameLateness = &late
	}
	if first := percentiles(now.first); now.first.total > 0 {
		r.FirstSound = &first
	}
	r.Processors, r.Goroutines, r.RSSMB = runtime.GOMAXPROCS(0), m.crowd, megabytes(m.most)
	if m.known {
		r.CPUPercent = percent(now.cpu-m.cpu, elapsed)
	} else {
		r.Remarks = append(r.Remarks, "this system does not tell how much processor time is used")
	}
	if m.most == 0 {
		r.Remarks = append(r.Remarks, "this system does not tell how much memory is used")
	}
	m.tally.addToReport(r)
}
