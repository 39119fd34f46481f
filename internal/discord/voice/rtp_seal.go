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

// Encryption modes, by Discord's names.
const (
	AES256GCM         = "aead_aes256_gcm_rtpsize"
	XChaCha20Poly1305 = "aead_xchacha20_poly1305_rtpsize"
)

// KeySize is the key length of both modes, in bytes.
const KeySize = 32

const (
	tagSize     = 16
	counterSize = 4
	// Overhead is the number of bytes added to the payload of a packet without CSRC, extension and padding.
	Overhead = fixedSize + tagSize + counterSize
)

var (
	// ErrSealed is returned for a packet that does not decrypt: it has another key, or was altered.
	ErrSealed = errors.New("RTP packet does not decrypt")
	// ErrExhausted is returned when a key has sealed 2^32 packets, the range of its counter.
	ErrExhausted = errors.New("key has sealed all the packets it may")
)

// Choose selects one of the modes that a server offers, preferring AES-GCM because processors accelerate it.
// It returns false if neither mode is offered.
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

// Sealer encrypts the packets that a connection sends with one key, and counts the nonces. It is not safe for
// concurrent use.
type Sealer struct {
	aead    cipher.AEAD
	counter uint64 // for the next packet
	nonce   [chacha20poly1305.NonceSizeX]byte
}

// NewSealer returns a Sealer for an unused key.
func NewSealer(mode string, key []byte) (*Sealer, error) {
	aead, err := newAEAD(mode, key)
	if err != nil {
		return nil, err
	}
	return &Sealer{aead: aead}, nil
}

// Seal appends the encrypted packet to dst, which must not overlap payload. It does not allocate if dst has
// capacity for the header, the payload and Overhead.
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
	dst = slices.Grow(dst, tagSize+counterSize) // to seal in place
	nonce := s.nonce[:s.aead.NonceSize()]
	binary.BigEndian.PutUint32(nonce, uint32(s.counter))
	s.counter++
	body := s.aead.Seal(dst[head:head], nonce, dst[head:], dst[start:head])
	return append(dst[:head+len(body)], nonce[:counterSize]...), nil
}

// Opener decrypts the packets of a connection with one key. It is not safe for concurrent use.
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

// Open decrypts a packet in place and removes padding and extension. The payload aliases packet and may be
// empty. After the call, even a failed one, packet must not be used otherwise. Open returns [ErrNotRTP],
// [ErrShort], [ErrSealed] or [ErrPadding], and does not allocate.
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
