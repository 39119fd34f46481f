package fakerealtime_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/realtime"

	"github.com/MrWong99/glyphoxa/internal/lab/fakerealtime"
)

// raw is a session that sends events verbatim.
type raw struct {
	t       *testing.T
	service *fakerealtime.Server
	conn    *realtime.RealtimeConnection
	sent    map[string]int
}

func dial(t *testing.T, script fakerealtime.Script) *raw {
	t.Helper()
	service := fakerealtime.Start(t, script)
	vendor := realtime.NewRealtimeService(option.WithBaseURL(service.URL()), option.WithAPIKey(fakerealtime.Key))
	conn, err := vendor.Connect(t.Context(), realtime.RealtimeConnectionOptions{}, option.WithQuery("model", "gpt-realtime"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // the service may have closed it
	return &raw{t: t, service: service, conn: conn, sent: map[string]int{}}
}

// send sends an event and returns the code of its refusal, or "".
func (r *raw) send(event string) string {
	r.t.Helper()
	before := len(r.service.Refused())
	if err := r.conn.SendRaw(r.t.Context(), json.RawMessage(event)); err != nil {
		r.t.Fatal(err)
	}
	var kind struct{ Type string }
	_ = json.Unmarshal([]byte(event), &kind) // it may not be an event
	r.sent[kind.Type]++
	r.service.Await(r.t, r.sent[kind.Type], kind.Type)
	if refused := r.service.Refused(); len(refused) > before {
		return refused[before]
	}
	return ""
}

// await receives until an event of a type arrives, and returns it.
func (r *raw) await(kind string) map[string]any {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	for {
		data, err := r.conn.RecvRaw(ctx)
		if err != nil {
			r.t.Fatalf("waiting for %s: %v", kind, err)
		}
		var e map[string]any
		if err := json.Unmarshal(data, &e); err != nil {
			r.t.Fatal(err)
		}
		if e["type"] == kind {
			return e
		}
	}
}

// TestRefusals sends events that the service refuses, next to ones it accepts.
func TestRefusals(t *testing.T) {
	r := dial(t, fakerealtime.Script{Answers: []fakerealtime.Answer{
		{Parts: []fakerealtime.Part{{Text: "Aye.", Sound: time.Second}}, HoldEnd: true},
		{HoldCreated: true}, {Calls: []fakerealtime.Call{{Name: "roll", Arguments: "{}"}}},
	}})
	tenth := base64.StdEncoding.EncodeToString(make([]byte, 4800))
	manual := `{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":null}}}}`
	item := ""
	for _, row := range []struct{ name, event, want string }{
		{"no_json", `{`, "invalid_event"},
		{"no_type", `{}`, "invalid_event"},
		{"unknown_event", `{"type":"session.destroy"}`, "invalid_value"},
		{"update_without_a_session", `{"type":"session.update"}`, "missing_required_parameter"},
		{"update_without_a_type", `{"type":"session.update","session":{"instructions":"x"}}`, "missing_required_parameter"},
		{"update_of_another_type", `{"type":"session.update","session":{"type":"transcription"}}`, "invalid_value"},
		{"update_in_old_words", `{"type":"session.update","session":{"type":"realtime","modalities":["text"]}}`, "unknown_parameter"},
		{"update_of_the_model", `{"type":"session.update","session":{"type":"realtime","model":"other"}}`, "invalid_value"},
		{"tools_that_are_no_list", `{"type":"session.update","session":{"type":"realtime","tools":null}}`, "invalid_type"},
		{"manual_turns", manual, ""},
		{"voice_before_it_spoke", `{"type":"session.update","session":{"type":"realtime","audio":{"output":{"voice":"cedar"}}}}`, ""},
		{"commit_of_nothing", `{"type":"input_audio_buffer.commit"}`, "input_audio_buffer_commit_empty"},
		{"append_without_sound", `{"type":"input_audio_buffer.append"}`, "missing_required_parameter"},
		{"append_of_no_base64", `{"type":"input_audio_buffer.append","audio":"%"}`, "invalid_value"},
		{"append_of_too_much", `{"type":"input_audio_buffer.append","audio":"` + strings.Repeat("A", 21<<20) + `"}`, "invalid_value"},
		{"append", `{"type":"input_audio_buffer.append","audio":"` + tenth + `"}`, ""},
		{"commit", `{"type":"input_audio_buffer.commit"}`, ""},
		{"commit_twice", `{"type":"input_audio_buffer.commit"}`, "input_audio_buffer_commit_empty"},
		{"cancel_of_nothing", `{"type":"response.cancel"}`, "response_cancel_not_active"},
		{"respond", `{"type":"response.create"}`, ""},
		{"respond_meanwhile", `{"type":"response.create"}`, "conversation_already_has_active_response"},
		{"respond_beside", `{"type":"response.create","response":{"conversation":"none"}}`, ""},
		{"heard", "", ""},
		{"voice_after_it_spoke", `{"type":"session.update","session":{"type":"realtime","audio":{"output":{"voice":"marin"}}}}`, "cannot_update_voice"},
		{"truncate_beyond", `{"type":"conversation.item.truncate","item_id":"ITEM","content_index":0,"audio_end_ms":1001}`, "invalid_value"},
		{"truncate_nowhere", `{"type":"conversation.item.truncate","item_id":"x","content_index":0,"audio_end_ms":1}`, "item_truncate_invalid_item_id"},
		{"truncate", `{"type":"conversation.item.truncate","item_id":"ITEM","content_index":0,"audio_end_ms":1000}`, ""},
		{"cancel", `{"type":"response.cancel"}`, ""},
		{"cancel_twice", `{"type":"response.cancel"}`, "response_cancel_not_active"},
		{"ended", "", ""},
		{"delete", `{"type":"conversation.item.delete","item_id":"ITEM"}`, ""},
		{"delete_twice", `{"type":"conversation.item.delete","item_id":"ITEM"}`, "item_delete_invalid_item_id"},
		{"retrieve_nothing", `{"type":"conversation.item.retrieve","item_id":"ITEM"}`, "item_retrieve_invalid_item_id"},
		{"output_of_no_call", `{"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"x","output":"1"}}`, "invalid_tool_call_id"},
		{"message_without_content", `{"type":"conversation.item.create","item":{"type":"message","role":"user"}}`, "invalid_value"},
		{"assistant_with_input", `{"type":"conversation.item.create","item":{"type":"message","role":"assistant","content":[{"type":"input_text","text":"x"}]}}`, "invalid_value"},
		{"nothing", `{"type":"conversation.item.create"}`, "missing_required_parameter"},
		{"message", `{"type":"conversation.item.create","item":{"id":"a","type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}}`, ""},
		{"message_twice", `{"type":"conversation.item.create","item":{"id":"a","type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}}`, "item_create_duplicate_item_id"},
		{"message_first", `{"type":"conversation.item.create","previous_item_id":"root","item":{"id":"b","type":"message","role":"system","content":[{"type":"input_text","text":"y"}]}}`, ""},
		{"truncate_a_player", `{"type":"conversation.item.truncate","item_id":"a","content_index":0,"audio_end_ms":1}`, "unsupported_content_type"},
	} {
		switch row.name {
		case "heard":
			for sound := 0; sound < 48000; {
				e := r.await("response.output_audio.delta")
				item = fmt.Sprint(e["item_id"])
				data, err := base64.StdEncoding.DecodeString(fmt.Sprint(e["delta"]))
				if err != nil {
					t.Fatal(err)
				}
				sound += len(data)
			}
			continue
		case "ended":
			r.await("response.done")
			continue
		}
		if got := r.send(strings.ReplaceAll(row.event, "ITEM", item)); got != row.want {
			t.Errorf("%s is refused with %q, want %q", row.name, got, row.want)
		}
	}
	var texts []string
	for _, e := range r.service.Conversation(0) {
		texts = append(texts, e.ID)
	}
	if first := texts[0]; first != "b" {
		t.Errorf("an entry for the beginning is behind %s", first)
	}
}

// TestBadKey checks that a connection without the key or without a model is
// refused.
func TestBadKey(t *testing.T) {
	service := fakerealtime.Start(t, fakerealtime.Script{})
	for _, row := range []struct {
		key, query string
		want       int
	}{{"", "?model=x", 401}, {"sk-other", "?model=x", 401}, {fakerealtime.Key, "", 400}} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, service.URL()+"/realtime"+row.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+row.key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close() // only its status counts
		if response.StatusCode != row.want {
			t.Errorf("status %d for %q, want %d", response.StatusCode, row.key, row.want)
		}
	}
	if n := service.Sessions(); n != 0 {
		t.Errorf("%d sessions", n)
	}
}

// TestBeta checks that the beta accepts the older names and refuses the newer
// ones.
func TestBeta(t *testing.T) {
	r := dial(t, fakerealtime.Script{Beta: true, Answers: []fakerealtime.Answer{
		{Parts: []fakerealtime.Part{{Text: "Aye.", Sound: 100 * time.Millisecond}}},
	}})
	if code := r.send(`{"type":"session.update","session":{"type":"realtime"}}`); code != "unknown_parameter" {
		t.Errorf("a session's type is refused with %q", code)
	}
	if code := r.send(`{"type":"session.update","session":{"voice":"verse","turn_detection":null}}`); code != "" {
		t.Errorf("a voice is refused with %q", code)
	}
	if voice := r.await("session.updated")["session"].(map[string]any)["voice"]; voice != "verse" {
		t.Errorf("the voice is %v", voice)
	}
	r.send(`{"type":"response.create"}`)
	for _, kind := range []string{
		"response.created", "rate_limits.updated", "response.output_item.added", "conversation.item.created", "response.content_part.added",
		"response.audio_transcript.delta", "response.audio.delta", "response.audio.done", "response.audio_transcript.done",
		"response.content_part.done", "response.output_item.done", "response.done",
	} {
		r.await(kind)
	}
}

// TestExpire checks that a session ends at its time limit.
func TestExpire(t *testing.T) {
	r := dial(t, fakerealtime.Script{})
	r.await("session.created") // a session cannot end before it has begun
	r.service.Expire()
	e := r.await("error")
	if code := e["error"].(map[string]any)["code"]; code != "session_expired" {
		t.Errorf("it ends with %v", code)
	}
	if _, err := r.conn.RecvRaw(t.Context()); err == nil {
		t.Error("it goes on")
	}
}
