package discordtest

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/coder/websocket"
)

// compressFrom is the smallest size that payload compression compresses.
const compressFrom = 512

// packer compresses the payloads of one connection. Only the connection's
// writer uses it.
type packer struct {
	stream *zlib.Writer // transport compression, or nil
	buf    bytes.Buffer
}

func newPacker(stream bool) *packer {
	p := &packer{}
	if stream {
		p.stream = zlib.NewWriter(&p.buf)
	}
	return p
}

// pack returns the frame for a payload.
func (p *packer) pack(payload []byte, compress bool) (websocket.MessageType, []byte, error) {
	switch {
	case p.stream != nil:
		p.buf.Reset()
		if _, err := p.stream.Write(payload); err != nil {
			return 0, nil, err
		}
		if err := p.stream.Flush(); err != nil {
			return 0, nil, err
		}
		return websocket.MessageBinary, p.buf.Bytes(), nil
	case compress && len(payload) >= compressFrom:
		p.buf.Reset()
		z := zlib.NewWriter(&p.buf)
		if _, err := z.Write(payload); err != nil {
			return 0, nil, err
		}
		if err := z.Close(); err != nil {
			return 0, nil, err
		}
		return websocket.MessageBinary, p.buf.Bytes(), nil
	}
	return websocket.MessageText, payload, nil
}

// put writes one payload.
func (c *conn) put(ctx context.Context, payload []byte) error {
	c.s.mu.Lock()
	compress := c.session != nil && c.session.compress
	c.s.mu.Unlock()
	kind, data, err := c.pack.pack(payload, compress)
	if err != nil {
		return fmt.Errorf("compressing a payload: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return c.ws.Write(ctx, kind, data)
}

// mustJSON encodes values of this package's types only.
func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("discordtest: encoding %T: %v", v, err))
	}
	return data
}
