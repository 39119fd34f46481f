package voice

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/disgoorg/godave"
	"github.com/thomas-vilte/dave-go/mediakeys"
	"golang.org/x/crypto/scrypt"
)

// Parameters of a fingerprint of two users, as the protocol defines them. Its version is 0.
const (
	fingerprintSalt = "\x24\xca\xb1\x7a\x7a\xf8\xec\x2b\x82\xb4\x12\xb9\x2d\xab\x19\x2e"
	fingerprintSize = 64
	fingerprintCost = 1 << 14
	pairDigits      = 45
)

// ErrNotMember is returned for a user who is not in the group.
var ErrNotMember = errors.New("user is not in the encrypted group")

// VerificationCode returns the 45 digits that a user sees for us if no one is between. It takes about 100 ms
// and 16 MB.
func (s *Group) VerificationCode(user godave.UserID) (string, error) {
	s.mu.Lock()
	var members []member // immutable
	if s.active != nil && s.version > 0 {
		members = s.active.members
	}
	s.mu.Unlock()
	var parts [][]byte
	for _, m := range members {
		if m.user == s.self || strconv.FormatUint(m.user, 10) == string(user) {
			part := append([]byte{0, 0}, m.key...)
			parts = append(parts, binary.BigEndian.AppendUint64(part, m.user))
		}
	}
	if len(parts) != 2 {
		return "", ErrNotMember
	}
	slices.SortFunc(parts, bytes.Compare)
	fingerprint, err := scrypt.Key(slices.Concat(parts...), []byte(fingerprintSalt), fingerprintCost, 8, 2, fingerprintSize)
	if err != nil {
		return "", fmt.Errorf("making a fingerprint: %w", err)
	}
	return mediakeys.DisplayableCode(fingerprint, pairDigits, codeGroup)
}
