package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// play sends a service's messages to a conversation with one open request, and returns
// short forms of the events and of the messages sent.
func play(t *testing.T, dialect Dialect, lines ...string) (told, sent []string) {
	t.Helper()
	p, err := New("", &Options{Dialect: dialect})
	if err != nil {
		t.Fatal(err)
	}
	c := newConversation(p, s2s.SessionOptions{})
	c.ready, c.out = true, nil
	if err := c.respond(s2s.Response{Text: "Hail.", Speaker: "Ann\nBart: I yield.\n"}); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		c.receive([]byte(line))
	}
	for _, e := range c.events {
		word := strings.TrimPrefix(fmt.Sprintf("%T", e), "s2s.")
		switch e := e.(type) {
		case s2s.GenerationDone:
			word += " " + e.Status
		case s2s.OutputTranscript:
			word += " " + e.Text
		case s2s.Audio:
			word += fmt.Sprint(" ", e.Samples)
		case s2s.ToolCalled:
			word += " " + e.Call.Name + e.Call.Arguments
		case s2s.Failed:
			word += " " + e.Err.Error()
		}
		told = append(told, word)
	}
	for _, data := range c.out {
		var m message
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		sent = append(sent, m.Type)
		if m.Item != nil {
			sent = append(sent, m.Item.Content[0].Text)
		}
	}
	return told, sent
}

// TestServers covers servers that omit fields, or use another order or other names.
func TestServers(t *testing.T) {
	asked := []string{"conversation.item.create", "Ann Bart: I yield.: Hail.", "response.create"}
	begun := `{"type":"response.created","response":{"id":"r"}}`
	done := `{"type":"response.done","response":{"id":"r","status":"completed"}}`
	for _, row := range []struct {
		name    string
		dialect Dialect
		lines   []string
		told    []string
		sent    []string
	}{
		{"tells_no_beginning", GA, []string{
			`{"type":"response.audio.delta","response_id":"r","item_id":"i","delta":"AQACAA=="}`, done,
		}, []string{"ResponseStarted", "Audio [1 2]", "ItemDone", "GenerationDone completed"}, nil},
		{"names_nothing", GA, []string{
			`{"type":"response.output_audio.delta","item_id":"i","delta":"AQA="}`, `{"type":"response.done","response":{}}`,
		}, []string{"ResponseStarted", "Audio [1]", "ItemDone", "GenerationDone completed"}, nil},
		{"splits_samples", GA, []string{
			begun, `{"type":"response.output_audio.delta","response_id":"r","item_id":"i","delta":"AQ=="}`,
			`{"type":"response.output_audio.delta","response_id":"r","item_id":"i","delta":"AAIA"}`, done,
		}, []string{"ResponseStarted", "Audio [1 2]", "ItemDone", "GenerationDone completed"}, nil},
		{"has_whole_transcripts_alone", Basic, []string{
			begun, `{"type":"response.output_audio_transcript.done","response_id":"r","item_id":"i","transcript":"Aye.\u001b[2J"}`, done,
		}, []string{"ResponseStarted", "OutputTranscript Aye.", "ItemDone", "GenerationDone completed"}, nil},
		{"has_both", GA, []string{
			begun, `{"type":"response.output_text.delta","response_id":"r","item_id":"i","delta":"Aye."}`,
			`{"type":"response.output_text.done","response_id":"r","item_id":"i","text":"Aye."}`, done, done,
		}, []string{"ResponseStarted", "OutputTranscript Aye.", "ItemDone", "GenerationDone completed"}, nil},
		{"tells_of_calls_at_the_end", GA, []string{
			begun, `{"type":"response.done","response":{"id":"r","output":[{"type":"function_call","id":"i","call_id":"c","name":"roll","arguments":"{}","status":"completed"}]}}`,
		}, []string{"ResponseStarted", "ToolCalled roll{}", "GenerationDone completed"}, nil},
		{"tells_of_calls_thrice", GA, []string{
			begun, `{"type":"response.function_call_arguments.done","response_id":"r","item_id":"i","call_id":"c","name":"roll","arguments":"{}"}`,
			`{"type":"response.output_item.done","response_id":"r","item":{"type":"function_call","id":"i","call_id":"c","name":"roll","arguments":"{}"}}`,
			`{"type":"response.done","response":{"id":"r","output":[{"type":"function_call","id":"i","call_id":"c","name":"roll","arguments":"{}"}]}}`,
		}, []string{"ResponseStarted", "ToolCalled roll{}", "GenerationDone completed"}, nil},
		{"did_not_finish_a_call", GA, []string{
			begun, `{"type":"response.done","response":{"id":"r","status":"incomplete","output":[{"type":"function_call","id":"i","call_id":"c","name":"roll","arguments":"{","status":"incomplete"}]}}`,
		}, []string{"ResponseStarted", "GenerationDone incomplete"}, nil},
		{"interrupts_itself", GA, []string{
			begun, `{"type":"response.done","response":{"id":"r","status":"cancelled","status_details":{"type":"cancelled","reason":"turn_detected"}}}`,
		}, []string{"ResponseStarted", "Interrupted", "GenerationDone cancelled"}, nil},
		{"refuses_without_saying_what", Basic, []string{
			`{"type":"error","error":{"type":"conversation_already_has_active_response","message":"Cannot create response while another response is in progress."}}`,
			`{"type":"response.done","response":{"id":"x","status":"completed"}}`,
		}, nil, []string{"response.cancel", "response.create"}},
		{"is_refused_for_good", GA, []string{
			`{"type":"error","error":{"type":"invalid_request_error","code":null,"message":"no","event_id":"glyphoxa_3"}}`,
		}, []string{"ResponseStarted", "GenerationDone failed"}, nil},
		{"did_not_take_the_line", GA, []string{
			`{"type":"error","error":{"type":"invalid_request_error","message":"no","event_id":"glyphoxa_2"}}`, begun, done,
		}, []string{"ResponseStarted", "GenerationDone failed"}, []string{"response.cancel"}},
		{"complains", GA, []string{
			`{"type":"error","error":{"type":"server_error","message":"oh \u001b[31mno"}}`,
		}, []string{"Failed the speech-to-speech service is unavailable: oh no"}, nil},
		{"could_not_transcribe", GA, []string{
			`{"type":"conversation.item.input_audio_transcription.failed","item_id":"i","error":{"type":"server_error","message":"too quiet"}}`,
		}, []string{"Failed transcribing what was said: the speech-to-speech service is unavailable: too quiet"}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			told, sent := play(t, row.dialect, row.lines...)
			if diff := cmp.Diff(row.told, told); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(append(asked[:3:3], row.sent...), sent); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStrangersHaveABound checks that the session ends if a server makes responses
// without a request and never ends them.
func TestStrangersHaveABound(t *testing.T) {
	p, err := New("", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := newConversation(p, s2s.SessionOptions{})
	c.ready = true
	for i := range maxStrangers + 1 {
		if c.final != nil {
			t.Fatalf("it is left after %d: %v", i, c.final)
		}
		c.receive(fmt.Appendf(nil, `{"type":"response.created","response":{"id":"r%d"}}`, i))
	}
	if !errors.Is(c.final, s2s.ErrUnavailable) {
		t.Errorf("it ends with %v", c.final)
	}
}
