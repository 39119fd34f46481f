package elevenlabs

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

var events = []struct {
	name, in string
	want     vendor.Event
	err      error
}{
	{"started", `{"message_type":"session_started","session_id":"1","config":{"sample_rate":16000}}`, vendor.Event{}, nil},
	{"partial", `{"message_type":"partial_transcript","text":"Hold the"}`, vendor.Event{Kind: vendor.Interim, Text: "Hold the"}, nil},
	{"committed", `{"message_type":"committed_transcript","text":"Hold the door."}`, vendor.Event{Kind: vendor.Closing, Text: "Hold the door."}, nil},
	{"with_timestamps", `{"message_type":"committed_transcript_with_timestamps","text":"Hold","words":[]}`, vendor.Event{}, nil},
	{"too_little", `{"message_type":"commit_throttled","error":"0.3 s needed"}`, vendor.Event{Kind: vendor.Refused}, nil},
	{"no_speech", `{"message_type":"insufficient_audio_activity"}`, vendor.Event{Kind: vendor.Refused}, nil},
	{"key", `{"message_type":"auth_error","error":"bad key"}`, vendor.Event{}, stt.ErrRejected},
	{"quota", `{"message_type":"quota_exceeded"}`, vendor.Event{}, stt.ErrRejected},
	{"slower", `{"message_type":"rate_limited"}`, vendor.Event{}, stt.ErrRateLimited},
	{"too_long", `{"message_type":"session_time_limit_exceeded"}`, vendor.Event{}, stt.ErrUnavailable},
	{"error", `{"message_type":"error","error":"oops"}`, vendor.Event{}, stt.ErrUnavailable},
	{"unknown", `{"message_type":"brand_new"}`, vendor.Event{}, nil},
	{"garbage", `<html>`, vendor.Event{}, stt.ErrUnavailable},
	{"wrong_types", `{"message_type":7}`, vendor.Event{}, stt.ErrUnavailable},
}

func TestParse(t *testing.T) {
	for _, row := range events {
		t.Run(row.name, func(t *testing.T) {
			got, err := parse([]byte(row.in))
			if !errors.Is(err, row.err) || row.err == nil && err != nil {
				t.Errorf("err = %v, want %v", err, row.err)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReason(t *testing.T) {
	for in, want := range map[string]string{
		`{"detail":{"status":"invalid_api_key","message":"Invalid API key"}}`: "Invalid API key",
		`{"detail":{"status":"invalid_api_key"}}`:                             "invalid_api_key",
		`{"detail":"Not authenticated"}`:                                      "Not authenticated",
		`{"error":"no"}`:                                                      "no",
		`nope`:                                                                "nope",
	} {
		if got := reason([]byte(in)); got != want {
			t.Errorf("reason(%s) = %q, want %q", in, got, want)
		}
	}
}

// TestChunks decodes the chunks sent, at lengths around base64 boundaries.
func TestChunks(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 767, 768, 769, 1535, 1536, 1537, 4800} {
		samples := make([]int16, n)
		for i := range samples {
			samples[i] = int16(i*7 - 9000)
		}
		var m struct {
			Audio string `json:"audio_base_64"`
		}
		if err := json.Unmarshal(appendChunk(nil, samples), &m); err != nil {
			t.Fatalf("%d samples: %v", n, err)
		}
		data, err := base64.StdEncoding.DecodeString(m.Audio)
		if err != nil || !slices.Equal(data, audio.AppendS16LE(nil, samples)) {
			t.Errorf("%d samples came back as %d bytes, %v", n, len(data), err)
		}
	}
}

// FuzzParse checks that any input yields an event or an error of the package.
func FuzzParse(f *testing.F) {
	for _, row := range events {
		f.Add([]byte(row.in))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := parse(data)
		known := errors.Is(err, stt.ErrUnavailable) || errors.Is(err, stt.ErrRejected) || errors.Is(err, stt.ErrRateLimited)
		if err != nil && !known {
			t.Errorf("err = %v, want one of package stt's", err)
		}
		if err == nil && !utf8.ValidString(e.Text) {
			t.Errorf("text %q is no UTF-8", e.Text)
		}
	})
}

func BenchmarkChunk(b *testing.B) {
	samples := make([]int16, minAudio)
	dst := appendChunk(nil, samples)
	b.ReportAllocs()
	for b.Loop() {
		dst = appendChunk(dst[:0], samples)
	}
}
