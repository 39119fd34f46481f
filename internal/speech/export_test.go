package speech

// Held is how many runes wait for more text.
func (s *Scrubber) Held() int { return len(s.text) }

// Cardinal reads n in a language Speakable knows.
func Cardinal(language string, n int64) string { return lexiconOf(language).cardinal(n) }
