//go:build unix

package main_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
)

// Delays of vendors.
const (
	vendorFinal   = 350 * time.Millisecond // from the request for a final transcript to its arrival
	vendorInterim = 150 * time.Millisecond // from a word to its interim transcript
	vendorToken   = 200 * time.Millisecond
	vendorNext    = 15 * time.Millisecond // per token
	vendorVoice   = 75 * time.Millisecond
	vendorSound   = 30 * time.Millisecond // per 100 ms of sound
)

// earQuestions are the questions of the measured player. The player says
// earWords over answers where speech is recognised as it comes, and earVoice,
// which is only voice, where it is not.
var (
	earQuestions = []string{
		"Bartok, do you have a room?", "Is the old bridge open, Bartok?", "Bartok, what do you drink?", "Have you seen a rider, Bartok?",
		"Bartok, can the smith mend this?",
	}
	earWords = "Hold on, Bartok!"
	earVoice = "Oh no, we are only weary now!"
)

// earAnswer returns the nth answer, about eight seconds long; the model takes
// about 90 ms for its first sentence, from the first word on. All answers
// differ, because the program withholds repeats.
func earAnswer(n int) string {
	pick := func(step int, words ...string) string { return words[(n*step+n/len(words))%len(words)] }
	return fmt.Sprintf("%s, the %s %s %s last %s. %s goes there to %s now, and %s %s the %s about it. So take your %s and ask my %s for the %s road before %s comes.",
		pick(3, "Aye", "Well", "Yes", "Friend", "Now"), pick(1, "old", "grey", "broken", "northern", "quiet", "burnt"), pick(2, "bridge", "mill", "tower", "ferry", "smithy", "chapel", "orchard"),
		pick(3, "changed", "fell", "flooded", "closed", "vanished"), pick(1, "winter", "harvest", "midsummer", "yule"),
		pick(2, "Nobody", "Everyone", "Hardly anyone"), pick(1, "sleep", "pray", "trade", "fish", "work"), pick(3, "people", "travellers", "children", "soldiers"),
		pick(1, "tell", "ask", "pester", "warn"), pick(2, "priest", "miller", "captain", "reeve", "smith"), pick(1, "boots", "bread", "blankets", "lamps", "horses", "maps"),
		pick(3, "brother", "sister", "uncle", "neighbour", "daughter", "cook"), pick(2, "upper", "lower", "western", "eastern", "hidden"), pick(1, "snow", "night", "rain", "morning"))
}

// earReplies answer an interruption, in another voice.
var earReplies = []string{"Certainly.", "Gladly.", "Naturally.", "Agreed.", "Understood.", "Granted."}

// The voices of the measurement, as indices of earPitches.
const (
	answerVoice = iota
	replyVoice
)

var earPitches = []float64{440, 840}

// earTurn holds the measurements of a question, its answer, and an
// interruption, in milliseconds.
type earTurn struct {
	// first runs from the last packet of the question's voice to the first
	// sound of the answer at the peer.
	first  float64
	ledger ledger
	// stop runs from the decision to stop the answer to the last audible frame
	// of it at the peer; fromCall runs from the first packet of the
	// interruption to that frame. If words cause the decision, it is the
	// table's event; otherwise it is the end of the confirm window, which
	// begins with the earliest packet that can reveal a voice.
	stop, fromCall float64
	// after counts the frames of the answer that the peer heard after the decision.
	after int
}

// ear is a table in a voice channel under measurement.
type ear struct {
	*seating
	voice  *voicetest.Server
	chance *rand.Rand
	asked  int
	// words says that transcripts arrive during speech and stop answers.
	words bool
}

const (
	// confirmWindow is how long a voice must last before it stops an answer.
	confirmWindow = 500 * time.Millisecond
	// onsetPackets are the packets the detector needs to find a voice: Silero
	// needs four voiced frames and completes the first with the second packet.
	onsetPackets = 5
)

// earTable starts a bot with the vendors' delays. With words, transcripts come
// during speech, and answers wait until the player stops.
func earTable(t *testing.T, words bool) (*ear, *session) {
	t.Helper()
	house := newVoiceHouse(t)
	g := newGuild(t, house.d, "home")
	p := newProgram(t)
	p.limit = 20 * time.Minute
	book := append(slices.Clone(earQuestions), earWords, earVoice)
	hears := fakestt.Start(t, fakestt.Script{Understand: phrasebook(book).understand, Interim: vendorInterim, Delay: vendorFinal})
	var answered, replied atomic.Int64
	model := fakeopenai.Start(t, func(r fakeopenai.Request) fakeopenai.Response {
		text := ""
		if last := r.Chat.LastUser(); strings.Contains(last, gist(earWords)) || strings.Contains(last, gist(earVoice)) {
			text = earReplies[replied.Add(1)%int64(len(earReplies))]
		} else {
			text = earAnswer(int(answered.Add(1)))
		}
		return fakeopenai.Response{Pieces: strings.SplitAfter(text, " "), First: vendorToken - vendorNext, Delay: vendorNext}
	}, &fakeopenai.Options{SpeechFirst: vendorVoice, SpeechDelay: vendorSound, Voice: func(text, _ string) []int16 {
		if slices.Contains(earReplies, text) {
			return purity(earPitches[replyVoice], text)
		}
		return purity(earPitches[answerVoice], text+text) // long enough to interrupt
	}})
	config := strings.Replace(house.talkingTavern(t, p, hears), "llm: offline, tts: espeak", fmt.Sprintf(
		"llm: {name: openai, api_key: k, base_url: '%s', model: m}, tts: {name: openai, api_key: k, base_url: '%s', options: {voice: nova}}", model.URL(), model.URL()), 1)
	if words {
		config = strings.Replace(config, "    budget_tier: fast\n", "    budget_tier: fast\n    interruptibility: {confirm: 5s}\n", 1)
	} else {
		config = strings.Replace(config, "stt: {name: deepgram, api_key: "+secretKey+", base_url: '"+hears.URL()+"'}", "stt: {name: openai, api_key: "+secretKey+", base_url: '"+hears.URL()+"/v1'}", 1)
	}
	s := p.bot(house.d, config, "--json")
	seat := house.seat(t, g, watchEvents(t, s), phrasebook(book).sayings(t), false, earPitches...)
	return &ear{seating: seat, voice: house.v, chance: rand.New(rand.NewPCG(3, 4)), words: words}, s
}

// packets returns when the peer's packets with sound reached the server after a
// time.
func (e *ear) packets(after time.Time) (all []time.Time) {
	for _, a := range e.voice.Arrivals(e.id, e.guild.ana) {
		if a.At.After(after) && !(voicetest.Heard{Payload: a.Payload}).Silent() {
			all = append(all, a.At)
		}
	}
	return all
}

// settle waits for half a second of silence.
func (e *ear) settle() {
	for n := -1; n != len(e.heard.catchUp()); time.Sleep(500 * time.Millisecond) {
		n = len(e.heard.catchUp())
	}
}

// play asks a question and interrupts its answer.
func (e *ear) play(t *testing.T) earTurn {
	t.Helper()
	e.settle()
	time.Sleep(time.Duration(e.chance.IntN(100)) * time.Millisecond)
	question := earQuestions[e.asked%len(earQuestions)]
	e.asked++
	begin, from, heard := time.Now(), len(e.events.of(e.id)), len(e.heard.catchUp())
	if err := e.seating.ana.Play(t.Context(), e.sayings[question]); err != nil {
		t.Fatal(err)
	}
	all := e.heard.awaitVoice(heard, answerVoice, 1)
	sent := e.packets(begin)
	first := all[slices.IndexFunc(all, func(f heardFrame) bool { return f.voice != -1 })].at
	m := earTurn{first: millis(first.Sub(sent[len(sent)-1]))}
	time.Sleep(time.Duration(300+e.chance.IntN(700)) * time.Millisecond)
	called, call := time.Now(), earVoice
	if e.words {
		call = earWords
	}
	if err := e.seating.ana.Play(t.Context(), e.sayings[call]); err != nil {
		t.Fatal(err)
	}
	said := e.events.await(t, e.id, from, "a question", func(b botEvent) bool { return b.Kind == "utterance" })
	m.ledger = e.events.turnOf(t, e.id, from, "Ana", said.Text).ledger
	barge := e.events.await(t, e.id, from, "an interruption", func(b botEvent) bool { return b.Kind == "barge" })
	sent = e.packets(called)
	decided := sent[onsetPackets-1].Add(confirmWindow)
	if e.words {
		decided = barge.Time
	}
	last := time.Time{}
	for _, f := range e.heard.awaitEnd(heard, replyVoice) {
		if f.voice == answerVoice {
			last = f.at
			if f.at.After(decided) {
				m.after++
			}
		}
	}
	m.stop, m.fromCall = millis(last.Sub(decided)), millis(last.Sub(sent[0]))
	return m
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// earFigures collects each figure over all turns.
type earFigures struct {
	first, stop, fromCall, after []float64
	ledgers                      []ledger
}

func sumEar(turns []earTurn) (f earFigures) {
	for _, m := range turns {
		f.first, f.ledgers = append(f.first, m.first), append(f.ledgers, m.ledger)
		f.stop, f.fromCall, f.after = append(f.stop, m.stop), append(f.fromCall, m.fromCall), append(f.after, float64(m.after))
	}
	return f
}

// ofLedgers returns the values of a stage.
func (f earFigures) ofLedgers(stage func(ledger) float64) (all []float64) {
	for _, l := range f.ledgers {
		all = append(all, stage(l))
	}
	return all
}

// rank returns a percentile by nearest rank, or NaN without values.
func rank(values []float64, p int) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)*p+99)/100-1]
}

// Targets, in milliseconds.
const (
	earFirstP50, earFirstP95 = 1000, 1400
	earStopP95               = 60
)

func (f earFigures) missed() (all []string) {
	want := func(what string, got, most float64) {
		if !(got <= most) {
			all = append(all, fmt.Sprintf("%s is %.0f ms, want at most %.0f", what, got, most))
		}
	}
	want("end of speech to first sound, p50,", rank(f.first, 50), earFirstP50)
	want("end of speech to first sound, p95,", rank(f.first, 95), earFirstP95)
	want("decision to last audible frame, p95,", rank(f.stop, 95), earStopP95)
	return all
}

func (f earFigures) print(t *testing.T) {
	t.Helper()
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "what\tturns\tp50\tp95\tmost\t")
	for _, row := range []struct {
		what string
		all  []float64
	}{
		{"end of speech to first sound at the peer", f.first}, {"the same by the ledger", f.ofLedgers(func(l ledger) float64 { return l.FirstSoundMS })},
		{"of that, endpoint_ms", f.ofLedgers(func(l ledger) float64 { return l.EndpointMS })}, {"stt_final_ms", f.ofLedgers(func(l ledger) float64 { return l.STTFinalMS })},
		{"begin_ms", f.ofLedgers(func(l ledger) float64 { return l.BeginMS })}, {"llm_first_token_ms", f.ofLedgers(func(l ledger) float64 { return l.LLMFirstTokenMS })},
		{"llm_first_sentence_ms", f.ofLedgers(func(l ledger) float64 { return l.LLMFirstSentence })}, {"tts_first_audio_ms", f.ofLedgers(func(l ledger) float64 { return l.TTSFirstAudioMS })},
		{"floor_ms", f.ofLedgers(func(l ledger) float64 { return l.FloorMS })},
		{"decision to stop to last audible frame at the peer", f.stop},
		{"first packet of an interruption to that frame", f.fromCall}, {"audible frames after the decision", f.after},
	} {
		if len(row.all) > 0 {
			fmt.Fprintf(w, "%s\t%d\t%.0f\t%.0f\t%.0f\t\n", row.what, len(row.all), rank(row.all, 50), rank(row.all, 95), rank(row.all, 100))
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s, ms\n%s", t.Name(), table.String())
}

// TestDiscordVoiceEar measures in a voice channel how soon an answer begins
// after a question, with vendor delays of 350, 200 and 75 ms, and how soon it
// is silent after an interruption. make bench-discord plays enough turns for
// figures; otherwise the test only requires that turns are answered and
// interrupted.
func TestDiscordVoiceEar(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	rounds, err := strconv.Atoi(cmp.Or(os.Getenv("GLYPHOXA_BENCH_DISCORD"), "1"))
	if err != nil {
		t.Fatalf("GLYPHOXA_BENCH_DISCORD is the number of turns: %v", err)
	}
	for _, row := range []struct {
		name  string
		words bool
	}{{"interims", true}, {"finals", false}} {
		t.Run(row.name, func(t *testing.T) {
			e, s := earTable(t, row.words)
			var turns []earTurn
			for range rounds {
				turns = append(turns, e.play(t))
			}
			f := sumEar(turns)
			f.print(t)
			for _, why := range f.missed() {
				if *strict {
					t.Error(why)
				} else {
					t.Log(why)
				}
			}
			if r := s.stop(); r.code != 0 {
				t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
			}
		})
	}
}

// TestEarTargets checks that each target can be missed.
func TestEarTargets(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		spoil func(*earTurn)
		want  int
	}{
		{"met", func(*earTurn) {}, 0},
		{"late", func(m *earTurn) { m.first = 1001 }, 1},
		{"very late", func(m *earTurn) { m.first = 1401 }, 2},
		{"stopped late", func(m *earTurn) { m.stop = 61 }, 1},
		{"nothing measured", func(m *earTurn) { m.first, m.stop = math.NaN(), math.NaN() }, 3},
	} {
		m := earTurn{first: 1000, stop: 60}
		row.spoil(&m)
		if got := sumEar([]earTurn{m}).missed(); len(got) != row.want {
			t.Errorf("%s: missed %q, want %d", row.name, got, row.want)
		}
	}
}
