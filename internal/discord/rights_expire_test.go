package discord

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestLeadingExpires: a user who loses the role, the application or the place in its team stops
// leading within one minute while Discord answers, and within ten minutes while it does not.
func TestLeadingExpires(t *testing.T) {
	type place struct {
		d          *discordtest.Server
		home, user string
	}
	rows := []struct {
		name      string
		give, end func(place)
		silent    bool // Discord does not answer after the end
		within    time.Duration
	}{
		{"role", func(p place) { p.d.SetRoles(p.home, p.user, p.d.AddRole(p.home, "Master", 0)) }, func(p place) { p.d.SetRoles(p.home, p.user) }, false, leadsFor},
		{"owner", func(p place) { p.d.OwnApplication(p.user) }, func(p place) { p.d.OwnApplication(p.d.AddMember(p.home, "heir")) }, false, leadsFor},
		{"team", func(p place) { p.d.OwnApplicationAsTeam(p.user) }, func(p place) { p.d.OwnApplicationAsTeam(p.d.AddMember(p.home, "heir")) }, false, leadsFor},
		{"owner_while_silent", func(p place) { p.d.OwnApplication(p.user) }, func(place) {}, true, leadsStale},
		{"role_while_silent", func(p place) { p.d.SetRoles(p.home, p.user, p.d.AddRole(p.home, "Master", 0)) }, func(place) {}, true, leadsStale},
	}
	for _, row := range rows {
		for _, second := range []int{0, 20, 59} { // when Discord is asked about the user after the end, first or again
			t.Run(fmt.Sprintf("%s/%d", row.name, second), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					pipes := discordtest.NewPipes()
					p := place{d: discordtest.New(t, &discordtest.Options{Listener: pipes})}
					p.home = p.d.AddGuild("home")
					p.user = p.d.AddMember(p.home, "dm")
					other := p.d.AddMember(p.home, "other")
					row.give(p)
					a, err := NewAccounts(config.Discord{Token: config.Secret(p.d.Token()), APIURL: p.d.APIURL(), ClientSecret: "secret", DMRoles: []string{"Master"}}, pipes.Dial)
					if err != nil {
						t.Fatal(err)
					}
					defer a.client.CloseIdleConnections()
					leads := func(user string) bool {
						is, err := a.Leads(t.Context(), "discord:"+user, p.home)
						if err != nil && !row.silent {
							t.Error(err)
						}
						return is
					}
					leads(other) // the bot knows the application from here on
					if (second == 0 || row.silent) && !leads(p.user) {
						t.Fatal("does not lead the game to begin with")
					}
					row.end(p)
					ended := time.Now()
					if row.silent {
						p.d.Disturb(func(string) discordtest.Fault { return discordtest.Fault{Status: 503} })
						p.d.TakeFaults()
					}
					time.Sleep(time.Duration(second) * time.Second)
					for time.Since(ended) < row.within {
						leads(p.user) // asking does not renew the right
						time.Sleep(time.Second)
					}
					if leads(p.user) {
						t.Errorf("leads the game after more than %v", row.within)
					}
				})
			})
		}
	}
}

// TestOthersAnswersStay: the cached answer about a dungeon master survives questions about
// thousands of accounts that lead nothing, and thousands of questions by one account.
func TestOthersAnswersStay(t *testing.T) {
	for name, other := range map[string]func(i int) leadsQuery{
		"accounts": func(i int) leadsQuery { return leadsQuery{fmt.Sprint("u", i), "1"} },
		"games":    func(i int) leadsQuery { return leadsQuery{"u", fmt.Sprint(i)} },
	} {
		a := &Accounts{known: map[leadsQuery]leadsAnswer{}}
		dm := leadsQuery{"dm", "1"}
		a.known[dm] = leadsAnswer{true, time.Now()}
		for i := range 5 * maxLeads {
			a.makeRoom()
			a.known[other(i)] = leadsAnswer{name == "games", time.Now()}
		}
		if _, ok := a.known[dm]; !ok || len(a.known) > maxLeads {
			t.Errorf("%s: of %d answers the DM's is there: %t", name, len(a.known), ok)
		}
	}
}

// TestSpokenRightsExpire: ten minutes after the last proof a DM gives no orders aloud, even
// without news to the contrary, and does again after Discord sends the roles.
func TestSpokenRightsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := roleBot(t, dmRoles{"Dungeon Master"})
		b.recordRoles("1", "11", &discordgo.Member{Roles: []string{"21"}})
		time.Sleep(leadsStale - time.Second)
		if !b.voiceStates.leads("1", "11") {
			t.Error("may not order within ten minutes")
		}
		b.onVoiceState(s, &discordgo.VoiceStateUpdate{VoiceState: &discordgo.VoiceState{GuildID: "1", UserID: "11", ChannelID: "5"}}) // without roles
		b.handleRolesChanged("1")
		time.Sleep(time.Second)
		if b.voiceStates.leads("1", "11") {
			t.Error("may order after ten minutes in which Discord told nothing")
		}
		b.recordRoles("1", "11", &discordgo.Member{Roles: []string{"21"}})
		if !b.voiceStates.leads("1", "11") {
			t.Error("may not order once Discord has told the role again")
		}
	})
}
