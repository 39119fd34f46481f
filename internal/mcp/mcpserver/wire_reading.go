package mcpserver

import (
	"errors"
	"io"
)

// FirstRead is the initial buffer size for a message, in bytes. Few messages need more.
const FirstRead = 4 << 10

// ErrOverShare means that the sender has too much in progress already.
var ErrOverShare = errors.New("too much of what you sent is under way; wait for the answers, then send it again")

// Share bounds how many bytes the messages of one sender may hold together. It is safe for concurrent use.
type Share interface {
	// Take reserves n bytes, or returns false if that is too much.
	Take(n int64) bool
	// GiveBack returns n reserved bytes.
	GiveBack(n int64)
}

// Reading holds one message, during and after reading it. Free returns its bytes to the share.
type Reading struct {
	// Max is the maximum size of the message, in bytes.
	Max int64
	// Share bounds the memory for the message. If nil, only Max does.
	Share Share
	// Expect is the declared size of the message, in bytes; 0 or less means unknown. It avoids a buffer that
	// is too large for a short message.
	Expect int64

	shape Shape
	data  []byte // its capacity is what it holds of the share
}

// ReadAll reads r to its end. The error is [ErrOverShare], wraps [ErrTooLarge] (as a [*ShapeError] or because
// of the length), or comes from r. The bytes read before an error are kept.
func (b *Reading) ReadAll(r io.Reader) error {
	for {
		if len(b.data) == cap(b.data) {
			if err := b.grow(); err != nil {
				return err
			}
		}
		n, err := r.Read(b.data[len(b.data):cap(b.data)])
		read := b.data[len(b.data) : len(b.data)+n]
		b.data = b.data[:len(b.data)+n]
		if int64(len(b.data)) > b.Max {
			return ErrTooLarge
		}
		if _, broken := b.shape.Write(read); broken != nil {
			return broken
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// grow enlarges the buffer.
func (b *Reading) grow() error {
	room := min(max(FirstRead, 2*int64(cap(b.data))), b.Max+1)
	if b.data == nil && b.Expect > 0 {
		room = min(room, b.Expect+1) // one more byte, to detect the end
	}
	if b.Share != nil && !b.Share.Take(room-int64(cap(b.data))) {
		return ErrOverShare
	}
	larger := make([]byte, len(b.data), room)
	copy(larger, b.data)
	b.data = larger
	return nil
}

// Data returns what was read.
func (b *Reading) Data() []byte { return b.data }

// Free returns the held bytes to the share. Call it once, when reading has ended; the data remains valid.
func (b *Reading) Free() {
	if b.Share != nil {
		b.Share.GiveBack(int64(cap(b.data)))
	}
}
