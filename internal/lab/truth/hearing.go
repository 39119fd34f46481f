package truth

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/vad"
)

func readClips(folder, third string) ([]clipTruth, error) {
	clips, err := readRows[clipTruth](filepath.Join(folder, third+".jsonl"))
	if err == nil && len(clips) < 80 {
		err = fmt.Errorf("%s holds %d clips", third, len(clips))
	}
	return clips, err
}

func readSound(path string) ([]int16, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	wav, err := audio.ReadWAV(f)
	if err == nil && (wav.Rate != audio.SampleRate || wav.Channels != 1) {
		err = fmt.Errorf("%d Hz, %d channels", wav.Rate, wav.Channels)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return wav.Samples, nil
}

// detectors are the available detectors of a lane.
type detectors struct {
	model  *vad.Silero
	webrtc error // why it is not scored
	failed error // of the model
}

func openDetectors() (*detectors, error) {
	model, err := vad.OpenSilero("")
	if err != nil {
		return nil, fmt.Errorf("%w; run: make onnx", err)
	}
	d := &detectors{model: model}
	_, d.webrtc = vad.NewWebRTC(vad.Aggressive)
	return d, nil
}

// open opens a detector for one lane.
func (d *detectors) open(name string) (ear.Detector, error) {
	switch name {
	case "energy":
		return ear.NewEnergy(), nil
	case "webrtc":
		return vad.NewWebRTC(vad.Aggressive)
	}
	stream, err := d.model.NewStream()
	if err != nil {
		return nil, err
	}
	return ear.NewModel(stream, func(err error) { d.failed = errors.Join(d.failed, err) })
}

// Hearing plays the clips of testdata/hearing to real lanes, with each
// available detector.
func Hearing(ctx context.Context, o Options) (report *Report, err error) {
	all, err := openDetectors()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, all.model.Close()) }()
	thirds := []string{"dev"}
	if o.Held {
		thirds = append(thirds, "held")
	}
	report = &Report{}
	if all.webrtc != nil {
		report.Notes = append(report.Notes, fmt.Sprintf("webrtc is not scored: %v", all.webrtc))
	}
	for _, third := range thirds {
		clips, err := readClips(o.Clips, third)
		if err != nil {
			return nil, err
		}
		for _, name := range []string{"silero", "energy", "webrtc"} {
			if name == "webrtc" && all.webrtc != nil {
				continue
			}
			o.say("hearing " + third + " " + name)
			groups, err := scoreHearing(ctx, o, clips, func() (ear.Detector, error) { return all.open(name) })
			if err = errors.Join(err, all.failed); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			report.Tables = append(report.Tables, hearingTable("hearing "+third+" "+name, groups))
			if third == "dev" {
				report.holdHearing(name, groups)
			}
		}
	}
	return report, nil
}

// summaries are the groups of clips that the targets refer to.
var summaries = []struct {
	name   string
	groups []string
}{
	{"= in quiet or 10 dB", []string{"clean-synth", "clean-human", "creaky", "noise-20dB", "noise-10dB", "speech-music", "pauses-synth", "pauses-human"}},
	{"= in rooms or noise", []string{"noise-20dB", "noise-10dB", "noise-5dB", "noise-0dB", "reverb", "reverb-noise"}},
	{"= before music or in it", []string{"music", "speech-music"}},
	{"= without babble", []string{"clean-synth", "clean-human", "short", "soft", "whisper", "creaky", "noise-20dB", "noise-10dB", "noise-5dB", "noise-0dB",
		"reverb", "reverb-noise", "noise-alone", "music", "speech-music", "pauses-synth", "pauses-human"}},
}

// scoreHearing scores clips by group, and then by summary.
func scoreHearing(ctx context.Context, o Options, clips []clipTruth, open func() (ear.Detector, error)) ([]*heardGroup, error) {
	var groups []*heardGroup
	add := func(name string, c clipTruth, h hearing) {
		i := slices.IndexFunc(groups, func(g *heardGroup) bool { return g.name == name })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &heardGroup{name: name})
		}
		groups[i].addClip(c, h)
	}
	for _, s := range summaries {
		groups = append(groups, &heardGroup{name: s.name})
	}
	for _, c := range clips {
		sound, err := readSound(filepath.Join(o.Clips, filepath.FromSlash(c.File)))
		if err != nil {
			return nil, err
		}
		d, err := open()
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		h := hearClip(d, sound)
		name := c.Group
		if o.EachClip && strings.HasPrefix(c.File, "dev/") {
			name = c.ID
		}
		add(name, c, h)
		for _, s := range summaries {
			if slices.Contains(s.groups, c.Group) {
				add(s.name, c, h)
			}
		}
	}
	return append(groups[len(summaries):], groups[:len(summaries)]...), nil
}

// hearingTable is the table of results by group of clips.
func hearingTable(title string, groups []*heardGroup) Table {
	t := Table{Title: title, Columns: []Column{
		{"group", "%s"}, {"clips", "%d"}, {"noise as voice %", "%.1f"}, {"false/min", "%.2f"}, {"missed %", "%.1f"}, {"not sent %", "%.1f"},
		{"spoken", "%d"}, {"unheard", "%d"}, {"onset p50 ms", "%d"}, {"end p50 ms", "%d"}, {"end p90 ms", "%d"}, {"longest open s", "%.2f"},
		{"pauses", "%d"}, {"cut", "%d"}, {"a frame µs", "%d"},
	}}
	for _, g := range groups {
		t.Rows = append(t.Rows, []any{
			g.name, g.clips, percentOf(g.noise, g.quiet), g.falseAMinute(), percentOf(g.missed, g.speech), percentOf(g.unsent, g.speech), g.spoken, g.unheard,
			percentile(g.onsets, 0.5).Milliseconds(), percentile(g.ends, 0.5).Milliseconds(), percentile(g.ends, 0.9).Milliseconds(),
			g.longest.Seconds(), g.pauses, g.cut, (g.took / time.Duration(max(g.frames, 1))).Microseconds(),
		})
	}
	return t
}

// hearingFloors are the detectors' worst allowed results on dev, by summary:
// false utterances a minute, speech missed in percent, and in milliseconds the
// time until nine of ten utterances end, and the longest time an utterance may
// stay open without speech.
var hearingFloors = map[string]struct{ falsely, missed, end, open float64 }{
	"silero": {0.2, 3, 750, 1700},
	"energy": {2.5, 7, 1400, 15000},
	"webrtc": {2.2, 2, 3000, 30000},
}

// holdHearing reports results worse than the bounds.
func (r *Report) holdHearing(name string, groups []*heardGroup) {
	most := hearingFloors[name]
	hold := func(summary, what string, got, want float64) {
		if got > want {
			r.broke("%s, %s: %s is %.2f, want %.2f at most", name, summary, what, got, want)
		}
	}
	for i, g := range groups[len(groups)-len(summaries):] {
		switch i {
		case 0:
			hold(g.name, "speech missed in percent", percentOf(g.missed, g.speech), most.missed)
		case 1:
			hold(g.name, "the end after, for nine of ten, in ms", float64(percentile(g.ends, 0.9).Milliseconds()), most.end)
		case 2:
			hold(g.name, "open with nothing said, in ms", float64(g.longest.Milliseconds()), most.open)
		case 3:
			hold(g.name, "false utterances a minute", g.falseAMinute(), most.falsely)
		}
	}
}
