package discord_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/discord"
	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestWhoLeads: a DM role leads the games of its server, and so does the right to manage it if
// no DM role is set. The owner of the application leads every game.
func TestWhoLeads(t *testing.T) {
	d := discordtest.New(t, nil)
	home, other := d.AddGuild("home"), d.AddGuild("other")
	role, manager := d.AddRole(home, "Dungeon Master", 0), d.AddRole(home, "Keeper", discordtest.ManageGuild)
	dm, ana, keeper := d.AddMember(home, "dm", role), d.AddMember(home, "ana"), d.AddMember(home, "keeper", manager)
	stranger := d.AddMember(other, "stranger", d.AddRole(other, "dungeon master", 0))
	operator := d.AddMember(other, "operator")
	d.OwnApplication(operator)
	for _, tt := range []struct {
		name  string
		cfg   config.Discord
		leads map[string][]string // guilds by user
	}{
		{"roles", config.Discord{DMRoles: []string{"dungeon MASTER"}}, map[string][]string{
			dm: {home}, ana: nil, keeper: nil, stranger: {other}, operator: {home, other, "home"}, "1": nil,
		}},
		{"managers", config.Discord{}, map[string][]string{dm: nil, keeper: {home}, stranger: nil, operator: {home, other, "home"}}},
		{"one server", config.Discord{DMRoles: []string{role, "dungeon master"}, Guild: home}, map[string][]string{dm: {home}, stranger: nil}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.Token, tt.cfg.APIURL, tt.cfg.ClientSecret = config.Secret(d.Token()), d.APIURL(), "secret"
			a, err := discord.NewAccounts(tt.cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			for user, want := range tt.leads {
				var got []string
				for _, room := range []string{home, other, "home", "../" + home, "9" + home} {
					leads, err := a.Leads(t.Context(), "discord:"+user, room)
					if err != nil {
						t.Errorf("%s in %s: %v", user, room, err)
					}
					if leads && len(room) <= len(home) {
						got = append(got, room)
					}
					if again, err := a.Leads(t.Context(), "discord:"+user, room); again != leads || err != nil {
						t.Errorf("asked again, %s in %s: %t, %v", user, room, again, err)
					}
				}
				if len(got) != len(want) {
					t.Errorf("%s leads %q, want %q", user, got, want)
				}
			}
			for _, id := range []string{"", dm, "browser:" + dm} {
				if leads, err := a.Leads(t.Context(), id, home); leads || err != nil {
					t.Errorf("%q leads: %t, %v", id, leads, err)
				}
			}
		})
	}
}
