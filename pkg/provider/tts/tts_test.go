package tts_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

func TestVoiceFor(t *testing.T) {
	ids := map[string]string{"openai": "nova"}
	for _, tt := range []struct {
		name     string
		voice    tts.Voice
		provider string
		meant    bool
		want     tts.Voice
	}{
		{"meant", tts.Voice{ID: "en-gb+f3", Pitch: 1.1}, "espeak", true, tts.Voice{ID: "en-gb+f3", Pitch: 1.1}},
		{"not_meant", tts.Voice{ID: "en-gb+f3", Language: "en"}, "elevenlabs", false, tts.Voice{Language: "en"}},
		{"named", tts.Voice{ID: "en-gb+f3", IDs: ids}, "openai", false, tts.Voice{ID: "nova"}},
		{"named_wins", tts.Voice{ID: "en-gb+f3", IDs: ids}, "openai", true, tts.Voice{ID: "nova"}},
		{"named_for_another", tts.Voice{ID: "en-gb+f3", IDs: ids}, "espeak", true, tts.Voice{ID: "en-gb+f3"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.voice.For(tt.provider, tt.meant)); diff != "" {
				t.Errorf("voice (-want +got):\n%s", diff)
			}
		})
	}
}
