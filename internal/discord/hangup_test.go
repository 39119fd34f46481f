package discord

import (
	"context"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestHangingUpKeepsNoRight removes a DM's role and lets the former DM send a request that is
// cancelled at once. The answer cached two minutes ago must not count then.
func TestHangingUpKeepsNoRight(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	home := d.AddGuild("home")
	d.AddRole(home, "DM", 0)
	former := d.AddMember(home, "former")
	a, err := NewAccounts(config.Discord{DMRoles: []string{"DM"}, Token: config.Secret(d.Token()), APIURL: d.APIURL(), ClientSecret: "secret"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.known[leadsQuery{former, home}] = leadsAnswer{true, time.Now().Add(-2 * time.Minute)}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if leads, err := a.Leads(gone, "discord:"+former, home); leads || err != nil {
		t.Errorf("whoever hangs up leads: %t, %v; want what Discord says now", leads, err)
	}
}
