package discord

import (
	"context"
	"regexp"
	"strings"
	"sync"
)

const (
	// privateName is the option that shows a result only to the user and DMs.
	privateName = "private"
	// maxPrivateRolls bounds the private rolls shown to DMs.
	maxPrivateRolls = 5
)

// asides match messages that players write to each other out of character.
var asides = regexp.MustCompile(`(?i)^(//|ooc\b|\(\(|ot:)`)

// outOfCharacter reports whether a message is not meant for the NPCs: it begins with a mark such as // or
// ooc, or is completely in brackets.
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
			if depth--; depth == 0 && i < len(text)-1 { // text follows the closing bracket
				return false
			}
		}
	}
	return true
}

// pauseSession ignores messages and speech until resumeSession.
func pauseSession(_ context.Context, c *call) (string, error) {
	return c.setPaused(true, SessionPaused, AlreadyPaused)
}

func resumeSession(_ context.Context, c *call) (string, error) {
	return c.setPaused(false, SessionResumed, NotPaused)
}

// setPaused pauses or resumes the session. It returns already as an error if nothing changes.
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
	return c.format(done), nil
}

// privateRolls are the latest private rolls. The zero value is empty. It is safe for concurrent use.
type privateRolls struct {
	mu  sync.Mutex // guards all
	all []string
}

func (p *privateRolls) add(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, line)
	p.all = p.all[max(len(p.all)-maxPrivateRolls, 0):]
}

// latest returns the rolls, latest last.
func (p *privateRolls) latest() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.all...)
}
