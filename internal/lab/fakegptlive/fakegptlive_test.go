package fakegptlive_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/live"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/fakegptlive"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	tenth = 2400 // samples at 24 kHz
	// patience bounds a test that hangs.
	patience = time.Minute
)

// stranger is the vendor's own client in a conversation.
type stranger struct {
	t       *testing.T
	ctx     context.Context
	conn    *live.LiveConnection
	grouper *live.TranscriptGrouper
	said    []live.TranscriptUpdate
	sound   int // audible samples of output
}

func connect(t *testing.T, script fakegptlive.Script) (*stranger, *fakegptlive.Server) {
	t.Helper()
	server := fakegptlive.Start(t, script)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	client := openai.NewClient(option.WithBaseURL(server.URL()), option.WithUnsafeAllowHTTP(), option.WithAPIKey("key"))
	conn, err := client.Live.Connect(ctx, live.LiveConnectionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Abort)
	s := &stranger{t: t, ctx: ctx, conn: conn}
	s.grouper, err = live.NewTranscriptGrouper(live.TranscriptGrouperOptions{
		OnUpdate: func(u live.TranscriptUpdate) { s.said = append(s.said, u) },
		// These times exceed the test, so that no timer of the grouper fires.
		AssistantSilence: param.NewOpt(time.Hour), MinTurnSeparation: param.NewOpt(time.Minute),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.grouper.Close)
	return s, server
}

func (s *stranger) send(e live.ClientEventUnionParam) {
	s.t.Helper()
	if err := s.conn.Send(s.ctx, e); err != nil {
		s.t.Fatal(err)
	}
}

// appendSound sends tenths of a second of a tone, or of silence.
func (s *stranger) appendSound(tenths int, loud bool) {
	s.t.Helper()
	samples := make([]int16, tenth)
	for i := range samples {
		if loud {
			samples[i] = int16(i%200*50 - 5000)
		}
	}
	text := base64.StdEncoding.EncodeToString(audio.AppendS16LE(nil, samples))
	for range tenths {
		s.send(live.ClientEventUnionParam{OfSessionInputAudioAppend: &live.InputAudioAppendEventParam{Audio: text}})
	}
}

// until reads events up to one of a type and returns it.
func (s *stranger) until(kind string) live.ServerEventUnion {
	s.t.Helper()
	for {
		e, err := s.conn.Recv(s.ctx)
		if err != nil {
			s.t.Fatalf("waiting for %s: %v", kind, err)
		}
		if err := s.grouper.Push(e); err != nil {
			s.t.Fatalf("%s: %v", e.RawJSON(), err)
		}
		if e.Type == "session.output_audio.delta" {
			s.countSound(e.AsOutputAudioDeltaEvent().Delta)
		}
		if e.Type == kind {
			return e
		}
		if e.Type == "error" {
			s.t.Fatalf("waiting for %s: %s", kind, e.RawJSON())
		}
	}
}

func (s *stranger) countSound(delta string) {
	raw, err := base64.StdEncoding.DecodeString(delta)
	if err != nil || len(raw) != 2*tenth {
		s.t.Fatalf("delta of %d bytes, %v, want a tenth of a second", len(raw), err)
	}
	if slices.ContainsFunc(raw, func(b byte) bool { return b != 0 }) {
		s.sound += tenth
	}
}

func startEvent() live.ClientEventUnionParam {
	delegation := live.NewClientDelegationParam()
	return live.ClientEventParamOfSessionStart(live.SessionConfigParam{
		Model: live.SessionConfigModelGPTLive1, Instructions: param.NewOpt("You are Bart."),
		Delegation: live.SessionConfigDelegationUnionParam{OfClient: &delegation},
		Input: []live.InitialItemUnionParam{
			{OfUser: &live.InitialItemUserParam{Content: []live.InitialItemUserContentParam{{Text: "Hello?"}}}},
		},
	})
}

// text returns a speaker's text according to the client's grouping.
func (s *stranger) text(speaker string) string {
	latest := map[string]live.TranscriptSegment{}
	var order []string
	for _, u := range s.said {
		if _, ok := latest[u.Segment.ID]; !ok {
			order = append(order, u.Segment.ID)
		}
		latest[u.Segment.ID] = u.Segment
	}
	var all []string
	for _, id := range order {
		if latest[id].Speaker == speaker {
			all = append(all, strings.TrimSpace(latest[id].Text))
		}
	}
	return strings.Join(all, " ")
}

// TestConversationWithTheVendorsClient lets openai-go's own client talk with
// the service: a delegation announced twice, its answer, an interruption, an
// update and a farewell.
func TestConversationWithTheVendorsClient(t *testing.T) {
	s, server := connect(t, fakegptlive.Script{
		Turns: []fakegptlive.Turn{
			{Heard: "Is the bridge open?", Says: "Hm.", Delegates: 2},
			{Heard: "Wait, which bridge?"},
		},
		UsageEvery: time.Second,
	})
	s.send(startEvent())
	started := s.until("session.started").AsSessionStartedEvent()
	if r := started.Session; r.Model != live.SessionConfigModelGPTLive1 || r.Delegation.Type != "client" || len(r.Input) != 1 || r.ExpiresAt < time.Now().Unix() {
		t.Errorf("session = %s", r.RawJSON())
	}

	s.appendSound(10, true)
	s.appendSound(4, false)
	first := s.until("session.delegation.created").AsDelegationCreatedEvent().Delegation
	again := s.until("session.delegation.created").AsDelegationCreatedEvent().Delegation
	if first.ID == "" || first.Target != "client" || first.ID != again.ID {
		t.Errorf("delegations %+v and %+v, want one of the client's twice", first, again)
	}
	s.send(live.ClientEventUnionParam{OfSessionThinkingAppend: &live.ThinkingAppendEventParam{DelegationID: param.Null[string](), Content: "It is raining."}})
	s.send(live.ClientEventUnionParam{OfSessionCommentaryAppend: &live.CommentaryAppendEventParam{
		DelegationID: param.NewOpt(first.ID), EventID: param.NewOpt("answer"), Content: "The old bridge is out since the flood.",
	}})
	if e := s.until("session.commentary.appended").AsCommentaryAppendedEvent(); e.ClientEventID != "answer" {
		t.Errorf("acknowledged %q, want the command's id", e.ClientEventID)
	}
	s.appendSound(8, false)
	for range 3 { // "Hm.", "The", "old"
		s.until("session.output_transcript.delta")
	}

	s.appendSound(5, true) // the interruption
	s.appendSound(4, false)
	s.until("session.usage.updated")
	delegation := live.NewClientDelegationParam()
	delegation.AcknowledgementDelayMs = param.NewOpt(int64(900))
	s.send(live.ClientEventUnionParam{OfSessionUpdate: &live.SessionUpdateEventParam{Session: live.SessionUpdateConfigParam{
		Delegation: live.SessionUpdateConfigDelegationUnionParam{OfClient: &delegation},
	}}})
	if d := s.until("session.updated").AsSessionUpdatedEvent().Session.Delegation; d.AcknowledgementDelayMs != 900 {
		t.Errorf("delegation = %s, want the update", d.RawJSON())
	}
	s.send(live.ClientEventUnionParam{OfSessionClose: &live.SessionCloseEventParam{}})
	closed := s.until("session.closed").AsSessionClosedEvent()
	if closed.Reason != "close_requested" || closed.Usage.Seconds < 3.09 || closed.Usage.Seconds > 3.11 {
		t.Errorf("closed = %s, want 3.1 s as asked for", closed.RawJSON())
	}
	if err := s.conn.Close(); err != nil {
		t.Error(err)
	}
	if got, want := s.text("user"), "Is the bridge open? Wait, which bridge?"; got != want {
		t.Errorf("the player said %q, want %q", got, want)
	}
	got := s.text("assistant")
	if !strings.HasPrefix(got, "Hm. The old bridge") || strings.Contains(got, "flood") || s.sound == 0 {
		t.Errorf("the voice said %q in %d samples, want it to fall silent before the flood", got, s.sound)
	}
	session := server.Sessions()[0]
	if samples, audible, muted := session.Input(); samples != 31*tenth || audible != 15*tenth || muted != 0 {
		t.Errorf("the service heard %d samples, %d audible, %d of them muted", samples, audible, muted)
	}
	if kinds := session.Commands(); len(kinds) != 5 || kinds[2].DelegationID != first.ID || !strings.Contains(kinds[2].Content, "flood") {
		t.Errorf("the service was told %v", kinds)
	}
	if raw := session.Start(); !json.Valid(raw) || !strings.Contains(string(raw), "You are Bart.") {
		t.Errorf("the service recorded %s", raw)
	}
}

// TestRefusals checks that the service refuses what the real one refuses.
func TestRefusals(t *testing.T) {
	for _, row := range []struct {
		name    string
		started bool
		send    string
		code    string
	}{
		{"sound_before_the_start", false, `{"type":"session.input_audio.append","audio":"AAA="}`, "session_not_started"},
		{"text_before_the_start", false, `{"type":"session.thinking.append","delegation_id":null,"content":"x"}`, "session_not_started"},
		{"no_model", false, `{"type":"session.start","session":{}}`, "missing_required_parameter"},
		{"unknown_field", false, `{"type":"session.start","session":{"model":"gpt-live-1","tools":[]}}`, "invalid_value"},
		{"too_much_history", false, `{"type":"session.start","session":{"model":"m","input":[` + strings.Repeat(`{"role":"user","content":[{"text":"x"}]},`, 128) + `{"role":"user","content":[{"text":"x"}]}]}}`, "invalid_value"},
		{"too_long_history", false, `{"type":"session.start","session":{"model":"m","input":[{"role":"user","content":[{"text":"` + strings.Repeat("x", 40000) + `"}]}]}}`, "input_too_long"},
		{"two_parts", false, `{"type":"session.start","session":{"model":"m","input":[{"role":"user","content":[{"text":"x"},{"text":"y"}]}]}}`, "invalid_value"},
		{"users_output_text", false, `{"type":"session.start","session":{"model":"m","input":[{"role":"user","content":[{"type":"output_text","text":"x"}]}]}}`, "invalid_value"},
		{"tool_message", false, `{"type":"session.start","session":{"model":"m","input":[{"role":"tool","content":[{"text":"x"}]}]}}`, "invalid_value"},
		{"other_rate", false, `{"type":"session.start","session":{"model":"m","audio":{"format":{"type":"audio/pcm","rate":48000}}}}`, "invalid_value"},
		{"long_instructions", false, `{"type":"session.start","session":{"model":"m","instructions":"` + strings.Repeat("x", 70000) + `"}}`, "instructions_too_long"},
		{"other_delegation", false, `{"type":"session.start","session":{"model":"m","delegation":{"type":"responses","responses":{}}}}`, "invalid_value"},
		{"start_again", true, `{"type":"session.start","session":{"model":"m"}}`, "session_already_started"},
		{"no_sound", true, `{"type":"session.input_audio.append","audio":""}`, "invalid_audio"},
		{"half_a_sample", true, `{"type":"session.input_audio.append","audio":"AA=="}`, "invalid_audio"},
		{"no_base64", true, `{"type":"session.input_audio.append","audio":"!"}`, "invalid_audio"},
		{"unknown_delegation", true, `{"type":"session.commentary.append","delegation_id":"nobody","content":"x"}`, "delegation_not_found"},
		{"no_delegation", true, `{"type":"session.commentary.append","content":"x"}`, "missing_required_parameter"},
		{"no_content", true, `{"type":"session.thinking.append","delegation_id":null}`, "missing_required_parameter"},
		{"too_long", true, `{"type":"session.instructions.append","delegation_id":null,"content":"` + strings.Repeat("word ", 401) + `"}`, "content_too_long"},
		{"update_of_the_voice", true, `{"type":"session.update","session":{"audio":{}}}`, "immutable_parameter"},
		{"update_to_another_delegation", true, `{"type":"session.update","session":{"delegation":{"type":"responses"}}}`, "invalid_value"},
		{"response", true, `{"type":"response.create"}`, "invalid_delegation"},
		{"fixture", true, `{"type":"session.output_audio.fixture.play","audio":"AAA="}`, "unknown_event"},
		{"no_event", true, `[]`, "invalid_json"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, _ := connect(t, fakegptlive.Script{})
			if row.started {
				s.send(startEvent())
				s.until("session.started")
			}
			if err := s.conn.SendRaw(s.ctx, json.RawMessage(row.send)); err != nil {
				t.Fatal(err)
			}
			e, err := s.conn.Recv(s.ctx)
			if err != nil || e.Type != "error" || e.AsErrorEvent().Error.Code != row.code {
				t.Fatalf("got %s, %v, want error %q", e.RawJSON(), err, row.code)
			}
		})
	}
}

// TestHandshakeRefused checks refusals before there is a session.
func TestHandshakeRefused(t *testing.T) {
	for _, row := range []struct {
		name   string
		script fakegptlive.Script
		query  string
	}{
		{"wrong_key", fakegptlive.Script{Key: "another"}, ""},
		{"status", fakegptlive.Script{RefuseStatus: http.StatusTooManyRequests}, ""},
		{"query", fakegptlive.Script{}, "?model=gpt-live-1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := fakegptlive.Start(t, row.script)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL()+"/live/sessions"+row.query, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer key")
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			var said struct{ Error *fakegptlive.Error }
			if err := json.NewDecoder(response.Body).Decode(&said); err != nil || said.Error == nil || response.StatusCode < 400 {
				t.Errorf("status %d, %v, want a refusal", response.StatusCode, err)
			}
			http.DefaultClient.CloseIdleConnections()
		})
	}
}

// TestMutedInput checks that muted input counts as silence, on whose time the
// voice still speaks, and that no input means no output.
func TestMutedInput(t *testing.T) {
	s, server := connect(t, fakegptlive.Script{Turns: []fakegptlive.Turn{{Heard: "Nobody.", Says: "Never."}}, CommentaryLag: 300 * time.Millisecond})
	s.send(startEvent())
	s.until("session.started")
	s.send(live.ClientEventUnionParam{OfSessionInputAudioMute: &live.InputAudioMuteEventParam{}})
	s.until("session.input_audio.muted")
	s.send(live.ClientEventUnionParam{OfSessionCommentaryAppend: &live.CommentaryAppendEventParam{DelegationID: param.Null[string](), Content: "Good evening."}})
	s.until("session.commentary.appended")
	if s.sound > 0 {
		t.Error("the voice spoke before any input")
	}
	s.appendSound(12, true)
	for range 12 {
		s.until("session.output_audio.delta")
	}
	s.send(live.ClientEventUnionParam{OfSessionInputAudioUnmute: &live.InputAudioUnmuteEventParam{}})
	s.until("session.input_audio.unmuted")
	s.send(live.ClientEventUnionParam{OfSessionClose: &live.SessionCloseEventParam{}})
	s.until("session.closed")
	if s.text("user") != "" || s.text("assistant") != "Good evening." || s.sound != 4*tenth {
		t.Errorf("%q was heard and %q said in %d samples, want the commentary alone", s.text("user"), s.text("assistant"), s.sound)
	}
	if _, audible, muted := server.Sessions()[0].Input(); audible != 12*tenth || muted != audible {
		t.Errorf("%d audible samples, %d of them muted", audible, muted)
	}
}

// TestEnds checks how the service ends a session by itself.
func TestEnds(t *testing.T) {
	s, server := connect(t, fakegptlive.Script{})
	s.send(startEvent())
	s.until("session.started")
	session := server.Await(t, s.ctx, "a session", func(*fakegptlive.Session) bool { return true })
	session.End("expired", 7200)
	if e := s.until("session.closed").AsSessionClosedEvent(); e.Reason != "expired" || e.Usage.Seconds != 7200 {
		t.Errorf("closed = %s", e.RawJSON())
	}

	s, server = connect(t, fakegptlive.Script{})
	s.send(startEvent())
	s.until("session.started")
	server.Await(t, s.ctx, "a session", func(*fakegptlive.Session) bool { return true }).Drop()
	if _, err := s.conn.Recv(s.ctx); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Recv = %v, want the connection's end", err)
	}
}
