package simulate

import (
	"context"
	"sync/atomic"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// outlet handles a table's sound like a transport: it encodes every frame, and
// drops the payload.
type outlet struct {
	encoder opus.Encoder // nil without a library
	payload []byte       // owned by the mixer's goroutine
	bytes   atomic.Uint64
}

func newOutlet(lib *opus.Library) (*outlet, error) {
	o := &outlet{payload: make([]byte, 0, opus.MaxPayload)}
	if lib == nil {
		return o, nil
	}
	var err error
	o.encoder, err = opus.NewEncoder(lib, nil)
	return o, err
}

func (o *outlet) Write(_ context.Context, frame *audio.Frame) (err error) {
	if o.encoder == nil {
		return nil
	}
	if o.payload, err = o.encoder.Encode(o.payload[:0], frame); err != nil {
		return err
	}
	o.bytes.Add(uint64(len(o.payload)))
	return nil
}
