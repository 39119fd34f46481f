package voice

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/disgoorg/godave"
	daveframe "github.com/thomas-vilte/dave-go/frame"
)

// Errors of frames.
var (
	// ErrNotReady is returned for an outgoing frame when there are no valid keys. The frame must not be sent.
	ErrNotReady = errors.New("end-to-end encryption has no keys yet")
	// ErrFramePadding is returned for an encrypted frame that still has its RTP packet's padding.
	ErrFramePadding = errors.New("frame has padding behind it")
	// ErrNoKey is returned for a frame of a sender whose keys are unknown.
	ErrNoKey = errors.New("frame is of a sender without keys")
	// ErrPlain is returned for an unencrypted frame that should be encrypted.
	ErrPlain = errors.New("frame is not end-to-end encrypted")
	// ErrReplay is returned for a repeated frame.
	ErrReplay = errors.New("frame was there before")
	// ErrTooOld is returned for a frame whose nonce or key is too old.
	ErrTooOld = errors.New("frame is too old")
	// ErrTag is returned for a frame that was altered, or encrypted with a key of another epoch.
	ErrTag = errors.New("frame does not decrypt")
)

const (
	silence      = "\xf8\xff\xfe"
	magic        = "\xfa\xfa"
	frameTagSize = 8
	// overhead is the number of bytes that encryption adds to a frame: tag, nonce, size and magic.
	overhead = frameTagSize + 5 + 1 + len(magic)
)

// MaxEncryptedFrameSize implements [godave.Session].
func (m *media) MaxEncryptedFrameSize(size int) int { return size + overhead + frameTagSize }

// MaxDecryptedFrameSize implements [godave.Session].
func (m *media) MaxDecryptedFrameSize(_ godave.UserID, size int) int { return size }

// Ready reports whether frames can be sent: encrypted, or in the clear at version 0.
func (m *media) Ready() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.version == 0 || m.canSend(time.Now())
}

// canSend reports whether there are keys for sending. The caller must hold mu.
func (m *media) canSend(now time.Time) bool { return m.sending != nil && m.active.live(now) }

// live reports whether the epoch's keys may still be used.
func (e *epoch) live(now time.Time) bool { return e.expires.IsZero() || now.Before(e.expires) }

// own returns our own key stream.
func (e *epoch) own(self uint64) *keyStream {
	return e.senders[godave.UserID(strconv.FormatUint(self, 10))]
}

// Encrypt encrypts an Opus frame into dst and returns the length. dst must have MaxEncryptedFrameSize bytes
// and must not overlap plain. Encrypt returns [ErrNotReady] rather than let a frame leave unencrypted.
func (m *media) Encrypt(_ uint32, plain, dst []byte) (n int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.version == 0 {
		if len(dst) < len(plain) {
			return 0, io.ErrShortBuffer
		}
		m.stats.PlainSent++
		return copy(dst, plain), nil
	}
	if !m.canSend(time.Now()) {
		m.stats.NotReady++
		return 0, ErrNotReady
	}
	if len(dst) < m.MaxEncryptedFrameSize(len(plain)) {
		return 0, io.ErrShortBuffer
	}
	if n, err = m.sending.seal(dst, plain); err != nil {
		return 0, err
	}
	m.stats.Encrypted++
	return n, nil
}

// Decrypt decrypts a user's frame into dst and returns the length. dst must be at least as long as data and
// may be the same slice. Decrypt returns one of this package's errors, and counts it.
func (m *media) Decrypt(user godave.UserID, data, dst []byte) (n int, err error) {
	if len(dst) < len(data) {
		return 0, io.ErrShortBuffer
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err = m.decrypt(user, data, dst)
	m.countResult(err)
	return n, err
}

// decrypt is Decrypt for callers that hold mu.
func (m *media) decrypt(user godave.UserID, data, dst []byte) (n int, err error) {
	defer func() {
		if recover() != nil { // a panic of the library
			m.stats.Panics++
			n, err = 0, ErrTag
		}
	}()
	now := time.Now()
	if string(data) == silence { // the server sends it for muted users
		m.stats.PlainReceived++
		return copy(dst, data), nil
	}
	if !daveframe.LooksLikeDAVEFrame(data) {
		return m.passUnencrypted(data, dst, now)
	}
	parsed, err := daveframe.Parse(data)
	if err != nil {
		return m.passUnencrypted(data, dst, now)
	}
	err = ErrNoKey
	for i := -1; i < len(m.receiving); i++ {
		e := m.active
		if i >= 0 {
			e = m.receiving[len(m.receiving)-1-i] // newest first
		}
		if e == nil || !e.live(now) || e.senders[user] == nil {
			continue
		}
		n, failed := e.senders[user].open(dst, data, parsed)
		if failed == nil {
			m.stats.Decrypted++
			return n, nil
		}
		if err == ErrNoKey || errors.Is(err, ErrTag) {
			err = failed
		}
		if errors.Is(failed, ErrReplay) {
			break
		}
	}
	return 0, err
}

// passUnencrypted returns an unencrypted frame if that is allowed now.
func (m *media) passUnencrypted(data, dst []byte, now time.Time) (int, error) {
	if m.version == 0 || now.Before(m.passUntil) {
		m.stats.PlainReceived++
		return copy(dst, data), nil
	}
	if n := len(data); n > 0 {
		if pad := int(data[n-1]); pad > 0 && pad+len(magic) < n && string(data[n-pad-len(magic):n-pad]) == magic {
			return 0, ErrFramePadding
		}
	}
	return 0, ErrPlain
}

// countResult counts the result of a frame. After too many failures that no pending transition explains, the session
// starts over. The caller must hold mu.
func (m *media) countResult(err error) {
	if err == nil {
		m.failures = 0
		return
	}
	m.stats.Failed.count(err)
	if !errors.Is(err, ErrNoKey) && !errors.Is(err, ErrTag) && !errors.Is(err, ErrTooOld) {
		return // new keys would not help
	}
	now := time.Now()
	if m.active == nil || !m.active.expires.IsZero() || m.isWaiting() {
		return
	}
	m.failures++
	if m.failures > maxGroupFailures && !m.failing && !now.Before(m.recoverAfter) {
		m.failing = true
		m.signalTick()
	}
}

// isWaiting reports whether an epoch with new keys is pending. The caller must hold mu.
func (m *media) isWaiting() bool {
	return slices.ContainsFunc(m.receiving, func(e *epoch) bool { return e.expires.IsZero() })
}

// openFrame decrypts a parsed frame, and returns the result in dst's array.
func openFrame(aead cipher.AEAD, dst, data []byte, parsed *daveframe.ParsedFrame) ([]byte, error) {
	var nonce [12]byte
	binary.LittleEndian.PutUint32(nonce[8:], parsed.TruncatedNonce)
	clear := parsed.UnencryptedRanges
	if len(clear) == 0 { // as for Opus: the tag follows the ciphertext directly
		return aead.Open(dst[:0], nonce[:], data[:len(parsed.InterleavedFrame)+frameTagSize], nil)
	}
	sealed := append(daveframe.ExtractCiphertext(parsed.InterleavedFrame, clear), parsed.Tag...)
	var with []byte
	for _, r := range clear {
		with = append(with, parsed.InterleavedFrame[r.Offset:r.Offset+r.Length]...)
	}
	plain, err := aead.Open(nil, nonce[:], sealed, with)
	if err != nil {
		return nil, err
	}
	return daveframe.ReconstructPlaintext(parsed.InterleavedFrame, plain, clear), nil
}
