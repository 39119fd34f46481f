package discord

import (
	"fmt"
	"log/slog"
	"testing"
)

// newIdleRoom is a room whose table hears nothing yet.
func newIdleRoom() *room {
	log := slog.New(slog.DiscardHandler)
	return &room{arrived: make(chan struct{}, 1), mouth: newMouth(&api{}, log, "1", "")}
}

func TestRoomKeepsOrderAndEdits(t *testing.T) {
	r := newIdleRoom()
	r.write("1", "Ana", "first")
	r.write("2", "Ben", "second")
	r.write("3", "Ana", "third")
	r.write("4", "Ana", "")            // a picture without words
	r.rewrite("1", "first, corrected") // an edit
	r.rewrite("2", "")                 // a deletion
	r.rewrite("9", "never seen")
	var got []string
	for {
		m, ok := r.next()
		if !ok {
			break
		}
		got = append(got, m.speaker+": "+m.text)
	}
	if want := []string{"Ana: first, corrected", "Ana: third"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}

func TestRoomIsBounded(t *testing.T) {
	r := newIdleRoom()
	for n := range maxUnheard + 10 {
		r.write(fmt.Sprint(n), "Ana", "again")
	}
	if len(r.inbox) != maxUnheard {
		t.Errorf("%d messages wait, want %d", len(r.inbox), maxUnheard)
	}
	if n := len(r.mouth.queue); n != 1 {
		t.Errorf("%d notices tell of it, want one", n)
	}
}
