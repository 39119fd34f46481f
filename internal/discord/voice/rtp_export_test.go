package voice

import "slices"

// Exhaust leaves a Sealer one packet.
func Exhaust(s *Sealer) { s.counter = 0xffff_ffff }

// NewSealerUnchecked returns a function that seals bodies under headers whose first byte
// announces parts that the body lacks.
func NewSealerUnchecked(mode string, key []byte, first byte) (func(Header, []byte) []byte, error) {
	s, err := NewSealer(mode, key)
	if err != nil {
		return nil, err
	}
	return func(h Header, body []byte) []byte {
		head, err := h.append(nil)
		if err != nil {
			panic(err) // the test's own header is valid
		}
		head[0] |= first
		packet, _ := SealUnder(s, head, slices.Concat(h.Extension, body))
		return packet
	}, nil
}

// SealUnder seals a body under the header of a packet. It returns false if the packet has no
// valid header.
func SealUnder(s *Sealer, packet, body []byte) ([]byte, bool) {
	h, _, err := parse(packet)
	if err != nil {
		return nil, false
	}
	head := slices.Clone(packet[:h.clearSize()])
	nonce := s.nonce[:s.aead.NonceSize()]
	return append(s.aead.Seal(head, nonce, body, head), nonce[:counterSize]...), true
}
