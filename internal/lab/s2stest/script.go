package s2stest

import (
	"math"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Turn is what an answer is wanted to.
type Turn struct {
	// Session and Number count from 1: the sessions of the provider, the turns of the
	// session.
	Session, Number int
	// Round is 0 for what a player said, and one more each time the session goes on
	// with the answer.
	Round int
	// Options are those of the session, Known its history and what was injected.
	Options s2s.SessionOptions
	Known   []llm.Message
	// Response is what the session was asked, Tools what it may call.
	Response s2s.Response
	Tools    []llm.ToolDefinition
	// Sound is how much there is of the player, of it Spoken from the first sample that
	// can be heard to the last, which came at SpokenBy.
	Sound, Spoken time.Duration
	SpokenBy      time.Time
	// Results are those of the calls before, in the order of the calls, Cancelled the
	// ids of those that the vendor took back.
	Results   []s2s.ToolResult
	Cancelled []string
	// Told is what a delegation was answered, nil if it is not about that.
	Told *Telling
}

// Telling is what a delegation was answered.
type Telling struct {
	Delegation, Text string
	Silent           bool
}

// Answer is what a session does when asked once. It is begun by
// [s2s.ResponseStarted] and, if the provider ends turns, ended by
// [s2s.GenerationDone], unless a step tells the latter.
type Answer struct {
	Steps []Step
	// Hangs has nothing come after the steps, nor an end; without steps not even the
	// beginning comes.
	Hangs bool
	// Status and Err are those of the end; "completed" if empty.
	Status string
	Err    error
	// Late is told if the answer is interrupted before its end, counted from then: the
	// orphans of vendors who do not stop.
	Late []Step
}

// Step is one thing that a session does.
type Step struct {
	// After is how long after the step before it.
	After time.Duration
	// Tell is what it tells. A call without an id gets one.
	Tell s2s.Event
	// Ends ends the session, if not nil: Recv returns an error that wraps it and
	// [s2s.ErrClosed].
	Ends error
}

// pieceLength is how much sound [Say] tells at a time.
const pieceLength = 100 * time.Millisecond

// Say speaks text as part of item: its sound at rate in pieces, each after the words
// it has. It is made speed times faster than it plays; if zero, at once.
func Say(item, text string, sound []int16, rate int, speed float64) []Step {
	var out []Step
	words := strings.SplitAfter(text, " ")
	piece := int(pieceLength * time.Duration(rate) / time.Second)
	told, n := 0, (len(sound)+piece-1)/piece
	for i := range n {
		var wait time.Duration
		if i > 0 && speed > 0 {
			wait = time.Duration(float64(pieceLength) / speed)
		}
		upTo := (len(words)*(i+1) + n - 1) / n
		if said := strings.Join(words[told:upTo], ""); said != "" {
			out = append(out, Step{After: wait, Tell: s2s.OutputTranscript{Item: item, Text: said}})
			wait = 0
		}
		told = upTo
		out = append(out, Step{After: wait, Tell: s2s.Audio{Item: item, Samples: sound[i*piece : min((i+1)*piece, len(sound))]}})
	}
	if n == 0 && text != "" {
		out = append(out, Step{Tell: s2s.OutputTranscript{Item: item, Text: text}})
	}
	return out
}

// Done ends an item.
func Done(item string) Step { return Step{Tell: s2s.ItemDone{Item: item}} }

// Calls asks for tools, all at once.
func Calls(calls ...llm.ToolCall) []Step {
	out := make([]Step, len(calls))
	for i, c := range calls {
		out[i].Tell = s2s.ToolCalled{Call: c}
	}
	return out
}

// Interleave takes a step of each in turn.
func Interleave(a, b []Step) []Step {
	var out []Step
	for i := range max(len(a), len(b)) {
		if i < len(a) {
			out = append(out, a[i])
		}
		if i < len(b) {
			out = append(out, b[i])
		}
	}
	return out
}

// After returns steps that begin d later.
func After(d time.Duration, steps []Step) []Step {
	out := append([]Step(nil), steps...)
	if len(out) > 0 {
		out[0].After += d
	}
	return out
}

// Tone is d of a sine of so many Hz at rate, at a quarter of full scale.
func Tone(hz float64, d time.Duration, rate int) []int16 {
	out := make([]int16, int(d*time.Duration(rate)/time.Second))
	w := 2 * math.Pi * hz / float64(rate)
	for i := range out {
		out[i] = int16(math.MaxInt16 / 4 * math.Sin(w*float64(i)))
	}
	return out
}
