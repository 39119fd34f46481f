package terminal

import (
	"errors"
	"strings"
)

// Guests are the players who join the table through a link.
type Guests interface {
	// Guests returns the players' names.
	Guests() []string
	// Link returns the link for joining. RenewInvite creates a new one and invalidates the old.
	Link() string
	RenewInvite()
	// Remove removes a guest from the table and renews the invite in the same step.
	Remove(name string) error
}

// runGuestsOrder carries out /guests.
func (p *console) runGuestsOrder(rest string) (string, error) {
	guests := p.o.Guests
	if guests == nil {
		return "", errors.New("players can only join in a browser if you start with --browser")
	}
	how, name, _ := strings.Cut(rest, " ")
	switch strings.ToLower(how) {
	case "":
		here := "nobody has joined in a browser yet"
		if names := guests.Guests(); len(names) > 0 {
			here = "joined in a browser: " + strings.Join(names, ", ")
		}
		return here + "\nthe link: " + guests.Link(), nil
	case "remove":
		if err := guests.Remove(name); err != nil {
			return "", err
		}
		return strings.TrimSpace(name) + " has been removed, and the old link no longer works; the new one: " + guests.Link(), nil
	case "link":
		guests.RenewInvite()
		return "the old link no longer works; the new one: " + guests.Link(), nil
	}
	return "", errors.New("usage: /guests shows who has joined in a browser, /guests remove NAME removes a player, /guests link makes a new link")
}
