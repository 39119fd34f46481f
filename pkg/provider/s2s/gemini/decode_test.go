package gemini

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// bare returns a session without reader and writer goroutines.
func bare(model string) *session {
	t := traitsOf(model)
	return &session{
		provider: &Provider{traits: t}, out: make(chan clientMessage, maxOutgoing),
		wake: make(chan struct{}, 1), answers: answers{async: t.async}, calls: calls{traits: t, open: map[string]*openCall{}},
	}
}

// ask requests an answer, as Respond does.
func (s *session) ask() {
	s.queueEvents(append(s.answers.startQuestion(), s.answers.startAnswer()...)...)
}

// hear handles one message, as the reader does.
func (s *session) hear(t testing.TB, message string) {
	t.Helper()
	m, err := parse([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	s.handleMessage(m)
}

// told returns the events since the last call in short form.
func (s *session) told() string {
	var words []string
	for _, e := range s.events {
		switch e := e.(type) {
		case s2s.ResponseStarted:
			words = append(words, "started")
		case s2s.OutputTranscript:
			words = append(words, e.Text)
		case s2s.Audio:
			words = append(words, "sound")
		case s2s.GenerationDone:
			words = append(words, "done:"+e.Status)
		case s2s.Interrupted:
			words = append(words, "interrupted")
		case s2s.ToolCalled:
			words = append(words, "call:"+e.Call.ID)
		case s2s.InputTranscript:
			if e.Final {
				words = append(words, "all:"+e.Text)
			}
		}
	}
	s.events = nil
	return strings.Join(words, " ")
}

// Messages of a service, by short name.
var messages = map[string]string{
	"says":        `{"serverContent":{"outputTranscription":{"text":"hm"}}}`,
	"sound":       `{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm;rate=24000","data":"AAAAAA=="}}]}}}`,
	"generated":   `{"serverContent":{"generationComplete":true}}`,
	"interrupted": `{"serverContent":{"interrupted":true}}`,
	"complete":    `{"serverContent":{"turnComplete":true}}`,
	"all":         `{"serverContent":{"generationComplete":true,"turnComplete":true}}`,
	"heard":       `{"serverContent":{"inputTranscription":{"text":" well "}}}`,
	"finished":    `{"serverContent":{"inputTranscription":{"finished":true}}}`,
	"call":        `{"toolCall":{"functionCalls":[{"id":"1","name":"roll"}]}}`,
	"nameless":    `{"toolCall":{"functionCalls":[{"name":"roll"},{"id":"1","name":""}]}}`,
	"empty":       `{"toolCall":{"functionCalls":[{"id":"1","name":""}]}}`,
	"in_progress": `{"serverContent":{"turnComplete":true,"interactionStatus":"IN_PROGRESS"}}`,
	"waiting":     `{"serverContent":{"waitingForInput":true}}`,
}

// TestOrders checks the events for message orders that a service on the loopback
// interface cannot be made to send. The client sends "ask", "give_up" and "answer".
func TestOrders(t *testing.T) {
	for _, tt := range []struct{ name, model, order, want string }{
		{"usual", "", "ask heard says sound generated complete", "started hm sound all:well done:completed"},
		{"transcript_after_the_sound", "", "ask sound generated says complete says", "started sound done:completed hm"},
		{"all_in_one", "", "ask sound all", "started sound done:completed"},
		{"never_generated", "", "ask sound complete", "started sound done:completed"},
		{"end_before_anything", "", "ask generated complete", "started done:completed"},
		{"interrupted_before_any_sound", "", "ask interrupted complete", "started done:completed"},
		{"interrupted_by_the_service", "", "ask sound interrupted complete", "started sound interrupted done:cancelled"},
		{"interrupted_while_played", "", "ask sound generated interrupted complete", "started sound done:completed interrupted"},
		{"interrupted_after_its_turn", "", "ask sound generated complete interrupted", "started sound done:completed"},
		{"unasked", "", "says sound call generated complete ask says all", "started hm done:completed"},
		{"unasked_still_going_on", "", "says ask sound generated complete says all", "started hm done:completed"},
		{"old_lines", "", "ask sound give_up says generated ask says complete says all", "started sound done:cancelled started hm done:completed"},
		{"two_old_turns", "", "ask sound ask ask says interrupted complete says interrupted complete says all",
			"started sound done:cancelled started done:cancelled started hm done:completed"},
		{"transcript_told_whole", "", "ask heard heard finished sound all", "all:well  well started sound done:completed"},
		{"transcript_of_one_given_up", "", "ask heard give_up", "all:well started done:cancelled"},
		{"in_progress", "", "ask says in_progress sound complete", "started hm sound done:completed"},
		{"in_progress_before_anything", "", "ask in_progress sound all", "started sound done:completed"},
		{"call", "", "ask call answer says all", "started call:1 done:completed hm done:completed"},
		{"call_after_speech", "", "ask says call answer says all", "started hm call:1 done:completed hm done:completed"},
		{"nothing_after_a_call", "", "ask call answer complete", "started call:1 done:completed done:completed"},
		{"end_while_a_call_runs", "", "ask call generated complete answer says all", "started call:1 done:completed hm done:completed"},
		{"call_of_one_given_up", "", "ask give_up call complete ask says all", "started done:cancelled started hm done:completed"},
		{"call_interrupted_by_the_service", "", "ask call interrupted complete answer ask says all",
			"started call:1 done:completed interrupted done:cancelled started hm done:completed"},
		{"second_use_of_an_id", "", "ask call answer call answer_again says all", "started call:1 done:completed call:call-1 done:completed hm done:completed"},
		{"call_said_again", "", "ask call call answer says all", "started call:1 done:completed hm done:completed"},
		{"calls_that_cannot_be", "", "ask empty says all", "started hm done:completed"},
		{"no_ids", "", "ask nameless answer_again says all", "started call:call-1 done:completed hm done:completed"},
		{"meanwhile", "gemini-3.8-live-extended-thinking", "ask call says generated answer complete says all", "started call:1 done:completed hm hm done:completed"},
		{"waiting_for_more", "", "ask waiting complete ask says all", "started done:incomplete started hm done:completed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.model == "" {
				tt.model = "gemini-3.8-live"
			}
			s := bare(tt.model)
			for word := range strings.FieldsSeq(tt.order) {
				switch word {
				case "ask":
					s.ask()
				case "give_up":
					s.queueEvents(s.answers.abandon()...)
					s.calls.abandon()
				case "answer", "answer_again":
					id := map[string]string{"answer": "1", "answer_again": "call-1"}[word]
					if _, over, wanted, _, _ := s.calls.answer(s2s.ToolResult{ID: id}); over {
						s.answers.resume(wanted)
					}
				default:
					s.hear(t, messages[word])
				}
			}
			if got := s.told(); got != tt.want {
				t.Errorf("%s is told as\n%s, want\n%s", tt.order, got, tt.want)
			}
		})
	}
}

// TestLostEnd has a service not end a turn: the answer that could be mistaken for it is
// dropped, and after giving up, the session makes no further request.
func TestLostEnd(t *testing.T) {
	s := bare("gemini-3.8-live")
	s.turn = make(chan struct{}, 1)
	s.ask()
	s.hear(t, messages["sound"])
	s.ask()
	for _, word := range []string{"interrupted", "says", "generated", "complete"} {
		s.hear(t, messages[word])
	}
	if got, want := s.told(), "started sound done:cancelled"; got != want || s.answers.indistinguishable {
		t.Errorf("%q is told, want %q; lost: %v", got, want, s.answers.indistinguishable)
	}
	if err := s.BeginTurn(t.Context()); !errors.Is(err, s2s.ErrClosed) || errors.Is(err, s2s.ErrUnavailable) {
		t.Errorf("BeginTurn = %v, want ErrClosed alone, so that a new session is opened at once", err)
	}
	if _, err := s.nextEvent(); err != nil {
		t.Errorf("the answer's end is not told: %v", err)
	}
	if err := s.Respond(t.Context(), s2s.Response{Text: "Hm."}); !errors.Is(err, s2s.ErrClosed) {
		t.Errorf("Respond = %v, want ErrClosed", err)
	}
}

// TestHangs has a service stop sending: after giving up, a new session is needed, unless
// the player interrupted first.
func TestHangs(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first string // messages before; a call has its result a minute later
		after time.Duration
		lost  bool
	}{
		{"asked", "", hangTimeout, true},
		{"asked_just_now", "", hangTimeout - 1, false},
		{"with_results", "call", hangTimeout, true},
		{"with_results_just_now", "call", hangTimeout - 1, false},
		{"in_mid_sentence", "says", time.Hour, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := bare("gemini-3.8-live")
				s.turn = make(chan struct{}, 1)
				s.ask()
				if tt.first != "" {
					s.hear(t, messages[tt.first])
				}
				if tt.first == "call" {
					time.Sleep(time.Minute)
					if err := s.SendToolResult(t.Context(), s2s.ToolResult{ID: "1", Text: "17"}); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(tt.after)
				if err := s.Interrupt(t.Context(), 0); errors.Is(err, s2s.ErrClosed) != tt.lost {
					t.Errorf("Interrupt = %v, want ErrClosed: %v", err, tt.lost)
				}
			})
		})
	}
}

// TestRefusedCalls covers calls that never reach a tool: each one is answered.
func TestRefusedCalls(t *testing.T) {
	s := bare("gemini-3.8-live")
	s.ask()
	many := make([]*functionCall, maxCalls+3)
	for i := range many {
		many[i] = &functionCall{Name: "roll"}
	}
	many[0] = &functionCall{Name: "roll", Args: map[string]any{"x": strings.Repeat("y", maxArguments)}}
	opened, refused := s.calls.start(many)
	if len(opened) != maxCalls || len(refused) != 3 {
		t.Errorf("%d calls were opened and %d refused, want %d and 3", len(opened), len(refused), maxCalls)
	}
	if refused[0].Scheduling != silent || refused[0].Response["error"] == "" {
		t.Errorf("a call was refused by %+v", refused[0])
	}
	for range maxOutgoing {
		s.refuse(refused)
	}
	s.refuse(refused)
	if _, ok := s.events[len(s.events)-1].(s2s.Failed); !ok {
		t.Errorf("a call that could not even be refused was told by %v", s.events)
	}
}

// TestBackgroundIsBounded checks that the newest notes are kept.
func TestBackgroundIsBounded(t *testing.T) {
	var b background
	for range 100 {
		b.add(strings.Repeat("ä", maxBackground/20))
	}
	b.add(" ")
	b.add("newest")
	text := b.drain(s2s.Response{})
	if len(text) > maxBackground+1000 || !strings.HasSuffix(text, "newest") {
		t.Errorf("%d bytes are kept, ending in %q", len(text), text[len(text)-20:])
	}
	b.add(strings.Repeat("ä", maxBackground))
	if text := b.drain(s2s.Response{}); len(text) > maxBackground+1000 || !strings.HasSuffix(text, "ä") {
		t.Errorf("a long note is kept with %d bytes", len(text))
	}
	if text := b.drain(s2s.Response{}); text != "" {
		t.Errorf("nothing was noted, and %q told", text)
	}
}

// TestHistoryIsBounded checks that the newest lines are kept.
func TestHistoryIsBounded(t *testing.T) {
	long := strings.Repeat("a", maxHistory/4)
	history := []llm.Message{{Role: llm.RoleSystem, Content: "hm"}, {Role: llm.RoleUser, Content: " "}}
	for range 8 {
		history = append(history, llm.Message{Role: llm.RoleUser, Name: "Anna", Content: long})
	}
	if got := newest(append(history, llm.Message{Role: llm.RoleAssistant, Content: "last"})); len(got) != 4 || got[3].Content != "last" {
		t.Errorf("%d messages were kept", len(got))
	}
	if got := withHistory("You are Bart.", history[:2]); got != "You are Bart." {
		t.Errorf("without history the instruction is %q", got)
	}
}

// TestLanguageCodes checks the conversion to the service's language codes.
func TestLanguageCodes(t *testing.T) {
	for tag, want := range map[string]string{"de": "de-DE", "en": "en-US", "en-GB": "en-GB", "": "", "x!": "", "zxx": "", "und": ""} {
		if got := (&Provider{}).languageCode(tag); got != want {
			t.Errorf("%q is %q, want %q", tag, got, want)
		}
	}
	p := &Provider{opts: Options{Model: "gemini-2.5-flash-native-audio-preview"}}
	if got := p.languageCode("de"); got != "" {
		t.Errorf("a model of native sound is told %q", got)
	}
}

// FuzzMessages reads any service messages between any calls of the client. Nothing
// panics; each answer begins before its other events, and ends once.
func FuzzMessages(f *testing.F) {
	for _, m := range messages {
		f.Add([]byte("a" + m + "\n" + m + "\ng" + m))
	}
	f.Add([]byte("a" + messages["call"] + "\nr\n" + messages["says"] + "\n" + messages["all"] + "\na\n" + messages["says"]))
	f.Add([]byte(`a{"toolCallCancellation":{"ids":["1"]},"usageMetadata":{"promptTokenCount":2147483647,"toolUsePromptTokenCount":-1,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":2147483647},null]}}`))
	f.Add([]byte(`{"goAway":{"timeLeft":"9.5s"},"sessionResumptionUpdate":{"newHandle":"h","resumable":true}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, model := range []string{"gemini-3.8-live", "gemini-3.8-live-extended-thinking", "gemini-3.1-flash-live-preview"} {
			s := bare(model)
			var r referee
			for _, line := range strings.Split(string(data), "\n") {
				if line == "" {
					continue
				}
				switch line[0] {
				case 'a':
					s.ask()
					line = line[1:]
				case 'g':
					s.queueEvents(s.answers.abandon()...)
					s.calls.abandon()
					line = line[1:]
				case 'r':
					for id := range s.calls.open {
						if _, over, wanted, _, _ := s.calls.answer(s2s.ToolResult{ID: id}); over {
							s.answers.resume(wanted)
						}
					}
					line = line[1:]
				}
				if m, err := parse([]byte(line)); err == nil {
					s.handleMessage(m)
				}
				for _, e := range s.events {
					r.see(t, e)
				}
				s.events = nil
				if len(s.calls.open) > maxCalls || len(s.calls.closed) > maxClosed || s.answers.said.Len() > maxTranscript {
					t.Fatalf("more is kept than may be")
				}
			}
		}
	})
}

// referee checks the order of events.
type referee struct {
	begun, ended bool
}

func (r *referee) see(t *testing.T, e s2s.Event) {
	t.Helper()
	switch e := e.(type) {
	case s2s.ResponseStarted:
		*r = referee{begun: true}
	case s2s.Audio, s2s.ItemDone, s2s.ToolCalled:
		if !r.begun || r.ended {
			t.Fatalf("%T comes outside an answer", e)
		}
	case s2s.OutputTranscript:
		if !r.begun {
			t.Fatalf("%T comes before the answer", e)
		}
	case s2s.GenerationDone:
		if !r.begun || r.ended {
			t.Fatalf("%+v comes outside an answer", e)
		}
		r.ended = e.Calls == 0
	case s2s.GoingAway:
		if e.Left < 0 {
			t.Fatalf("%v is left", e.Left)
		}
	case s2s.Usage:
		for _, n := range []int{e.InputTextTokens, e.InputAudioTokens, e.OutputTextTokens, e.OutputAudioTokens, e.CachedTokens} {
			if n < 0 || n > 4*maxTokens {
				t.Fatalf("%+v were used", e)
			}
		}
	}
}

// TestReaderWaits checks that the reader stops while events are not received.
func TestReaderWaits(t *testing.T) {
	s := newSession(&Provider{}, &endless{})
	for range maxEvents {
		if _, err := s.Recv(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.mu.Lock()
	waiting := len(s.events)
	s.mu.Unlock()
	if waiting > maxEvents {
		t.Errorf("%d events wait, want at most %d", waiting, maxEvents)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// endless is a connection on which the service never stops sending.
type endless struct{ wire }

func (e *endless) Read(context.Context) (websocket.MessageType, []byte, error) {
	return websocket.MessageText, []byte(`{"goAway":{"timeLeft":"60s"}}`), nil
}

func (e *endless) CloseNow() error { return nil }
