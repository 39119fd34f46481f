package discord

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/discord/voice"
)

// roleBot returns a bot with one guild in which user 11 is in a voice channel, with the state
// that its gateway keeps.
func roleBot(t *testing.T, dms dmRoles) (*Bot, *discordgo.Session) {
	t.Helper()
	s := &discordgo.Session{State: discordgo.NewState()}
	err := s.State.GuildAdd(&discordgo.Guild{ID: "1", OwnerID: "10", Roles: []*discordgo.Role{
		{ID: "1", Name: "@everyone"}, {ID: "21", Name: "Dungeon Master"}, {ID: "22", Name: "Manager", Permissions: discordgo.PermissionManageGuild},
	}})
	if err != nil {
		t.Fatal(err)
	}
	b := &Bot{cfg: config.Discord{DMRoles: dms}, voiceStates: newVoiceStates(), sessions: newSessions(nil)}
	b.dispatcher = &dispatcher{bot: b}
	member := &discordgo.Member{User: &discordgo.User{ID: "11"}, Nick: "Ana"}
	b.voiceStates.moveUser("1", b.occupantOf(s, "1", &discordgo.VoiceState{UserID: "11", ChannelID: "5"}, member))
	return b, s
}

// TestSpokenOrdersFollowRoles: the right to give orders aloud changes during a session with all
// news about roles: a message, an interaction, a changed or deleted role, a new owner.
func TestSpokenOrdersFollowRoles(t *testing.T) {
	says := func(b *Bot, s *discordgo.Session, roles ...string) {
		b.onMessageCreate(s, &discordgo.MessageCreate{Message: &discordgo.Message{
			ID: "7", GuildID: "1", ChannelID: "6", Author: &discordgo.User{ID: "11"}, Member: &discordgo.Member{Roles: roles},
		}})
	}
	asks := func(b *Bot, s *discordgo.Session, roles ...string) {
		b.dispatcher.onInteraction(s, &discordgo.InteractionCreate{Interaction: &discordgo.Interaction{
			GuildID: "1", Member: &discordgo.Member{User: &discordgo.User{ID: "11"}, Roles: roles},
		}})
	}
	type step struct {
		name string
		do   func(*Bot, *discordgo.Session)
		want bool
	}
	mute := step{"is muted, of whom no member is told", func(b *Bot, s *discordgo.Session) {
		b.onVoiceState(s, &discordgo.VoiceStateUpdate{VoiceState: &discordgo.VoiceState{GuildID: "1", UserID: "11", ChannelID: "5", Mute: true}})
	}, true}
	for name, row := range map[string]struct {
		dms   dmRoles
		steps []step
	}{
		"a role by name": {dmRoles{"dungeon master"}, []step{
			{"begins", func(*Bot, *discordgo.Session) {}, false},
			{"writes with the role", func(b *Bot, s *discordgo.Session) { says(b, s, "21") }, true},
			mute,
			{"gives a command without it", func(b *Bot, s *discordgo.Session) { asks(b, s, "22") }, false},
			{"gives one with it", func(b *Bot, s *discordgo.Session) { asks(b, s, "22", "21") }, true},
			{"the role is called otherwise", func(b *Bot, s *discordgo.Session) {
				_ = s.State.RoleAdd("1", &discordgo.Role{ID: "21", Name: "Scribe"})
				b.handleRolesChanged("1")
			}, false},
		}},
		"a role by id that is deleted": {dmRoles{"21"}, []step{
			{"writes with the role", func(b *Bot, s *discordgo.Session) { says(b, s, "21") }, true},
			{"it is deleted", func(b *Bot, s *discordgo.Session) {
				_ = s.State.RoleRemove("1", "21")
				b.handleRolesChanged("1")
			}, false},
		}},
		"the right to manage": {nil, []step{
			{"writes with the role", func(b *Bot, s *discordgo.Session) { says(b, s, "21", "22") }, true},
			{"the role loses the right", func(b *Bot, s *discordgo.Session) {
				_ = s.State.RoleAdd("1", &discordgo.Role{ID: "22", Name: "Manager"})
				b.handleRolesChanged("1")
			}, false},
			{"is given the server", func(b *Bot, s *discordgo.Session) {
				_ = s.State.GuildAdd(&discordgo.Guild{ID: "1", OwnerID: "11"})
				b.handleRolesChanged("1")
			}, true},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b, s := roleBot(t, row.dms)
			for _, st := range row.steps {
				st.do(b, s)
				if got := b.voiceStates.leads("1", "11"); got != st.want {
					t.Errorf("%s: may order: %t, want %t", st.name, got, st.want)
				}
			}
		})
	}
}

// TestWhoSpeaksIsAskedFor: the bot requests the roles of a user who begins to speak, at most
// once per rolesFor, and of no other user.
func TestWhoSpeaksIsAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told noted[string]
		r := testRoom(t, &told)
		r.roleRequests = make(chan string, maxRoleRequests)
		ts := &testSeats{here: map[string]int{}, user: map[string]string{}}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool, 2)
		var asked []time.Duration
		start := time.Now()
		go func() { done <- r.run(ctx, players{join: ts.join}) }()
		go func() {
			r.requestRoles(ctx, func(_ context.Context, user string) {
				if user != "11" {
					t.Errorf("asked for %s", user)
				}
				asked = append(asked, time.Since(start))
			})
			done <- false
		}()
		r.states.moveUser("1", occupant{user: "11", channel: "5", name: "Ana"})
		r.states.moveUser("1", occupant{user: "12", channel: "5", name: "Ben"})
		r.signalChanged()
		synctest.Wait()
		speak := func(at time.Duration) { // for one second
			time.Sleep(at - time.Since(start))
			for range 50 {
				r.handlePacket("11", voice.Packet{Payload: []byte{1}})
				time.Sleep(20 * time.Millisecond)
			}
		}
		for _, at := range []time.Duration{0, 10 * time.Second, 21 * time.Second, 30 * time.Second, 50 * time.Second} {
			speak(at)
		}
		synctest.Wait()
		if want := []time.Duration{21 * time.Second, 50 * time.Second}; !slices.Equal(asked, want) {
			t.Errorf("asked after %v, want %v", asked, want)
		}
		cancel()
		<-done
		<-done
	})
}
