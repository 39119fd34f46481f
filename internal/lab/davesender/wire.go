package davesender

import (
	"encoding/binary"
	"errors"
)

var errCutOff = errors.New("MLS message is cut off")

// reader reads the presentation language of MLS (RFC 9420, section 2). After an
// error it reads zeros.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) bytes(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.rest) {
		r.err, r.rest = errCutOff, nil
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) uint(size int) (v uint64) {
	for _, b := range r.bytes(size) {
		v = v<<8 | uint64(b)
	}
	return v
}

// vector reads a length-prefixed vector.
func (r *reader) vector() []byte {
	if r.err != nil || len(r.rest) == 0 {
		r.err = errCutOff
		return nil
	}
	size := 1 << (r.rest[0] >> 6)
	if size > 4 {
		r.err = errCutOff
		return nil
	}
	return r.bytes(int(r.uint(size) &^ (3 << (8*size - 2))))
}

// appendVector appends a length-prefixed vector.
func appendVector(dst, v []byte) []byte {
	switch n := len(v); {
	case n < 1<<6:
		dst = append(dst, byte(n))
	case n < 1<<14:
		dst = binary.BigEndian.AppendUint16(dst, uint16(n)|1<<14)
	default:
		dst = binary.BigEndian.AppendUint32(dst, uint32(n)|2<<30)
	}
	return append(dst, v...)
}

// Numbers in MLS messages.
const (
	mls10         = 1
	publicMessage = 1

	senderMember   = 1
	senderExternal = 2

	contentProposal = 2
	contentCommit   = 3

	proposalAdd    = 1
	proposalRemove = 3

	basicCredential = 1

	leafOfKeyPackage = 1
	leafOfCommit     = 3

	orReference = 2 // to a proposal, in a commit
)
