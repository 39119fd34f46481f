package voice

import (
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/disgoorg/godave"
	daveframe "github.com/thomas-vilte/dave-go/frame"
	"github.com/thomas-vilte/dave-go/mediakeys"
)

const (
	// maxGenerationGap is how far a sender's key generation may be ahead of the last used one.
	maxGenerationGap = 250
	// replayWindow is how far below the highest nonce a new nonce may be.
	replayWindow = 1000
	codeDigits   = 30
	codeGroup    = 5
)

// epoch holds the keys of one epoch of a group: all members' for receiving, and our own for sending.
type epoch struct {
	number  uint64
	serial  int // of the group
	members []member
	senders map[godave.UserID]*keyStream
	code    string
	expires time.Time // zero while the epoch is active or pending
}

// newEpoch derives the keys of a group's current epoch.
func newEpoch(g *group, serial int) (*epoch, error) {
	number, err := g.epoch()
	if err != nil {
		return nil, fmt.Errorf("reading the epoch: %w", err)
	}
	members, err := g.members()
	if err != nil {
		return nil, err
	}
	e := &epoch{number: number, serial: serial, members: members, senders: make(map[godave.UserID]*keyStream, len(members))}
	for _, m := range members {
		secret, err := mediakeys.DeriveSenderBaseSecret(g, m.user)
		if err != nil {
			return nil, err
		}
		s, err := newStream(secret)
		if err != nil {
			return nil, err
		}
		e.senders[godave.UserID(strconv.FormatUint(m.user, 10))] = s
	}
	authenticator, err := g.client.EpochAuthenticator(context.Background(), g.id())
	if err != nil {
		return nil, fmt.Errorf("reading the epoch's authenticator: %w", err)
	}
	e.code, err = mediakeys.DisplayableCode(authenticator, codeDigits, codeGroup)
	return e, err
}

// keyStream holds the keys and nonces of one sender in one epoch.
type keyStream struct {
	ratchet *mediakeys.KeyRatchet

	aead       cipher.AEAD // of the current generation
	generation uint32

	sent     mediakeys.NonceCounter
	expander mediakeys.NonceExpander
	window   window
}

func newStream(secret []byte) (*keyStream, error) {
	ratchet, err := mediakeys.NewKeyRatchet(secret, mediakeys.WithMaxGenerationGap(maxGenerationGap), mediakeys.WithRetentionTTL(keyLife))
	if err != nil {
		return nil, err
	}
	return &keyStream{ratchet: ratchet}, nil
}

// key returns the cipher of a generation.
func (s *keyStream) key(generation uint32) (cipher.AEAD, error) {
	if s.aead != nil && s.generation == generation {
		return s.aead, nil
	}
	key, err := s.ratchet.GetKey(generation)
	if err != nil {
		return nil, err
	}
	return daveframe.NewGCM8(key)
}

// use stores the cipher of a generation after a frame has been authenticated with it.
func (s *keyStream) use(generation uint32, aead cipher.AEAD) {
	if s.aead != nil && generation <= s.generation {
		return
	}
	s.aead, s.generation = aead, generation
	s.ratchet.Commit(generation)
}

// seal encrypts a frame into dst, which must be large enough.
func (s *keyStream) seal(dst, plain []byte) (int, error) {
	_, nonce, generation := s.sent.Next()
	aead, err := s.key(generation)
	if err != nil {
		return 0, err
	}
	s.use(generation, aead)
	return daveframe.EncryptWithCipherInto(dst, daveframe.EncryptWithCipherParams{Plaintext: plain, Cipher: aead, TruncatedNonce: nonce})
}

// open decrypts a frame into dst. It accepts each nonce once.
func (s *keyStream) open(dst, data []byte, parsed *daveframe.ParsedFrame) (int, error) {
	nonce := s.expander.ExpandTentative(parsed.TruncatedNonce)
	generation := uint32(nonce >> 24)
	aead, err := s.key(generation)
	if errors.Is(err, mediakeys.ErrGenerationExpired) {
		return 0, ErrTooOld
	} else if err != nil {
		return 0, ErrTag
	}
	plain, err := openFrame(aead, dst, data, parsed)
	if err != nil {
		return 0, ErrTag
	}
	s.expander.Commit(nonce)
	s.use(generation, aead)
	if err := s.window.mark(nonce); err != nil {
		return 0, err
	}
	return copy(dst, plain), nil
}

// window tracks which of the latest nonces were used.
type window struct {
	highest uint64
	begun   bool
	bits    [replayWindow/64 + 1]uint64 // a ring, indexed by nonce
}

func (w *window) bit(nonce uint64) (word *uint64, mask uint64) {
	n := nonce % uint64(len(w.bits)*64)
	return &w.bits[n/64], 1 << (n % 64)
}

// mark records a nonce, or returns an error if it was used or is too old.
func (w *window) mark(nonce uint64) error {
	if !w.begun {
		w.begun, w.highest = true, nonce
	}
	if nonce+replayWindow < w.highest {
		return ErrTooOld
	}
	for skipped := nonce; skipped > w.highest && nonce-skipped < uint64(len(w.bits)*64); skipped-- {
		word, mask := w.bit(skipped)
		*word &^= mask
	}
	w.highest = max(w.highest, nonce)
	word, mask := w.bit(nonce)
	if *word&mask != 0 {
		return ErrReplay
	}
	*word |= mask
	return nil
}
