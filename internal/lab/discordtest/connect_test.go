package discordtest_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestMain allows one goroutine that a dependency of Gemini's client never
// stops.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

const intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages | discordgo.IntentMessageContent

// client returns a discordgo session that connects only to s.
func client(t *testing.T, s *discordtest.Server) *discordgo.Session {
	t.Helper()
	dg, err := discordgo.New("Bot " + s.Token())
	if err != nil {
		t.Fatal(err)
	}
	dg.Client = &http.Client{Transport: s.Transport(), Timeout: 10 * time.Second}
	dg.Identify.Intents = intents
	dg.SyncEvents = true
	dg.LogLevel = -1
	return dg
}

// open connects dg until the test ends.
func open(t *testing.T, s *discordtest.Server, dg *discordgo.Session) {
	t.Helper()
	if err := dg.Open(); err != nil {
		t.Fatalf("opening: %v", err)
	}
	t.Cleanup(func() {
		beating(t, s)
		if err := dg.Close(); err != nil {
			t.Error(err)
		}
	})
	beating(t, s)
}

// beating waits until each open connection has had a heartbeat. discordgo sends
// the first one from its own goroutine; if that fails because the connection is
// already gone, it ends the next connection, too.
func beating(t *testing.T, s *discordtest.Server) {
	t.Helper()
	err := s.AwaitConnections(context.Background(), func(all []discordtest.Connection) bool {
		return !slices.ContainsFunc(all, func(c discordtest.Connection) bool { return c.Open && c.Heartbeats == 0 })
	})
	if err != nil {
		t.Error(err)
	}
}

// inbox collects events of one type.
type inbox[T any] struct {
	mu  sync.Mutex
	all []T
	got chan struct{}
}

func newInbox[T any]() *inbox[T] { return &inbox[T]{got: make(chan struct{}, 1000)} }

func (b *inbox[T]) put(v T) {
	b.mu.Lock()
	b.all = append(b.all, v)
	b.mu.Unlock()
	b.got <- struct{}{}
}

// wait returns the first n events.
func (b *inbox[T]) wait(t *testing.T, n int) []T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		b.mu.Lock()
		all := append([]T(nil), b.all...)
		b.mu.Unlock()
		if len(all) >= n {
			return all[:n]
		}
		select {
		case <-b.got:
		case <-ctx.Done():
			t.Fatalf("got %d events, want %d", len(all), n)
		}
	}
}

func TestConnectAndHear(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t, nil)
	g := s.AddGuild("Waterdeep")
	ch := s.AddChannel(g, "tavern")
	dm := s.AddRole(g, "DM", 0)
	alice := s.AddMember(g, "Alice", dm)
	dg := client(t, s)
	heard := newInbox[*discordgo.MessageCreate]()
	dg.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { heard.put(m) })
	guilds := newInbox[*discordgo.GuildCreate]()
	dg.AddHandler(func(_ *discordgo.Session, m *discordgo.GuildCreate) { guilds.put(m) })
	open(t, s, dg)
	created := guilds.wait(t, 1)[0]
	if created.Name != "Waterdeep" || len(created.Channels) != 1 || len(created.Roles) != 3 || len(created.Members) != 1 {
		t.Errorf("guild = %q with %d channels, %d roles, %d members, want Waterdeep with 1, 3, 1 (the bot alone without the intent)",
			created.Name, len(created.Channels), len(created.Roles), len(created.Members))
	}
	s.Say(ch, alice, "A mead, <@"+s.BotID()+">!", nil)
	m := heard.wait(t, 1)[0]
	if m.Content != "A mead, <@"+s.BotID()+">!" || m.GuildID != g || m.Author.GlobalName != "Alice" || len(m.Mentions) != 1 {
		t.Errorf("heard %+v with %d mentions, want Alice's line with 1", m.Message, len(m.Mentions))
	}
	if m.Member == nil || len(m.Member.Roles) != 1 || m.Member.Roles[0] != dm {
		t.Errorf("member = %+v, want the DM's role", m.Member)
	}
	c := s.Connections()[0]
	if c.Intents != discordtest.Intents(intents) || c.Shard != [2]int{0, 1} || !c.Compressed || c.Version != 9 {
		t.Errorf("connection = %+v, want version 9, the intents, shard 0 of 1, compressed", c)
	}
}

func TestContentNeedsItsIntent(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t, nil)
	g := s.AddGuild("Waterdeep")
	ch := s.AddChannel(g, "tavern")
	alice := s.AddMember(g, "Alice")
	dg := client(t, s)
	dg.Identify.Intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages
	heard := newInbox[*discordgo.MessageCreate]()
	dg.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { heard.put(m) })
	open(t, s, dg)
	first := s.Say(ch, alice, "plain", &discordtest.SayOptions{Uploads: []discordtest.Upload{{Name: "map.png", Type: "image/png", Data: []byte("png")}}})
	s.Say(ch, alice, "<@"+s.BotID()+"> named", &discordtest.SayOptions{ReplyTo: first.ID})
	got := heard.wait(t, 2)
	if got[0].Content != "" || len(got[0].Attachments) != 0 {
		t.Errorf("without the intent content = %q with %d attachments, want nothing", got[0].Content, len(got[0].Attachments))
	}
	if got[1].Content == "" || got[1].ReferencedMessage == nil || got[1].ReferencedMessage.ID != first.ID {
		t.Errorf("a message that names the bot = %q, reference %+v, want its content and reference", got[1].Content, got[1].ReferencedMessage)
	}
}

func TestEditDeleteAndAttachments(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t, nil)
	g := s.AddGuild("Waterdeep")
	ch := s.AddChannel(g, "tavern")
	alice := s.AddMember(g, "Alice")
	dg := client(t, s)
	edited := newInbox[*discordgo.MessageUpdate]()
	deleted := newInbox[*discordgo.MessageDelete]()
	heard := newInbox[*discordgo.MessageCreate]()
	dg.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageUpdate) { edited.put(m) })
	dg.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageDelete) { deleted.put(m) })
	dg.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { heard.put(m) })
	open(t, s, dg)
	m := s.Say(ch, alice, "one", &discordtest.SayOptions{Uploads: []discordtest.Upload{{Name: "lore.yaml", Type: "text/yaml", Data: []byte("npc: Bart")}}})
	s.Edit(ch, m.ID, "two")
	s.Delete(ch, m.ID)
	if got := edited.wait(t, 1)[0]; got.Content != "two" || got.EditedTimestamp == nil {
		t.Errorf("edit = %+v, want two with a time", got.Message)
	}
	if got := deleted.wait(t, 1)[0]; got.ID != m.ID || got.GuildID != g {
		t.Errorf("deletion = %+v, want %s in %s", got.Message, m.ID, g)
	}
	resp, err := dg.Client.Get(heard.wait(t, 1)[0].Attachments[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); string(body) != "npc: Bart" || resp.Header.Get("Content-Type") != "text/yaml" {
		t.Errorf("attachment = %q of type %q, want the upload", body, resp.Header.Get("Content-Type"))
	}
	if got := s.Messages(ch); len(got) != 1 || !got[0].Deleted || got[0].Versions[0] != "one" {
		t.Errorf("record = %+v, want one deleted message with its first version", got)
	}
}
