package gemini

import (
	"fmt"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// turns is a service that follows its protocol, with messages in flight in both
// directions for as long as the test chooses.
type turns struct {
	in      []string // from the client
	out     []*serverContent
	number  int // number of the turn
	pieces  int // pieces of its answer not yet sent
	made    bool
	ended   bool // turnComplete was sent
	playing bool // waits before turnComplete
	late    bool // interruptions are reported late
}

func (s *turns) send(c serverContent) { s.out = append(s.out, &c) }

// work handles one client message, or sends a piece of the answer.
func (s *turns) work(t *rapid.T) {
	if len(s.in) > 0 && rapid.Bool().Draw(t, "takes") {
		message := s.in[0]
		s.in = s.in[1:]
		if message == "start" {
			s.interrupt()
			return
		}
		s.number++
		s.pieces, s.made, s.ended = rapid.IntRange(0, 3).Draw(t, "pieces"), false, false
		s.playing, s.late = rapid.Bool().Draw(t, "plays"), rapid.Bool().Draw(t, "late")
		return
	}
	switch {
	case s.number == 0 || s.ended:
	case s.pieces > 0:
		s.pieces--
		s.send(serverContent{OutputTranscription: &transcription{Text: strconv.Itoa(s.number)}})
	case !s.made:
		s.made = true
		s.send(serverContent{GenerationComplete: true})
	case !s.playing:
		s.ended = true
		s.send(serverContent{TurnComplete: true})
	case rapid.Bool().Draw(t, "played"):
		s.playing = false
	}
}

// interrupt ends the turn because a player speaks.
func (s *turns) interrupt() {
	interrupted, complete := serverContent{Interrupted: true}, serverContent{TurnComplete: true}
	switch {
	case s.number == 0 || s.ended && !s.late:
	case s.ended:
		s.send(interrupted)
		s.late = false
	case s.late:
		s.send(complete)
		s.send(interrupted)
		s.late = false
	default:
		s.send(interrupted)
		s.send(complete)
	}
	s.ended = true
}

// TestAnswersAreThoseToTheLastQuestion asks, gives up and asks again while messages are
// in flight in both directions. The session reports exactly the answer to the last
// question.
func TestAnswersAreThoseToTheLastQuestion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, service := &answers{}, &turns{}
		asked, ended := 0, true
		see := func(events []s2s.Event) {
			for _, e := range events {
				switch e := e.(type) {
				case s2s.OutputTranscript:
					if e.Text != strconv.Itoa(asked) {
						t.Fatalf("after question %d the answer to %s is told", asked, e.Text)
					}
				case s2s.GenerationDone:
					if ended {
						t.Fatalf("question %d is answered twice", asked)
					}
					ended = true
				}
			}
		}
		// If a turn passes while the next one is requested and given up, the two cannot
		// be told apart; then the session ends.
		sure := func() {
			if a.indistinguishable {
				t.Skip("it lost track")
			}
		}
		ask := func() {
			service.in = append(service.in, "start", "ask")
			see(a.startQuestion())
			sure()
			if !ended {
				t.Fatalf("question %d was never given up", asked)
			}
			asked, ended = asked+1, false
			see(a.startAnswer())
		}
		receive := func() {
			if len(service.out) > 0 {
				c := service.out[0]
				service.out = service.out[1:]
				see(a.handleContent(c))
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"ask", "give up", "work", "work", "work", "receive", "receive", "receive"}).Draw(t, "step") {
			case "ask":
				ask()
			case "give up":
				see(a.abandon())
				sure()
				service.in = append(service.in, "start")
			case "work":
				service.work(t)
			case "receive":
				receive()
			}
		}
		ask()
		for !service.ended || len(service.in) > 0 || len(service.out) > 0 {
			service.work(t)
			receive()
		}
		if !ended || a.phase != complete || a.open || a.older != 0 {
			t.Fatal(fmt.Sprintf("when all has come the last answer is %+v", a))
		}
	})
}
