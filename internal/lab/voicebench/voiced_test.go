package voicebench

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/saytest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// voicedPlan is a table with a player at a microphone: a question, and an
// interruption of its answer. In JSON for testdata/peers/livekit/voiced.mjs.
type voicedPlan struct {
	Tuning string `json:"tuning"`
	// Detector is the library of our side's voice detector.
	Detector string `json:"detector"`
	// InterimMS and FinalMS are the latencies of transcripts: after the end of
	// the voice, and, on our side, after the request for the final transcript.
	InterimMS float64 `json:"interimMS"`
	FinalMS   float64 `json:"finalMS"`
	LLMMS     float64 `json:"llmMS"`
	TTSMS     float64 `json:"ttsMS"`
	SoundMS   float64 `json:"soundMS"`
	// HearMS is the time of an answer's interruption, RestMS the silence at the
	// end.
	HearMS       float64    `json:"hearMS"`
	RestMS       float64    `json:"restMS"`
	Persona      string     `json:"persona"`
	Answer       string     `json:"answer"`
	Question     voicedClip `json:"question"`
	Interruption voicedClip `json:"interruption"`
	Turns        int        `json:"turns"`
}

// voicedClip is a spoken clip. File contains frames of 16-bit PCM at the
// frames' rate; the voice begins and ends in the named frames.
type voicedClip struct {
	File  string `json:"file"`
	Text  string `json:"text"`
	Begin int    `json:"begin"`
	End   int    `json:"end"`
}

// voicedReport has a value for each turn, in milliseconds: from the frame in
// which the voice ends to the answer's first frame, and from the frame in which
// the interrupting voice begins to the answer's last frame, and to the emptied
// output where there is one.
type voicedReport struct {
	First []float64 `json:"first"`
	Last  []float64 `json:"last"`
	// Late counts frames that the microphone sent more than [lateFrame] late.
	Late int `json:"late"`
}

const (
	// lateFrame is the allowed lateness of a frame in milliseconds,
	// starvedFrame the lateness that shows a starved machine and makes the turn
	// invalid.
	lateFrame, starvedFrame = 10, 60
	voicedTurns             = 10
)

// voicedClipOf synthesises a text with espeak-ng and splits it into frames.
func voicedClipOf(t *testing.T, dir, text string) voicedClip {
	t.Helper()
	sound := saytest.Say(t, "en-gb", 0, text)
	loud := saytest.Envelope(sound, audio.FrameSamples)
	raw := make([]byte, 2*len(loud)*audio.FrameSamples) // whole frames
	for i, v := range sound {
		binary.LittleEndian.PutUint16(raw[2*i:], uint16(v))
	}
	c := voicedClip{File: filepath.Join(dir, strings.ReplaceAll(text, " ", "-")), Text: text}
	c.Begin, c.End = saytest.Span(loud, saytest.Voiced(loud))
	if err := os.WriteFile(c.File, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

// voicedSides are the compared sides and their tunings.
var voicedSides = []struct{ name, tuning string }{
	{"ours, as it comes", "ours"}, {"LiveKit Agents, defaults", "defaults"}, {"LiveKit Agents, tuned", "tuned"},
}

// TestVoicedPeers compares what a player hears with LiveKit Agents: both sides
// get the same microphone sound and decide themselves where speech ends and
// what interrupts, with the same voice detection model.
func TestVoicedPeers(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	if !*strict || racing {
		t.Skip("it takes minutes in real time; run: make bench-peers")
	}
	peer, err := livekitScript(t, "voiced.mjs", "agents")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ours := func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, self, playVoicedWord) }
	dir := t.TempDir()
	p := voicedPlan{
		SoundMS: 6000, HearMS: 1000, RestMS: 500, Turns: voicedTurns, Detector: onnxruntime(t),
		Persona: "You are Bart, the keeper of an inn.", Answer: "The bridge is out, traveller.",
		Question: voicedClipOf(t, dir, "Bart, is the bridge open?"), Interruption: voicedClipOf(t, dir, "Bart, wait a moment, what about the ferry?"),
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "vendors ms\tside\tturns\tend of voice→first frame p50\tp95\tvoice begins→last sound p50\tp95\tlate frames\t")
	for _, vendors := range [][4]float64{{0, 0, 0, 0}, {150, 350, 200, 75}} {
		p.InterimMS, p.FinalMS, p.LLMMS, p.TTSMS = vendors[0], vendors[1], vendors[2], vendors[3]
		var found []spread
		for _, side := range voicedSides {
			command := peer
			if side.tuning == "ours" {
				command = ours
			}
			p.Tuning = side.tuning
			r, err := playVoicedIn(t.Context(), command, p)
			if err != nil {
				t.Fatalf("%s: %v", side.name, err)
			}
			first, last := spreadOf(r.First), spreadOf(r.Last)
			t.Logf("vendors of %v ms, %s: first %.0f, last %.0f", vendors, side.name, r.First, r.Last)
			fmt.Fprintf(w, "%.0f/%.0f+%.0f+%.0f\t%s\t%d\t%.0f\t%.0f\t%.0f\t%.0f\t%d\t\n", p.InterimMS, p.FinalMS, p.LLMMS, p.TTSMS, side.name, len(r.First), first.p50, first.p95, last.p50, last.p95, r.Late)
			found = append(found, first)
		}
		for i, side := range voicedSides[1:] {
			if found[0].p50 > found[i+1].p50 {
				t.Errorf("vendors of %v ms: end of voice to first frame is %.0f ms (p50), %s takes %.0f", vendors, found[0].p50, side.name, found[i+1].p50)
			}
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(os.Stdout, &table); err != nil {
		t.Error(err)
	}
}

// onnxruntime returns the library that Silero's model needs on our side.
func onnxruntime(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cache, "glyphoxa", "libonnxruntime.so.1")
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v; run: make onnx", err)
	}
	return path
}

// playVoicedIn plays a plan in a process, and repeats it if the machine starved
// it.
func playVoicedIn(ctx context.Context, command func(context.Context) *exec.Cmd, p voicedPlan) (voicedReport, error) {
	var r voicedReport
	input, err := json.Marshal(p)
	if err != nil {
		return r, err
	}
	for try := 1; ; try++ {
		limited, cancel := context.WithTimeout(ctx, 5*time.Minute)
		var stdout, stderr bytes.Buffer
		cmd := command(limited)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
		err := cmd.Run()
		cancel()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, stderr.Bytes())
		} else if err = json.Unmarshal(stdout.Bytes(), &r); err == nil && (len(r.First) != p.Turns || len(r.Last) != p.Turns) {
			err = errors.New("it reports not every turn")
		}
		if err == nil || try == starved || !strings.Contains(err.Error(), errStarved.Error()) {
			return r, err
		}
	}
}
