package discord

import (
	"context"
	"sync"
)

// consentStore keeps who does not want to be heard in a guild.
type consentStore interface {
	Declined(ctx context.Context, guild string) ([]string, error)
	Consent(ctx context.Context, guild, user string, heard bool) error
}

// consents are who does not want to be heard, in memory for the guilds that have
// had a session. It is safe for concurrent use.
type consents struct {
	store    consentStore
	sessions *sessions

	changing sync.Mutex // held while the store is read or changed

	mu       sync.Mutex                 // guards declined
	declined map[string]map[string]bool // users by guild: true are not heard
}

func newConsents(store consentStore, all *sessions) *consents {
	return &consents{store: store, sessions: all, declined: map[string]map[string]bool{}}
}

// isHeard reports whether a user is heard in a guild where a session runs. It
// does not wait.
func (c *consents) isHeard(guild, user string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.declined[guild][user]
}

// load learns who does not want to be heard in a guild.
func (c *consents) load(ctx context.Context, guild string) error {
	c.changing.Lock()
	defer c.changing.Unlock()
	all, err := c.store.Declined(ctx, guild)
	if err != nil {
		return err
	}
	set := map[string]bool{}
	for _, user := range all {
		set[user] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.declined[guild] = set
	return nil
}

// change keeps whether a user is heard from now on. What the table has not heard
// yet of somebody who is not is dropped.
func (c *consents) change(ctx context.Context, guild, user string, heard bool) error {
	c.changing.Lock()
	defer c.changing.Unlock()
	if err := c.store.Consent(ctx, guild, user, heard); err != nil {
		return err
	}
	c.mu.Lock()
	if set := c.declined[guild]; set != nil {
		set[user] = !heard
	}
	c.mu.Unlock()
	if r := c.sessions.find(guild); r != nil && !heard {
		r.inbox.dropUser(user)
	}
	return nil
}
