package openai

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestLongSoundIsReadAsItIs checks that a message with much sound is read like any other.
func TestLongSoundIsReadAsItIs(t *testing.T) {
	long := strings.Repeat("AAEC+/8=", 500)
	for _, row := range []struct {
		name, raw string
		cut       bool
	}{
		{"sound", `{"type":"response.output_audio.delta","item_id":"i","delta":"` + long + `","response_id":"r"}`, true},
		{"sound_first", `{"delta":"` + long + `","type":"response.audio.delta","item_id":"i"}`, true},
		{"escaped", `{"type":"response.output_audio.delta","item_id":"i","delta":"` + strings.ReplaceAll(long, "/", `\/`) + `"}`, false},
		{"words", `{"type":"response.output_audio_transcript.delta","item_id":"i","delta":"` + strings.Repeat("Aye, aye. ", 500) + `"}`, true},
		{"of_something_else", `{"type":"response.output_audio.delta","item_id":"i","item":{"delta":"` + long + `"},"delta":"AAEC"}`, true},
		{"short", `{"type":"response.output_audio.delta","item_id":"i","delta":"AAEC"}`, false},
		{"no_sound", `{"type":"response.output_audio.delta","item_id":"i","transcript":"` + long + `"}`, false},
		{"no_end", `{"type":"response.output_audio.delta","item_id":"i","delta":"` + long, false},
		{"no_json", `{"delta":"` + long + `",`, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			rest, sound := cutSound([]byte(row.raw))
			if cut := sound != ""; cut != row.cut || !cut && string(rest) != row.raw {
				t.Errorf("cut is %v, want %v", cut, row.cut)
			}
			var want event
			whole := json.Unmarshal([]byte(row.raw), &want) == nil
			got, err := parse([]byte(row.raw))
			if whole != (err == nil) {
				t.Fatalf("parse = %v, want an error: %v", err, !whole)
			}
			if whole && (got.Delta != want.Delta || got.ItemID != want.ItemID || got.Transcript != want.Transcript) {
				t.Errorf("parse = %d bytes of %q, want %d of %q", len(got.Delta), got.ItemID, len(want.Delta), want.ItemID)
			}
		})
	}
}
