package discord

import (
	"context"
	"regexp"
	"strings"
	"sync"
)

const (
	// privateName is the option of what only who asks, and DMs, are to see.
	privateName = "private"
	// maxPrivateRolls is how many private rolls DMs are shown.
	maxPrivateRolls = 5
)

// asides begin what players say to each other, and not as their characters.
var asides = regexp.MustCompile(`(?i)^(//|ooc\b|\(\(|ot:)`)

// outOfCharacter reports whether a message is none of the NPCs' business: it stands in
// brackets as a whole, or begins with // or ooc.
func outOfCharacter(text string) bool {
	text = strings.TrimSpace(text)
	if asides.MatchString(text) {
		return true
	}
	if !strings.HasPrefix(text, "(") || !strings.HasSuffix(text, ")") {
		return false
	}
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(text)-1 { // the rest is not in them
				return false
			}
		}
	}
	return true
}

// pauseSession has nothing heard until resumeSession.
func pauseSession(_ context.Context, c *call) (string, error) {
	return c.setPaused(true, SessionPaused, AlreadyPaused)
}

func resumeSession(_ context.Context, c *call) (string, error) {
	return c.setPaused(false, SessionResumed, NotPaused)
}

// setPaused pauses or resumes the session, and says so, or that it is so already.
func (c *call) setPaused(on bool, done, already Text) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	if r.paused.Swap(on) == on {
		return "", already.With()
	}
	if r.voice != nil {
		r.voice.paused.Store(on)
	}
	return c.say(done), nil
}

// privateRolls are the latest rolls that not everybody saw. The zero value has none. It
// is safe for concurrent use.
type privateRolls struct {
	mu  sync.Mutex // guards all
	all []string
}

func (p *privateRolls) note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, line)
	p.all = p.all[max(len(p.all)-maxPrivateRolls, 0):]
}

// latest are the rolls, the latest last.
func (p *privateRolls) latest() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.all...)
}
