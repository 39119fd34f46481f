package speech

// Held returns how many runes are held back until more text comes.
func (s *Scrubber) Held() int { return len(s.text) }

// Cardinal reads n in a language that Speakable supports.
func Cardinal(language string, n int64) string { return lexiconOf(language).cardinal(n) }
