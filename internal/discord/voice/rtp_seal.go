package voice

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/crypto/chacha20poly1305"
)

// The modes of encryption, by Discord's names.
const (
	AES256GCM         = "aead_aes256_gcm_rtpsize"
	XChaCha20Poly1305 = "aead_xchacha20_poly1305_rtpsize"
)

// KeySize is the length of both modes' keys.
const KeySize = 32

const (
	tagSize     = 16
	counterSize = 4
	// Overhead is how much longer a packet without CSRC, extension and padding
	// is than its payload.
	Overhead = fixedSize + tagSize + counterSize
)

var (
	// ErrSealed is returned for a packet that does not open: it is another
	// key's, or somebody changed it.
	ErrSealed = errors.New("RTP packet does not decrypt")
	// ErrExhausted is returned when a key has sealed 2^32 packets, which is what
	// its counter has.
	ErrExhausted = errors.New("key has sealed all the packets it may")
)

// Choose returns which of the modes a server offers is to be used: the one the
// processor is fast at, if it is offered. It reports false if neither is.
func Choose(offered []string) (mode string, ok bool) {
	for _, mode := range []string{AES256GCM, XChaCha20Poly1305} {
		if slices.Contains(offered, mode) {
			return mode, true
		}
	}
	return "", false
}

func newAEAD(mode string, key []byte) (cipher.AEAD, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("key of %s has %d bytes, want %d", mode, len(key), KeySize)
	}
	switch mode {
	case AES256GCM:
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		return cipher.NewGCM(block)
	case XChaCha20Poly1305:
		return chacha20poly1305.NewX(key)
	}
	return nil, fmt.Errorf("unknown encryption mode %q", mode)
}

// Sealer encrypts the packets that one connection sends with one key. It counts
// its nonces. It is not safe for concurrent use.
type Sealer struct {
	aead    cipher.AEAD
	counter uint64 // of the next packet
	nonce   [chacha20poly1305.NonceSizeX]byte
}

// NewSealer returns a Sealer for a key nothing was sealed with yet.
func NewSealer(mode string, key []byte) (*Sealer, error) {
	aead, err := newAEAD(mode, key)
	if err != nil {
		return nil, err
	}
	return &Sealer{aead: aead}, nil
}

// Seal appends the encrypted packet to dst, which may not overlap payload. It
// allocates nothing if dst has room for the header, the payload and Overhead.
func (s *Sealer) Seal(dst []byte, h Header, payload []byte) ([]byte, error) {
	if s.counter > 0xffff_ffff {
		return nil, ErrExhausted
	}
	start := len(dst)
	dst, err := h.append(dst)
	if err != nil {
		return nil, err
	}
	head := len(dst)
	dst = append(dst, h.Extension...)
	dst = append(dst, payload...)
	if n := int(h.Padding); n > 0 {
		dst = slices.Grow(dst, n)[:len(dst)+n]
		clear(dst[len(dst)-n:])
		dst[len(dst)-1] = h.Padding
	}
	dst = slices.Grow(dst, tagSize+counterSize) // so that it is sealed in place
	nonce := s.nonce[:s.aead.NonceSize()]
	binary.BigEndian.PutUint32(nonce, uint32(s.counter))
	s.counter++
	body := s.aead.Seal(dst[head:head], nonce, dst[head:], dst[start:head])
	return append(dst[:head+len(body)], nonce[:counterSize]...), nil
}

// Opener decrypts the packets of one connection with one key. It is not safe
// for concurrent use.
type Opener struct {
	aead  cipher.AEAD
	nonce [chacha20poly1305.NonceSizeX]byte
}

// NewOpener returns an Opener.
func NewOpener(mode string, key []byte) (*Opener, error) {
	aead, err := newAEAD(mode, key)
	if err != nil {
		return nil, err
	}
	return &Opener{aead: aead}, nil
}

// Open decrypts a packet in place and takes padding and extension off. The
// payload aliases packet, which is of no other use any more, opened or not. It
// may be empty. Open fails with [ErrNotRTP], [ErrShort], [ErrSealed] or
// [ErrPadding], and allocates nothing.
func (o *Opener) Open(packet []byte) (Header, []byte, error) {
	h, words, err := parse(packet)
	if err != nil {
		return Header{}, nil, err
	}
	head := h.clearSize()
	if len(packet) < head+tagSize+counterSize {
		return Header{}, nil, ErrShort
	}
	padded := packet[0]&paddingBit != 0
	end := len(packet) - counterSize
	nonce := o.nonce[:o.aead.NonceSize()]
	copy(nonce, packet[end:])
	body, err := o.aead.Open(packet[head:head], nonce, packet[head:end], packet[:head])
	if err != nil {
		return Header{}, nil, ErrSealed
	}
	payload, err := h.strip(body, padded, words)
	if err != nil {
		return Header{}, nil, err
	}
	return h, payload, nil
}
