package opus_test

import (
	"errors"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// For any input, neither decoder crashes, both report the error, and a valid payload
// afterwards decodes.
func FuzzDecode(f *testing.F) {
	for _, tt := range badPayloads {
		f.Add(tt.payload)
	}
	for _, opts := range []*opus.EncoderOptions{nil, {Bitrate: 8000}, {Bitrate: 128000}, {Loss: -1}} {
		for _, p := range encode(f, encoder(f, opts), vowels(4)) {
			f.Add(p)
		}
	}
	good := encode(f, encoder(f, nil), vowels(1))[0]
	all := decoders(f)
	f.Fuzz(func(t *testing.T, payload []byte) {
		for name, d := range all {
			var frame audio.Frame
			err := d.Decode(&frame, payload)
			if err != nil && !errors.Is(err, opus.ErrPayload) && !errors.Is(err, opus.ErrDuration) {
				t.Errorf("%s: Decode = %v, want ErrPayload or ErrDuration", name, err)
			}
			if err := d.Conceal(&frame, payload); err != nil {
				t.Errorf("%s: Conceal = %v", name, err)
			}
			if err := d.Decode(&frame, good); err != nil {
				t.Errorf("%s: a good payload after it: %v", name, err)
			}
		}
	})
}
