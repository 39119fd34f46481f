package web_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// hear sends Ana's line to the table.
func (f *fixture) hear(text string) {
	f.t.Helper()
	if err := f.session.Table.Hear(f.t.Context(), table.Utterance{Speaker: "Ana", Text: text}); err != nil {
		f.t.Fatal(err)
	}
}

// whispered is Ana's line to one NPC.
func whispered(text string) table.Utterance { return table.Utterance{Speaker: "Ana", Text: text} }

// beginAnother ends the session and starts another in the same room.
func (f *fixture) beginAnother(o play.SessionOptions) {
	f.t.Helper()
	if err := f.session.Close(); err != nil {
		f.t.Fatal(err)
	}
	var err error
	if f.session, err = f.game.StartSession(f.t.Context(), o); err != nil {
		f.t.Fatal(err)
	}
}

// playTwoSessions plays two turns in each of two sessions and retracts the last one. It returns
// the sessions' ids and the stream of a page that opens then.
func (f *fixture) playTwoSessions() (first, second, stream string) {
	f.t.Helper()
	p := f.visit("lead")
	first = f.session.ID()
	f.hear("Bartok, roll 2d6")
	f.hear("Bartok, what of the older fog?")
	p.follow(`"kind":"turn.ended","turn":2`)
	f.beginAnother(play.SessionOptions{Sink: discard{}})
	second = f.session.ID()
	f.hear("Bartok, good evening")
	f.hear("Bartok, what of the newer fog?")
	p.follow(second, `"kind":"turn.ended","turn":2`)
	if _, err := f.session.Table.RetractAnswer(f.t.Context(), table.RetractionRequest{NPC: "Bartok", Leads: true}); err != nil {
		f.t.Fatal(err)
	}
	return first, second, p.follow(`"kind":"erased"`)
}

// TestSessionsAreToldApart plays two sessions with the same turn numbers in a room: a
// retraction in the later one removes its turn from the stream, and none of the older one.
func TestSessionsAreToldApart(t *testing.T) {
	f := consoleOpen(t)
	first, second, stream := f.playTwoSessions()
	if first == second || !strings.Contains(stream, `data: {"session":"`+first+`","time":`) {
		t.Errorf("sessions %s and %s are told by %.300s", first, second, stream)
	}
	said := map[string]int{first: 0, second: 0}
	for line := range strings.Lines(stream) {
		var e struct {
			Session, Kind string
			Turn          int
		}
		data, isEvent := strings.CutPrefix(line, "data: ")
		if !isEvent {
			continue
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if _, ok := said[e.Session]; !ok {
			t.Errorf("an event is of session %q", e.Session)
		}
		if e.Kind == table.KindTurnEnded {
			said[e.Session]++
		}
	}
	if said[first] != 2 || said[second] != 1 {
		t.Errorf("of the first session %d answers are told, and of the second, where one of two was taken back, %d", said[first], said[second])
	}
}

// TestPagesTellSessionsApart lets the page's own module collect the events of two sessions.
func TestPagesTellSessionsApart(t *testing.T) {
	node := peers.Node(t)
	script, err := filepath.Abs(filepath.Join("..", "..", "testdata", "peers", "story.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	f := consoleOpen(t)
	first, second, stream := f.playTwoSessions()
	cmd := exec.CommandContext(t.Context(), node, script, "console")
	cmd.Stdin, cmd.Stderr = strings.NewReader(stream), t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var story struct {
		Items []struct {
			Key, Heard, Said, Begins, Outcome string
			Erased                            bool
		}
		Calls map[string]int
	}
	if err := json.Unmarshal(out, &story); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	var got []string
	for _, i := range story.Items {
		got = append(got, strings.Join([]string{i.Key + i.Begins, i.Heard}, " "))
	}
	want := []string{first + "/1 Bartok, roll 2d6", first + "/2 Bartok, what of the older fog?", second + " ", second + "/1 Bartok, good evening", second + "/2 Bartok, what of the newer fog?"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("the page has %q, want %q", got, want)
	}
	for n, erased := range map[int]bool{0: false, 1: false, 3: false, 4: true} {
		if i := story.Items[n]; i.Erased != erased || (i.Said == "") != erased {
			t.Errorf("%s reads %q, erased %v, want %v", i.Key, i.Said, i.Erased, erased)
		}
	}
	if story.Calls["roll"] != 0 {
		t.Errorf("%d calls are of the session before, want none of them counted", story.Calls["roll"])
	}
}
