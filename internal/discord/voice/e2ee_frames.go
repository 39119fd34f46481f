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

// What a frame is refused for.
var (
	// ErrNotReady is returned for a frame that is to be sent while there are no
	// keys yet, or no more. It must not be sent.
	ErrNotReady = errors.New("end-to-end encryption has no keys yet")
	// ErrFramePadding is returned for an encrypted frame with the padding of its RTP
	// packet behind it.
	ErrFramePadding = errors.New("frame has padding behind it")
	// ErrNoKey is returned for a frame of somebody whose keys are not known.
	ErrNoKey = errors.New("frame is of a sender without keys")
	// ErrPlain is returned for a frame that is not encrypted and has to be.
	ErrPlain = errors.New("frame is not end-to-end encrypted")
	// ErrReplay is returned for a frame that was there before.
	ErrReplay = errors.New("frame was there before")
	// ErrTooOld is returned for a frame whose nonce or key is too far back.
	ErrTooOld = errors.New("frame is too old")
	// ErrTag is returned for a frame that was changed, or encrypted with a key of
	// another epoch.
	ErrTag = errors.New("frame does not decrypt")
)

const (
	silence      = "\xf8\xff\xfe"
	magic        = "\xfa\xfa"
	frameTagSize = 8
	// overhead is how much longer a frame is when it is encrypted: tag, nonce,
	// size and magic.
	overhead = frameTagSize + 5 + 1 + len(magic)
)

// MaxEncryptedFrameSize implements [godave.Session].
func (m *media) MaxEncryptedFrameSize(size int) int { return size + overhead + frameTagSize }

// MaxDecryptedFrameSize implements [godave.Session].
func (m *media) MaxDecryptedFrameSize(_ godave.UserID, size int) int { return size }

// Ready reports whether frames can be sent: encrypted, or at version 0 as they
// are.
func (m *media) Ready() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.version == 0 || m.canSend(time.Now())
}

// canSend reports whether there are keys to send with. The caller holds mu.
func (m *media) canSend(now time.Time) bool { return m.sending != nil && m.active.live(now) }

// live reports whether the epoch's keys may still be used.
func (e *epoch) live(now time.Time) bool { return e.expires.IsZero() || now.Before(e.expires) }

// own returns the stream of our own frames.
func (e *epoch) own(self uint64) *keyStream {
	return e.senders[godave.UserID(strconv.FormatUint(self, 10))]
}

// Encrypt encrypts an Opus frame into dst, which has MaxEncryptedFrameSize of it
// and may not overlap it, and returns its length. It fails with [ErrNotReady]
// rather than have a frame leave in the clear.
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

// Decrypt decrypts a user's frame into dst, which is as long as it is and may be
// the same, and returns the length. It fails with one of this package's errors,
// and counts which.
func (m *media) Decrypt(user godave.UserID, data, dst []byte) (n int, err error) {
	if len(dst) < len(data) {
		return 0, io.ErrShortBuffer
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err = m.decrypt(user, data, dst)
	m.note(err)
	return n, err
}

// decrypt is Decrypt under mu.
func (m *media) decrypt(user godave.UserID, data, dst []byte) (n int, err error) {
	defer func() {
		if recover() != nil { // of the library
			m.stats.Panics++
			n, err = 0, ErrTag
		}
	}()
	now := time.Now()
	if string(data) == silence { // which the server makes for those who are mute
		m.stats.PlainReceived++
		return copy(dst, data), nil
	}
	if !daveframe.LooksLikeDAVEFrame(data) {
		return m.letThrough(data, dst, now)
	}
	parsed, err := daveframe.Parse(data)
	if err != nil {
		return m.letThrough(data, dst, now)
	}
	err = ErrNoKey
	for i := -1; i < len(m.receiving); i++ {
		e := m.active
		if i >= 0 {
			e = m.receiving[len(m.receiving)-1-i] // the newest first
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

// letThrough passes on a frame that is not encrypted, if that is allowed now.
func (m *media) letThrough(data, dst []byte, now time.Time) (int, error) {
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

// note counts how a frame went. After too many that did not decrypt, and nothing
// under way that would explain it, the session begins anew. The caller holds mu.
func (m *media) note(err error) {
	if err == nil {
		m.failures = 0
		return
	}
	m.stats.Failed.note(err)
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
		m.wake()
	}
}

// isWaiting reports whether there are keys of an epoch to come. The caller holds mu.
func (m *media) isWaiting() bool {
	return slices.ContainsFunc(m.receiving, func(e *epoch) bool { return e.expires.IsZero() })
}

// openFrame decrypts what was parsed of data, and returns it in dst's array.
func openFrame(aead cipher.AEAD, dst, data []byte, parsed *daveframe.ParsedFrame) ([]byte, error) {
	var nonce [12]byte
	binary.LittleEndian.PutUint32(nonce[8:], parsed.TruncatedNonce)
	clear := parsed.UnencryptedRanges
	if len(clear) == 0 { // as Opus has it: the tag follows at once
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
