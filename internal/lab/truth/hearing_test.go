package truth_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lane"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/silero"
	"github.com/MrWong99/glyphoxa/pkg/audio/webrtcvad"
)

// clipsFolder names the folder of the clips; `make eval-hearing` sets it.
const clipsFolder = "GLYPHOXA_HEARING"

func readClips(t *testing.T, folder, third string) []clipTruth {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder, third+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var clips []clipTruth
	for line := range bytes.Lines(raw) {
		var c clipTruth
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		clips = append(clips, c)
	}
	if len(clips) < 80 {
		t.Fatalf("%s holds %d clips", third, len(clips))
	}
	return clips
}

func readSound(t *testing.T, path string) []int16 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	wav, err := audio.ReadWAV(f)
	if err != nil || wav.Rate != audio.SampleRate || wav.Channels != 1 {
		t.Fatalf("%s: %v, %d Hz, %d channels", path, err, wav.Rate, wav.Channels)
	}
	return wav.Samples
}

// detectors opens what may judge a lane, by name. Each lane gets its own.
func detectors(t *testing.T) map[string]func() lane.Detector {
	t.Helper()
	session, err := silero.Open("")
	if err != nil {
		t.Fatalf("%v; run: make onnx", err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	open := map[string]func() lane.Detector{
		"energy": func() lane.Detector { return lane.NewEnergy() },
		"silero": func() lane.Detector {
			stream, err := session.NewStream()
			if err != nil {
				t.Fatal(err)
			}
			m, err := lane.NewModel(stream, func(err error) { t.Errorf("the model failed: %v", err) })
			if err != nil {
				t.Fatal(err)
			}
			return m
		},
	}
	if _, err := webrtcvad.New(webrtcvad.Aggressive); err != nil {
		t.Logf("webrtc is not scored: %v", err)
		return open
	}
	open["webrtc"] = func() lane.Detector {
		d, err := webrtcvad.New(webrtcvad.Aggressive)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	return open
}

// TestEvalHearing plays the clips that testdata/hearing makes to real lanes.
func TestEvalHearing(t *testing.T) {
	folder := os.Getenv(clipsFolder)
	if folder == "" {
		t.Skip("to score the hearing: make eval-hearing")
	}
	thirds := []string{"dev"}
	if withHeld() {
		thirds = append(thirds, "held")
	}
	open := detectors(t)
	for _, third := range thirds {
		clips := readClips(t, folder, third)
		for _, name := range []string{"silero", "energy", "webrtc"} {
			if open[name] == nil {
				continue
			}
			groups := scoreHearing(t, folder, clips, open[name])
			logHearing(t, third+" "+name, groups)
			if third == "dev" {
				holdHearing(t, name, groups)
			}
		}
	}
}

// summaries are what the targets speak of, over groups of clips.
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

// scoreHearing scores clips by their groups, and then by the summaries. With
// GLYPHOXA_HEARING_CLIPS=1 each clip of dev is a group of its own.
func scoreHearing(t *testing.T, folder string, clips []clipTruth, open func() lane.Detector) []*heardGroup {
	t.Helper()
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
	single := os.Getenv("GLYPHOXA_HEARING_CLIPS") == "1"
	for _, c := range clips {
		h := hearClip(open(), readSound(t, filepath.Join(folder, filepath.FromSlash(c.File))))
		name := c.Group
		if single && strings.HasPrefix(c.File, "dev/") {
			name = c.ID
		}
		add(name, c, h)
		for _, s := range summaries {
			if slices.Contains(s.groups, c.Group) {
				add(s.name, c, h)
			}
		}
	}
	return append(groups[len(summaries):], groups[:len(summaries)]...)
}

// logHearing prints what was made of each group of clips.
func logHearing(t *testing.T, title string, groups []*heardGroup) {
	t.Helper()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "group\tclips\tnoise as voice\tfalse/min\tmissed\tnot sent\tunheard\tonset p50\tend p50\tp90\tlongest open\tpauses cut\ta frame\t")
	for _, g := range groups {
		cut := "–"
		if g.pauses > 0 {
			cut = fmt.Sprintf("%d/%d", g.cut, g.pauses)
		}
		fmt.Fprintf(w, "%s\t%d\t%.1f %%\t%.2f\t%.1f %%\t%.1f %%\t%d/%d\t%d ms\t%d\t%d ms\t%.2f s\t%s\t%d µs\t\n",
			g.name, g.clips, percentOf(g.noise, g.quiet), g.falseAMinute(), percentOf(g.missed, g.speech), percentOf(g.unsent, g.speech), g.unheard, g.spoken,
			percentile(g.onsets, 0.5).Milliseconds(), percentile(g.ends, 0.5).Milliseconds(), percentile(g.ends, 0.9).Milliseconds(),
			g.longest.Seconds(), cut, (g.took / time.Duration(max(g.frames, 1))).Microseconds())
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s", title, b.String())
}

// hearingFloors are what the detectors must not do worse than on dev, by the
// summaries: false utterances a minute, speech missed in percent, and in
// milliseconds when utterances end, for nine of ten, and how long one may stay open
// with nothing said.
var hearingFloors = map[string]struct{ falsely, missed, end, open float64 }{
	"silero": {0.2, 3, 750, 1700},
	"energy": {2.5, 7, 1400, 15000},
	"webrtc": {2.2, 2, 3000, 30000},
}

// holdHearing fails where a detector does worse than it did.
func holdHearing(t *testing.T, name string, groups []*heardGroup) {
	t.Helper()
	most := hearingFloors[name]
	hold := func(summary, what string, got, want float64) {
		if got > want {
			t.Errorf("%s, %s: %s is %.2f, want %.2f at most", name, summary, what, got, want)
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
