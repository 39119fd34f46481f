//go:build unix

package main_test

import (
	"bufio"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// guild is a server on the test's own Discord, with a dungeon master, a player
// and a channel to play in.
type guild struct {
	d                                *discordtest.Server
	id, name, channel, dm, ana, role string
}

// tavern is a table with two NPCs that use stock phrases.
const tavern = `
languages: [en]
campaign: {name: The Flagon, scene: A foggy evening.}
providers: {llm: offline, tts: silent, stt: none, embeddings: none}
server: {listen: "127.0.0.1:0"}
npcs:
  - name: Bartok
    budget_tier: fast
    avatar: https://example.com/bartok.png
    lines: {greeting: ["Welcome to the Flagon."], smalltalk: ["Foggy out there."], unknown: ["No idea."]}
  - name: Mira
    tools: [roll]
    lines: {greeting: ["Mind the gap."], roll: ["Here they go. {answer}"], unknown: ["Ask the river."]}
discord:
  token: ${DISCORD_TOKEN:-}
  api_url: %s
  dm_roles: [Dungeon Master]
`

func newGuild(t testing.TB, d *discordtest.Server, name string) *guild {
	t.Helper()
	g := &guild{d: d, id: d.AddGuild(name), name: name}
	g.role = d.AddRole(g.id, "Dungeon Master", 0)
	g.channel = d.AddChannel(g.id, "table")
	g.dm, g.ana = d.AddMember(g.id, name+"-dm", g.role), d.AddMember(g.id, name+"-ana")
	d.SetNick(g.id, g.ana, "Ana")
	return g
}

// bot starts the program as the bot of Discord d.
func (h *program) bot(d *discordtest.Server, config string, flags ...string) *session {
	h.t.Helper()
	h.write("glyphoxa.yaml", fmt.Sprintf(config, d.APIURL()))
	h.set("DISCORD_TOKEN", d.Token())
	h.secrets = append(h.secrets, d.Token())
	before := len(d.Connections())
	s := h.start(append([]string{"run"}, flags...)...)
	err := d.AwaitConnections(h.t.Context(), func(all []discordtest.Connection) bool {
		return len(all) > before && all[len(all)-1].Session != ""
	})
	if err != nil {
		h.t.Fatalf("%v; stderr: %s", err, s.errs.String())
	}
	if err := d.AwaitCommands(h.t.Context(), ""); err != nil {
		h.t.Fatal(err)
	}
	return s
}

// gives lets a user give a command and returns the answer.
func (g *guild) gives(t testing.TB, user, command string, options ...discordtest.Option) discordtest.Message {
	t.Helper()
	i, err := g.d.Command(user, g.channel, command, options...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := i.Answer(t.Context())
	if err != nil {
		t.Fatalf("/%s: %v", command, err)
	}
	return m
}

// answers requires that an answer contains words.
func answers(t testing.TB, m discordtest.Message, private bool, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(m.Content, w) {
			t.Errorf("answer %q, want %q in it", m.Content, w)
		}
	}
	if m.Ephemeral() != private {
		t.Errorf("answer %q is private: %t, want %t", m.Content, m.Ephemeral(), private)
	}
}

// hears waits for an NPC's line that contains words.
func (g *guild) hears(t testing.TB, channel, npc, words string) discordtest.Message {
	t.Helper()
	m, err := g.d.AwaitMessage(t.Context(), channel, func(m discordtest.Message) bool {
		return m.WebhookID != "" && m.Author.Username == npc && strings.Contains(m.Content, words)
	})
	if err != nil {
		t.Fatalf("waiting for %s to say %q: %v", npc, words, err)
	}
	return m
}

func opt(name string, value any) discordtest.Option {
	return discordtest.Option{Name: name, Value: value}
}

func (s *session) stop() result {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	return s.ended()
}

// TestDiscordEvenings lets one bot play many evenings, each in its own server.
func TestDiscordEvenings(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	h := newProgram(t)
	s := h.bot(d, tavern)
	for _, row := range []struct {
		name string
		play func(*testing.T, *program, *discordtest.Server)
	}{
		{"a table", playATable},
		{"nobody else is heard", hearNobodyElse},
		{"a thread", playInAThread},
		{"the form of an entity", fillInEntities},
		{"two dungeon masters", obeyTwoDungeonMasters},
		{"NPCs are suggested", suggestNPCs},
		{"entities are suggested", suggestEntities},
		{"without a session", obeyWithoutASession},
		{"a removal is confirmed", confirmARemoval},
		{"an import", importACampaign},
		{"ten guilds at once", playInTenGuilds},
		{"without webhooks", playWithoutWebhooks},
		{"many commands", obeyMany},
		{"told to wait", slowDown},
		{"edits and deletions", editAndDelete},
		{"channel deleted", loseTheChannel},
		{"bot removed", leaveTheServer},
	} {
		t.Run(row.name, func(t *testing.T) { row.play(t, h, d) })
	}
	r := s.stop()
	if r.code != 0 || strings.Contains(r.stderr, "token") {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
	for _, want := range []string{"the channel of a session was deleted", "the bot was removed from a server"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("stderr %q, want %q in it", r.stderr, want)
		}
	}
	for _, word := range []string{"Xanadu", "Zanzibar"} {
		if found := h.finds(word); len(found) > 0 {
			t.Errorf("%s, which was taken back, stands in %q", word, found)
		}
	}
}

// playATable plays a session in a channel: start, lines, orders, stop.
func playATable(t *testing.T, _ *program, d *discordtest.Server) {
	g := newGuild(t, d, "home")

	answers(t, g.gives(t, g.ana, "npc list"), true, "No session is running here")
	answers(t, g.gives(t, g.ana, "session start"), true, "Only a dungeon master may do that", "Dungeon Master")
	answers(t, g.gives(t, g.dm, "session start"), false, "The Flagon", "A foggy evening.", "Bartok, Mira", "prepared lines")
	answers(t, g.gives(t, g.dm, "session start"), true, "A session is already running in <#"+g.channel+">")
	answers(t, g.gives(t, g.dm, "npc list"), true, "- Bartok", "- Mira")

	d.Say(g.channel, g.ana, "Hello Bartok!", nil)
	m := g.hears(t, g.channel, "Bartok", "Welcome to the Flagon.")
	if m.AvatarURL != "https://example.com/bartok.png" {
		t.Errorf("avatar %q, want that of the configuration", m.AvatarURL)
	}
	d.Say(g.channel, g.ana, "Goodbye.", &discordtest.SayOptions{ReplyTo: m.ID})
	d.Say(g.channel, g.ana, "Mira, roll 2d6 for me", nil)
	g.hears(t, g.channel, "Mira", "Here they go.")

	answers(t, g.gives(t, g.dm, "npc say", opt("npc", "Mira"), opt("text", "All @everyone aboard!")), true, "Mira will say it")
	if m := g.hears(t, g.channel, "Mira", "All @everyone aboard!"); m.MentionEveryone {
		t.Error("an NPC's line called everyone")
	}
	answers(t, g.gives(t, g.dm, "npc mute", opt("npc", "Bartok")), true, "Bartok is silent now")
	answers(t, g.gives(t, g.ana, "npc list"), true, "Bartok (silent)")
	answers(t, g.gives(t, g.dm, "npc unmuteall"), true, "Everyone may speak again")
	answers(t, g.gives(t, g.dm, "tier raise", opt("npc", "Bartok"), opt("tier", "deep"), opt("minutes", 2)), true, "Bartok may be thoughtful (deep) until <t:", "for at most")
	answers(t, g.gives(t, g.dm, "tier status"), true, "Bartok: thoughtful (deep) until <t:")
	answers(t, g.gives(t, g.dm, "tier cap", opt("npc", "all"), opt("tier", "fast")), true, "Everyone will be quick (fast) at most")
	answers(t, g.gives(t, g.ana, "tier lower", opt("npc", "Bartok")), true, "Only a dungeon master")
	answers(t, g.gives(t, g.dm, "npc direct", opt("npc", "Nobody"), opt("text", "lie")), true, "⚠", "Nobody")

	answers(t, g.gives(t, g.dm, "session stop"), false, "The session has ended", "saved")
	answers(t, g.gives(t, g.dm, "session stop"), true, "No session is running here")
}

// hearNobodyElse checks which messages are not utterances.
func hearNobodyElse(t *testing.T, _ *program, d *discordtest.Server) {
	g := newGuild(t, d, "home")
	other := d.AddBot(g.id, "dicebot")
	elsewhere := d.AddChannel(g.id, "elsewhere")
	g.gives(t, g.dm, "session start")
	d.Say(g.channel, other, "Hello Bartok!", nil)
	d.Say(elsewhere, g.ana, "Hello Bartok!", nil)
	d.Say(g.channel, g.ana, "Hello Mira!", nil)
	g.hears(t, g.channel, "Mira", "Mind the gap.")
	if said := spokenBy(d.Messages(g.channel), "Bartok"); len(said) > 0 {
		t.Errorf("Bartok answered another bot, or another channel: %q", said)
	}
	if said := spokenBy(d.Messages(elsewhere), "Bartok"); len(said) > 0 {
		t.Errorf("Bartok spoke elsewhere: %q", said)
	}
}

func spokenBy(all []discordtest.Message, name string) (said []string) {
	for _, m := range all {
		if m.Author.Username == name {
			said = append(said, m.Content)
		}
	}
	return said
}

// playInAThread plays in a thread, through its channel's webhook.
func playInAThread(t *testing.T, _ *program, d *discordtest.Server) {
	g := newGuild(t, d, "home")
	thread := d.AddThread(g.channel, "night one")
	parent := g.channel
	g.channel = thread
	answers(t, g.gives(t, g.dm, "session start"), false, "The Flagon")
	d.Say(thread, g.ana, "Hello Bartok!", nil)
	g.hears(t, thread, "Bartok", "Welcome")
	if said := spokenBy(d.Messages(parent), "Bartok"); len(said) > 0 {
		t.Errorf("Bartok spoke outside the thread: %q", said)
	}
}

// TestDiscordStopKeepsEverything stops the program during a session: the bot
// posts the last answer and stores the transcript.
func TestDiscordStopKeepsEverything(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	h := newProgram(t)
	s := h.bot(d, tavern)
	g.gives(t, g.dm, "session start")
	d.Say(g.channel, g.ana, "Hello Bartok!", nil)
	g.hears(t, g.channel, "Bartok", "Welcome")
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
	last := d.Messages(g.channel)
	if m := last[len(last)-1]; !strings.Contains(m.Content, "The session has ended: the bot is going offline") {
		t.Errorf("the last message is %q", m.Content)
	}
	// The commands are unchanged and not registered again.
	again := h.bot(d, tavern)
	g.gives(t, g.dm, "session start")
	if n := len(d.Requests("PUT /applications/{application}/commands")); n != 1 {
		t.Errorf("commands were registered %d times, want once", n)
	}
	again.stop()
}

// TestDiscordResumes loses the connection during a session.
func TestDiscordResumes(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	s := newProgram(t).bot(d, tavern)
	for _, trouble := range []struct {
		name string
		make func(*discordtest.Server)
	}{
		{"dropped", (*discordtest.Server).DropConnections},
		{"reconnect", (*discordtest.Server).RequestReconnect},
		{"session gone", func(d *discordtest.Server) { d.InvalidateSessions(false) }},
		{"session expired while away", func(d *discordtest.Server) { d.DropConnections(); d.ExpireSessions() }},
	} {
		t.Run(trouble.name, func(t *testing.T) {
			g := newGuild(t, d, "home")
			g.gives(t, g.dm, "session start")
			before := len(d.Connections())
			trouble.make(d)
			err := d.AwaitConnections(t.Context(), func(all []discordtest.Connection) bool {
				return len(all) > before && all[len(all)-1].Open && all[len(all)-1].Session != ""
			})
			if err != nil {
				t.Fatal(err)
			}
			d.Say(g.channel, g.ana, "Hello Bartok!", nil)
			g.hears(t, g.channel, "Bartok", "Welcome")
		})
	}
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
}

// TestDiscordGivesUp lists failures that retries cannot fix.
func TestDiscordGivesUp(t *testing.T) {
	t.Parallel()
	t.Run("wrong token", func(t *testing.T) {
		t.Parallel()
		d := discordtest.New(t, nil)
		h := newProgram(t)
		h.write("glyphoxa.yaml", fmt.Sprintf(tavern, d.APIURL()))
		h.set("DISCORD_TOKEN", "not-the-token")
		h.secrets = []string{"not-the-token"}
		gaveUp(t, h.run("", "run"), "the bot's token is not accepted by Discord", "Reset Token")
		if n := len(d.Requests("")); n > 3 {
			t.Errorf("%d requests with a wrong token, want 3 at most", n)
		}
	})
	t.Run("token revoked", func(t *testing.T) {
		t.Parallel()
		d := discordtest.New(t, nil)
		s := newProgram(t).bot(d, tavern)
		d.InvalidateToken()
		gaveUp(t, s.ended(), "the bot's token is not accepted by Discord")
	})
	t.Run("intents", func(t *testing.T) {
		t.Parallel()
		d := discordtest.New(t, &discordtest.Options{Intents: discordtest.IntentGuilds | discordtest.IntentGuildMessages})
		h := newProgram(t)
		h.write("glyphoxa.yaml", fmt.Sprintf(tavern, d.APIURL()))
		h.set("DISCORD_TOKEN", d.Token())
		gaveUp(t, h.run("", "run"), "Message Content Intent")
	})
}

func gaveUp(t testing.TB, r result, words ...string) {
	t.Helper()
	if r.code != 1 {
		t.Errorf("exit code %d, want 1", r.code)
	}
	for _, w := range words {
		if !strings.Contains(r.stderr, w) {
			t.Errorf("stderr %q, want %q in it", r.stderr, w)
		}
	}
}

// TestDoctorAsksDiscord checks that doctor reports problems that keep a bot
// from playing.
func TestDoctorAsksDiscord(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, token string
		intents     discordtest.Intents
		want        string
	}{
		{"fine", "", 0, "https://discord.com/oauth2/authorize?client_id="},
		{"no token at all", "hunter2", 0, "discord.token is not a bot token"},
		{"another token", "MTIzNDU2Nzg5MDEyMzQ1Njc4.abc.def", 0, "the bot's token is not accepted by Discord"},
		{"intent off", "", discordtest.IntentGuilds | discordtest.IntentGuildMessages, "Message Content Intent"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := discordtest.New(t, &discordtest.Options{Intents: row.intents})
			h := newProgram(t)
			h.write("glyphoxa.yaml", fmt.Sprintf(tavern, d.APIURL()))
			if row.token == "" {
				row.token = d.Token()
			}
			h.secrets = []string{row.token}
			h.set("DISCORD_TOKEN", row.token)
			if r := h.run("", "doctor"); !strings.Contains(r.stdout, row.want) {
				t.Errorf("the doctor says %s%s, want %q in it", r.stdout, r.stderr, row.want)
			}
		})
	}
}

// TestDoctorLooksAtServers checks that doctor reports servers where the bot
// lacks permissions or has no DM.
func TestDoctorLooksAtServers(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	newGuild(t, d, "home")
	poor := d.AddGuild("poor")
	d.SetBotPermissions(poor, discordtest.ViewChannel|discordtest.SendMessages|discordtest.EmbedLinks|discordtest.ReadHistory)
	d.SetEveryonePermissions(poor, 0)
	h := newProgram(t)
	h.write("glyphoxa.yaml", fmt.Sprintf(tavern, d.APIURL()))
	h.set("DISCORD_TOKEN", d.Token())
	h.secrets = []string{d.Token()}
	r := h.run("", "doctor")
	for _, want := range []string{"number of servers: 2", "in poor, the bot does not have the permissions Send Messages in Threads, Manage Webhooks", "in poor, there is no role Dungeon Master, so nobody is a DM there"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("the doctor says %s%s, want %q in it", r.stdout, r.stderr, want)
		}
	}
	if strings.Contains(r.stdout, "in home") {
		t.Errorf("the doctor finds fault with a server that is fine: %s", r.stdout)
	}
}

// TestRunWithoutToken checks that run serves everything else and says how to
// get a bot.
func TestRunWithoutToken(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.write("glyphoxa.yaml", fmt.Sprintf(tavern, "http://127.0.0.1:1/api"))
	cmd := h.command("run")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	var said []string
	for lines.Scan() {
		said = append(said, lines.Text())
		addr, ok := strings.CutPrefix(lines.Text(), "glyphoxa mcp listening on http://")
		if !ok {
			continue
		}
		r, err := http.Get("http://" + addr + "/metrics")
		if err != nil {
			t.Error(err)
		} else if err := r.Body.Close(); err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("metrics answer %s, %v", r.Status, err)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the program ended with %v; it said %q", err, said)
	}
	if !slices.ContainsFunc(said, func(l string) bool {
		return strings.Contains(l, "no Discord token") && strings.Contains(l, "DISCORD_TOKEN")
	}) {
		t.Errorf("the program said %q, want how to get a token", said)
	}
}
