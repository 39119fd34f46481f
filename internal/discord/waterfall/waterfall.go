// Package waterfall draws where the time of turns went: a picture to be read on
// a phone, one below the other, each with its stages at the time they really
// had.
//
// It knows no table and no clock, reads no file and keeps nothing: the same turns
// make the same picture.
package waterfall

import (
	"fmt"
	"io"
	"strings"
	"time"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

const (
	// MaxTurns is how many turns a picture shows: the last ones.
	MaxTurns = 12
	// maxSpans is how many spans of a turn are shown: the first ones.
	maxSpans = 64
)

// Stage is a part of a turn.
type Stage int

// Stages, in the order of the legend.
const (
	Endpoint   Stage = iota // the wait until the player counts as finished
	Transcript              // from there to the final transcript
	Queue                   // the wait for earlier turns
	Route                   // deciding who answers, and how
	Context                 // reading what the NPC knows
	Model                   // from asking the model to its first words
	Writing                 // from there to its first sentence
	Tools                   // calls of tools
	Voice                   // from a sentence to its sound
	Floor                   // the wait until others are silent
	Filler                  // passing the time with a stock phrase
	Answer                  // saying the answer

	stageCount = int(Answer) + 1
)

// Span is when a stage was at work, since the end of the player's words.
type Span struct {
	Stage    Stage
	From, To time.Duration
}

// Turn is one row of the picture. Times count from the end of the player's words.
type Turn struct {
	Number int64
	// NPC is who answered, and Tier how.
	NPC, Tier string
	// Spans are in no order. What lies before 0 is not shown.
	Spans []Span
	// Target is when the first sound was due; 0 if it never was.
	Target time.Duration
	// First is when it came; 0 if it never did.
	First time.Duration
	// Met is whether the turn kept its budget.
	Met bool
	// Note says in a few words what else is to be known, such as "late: model".
	Note string
}

// Words are what a picture says, but for what its turns bring.
type Words struct {
	// Stages names the stages.
	Stages [stageCount]string
	// Turn is the title over one turn, Turns that over several, with %d for how many.
	Turn, Turns string
	// Since says what the times count from.
	Since string
	// Target names the mark of the time a first sound was due at. Of, with %s for it,
	// follows when the sound came; NoAnswer stands where none did.
	Target, Of, NoAnswer string
	// Comma is whether tenths stand after a comma.
	Comma bool
}

// English returns the words of a picture in English.
func English() *Words {
	return &Words{
		Stages: [stageCount]string{
			Endpoint: "end of speech", Transcript: "transcript", Queue: "waiting", Route: "routing", Context: "context", Model: "model",
			Writing: "writing", Tools: "tools", Voice: "voice", Floor: "floor", Filler: "filler", Answer: "answer",
		},
		Turn: "The last turn", Turns: "The last %d turns", Since: "Time since the player's last word",
		Target: "target", Of: "of %s", NoAnswer: "no answer",
	}
}

// label is a duration as the picture writes it.
func (w *Words) label(d time.Duration) string {
	if w.Comma {
		return strings.Replace(Label(d), ".", ",", 1)
	}
	return Label(d)
}

// PNG writes a picture of turns, in their order, and in words. Of more than [MaxTurns]
// turns it shows the last; without any it is an error.
func PNG(w io.Writer, turns []Turn, words *Words) error {
	if len(turns) == 0 {
		return fmt.Errorf("there is no turn to draw")
	}
	s := newSheet(turns[max(len(turns)-MaxTurns, 0):], words)
	s.paint()
	if _, err := (vgimg.PngCanvas{Canvas: s.canvas}).WriteTo(w); err != nil {
		return fmt.Errorf("writing the picture: %w", err)
	}
	return nil
}

// Label is a duration in few characters, with a point before tenths.
func Label(d time.Duration) string {
	switch {
	case d <= 0:
		return "0"
	case d < time.Millisecond:
		return "<1 ms"
	case d < 999500*time.Microsecond:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	case d < 9950*time.Millisecond:
		return strings.Replace(fmt.Sprintf("%.1f s", d.Seconds()), ".0", "", 1)
	case d < 10*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// px is a length in pixels: the canvas has one dot a point.
func px(f float64) vg.Length { return vg.Length(f) }
