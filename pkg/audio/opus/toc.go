package opus

import "fmt"

// samplesPerFrame returns the number of samples at 48 kHz per frame of a payload with the given TOC byte (RFC
// 6716, section 3.1).
func samplesPerFrame(toc byte) int {
	config := toc >> 3
	switch {
	case config < 12: // SILK
		return [4]int{480, 960, 1920, 2880}[config%4]
	case config < 16: // hybrid
		return [2]int{480, 960}[config%2]
	}
	return 120 << (config % 4) // CELT
}

// validate refuses malformed payloads and those of a duration other than 20 ms.
func validate(payload []byte) error {
	if len(payload) == 0 || len(payload) > MaxPayload {
		return fmt.Errorf("%w: %d bytes", ErrPayload, len(payload))
	}
	count := 1
	switch payload[0] & 3 { // section 3.2
	case 1, 2:
		count = 2
	case 3:
		if len(payload) < 2 {
			return fmt.Errorf("%w: cut off", ErrPayload)
		}
		count = int(payload[1] & 0x3f)
	}
	if n := count * samplesPerFrame(payload[0]); n != 960 {
		return fmt.Errorf("%w: %d samples at 48 kHz", ErrDuration, n)
	}
	return nil
}
