package gemini

import (
	"fmt"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

const (
	// maxBackground is the maximum size of the notes for the next turn in bytes; the newest are kept.
	maxBackground = 32 << 10
	// preface tells the model that the text is background, so that it does not read it
	// out.
	preface = "Background, which nobody says to you now. Do not read it out and do not answer it:"
)

// background collects messages that the model should know with the player's next turn. It does no I/O and is
// not safe for concurrent use.
type background struct {
	notes []string
	size  int
}

// add adds a note.
func (b *background) add(note string) {
	if note = strings.TrimSpace(note); note == "" {
		return
	}
	if len(note) > maxBackground {
		note = strings.ToValidUTF8(note[:maxBackground], "")
	}
	b.notes = append(b.notes, note)
	b.size += len(note)
	for b.size > maxBackground {
		b.size -= len(b.notes[0])
		b.notes = b.notes[1:]
	}
}

// interrupted notes that only the beginning of an answer was heard.
func (b *background) interrupted(heard, received time.Duration) {
	switch {
	case received == 0 || heard >= received:
	case heard <= 0:
		b.add("You were interrupted. Nothing of your last answer was heard.")
	default:
		b.add(fmt.Sprintf("You were interrupted. Of your last answer only the first %.1f of %.1f seconds were heard.", heard.Seconds(), received.Seconds()))
	}
}

// drain returns and clears all notes, including those for this answer only.
func (b *background) drain(r s2s.Response) string {
	if r.Context != "" {
		b.add(r.Context)
	}
	if r.Speaker != "" && r.Text == "" {
		b.add("The one who speaks to you now is " + r.Speaker + ".")
	}
	notes := b.notes
	*b = background{}
	if len(notes) == 0 {
		return ""
	}
	return preface + "\n" + strings.Join(notes, "\n")
}

// spoken returns a player's typed text, prefixed with the name if there is one.
func spoken(r s2s.Response) string {
	if r.Text == "" || r.Speaker == "" {
		return r.Text
	}
	return r.Speaker + ": " + r.Text
}
