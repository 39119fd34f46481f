package speech

// Held is how many runes wait for more text.
func (s *Scrubber) Held() int { return len(s.text) }
