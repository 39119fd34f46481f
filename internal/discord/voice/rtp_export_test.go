package voice

import "slices"

// Exhaust leaves a Sealer one packet.
func Exhaust(s *Sealer) { s.counter = 0xffff_ffff }

// NewSealerUnchecked returns what seals bodies under headers whose first byte
// promises more than they have.
func NewSealerUnchecked(mode string, key []byte, first byte) (func(Header, []byte) []byte, error) {
	s, err := NewSealer(mode, key)
	if err != nil {
		return nil, err
	}
	return func(h Header, body []byte) []byte {
		head, err := h.append(nil)
		if err != nil {
			panic(err) // the test's own header
		}
		head[0] |= first
		packet, _ := SealUnder(s, head, slices.Concat(h.Extension, body))
		return packet
	}, nil
}

// SealUnder seals a body under the header that a packet begins with. It reports
// false if there is none.
func SealUnder(s *Sealer, packet, body []byte) ([]byte, bool) {
	h, _, err := parse(packet)
	if err != nil {
		return nil, false
	}
	head := slices.Clone(packet[:h.clearSize()])
	nonce := s.nonce[:s.aead.NonceSize()]
	return append(s.aead.Seal(head, nonce, body, head), nonce[:counterSize]...), true
}
