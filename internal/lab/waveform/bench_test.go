package waveform

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/internal/lab/saytest"
)

// strict checks the targets of docs/performance.md.
var (
	strict  = flag.Bool("strict", false, "fail where a target is missed")
	another = flag.String("program", "", "measure this program instead of one that is built")
)

// voices are those of espeak-ng, with words per minute.
var voices = []struct {
	name  string
	speed int
}{{"en-us", 165}, {"en-gb+f3", 160}, {"en-us+m3", 175}, {"en-gb+m7", 155}, {"en-us+f2", 170}}

var questions = []string{
	"Bartok, do you have a room for the night?",
	"Is the old bridge still open, Bartok?",
	"Bartok, what do you drink here?",
	"Have you seen a rider today, Bartok?",
	"Bartok, tell me about the old mines.",
	"Bartok, can the smith mend my blade?",
	"We need a place to sleep, Bartok.",
}

// slots are the parts of answers, one word of each. No word is in two slots, so
// that each word of an answer has its own tone; and all answers differ, because
// the program withholds repeats. The first sentence takes the model about 90 ms
// from its first word.
var slots = [][]string{
	{"Aye,", "Well,", "Yes,", "Friend,", "Now,"},
	{"the"},
	{"old", "grey", "broken", "northern", "quiet", "burnt"},
	{"bridge", "mill", "tower", "ferry", "smithy", "chapel", "orchard"},
	{"fell", "closed", "flooded", "changed", "vanished"},
	{"last", "before"},
	{"winter.", "harvest.", "midsummer.", "yule."},
	{"So", "And", "But"},
	{"nobody", "everyone", "hardly anyone"},
	{"sleeps", "works", "prays", "trades", "fishes"},
	{"there", "nearby", "around it"},
	{"now.", "anymore.", "lately.", "at night."},
	{"Ask", "Find", "Follow", "Visit", "Trust"},
	{"my"},
	{"brother", "sister", "uncle", "neighbour", "daughter", "cook"},
	{"for", "about"},
	{"boots.", "bread.", "blankets.", "lamps.", "horses.", "maps."},
}

// answerOf returns the nth answer.
func answerOf(n int) string {
	var words []string
	for i, slot := range slots {
		words = append(words, slot[(n*(i%4+1)+n/len(slot)+i)%len(slot)])
	}
	return strings.Join(words, " ")
}

// TestEar measures what a player hears.
func TestEar(t *testing.T) {
	if os.Getenv("GLYPHOXA_BENCH_EAR") == "" && os.Getenv("GLYPHOXA_SOAK") == "" {
		t.Skip("it takes a quarter of an hour in real time; run: make bench-ear")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	onnx := filepath.Join(cache, "glyphoxa", "libonnxruntime.so.1")
	if _, err := os.Stat(onnx); err != nil {
		t.Fatalf("%v; run: make onnx", err)
	}
	path := *another
	if path == "" {
		path = buildProgram(t)
	}
	for _, row := range []struct {
		name     string
		interims bool
		rounds   int
	}{{"interims", true, 15}, {"finals", false, 8}} {
		t.Run(row.name, func(t *testing.T) {
			turns := measure(t, path, onnx, row.interims, plan(t, row.rounds))
			broken := sum(turns).broken(row.interims)
			sum(turns).print(t)
			for _, why := range broken {
				if *strict {
					t.Error(why)
				} else {
					t.Log(why)
				}
			}
		})
	}
}

// measure plays a plan with the program, and returns the measurements of each
// turn without a disturbance of the room.
func measure(t *testing.T, path, onnx string, interims bool, plan []over) []turn {
	s := newStage(t)
	t.Logf("from microphone to loudspeaker through parec and pacat alone: %.0f ms", s.passage())
	sc := newScene()
	dir := t.TempDir()
	p := startProgram(t, path, dir, sc.configure(t, dir, onnx, interims))
	if !until(patience, func() bool { return p.seen() > 0 }) {
		t.Fatal("the program says nothing")
	}
	time.Sleep(2 * time.Second) // the program warms up
	asked := asked(t)
	chance := rand.New(rand.NewPCG(3, 4))
	var turns []turn
	for i, o := range plan {
		m, err := s.play(p, sc, asked[i%len(asked)], answerOf(i), o, chance)
		switch {
		case errors.Is(err, errDisturbed):
			t.Logf("turn %d: %v", i, err)
			continue
		case err != nil:
			t.Fatalf("turn %d: %v; events: %+v", i, err, p.since(0))
		}
		if testing.Verbose() {
			t.Logf("turn %d: %s", i, m)
		}
		turns = append(turns, m)
	}
	for _, e := range p.since(0) {
		if e.Kind == "notice" || e.Kind == "guarded" {
			t.Logf("%s: %s", e.Kind, e.Text)
		}
	}
	return turns
}

// asked are the questions, each in a different voice.
func asked(t *testing.T) []clip {
	var out []clip
	for i, text := range questions {
		v := voices[i%len(voices)]
		out = append(out, newClip(text, trimmed(saytest.Say(t, v.name, v.speed, text))))
	}
	return out
}

// plan lists the interruptions of answers, four in a round.
func plan(t *testing.T, rounds int) []over {
	var out []over
	sounds := throats(t)
	for i := range rounds {
		v := voices[i%len(voices)].name
		out = append(out,
			over{"hold on", interruption(t, v, "Hold on,", npcName+"!"), true}, sounds[(2*i)%len(sounds)],
			over{"stop", interruption(t, v, "Stop!", ""), true}, sounds[(2*i+1)%len(sounds)])
	}
	return out
}

// throats are throat sounds that must not interrupt.
func throats(t *testing.T) []over {
	var out []over
	for i := range 10 {
		v := voices[i%len(voices)]
		hum := []string{"[[mh'm]]", "[[m'm:]]", "[['Vh'V]]"}[i%3]
		ha := []string{"[[h'ah'a]]", "[[h'ah'ah'a]]", "[[h'eh'eh'e]]"}[i%3]
		out = append(out,
			over{"mhm", newClip("Mhm.", trimmed(saytest.Say(t, v.name, v.speed, hum))), false},
			over{"cough", newClip("", cough(uint64(i))), false},
			over{"laugh", newClip("Haha.", trimmed(saytest.Say(t, v.name, 220, ha))), false})
	}
	return out
}

// cough is two bursts of breath.
func cough(seed uint64) []int16 {
	chance := rand.New(rand.NewPCG(seed, 5))
	out := rig.Decay(rig.Noise(180*time.Millisecond, -14, chance), 3)
	out = append(out, make([]int16, rig.SamplesIn(time.Duration(60+chance.IntN(80))*time.Millisecond))...)
	return append(out, rig.Decay(rig.Noise(220*time.Millisecond, -14, chance), 3)...)
}

// passage returns the time of sound from the microphone to the loudspeaker, in
// milliseconds, through the recorder and player programs alone.
func (s *stage) passage() float64 {
	format := []string{"--raw", "--format=s16le", "--channels=1", "--rate=48000"}
	from, to := exec.Command("parec", append(format, "--latency-msec=10")...), exec.Command("pacat", append(format, "--latency-msec=60")...)
	pipe, err := from.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	to.Stdin = pipe
	for _, cmd := range []*exec.Cmd{from, to} {
		if err := cmd.Start(); err != nil {
			s.t.Fatal(err)
		}
		defer func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it was killed
		}()
	}
	time.Sleep(time.Second)
	click := newClip("", rig.Noise(20*time.Millisecond, -14, rand.New(rand.NewPCG(1, 6))))
	at := s.now()
	s.say(click.sound)
	if !s.awaitMic(click, at) || !s.awaitEar(at) {
		s.t.Fatal("no click is heard")
	}
	time.Sleep(rest)
	begin, err := s.find(click, at, s.now())
	if err != nil {
		s.t.Fatal(err)
	}
	_, ear := s.channels(begin, s.now())
	return millis(slices.IndexFunc(ear, isLoud) - click.first)
}

func (m turn) String() string {
	return fmt.Sprintf("%s: first %.0f (ledger %.0f), last from words %.0f, call %.0f, end %.0f; ducked %.0f dB, paused %v, cut %v, again %v, lost %v; endpoint %.0f final %.0f token %.0f voice %.0f %s",
		m.kind, m.first, m.told, m.fromWords, m.fromCall, m.fromEnd, m.ducked, m.paused.Round(time.Millisecond), m.cut, m.again, m.lost,
		m.stages["endpoint_ms"], m.stages["stt_final_ms"], m.stages["llm_first_token_ms"], m.stages["tts_first_audio_ms"], m.misheard)
}
