package discord

import (
	"context"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/play"
)

// consents caches which users declined to be heard, for the guilds that have had a session. It is safe for
// concurrent use.
type consents struct {
	sessions *sessions

	changing sync.Mutex // held while stored consents are read or changed

	mu       sync.Mutex                 // guards declined
	declined map[string]map[string]bool // by guild and user; true means not heard
}

func newConsents(all *sessions) *consents {
	return &consents{sessions: all, declined: map[string]map[string]bool{}}
}

// isHeard reports whether a user may be heard in a guild with a running session. It does not block.
func (c *consents) isHeard(guild, user string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.declined[guild][user]
}

// loadDeclined loads the users of a guild who declined to be heard.
func (c *consents) loadDeclined(ctx context.Context, g *play.Guild) error {
	c.changing.Lock()
	defer c.changing.Unlock()
	all, err := g.Declined(ctx)
	if err != nil {
		return err
	}
	set := map[string]bool{}
	for _, user := range all {
		set[user] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.declined[g.ID()] = set
	return nil
}

// setHeard stores whether a user may be heard. If not, it drops the user's messages that the table has not
// heard yet.
func (c *consents) setHeard(ctx context.Context, g *play.Guild, user string, heard bool) error {
	c.changing.Lock()
	defer c.changing.Unlock()
	if err := g.SetConsent(ctx, user, heard); err != nil {
		return err
	}
	c.mu.Lock()
	if set := c.declined[g.ID()]; set != nil {
		set[user] = !heard
	}
	c.mu.Unlock()
	if r := c.sessions.findSession(g.ID()); r != nil {
		if !heard {
			r.inbox.dropUser(user)
		}
		if r.voice != nil {
			r.voice.signalChanged()
		}
	}
	return nil
}
