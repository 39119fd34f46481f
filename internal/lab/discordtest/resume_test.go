package discordtest_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// table is a guild with a channel, a player and a listening bot.
type table struct {
	s              *discordtest.Server
	dg             *discordgo.Session
	guild, channel string
	player         string
	heard          *inbox[*discordgo.MessageCreate]
}

func sit(t *testing.T, o *discordtest.Options) *table {
	t.Helper()
	s := discordtest.New(t, o)
	x := &table{s: s, heard: newInbox[*discordgo.MessageCreate]()}
	x.guild = s.AddGuild("Waterdeep")
	x.channel = s.AddChannel(x.guild, "tavern")
	x.player = s.AddMember(x.guild, "Alice")
	x.dg = client(t, s)
	x.dg.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) {
		if m.Author.ID == x.player {
			x.heard.put(m)
		}
	})
	open(t, s, x.dg)
	return x
}

// lines returns the text of the first n messages.
func (x *table) lines(t *testing.T, n int) []string {
	t.Helper()
	var all []string
	for _, m := range x.heard.wait(t, n) {
		all = append(all, m.Content)
	}
	return all
}

func (x *table) connections(t *testing.T, what string, match func([]discordtest.Connection) bool) []discordtest.Connection {
	t.Helper()
	if err := x.s.AwaitConnections(t.Context(), match); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return x.s.Connections()
}

// resumed reports whether the second connection resumed.
func resumed(all []discordtest.Connection) bool { return len(all) == 2 && all[1].Resumed }

func TestResume(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(*discordtest.Server)
	}{
		{"connection_dropped", (*discordtest.Server).DropConnections},
		{"reconnect_requested", (*discordtest.Server).RequestReconnect},
		{"closed_with_4000", func(s *discordtest.Server) { s.CloseConnections(discordtest.CloseUnknownError, "") }},
		{"invalid_but_resumable", func(s *discordtest.Server) { s.InvalidateSessions(true) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := sit(t, nil)
			x.s.Say(x.channel, x.player, "before", nil)
			x.lines(t, 1)
			tt.do(x.s)
			x.s.Say(x.channel, x.player, "while away", nil)
			all := x.connections(t, "resuming", resumed)
			x.s.Say(x.channel, x.player, "after", nil)
			if got, want := x.lines(t, 3), []string{"before", "while away", "after"}; !slices.Equal(got, want) {
				t.Errorf("heard %q, want %q", got, want)
			}
			if all[1].Session != all[0].Session || all[1].Sequence == 0 {
				t.Errorf("second connection = %+v, want the session of the first and its sequence", all[1])
			}
		})
	}
}

func TestIdentifyAnew(t *testing.T) {
	t.Parallel()
	x := sit(t, nil)
	x.s.InvalidateSessions(false)
	all := x.connections(t, "identifying", func(all []discordtest.Connection) bool {
		return len(all) == 2 && all[1].Session != "" && all[1].Open
	})
	if all[1].Resumed || all[1].Session == all[0].Session {
		t.Errorf("second connection = %+v, want a new session", all[1])
	}
	x.s.Say(x.channel, x.player, "again", nil)
	if got := x.lines(t, 1); got[0] != "again" {
		t.Errorf("heard %q, want again", got)
	}
}

func TestHeartbeats(t *testing.T) {
	t.Parallel()
	x := sit(t, &discordtest.Options{Heartbeat: 100 * time.Millisecond})
	x.connections(t, "heartbeats", func(all []discordtest.Connection) bool { return all[0].Heartbeats > 2 })
	n := x.s.Connections()[0].Heartbeats
	x.s.RequestHeartbeat()
	x.connections(t, "requested heartbeat", func(all []discordtest.Connection) bool { return all[0].Heartbeats > n })
}

// TestZombie leaves heartbeats unanswered and checks that the client
// disconnects. discordgo closes with 1000, which ends its session.
func TestZombie(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t, &discordtest.Options{Heartbeat: 300 * time.Millisecond})
	dg := client(t, s)
	dg.ShouldReconnectOnError = false
	s.SwallowHeartbeats(1000)
	if err := dg.Open(); err != nil {
		t.Fatal(err)
	}
	if err := s.AwaitConnections(t.Context(), func(all []discordtest.Connection) bool { return !all[0].Open }); err != nil {
		t.Fatal(err)
	}
	if got := s.Connections()[0]; !got.ByClient || got.CloseCode != 1000 {
		t.Errorf("connection = %+v, want it closed by the client", got)
	}
}

// TestRefusedIdentify checks the close codes after which a client must not
// reconnect.
func TestRefusedIdentify(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		opts   discordtest.Options
		change func(*discordtest.Server, *discordgo.Session)
		want   int
		faults int
	}{
		{name: "token_invalid", want: discordtest.CloseAuthenticationFailed,
			change: func(_ *discordtest.Server, dg *discordgo.Session) { dg.Identify.Token = "Bot wrong" }},
		{name: "intents_disallowed", want: discordtest.CloseDisallowedIntents, opts: discordtest.Options{Intents: discordtest.IntentGuildMembers},
			change: func(*discordtest.Server, *discordgo.Session) {}},
		{name: "intents_invalid", want: discordtest.CloseInvalidIntents, faults: 1,
			change: func(_ *discordtest.Server, dg *discordgo.Session) { dg.Identify.Intents = 1 << 30 }},
		{name: "shard_invalid", want: discordtest.CloseInvalidShard, faults: 1,
			change: func(_ *discordtest.Server, dg *discordgo.Session) { dg.Identify.Shard = &[2]int{3, 2} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := discordtest.New(t, &tt.opts)
			dg := client(t, s)
			dg.ShouldReconnectOnError = false
			tt.change(s, dg)
			if err := dg.Open(); err == nil {
				t.Error("opening succeeded")
			}
			if err := s.AwaitConnections(t.Context(), func(all []discordtest.Connection) bool { return !all[0].Open }); err != nil {
				t.Fatal(err)
			}
			if got := s.Connections()[0]; got.CloseCode != tt.want || got.ByClient {
				t.Errorf("closed with %d (by the client: %v), want %d", got.CloseCode, got.ByClient, tt.want)
			}
			if got := s.TakeFaults(); len(got) != tt.faults {
				t.Errorf("faults = %q, want %d", got, tt.faults)
			}
		})
	}
}

func TestTokenRevoked(t *testing.T) {
	t.Parallel()
	x := sit(t, nil)
	x.dg.ShouldReconnectOnError = false
	x.s.InvalidateToken()
	x.connections(t, "closing", func(all []discordtest.Connection) bool {
		return !all[0].Open && all[0].CloseCode == discordtest.CloseAuthenticationFailed
	})
	_, err := x.dg.User("@me")
	if rest, ok := err.(*discordgo.RESTError); !ok || rest.Response.StatusCode != 401 {
		t.Errorf("a call with a revoked token: %v, want 401", err)
	}
}

func TestShards(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t, &discordtest.Options{Shards: 2, MaxConcurrency: 2})
	channels, players := map[string]string{}, map[string]string{}
	for i := range 6 {
		g := s.AddGuild(fmt.Sprintf("Guild %d", i))
		channels[g], players[g] = s.AddChannel(g, "tavern"), s.AddMember(g, "Alice")
	}
	heard := []*inbox[string]{newInbox[string](), newInbox[string]()}
	for shard := range 2 {
		dg := client(t, s)
		dg.ShardID, dg.ShardCount = shard, 2
		dg.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { heard[shard].put(m.GuildID) })
		open(t, s, dg)
	}
	want := make([]int, 2)
	for g, ch := range channels {
		id, err := strconv.ParseUint(g, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		want[(id>>22)%2]++
		s.Say(ch, players[g], "hello", nil)
	}
	for shard := range 2 {
		if want[shard] != 3 {
			t.Errorf("shard %d has %d guilds, want 3: guilds do not spread", shard, want[shard])
		}
		for _, g := range heard[shard].wait(t, want[shard]) {
			if id, _ := strconv.ParseUint(g, 10, 64); int(id>>22)%2 != shard {
				t.Errorf("shard %d heard of guild %s, which is not its own", shard, g)
			}
		}
	}
	bot, err := client(t, s).GatewayBot()
	if err != nil || bot.Shards != 2 || bot.SessionStartLimit.MaxConcurrency != 2 || bot.SessionStartLimit.Remaining != 998 {
		t.Errorf("gateway/bot = %+v, %v, want 2 shards, 998 starts left", bot, err)
	}
}
