package voice

// SkipFrames advances the frame counter without sending.
func SkipFrames(s *Group, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range n {
		s.sending.sent.Next()
	}
}
