package discordtest_test

import (
	"slices"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

func TestGuildLookups(t *testing.T) {
	t.Parallel()
	d := rest(t, nil)
	role := d.s.AddRole(d.guild, "DM", discordtest.ManageGuild)
	bob := d.s.AddMember(d.guild, "Bob", role)
	d.s.SetNick(d.guild, bob, "Master Bob")
	thread := d.s.AddThread(d.channel, "session")
	g, err := d.dg.Guild(d.guild)
	if err != nil || g.Name != "Waterdeep" || len(g.Roles) != 3 {
		t.Errorf("guild = %+v, %v, want Waterdeep with 3 roles", g, err)
	}
	if roles, err := d.dg.GuildRoles(d.guild); err != nil || roles[2].Name != "DM" || roles[2].Permissions != discordgo.PermissionManageGuild {
		t.Errorf("roles = %+v, %v, want the DM's third", roles, err)
	}
	if chs, err := d.dg.GuildChannels(d.guild); err != nil || len(chs) != 1 || chs[0].ID != d.channel {
		t.Errorf("channels = %+v, %v, want the tavern alone", chs, err)
	}
	if active, err := d.dg.GuildThreadsActive(d.guild); err != nil || len(active.Threads) != 1 || active.Threads[0].ID != thread {
		t.Errorf("threads = %+v, %v, want the session", active, err)
	}
	if m, err := d.dg.GuildMember(d.guild, bob); err != nil || m.Nick != "Master Bob" || !slices.Equal(m.Roles, []string{role}) {
		t.Errorf("member = %+v, %v, want Master Bob the DM", m, err)
	}
	if all, err := d.dg.GuildMembers(d.guild, "", 2); err != nil || len(all) != 2 {
		t.Errorf("members = %d, %v, want the first 2", len(all), err)
	}
	if found, err := d.dg.GuildMembersSearch(d.guild, "master", 10); err != nil || len(found) != 1 || found[0].User.ID != bob {
		t.Errorf("search = %+v, %v, want Bob", found, err)
	}
	if u, err := d.dg.User("@me"); err != nil || u.ID != d.s.BotID() || !u.Bot {
		t.Errorf("me = %+v, %v, want the bot", u, err)
	}
	if mine, err := d.dg.UserGuilds(10, "", "", false); err != nil || len(mine) != 1 || mine[0].ID != d.guild {
		t.Errorf("my guilds = %+v, %v, want the one", mine, err)
	}
	if dm, err := d.dg.UserChannelCreate(bob); err != nil || dm.ID != d.s.AddDM(bob) {
		t.Errorf("direct channel = %+v, %v, want the one there is", dm, err)
	}
	if err := d.dg.GuildLeave(d.guild); err != nil {
		t.Errorf("leaving: %v", err)
	}
	if _, err := d.dg.GuildRoles(d.guild); code(err) != 50001 {
		t.Errorf("roles of a guild that was left: %v, want 50001", err)
	}
}

func TestApplicationTellsIntents(t *testing.T) {
	t.Parallel()
	d := rest(t, &discordtest.Options{Intents: discordtest.AllIntents &^ discordtest.IntentGuildMembers})
	app, err := d.dg.Application("@me")
	if err != nil || app.Flags&(1<<19) == 0 || app.Flags&(1<<15) != 0 {
		t.Errorf("application = %+v, %v, want the flag for content, not for members", app, err)
	}
	if _, err := d.dg.GuildMembers(d.guild, "", 10); code(err) != 50001 {
		t.Errorf("listing members: %v, want 50001 without the intent", err)
	}
	d.s.AllowIntents(discordtest.AllIntents)
	if _, err := d.dg.GuildMembers(d.guild, "", 10); err != nil {
		t.Errorf("listing members: %v", err)
	}
}

func TestWebhookLife(t *testing.T) {
	t.Parallel()
	d := rest(t, nil)
	w := d.hook(t)
	if got, err := d.dg.WebhookEdit(w.ID, "Bart", "", ""); err != nil || got.Name != "Bart" {
		t.Errorf("edited = %+v, %v, want Bart", got, err)
	}
	if got, err := d.dg.WebhookWithToken(w.ID, w.Token); err != nil || got.User != nil {
		t.Errorf("with token = %+v, %v, want no user", got, err)
	}
	if all, err := d.dg.GuildWebhooks(d.guild); err != nil || len(all) != 1 {
		t.Errorf("guild's webhooks = %+v, %v, want one", all, err)
	}
	for range 14 {
		d.hook(t)
	}
	if _, err := d.dg.WebhookCreate(d.channel, "one too many", ""); code(err) != 30007 {
		t.Errorf("the sixteenth webhook: %v, want 30007", err)
	}
	if err := d.dg.WebhookDelete(w.ID); err != nil {
		t.Errorf("deleting: %v", err)
	}
	if _, err := d.dg.WebhookWithToken(w.ID, w.Token); code(err) != 10015 {
		t.Errorf("a deleted webhook: %v, want 10015", err)
	}
}

func TestThreadLife(t *testing.T) {
	t.Parallel()
	d := rest(t, nil)
	said := d.s.Say(d.channel, d.player, "a tale", nil)
	thread, err := d.dg.MessageThreadStart(d.channel, said.ID, "tale", 60)
	if err != nil || thread.ID != said.ID {
		t.Fatalf("thread = %+v, %v, want one with the message's id", thread, err)
	}
	if _, err := d.dg.MessageThreadStart(d.channel, said.ID, "tale", 60); code(err) != 160004 {
		t.Errorf("a second thread: %v, want 160004", err)
	}
	if _, err := d.dg.ThreadStart(d.channel, "tale", discordgo.ChannelTypeGuildPublicThread, 61); code(err) != 50035 {
		t.Errorf("an odd duration: %v, want 50035", err)
	}
	if err := d.dg.ThreadJoin(thread.ID); err != nil {
		t.Errorf("joining: %v", err)
	}
	archived, locked := true, true
	if got, err := d.dg.ChannelEdit(thread.ID, &discordgo.ChannelEdit{Name: "old tale", Archived: &archived, Locked: &locked}); err != nil || got.Name != "old tale" || !got.ThreadMetadata.Archived {
		t.Errorf("edited = %+v, %v, want it archived under a new name", got, err)
	}
	if _, err := d.dg.ChannelMessageSend(thread.ID, "more"); code(err) != 50083 {
		t.Errorf("writing in a locked thread: %v, want 50083", err)
	}
	if _, err := d.dg.ChannelEdit(d.channel, &discordgo.ChannelEdit{Name: "x"}); code(err) != 50013 {
		t.Errorf("renaming a channel: %v, want 50013", err)
	}
	d.s.Deny(d.channel, discordtest.SendInThreads)
	other := d.s.AddThread(d.channel, "other")
	if _, err := d.dg.ChannelMessageSend(other, "x"); code(err) != 50013 {
		t.Errorf("writing in a thread without the right: %v, want 50013", err)
	}
	d.s.DeleteChannel(d.channel)
	if _, err := d.dg.Channel(other); code(err) != 10003 {
		t.Errorf("a thread of a deleted channel: %v, want 10003", err)
	}
}

func TestSelectMenu(t *testing.T) {
	t.Parallel()
	var got []string
	x := serve(t, nil, func(dg *discordgo.Session, i *discordgo.InteractionCreate) error {
		if i.Type == discordgo.InteractionMessageComponent {
			got = i.MessageComponentData().Values
			if err := dg.InteractionRespond(i.Interaction, say(6, "", 0)); err != nil {
				return err
			}
			text := "chosen"
			_, err := dg.InteractionResponseEdit(i.Interaction, &discordgo.WebhookEdit{Content: &text})
			return err
		}
		r := say(4, "choose", 0)
		r.Data.Components = []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
			discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: "npc", Options: []discordgo.SelectMenuOption{{Label: "Bart", Value: "bart"}, {Label: "Ana", Value: "ana"}}},
		}}}
		return dg.InteractionRespond(i.Interaction, r)
	})
	i, err := x.s.Command(x.player, x.channel, "form")
	if err != nil {
		t.Fatal(err)
	}
	m, err := i.Answer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.s.Choose(x.player, x.channel, m.ID, "npc", "nobody"); err == nil {
		t.Error("a value that is not in the menu was chosen")
	}
	choice, err := x.s.Choose(x.player, x.channel, m.ID, "npc", "ana")
	if err != nil {
		t.Fatal(err)
	}
	after, err := choice.AnswerWhen(t.Context(), func(m discordtest.Message) bool { return m.Content == "chosen" })
	if err != nil || after.ID != m.ID || !slices.Equal(got, []string{"ana"}) {
		t.Errorf("answer = %+v, %v to %v, want the menu's message changed", after, err, got)
	}
}
