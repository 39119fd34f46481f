package deepgram

import (
	"errors"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

var events = []struct {
	name, in string
	want     vendor.Event
	err      error
}{
	{"interim", `{"type":"Results","start":1.5,"duration":0.5,"is_final":false,"channel":{"alternatives":[{"transcript":"hold","confidence":0.7,"words":[{"word":"hold","start":1.6,"end":1.9,"confidence":0.7}]}]}}`,
		vendor.Event{Kind: vendor.Interim, Text: "hold", Confidence: 0.7, Start: 1500 * time.Millisecond, End: 2 * time.Second,
			Words: []stt.Word{{Text: "hold", Start: 1600 * time.Millisecond, End: 1900 * time.Millisecond, Confidence: 0.7}}}, nil},
	{"segment", `{"type":"Results","start":0,"duration":2,"is_final":true,"speech_final":true,"channel":{"alternatives":[{"transcript":"Hold.","confidence":7,"words":[{"word":"hold","punctuated_word":"Hold.","start":-1,"end":0.5}]}]}}`,
		vendor.Event{Kind: vendor.Segment, Text: "Hold.", Confidence: 1, End: 2 * time.Second,
			Words: []stt.Word{{Text: "Hold.", End: 500 * time.Millisecond}}}, nil},
	{"finalized", `{"type":"Results","start":0,"duration":2,"is_final":true,"from_finalize":true,"channel":{"alternatives":[{"transcript":"","words":[]}]}}`,
		vendor.Event{Kind: vendor.Closing, End: 2 * time.Second, Words: []stt.Word{}}, nil},
	{"no_alternatives", `{"type":"Results","channel":{"alternatives":[]}}`, vendor.Event{Kind: vendor.Interim}, nil},
	{"no_channel", `{"type":"Results"}`, vendor.Event{}, stt.ErrUnavailable},
	{"odd_channel", `{"type":"Results","channel":[0,1]}`, vendor.Event{}, stt.ErrUnavailable},
	{"metadata", `{"type":"Metadata","channels":1}`, vendor.Event{}, nil},
	{"speech_started", `{"type":"SpeechStarted","channel":[0,1],"timestamp":9.5}`, vendor.Event{}, nil},
	{"error", `{"type":"Error","description":"no audio","variant":"NET-0001"}`, vendor.Event{}, stt.ErrUnavailable},
	{"unknown", `{"type":"Brandnew"}`, vendor.Event{}, nil},
	{"no_object", `[]`, vendor.Event{}, stt.ErrUnavailable},
	{"garbage", `<html>`, vendor.Event{}, stt.ErrUnavailable},
	{"empty", ``, vendor.Event{}, stt.ErrUnavailable},
	{"wrong_types", `{"type":"Results","start":"soon"}`, vendor.Event{}, stt.ErrUnavailable},
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

// FuzzParse checks that for any input positions are in order and confidences are in
// range, or parse returns an error of its own.
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
