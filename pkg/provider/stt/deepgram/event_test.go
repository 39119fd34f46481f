package deepgram

import (
	"errors"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/internal/socket"
)

var events = []struct {
	name, in string
	want     socket.Event
	err      error
}{
	{"interim", `{"type":"Results","start":1.5,"duration":0.5,"is_final":false,"channel":{"alternatives":[{"transcript":"hold","confidence":0.7,"words":[{"word":"hold","start":1.6,"end":1.9,"confidence":0.7}]}]}}`,
		socket.Event{Kind: socket.Interim, Text: "hold", Confidence: 0.7, Start: 1500 * time.Millisecond, End: 2 * time.Second,
			Words: []stt.Word{{Text: "hold", Start: 1600 * time.Millisecond, End: 1900 * time.Millisecond, Confidence: 0.7}}}, nil},
	{"segment", `{"type":"Results","start":0,"duration":2,"is_final":true,"speech_final":true,"channel":{"alternatives":[{"transcript":"Hold.","confidence":7,"words":[{"word":"hold","punctuated_word":"Hold.","start":-1,"end":0.5}]}]}}`,
		socket.Event{Kind: socket.Segment, Text: "Hold.", Confidence: 1, End: 2 * time.Second,
			Words: []stt.Word{{Text: "Hold.", End: 500 * time.Millisecond}}}, nil},
	{"finalized", `{"type":"Results","start":0,"duration":2,"is_final":true,"from_finalize":true,"channel":{"alternatives":[{"transcript":"","words":[]}]}}`,
		socket.Event{Kind: socket.Closing, End: 2 * time.Second, Words: []stt.Word{}}, nil},
	{"no_alternatives", `{"type":"Results","channel":{"alternatives":[]}}`, socket.Event{Kind: socket.Interim}, nil},
	{"no_channel", `{"type":"Results"}`, socket.Event{}, stt.ErrUnavailable},
	{"odd_channel", `{"type":"Results","channel":[0,1]}`, socket.Event{}, stt.ErrUnavailable},
	{"metadata", `{"type":"Metadata","channels":1}`, socket.Event{}, nil},
	{"speech_started", `{"type":"SpeechStarted","channel":[0,1],"timestamp":9.5}`, socket.Event{}, nil},
	{"error", `{"type":"Error","description":"no audio","variant":"NET-0001"}`, socket.Event{}, stt.ErrUnavailable},
	{"unknown", `{"type":"Brandnew"}`, socket.Event{}, nil},
	{"no_object", `[]`, socket.Event{}, stt.ErrUnavailable},
	{"garbage", `<html>`, socket.Event{}, stt.ErrUnavailable},
	{"empty", ``, socket.Event{}, stt.ErrUnavailable},
	{"wrong_types", `{"type":"Results","start":"soon"}`, socket.Event{}, stt.ErrUnavailable},
}

func TestParse(t *testing.T) {
	for _, row := range events {
		t.Run(row.name, func(t *testing.T) {
			got, err := parse([]byte(row.in))
			if !errors.Is(err, row.err) || row.err == nil && err != nil {
				t.Errorf("err = %v, want %v", err, row.err)
			}
			if diff := cmp.Diff(row.want, got); diff != "" && err == nil {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReason(t *testing.T) {
	for in, want := range map[string]string{
		`{"err_code":"INVALID_AUTH","err_msg":"Invalid credentials."}`: "Invalid credentials.",
		`{"err_code":"INVALID_AUTH"}`:                                  "INVALID_AUTH",
		`{}`:                                                           "{}",
		`nope`:                                                         "nope",
	} {
		if got := reason([]byte(in)); got != want {
			t.Errorf("reason(%s) = %q, want %q", in, got, want)
		}
	}
}

// FuzzParse shows that whatever comes, places are in order and confidences are
// such, or there is an error of ours.
func FuzzParse(f *testing.F) {
	for _, row := range events {
		f.Add([]byte(row.in))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := parse(data)
		if err != nil {
			if !errors.Is(err, stt.ErrUnavailable) {
				t.Errorf("err = %v, want ErrUnavailable", err)
			}
			return
		}
		if e.Start < 0 || e.End < 0 || e.Confidence < 0 || e.Confidence > 1 || !utf8.ValidString(e.Text) {
			t.Errorf("event %+v is out of range", e)
		}
		for _, w := range e.Words {
			if w.Start < 0 || w.End < 0 || w.Confidence < 0 || w.Confidence > 1 {
				t.Errorf("word %+v is out of range", w)
			}
		}
	})
}
