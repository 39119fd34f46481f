package mcpserver

import (
	"errors"
	"io"
)

// FirstRead is the room a message begins with, in bytes. Few need more.
const FirstRead = 4 << 10

// ErrOverShare means that whoever sent a message has too much under way already.
var ErrOverShare = errors.New("too much of what you sent is under way; wait for the answers, then send it again")

// Share is what the messages of one sender may hold together, in bytes. It is safe for
// concurrent use.
type Share interface {
	// Take has them hold n bytes more, and reports false if that is too much.
	Take(n int64) bool
	// GiveBack ends what Take began.
	GiveBack(n int64)
}

// Reading is one message while it is read, and after. Free gives back what it holds of
// the share.
type Reading struct {
	// Max is the longest message, in bytes.
	Max int64
	// Share is what room for the message is taken from. If nil, there is no other bound.
	Share Share
	// Expect is how long the message says that it is, in bytes; 0 or less is unknown.
	// Room for a short one is made to fit.
	Expect int64

	shape Shape
	data  []byte // its capacity is what is held
}

// ReadAll reads r to its end. Its error is [ErrOverShare], wraps [ErrTooLarge] (as a
// [*ShapeError], or for the length), or is that of r. What was read by then is kept.
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

// grow makes room for more.
func (b *Reading) grow() error {
	room := min(max(FirstRead, 2*int64(cap(b.data))), b.Max+1)
	if b.data == nil && b.Expect > 0 {
		room = min(room, b.Expect+1) // one to see that it ends
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

// Free gives back what the message holds. It is called once, when nothing is read any
// more; the data stays good.
func (b *Reading) Free() {
	if b.Share != nil {
		b.Share.GiveBack(int64(cap(b.data)))
	}
}
