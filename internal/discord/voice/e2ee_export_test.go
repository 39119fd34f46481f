package voice

// SkipFrames has a session count frames that it does not send.
func SkipFrames(s *Group, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range n {
		s.sending.sent.Next()
	}
}
