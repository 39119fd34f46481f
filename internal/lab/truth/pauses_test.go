package truth

import (
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/lanetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// perWord is the speaking time of a word, interimAfter the delay of its
	// transcript.
	perWord      = 300 * time.Millisecond
	interimAfter = 150 * time.Millisecond
	// longestPause is the longest pause within a sentence; pauses are spread
	// evenly up to it.
	longestPause = 1500 * time.Millisecond
)

// pausedLine is a line of the corpus: one utterance, divided by pauses.
type pausedLine struct {
	id, lang, kind string
	parts          []string
}

func readPauses(t *testing.T, name string) []pausedLine {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(corpora, "pauses", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []pausedLine
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 4 || f[0] == "id" {
			continue
		}
		p := pausedLine{id: f[0], lang: f[1], kind: f[3]}
		for _, part := range strings.Split(f[2], "|") {
			p.parts = append(p.parts, strings.TrimSpace(part))
		}
		out = append(out, p)
	}
	if len(out) < 100 {
		t.Fatalf("%s holds %d lines", name, len(out))
	}
	return out
}

// Delays of services: to a final transcript, a model's first words, and their
// voice.
const (
	finalTakes  = 350 * time.Millisecond
	answerTakes = 275 * time.Millisecond
	// earlyAsked is the silence after which the final is requested early.
	earlyAsked = 100 * time.Millisecond
)

// pausesForm is a way in which words are delivered.
type pausesForm struct {
	name  string
	known time.Duration // after the voice; zero means only at the end
	as    func(string) string
	// floor is the lower bound of pauses without a loss, in percent, and most
	// the longest median wait.
	floor float64
	most  time.Duration
}

var pausesForms = []pausesForm{
	{"interims, written", interimAfter, strings.TrimSpace, 94, 320 * time.Millisecond},
	{"interims, unpunctuated", interimAfter, recognised, 60, 400 * time.Millisecond},
	{"early finals", earlyAsked + finalTakes, strings.TrimSpace, 93, 480 * time.Millisecond},
	{"early finals, always stopped", earlyAsked + finalTakes, stopped, 80, 480 * time.Millisecond},
	{"by silence alone", 0, nil, 78, 520 * time.Millisecond},
}

// stopped returns text as delivered by recognisers that end everything with a
// full stop.
func stopped(text string) string {
	if strings.ContainsAny(text[len(text)-1:], ".,!?") {
		return text
	}
	return text + "."
}

// speaker says lines to a lane, in virtual time, and gets answers.
type speaker struct {
	lane    *ear.Lane
	form    pausesForm
	reader  ear.TurnReader
	now     time.Time
	seq     uint16
	stopped time.Time // when the voice stopped
	sounds  time.Time // when an answer sounds; zero if none is due
	ended   uint64
	ends    []time.Duration // the endpoints of ended utterances
	cont    int             // ends followed by a continuation
}

func (s *speaker) pass(d time.Duration, voice bool) {
	for end := s.now.Add(d); s.now.Before(end); {
		s.now = s.now.Add(audio.FrameDuration)
		var f audio.Frame
		if voice {
			s.stopped = s.now
			for i := range f {
				f[i] = 5000
			}
		}
		if !s.sounds.IsZero() && !s.now.Before(s.sounds) {
			s.lane.Seal(s.ended)
		}
		s.lane.Intake().Push(s.now, ear.Packet{Seq: s.seq, Frame: &f})
		s.seq++
		for _, e := range s.lane.Tick(s.now) {
			switch e.Kind {
			case ear.UtteranceEnded:
				s.ends, s.ended = append(s.ends, e.Endpoint), e.Utterance
				s.sounds = s.soundsAt(e.At)
			case ear.UtteranceContinued:
				s.cont++
				s.sounds = time.Time{}
			case ear.VoiceStarted:
				s.sounds = time.Time{}
			}
		}
	}
}

// hearWords advances to the transcripts in a pause, passes them to the lane,
// and returns the time it took.
func (s *speaker) hearWords(said string, pause time.Duration) (passed time.Duration) {
	passUntil := func(d time.Duration) bool {
		d = d.Truncate(audio.FrameDuration) // the next frame comes after a transcript at this time
		if d >= pause {
			return false
		}
		s.pass(d-passed, false)
		passed = d
		return true
	}
	if s.form.known == 0 {
		return 0
	}
	if s.form.known > interimAfter && passUntil(earlyAsked) {
		s.lane.SetOutlook(ear.Awaited)
	}
	if passUntil(s.form.known) {
		s.lane.SetOutlook(s.reader.Judge(s.form.as(said)))
	}
	return passed
}

// soundsAt returns when the answer to an ended utterance sounds: model and
// voice start when the words are known, and no sound comes before the end.
func (s *speaker) soundsAt(ended time.Time) time.Time {
	if s.form.known == 0 {
		return ended.Add(finalTakes + answerTakes)
	}
	if ready := s.stopped.Add(s.form.known + answerTakes); ready.After(ended) {
		return ready
	}
	return ended
}

// recognised returns text as delivered by recognisers without punctuation.
func recognised(text string) string {
	return strings.ToLower(strings.NewReplacer(",", "", ".", "", "?", "", "!", "", ";", "", ":", "", "—", "", "…", "").Replace(text))
}

// sayPaused says a line and returns how many of its pauses cut it, at how many
// of these an answer sounded before the player continued, and the wait for its
// end.
func sayPaused(l pausedLine, form pausesForm) (cuts, lost int, wait time.Duration) {
	start := time.Date(2031, 5, 1, 20, 0, 0, 0, time.UTC)
	s := &speaker{lane: ear.NewLane(start, lanetest.Presence{}, nil), form: form, now: start}
	if form.as != nil {
		s.reader.Judge(form.as("I have said something else before.")) // so that this is not the speaker's first line
	}
	said := ""
	for i, part := range l.parts {
		s.pass(time.Duration(len(strings.Fields(part)))*perWord, true)
		said = strings.TrimSpace(said + " " + part)
		pause := 3 * time.Second
		if i < len(l.parts)-1 {
			h := fnv.New64a()
			_, _ = h.Write([]byte(l.id + part))
			pause = time.Duration(h.Sum64() % uint64(longestPause))
		}
		before, taken := len(s.ends), s.cont
		passed := s.hearWords(said, pause)
		s.pass(pause-passed, false)
		if i == len(l.parts)-1 {
			return cuts, lost, s.ends[len(s.ends)-1]
		}
		if len(s.ends) > before {
			cuts++
			s.pass(200*time.Millisecond, true) // the next words
			if s.cont == taken {
				lost++
				said = ""
			}
		}
	}
	return cuts, lost, 0
}

// TestEvalPauses scores the end of turns on sentences with pauses of 0 to 1.5
// s.
func TestEvalPauses(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	files := []string{"dev.tsv"}
	if withHeld() {
		files = append(files, "held.tsv")
	}
	for _, name := range files {
		lines := readPauses(t, name)
		for _, form := range pausesForms {
			kept, median := scorePauses(t, name, form, lines)
			if name == "dev.tsv" && (kept < form.floor || median > form.most) {
				t.Errorf("%s: median wait %v, %.1f %% of the pauses lost nothing; want %v at most and %.0f %%", form.name, median, kept, form.most, form.floor)
			}
		}
	}
}

// scorePauses says a file's lines, logs the results, and returns the share of
// pauses without a loss, in percent, and the median wait for the end.
func scorePauses(t *testing.T, name string, form pausesForm, lines []pausedLine) (percent float64, median time.Duration) {
	whole, kept := map[string]*score{}, score{name: name + " " + form.name + ", pauses that lost nothing"}
	all := score{name: name + " " + form.name + ", pauses waited through"}
	var waits []time.Duration
	for _, l := range lines {
		cuts, lost, wait := sayPaused(l, form)
		n := len(l.parts) - 1
		k := whole[l.kind]
		if k == nil {
			k = &score{name: name + " " + form.name + " " + l.kind}
			whole[l.kind] = k
		}
		k.total, k.right = k.total+n, k.right+n-lost
		all.total, all.right = all.total+n, all.right+n-cuts
		kept.total, kept.right = kept.total+n, kept.right+n-lost
		waits = append(waits, wait)
	}
	slices.Sort(waits)
	scores := []score{all, kept}
	for _, k := range whole {
		if k.total > 0 {
			scores = append(scores, *k)
		}
	}
	slices.SortFunc(scores[2:], func(a, b score) int { return strings.Compare(a.name, b.name) })
	median = waits[len(waits)/2]
	logScores(t, "end of turn, "+form.name+": median wait "+median.String(), scores)
	return kept.percent(), median
}
