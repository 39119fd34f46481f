package discordtest_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

var one = 1.0

// commands are the commands that the bot of these tests registers.
func commands() []*discordgo.ApplicationCommand {
	manage := int64(discordgo.PermissionManageGuild)
	return []*discordgo.ApplicationCommand{
		{Name: "npc", Description: "NPCs", Options: []*discordgo.ApplicationCommandOption{
			{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "say", Description: "Says", Options: []*discordgo.ApplicationCommandOption{
				{Type: discordgo.ApplicationCommandOptionString, Name: "npc", Description: "Who", Required: true, Autocomplete: true},
				{Type: discordgo.ApplicationCommandOptionInteger, Name: "times", Description: "How often", MinValue: &one, MaxValue: 3},
				{Type: discordgo.ApplicationCommandOptionUser, Name: "to", Description: "To whom"},
				{Type: discordgo.ApplicationCommandOptionAttachment, Name: "notes", Description: "A file"},
			}},
		}},
		{Name: "form", Description: "A form"},
		{Name: "admin", Description: "For few", DefaultMemberPermissions: &manage},
	}
}

// serve starts a table with the commands registered; answers maps a command's
// name to its handler.
func serve(t *testing.T, o *discordtest.Options, handle func(*discordgo.Session, *discordgo.InteractionCreate) error) *table {
	t.Helper()
	x := sit(t, o)
	if _, err := x.dg.ApplicationCommandBulkOverwrite(x.s.ApplicationID(), x.guild, commands()); err != nil {
		t.Fatal(err)
	}
	x.dg.AddHandler(func(dg *discordgo.Session, i *discordgo.InteractionCreate) {
		if err := handle(dg, i); err != nil {
			t.Errorf("answering: %v", err)
		}
	})
	return x
}

func say(kind discordgo.InteractionResponseType, text string, flags discordgo.MessageFlags) *discordgo.InteractionResponse {
	return &discordgo.InteractionResponse{Type: kind, Data: &discordgo.InteractionResponseData{Content: text, Flags: flags}}
}

func TestCommandAnswered(t *testing.T) {
	t.Parallel()
	var got discordgo.ApplicationCommandInteractionData
	var member *discordgo.Member
	x := serve(t, nil, func(dg *discordgo.Session, i *discordgo.InteractionCreate) error {
		got, member = i.ApplicationCommandData(), i.Member
		return dg.InteractionRespond(i.Interaction, say(4, "said", discordgo.MessageFlagsEphemeral))
	})
	i, err := x.s.Command(x.player, x.channel, "npc say", discordtest.Option{Name: "npc", Value: "Bart"},
		discordtest.Option{Name: "times", Value: 2}, discordtest.Option{Name: "to", Value: x.s.BotID()},
		discordtest.Option{Name: "notes", Value: discordtest.Upload{Name: "n.txt", Data: []byte("notes")}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := i.Response(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Message.Content != "said" || !r.Message.Ephemeral() || r.Latency <= 0 {
		t.Errorf("response = %+v with %+v, want a private message", r, r.Message)
	}
	if n := len(x.s.Messages(x.channel)); n != 0 {
		t.Errorf("%d messages in the channel, want none: the answer was private", n)
	}
	sub := got.Options[0]
	if got.Name != "npc" || sub.Name != "say" || sub.GetOption("npc").StringValue() != "Bart" || sub.GetOption("times").IntValue() != 2 {
		t.Errorf("data = %+v, want npc say Bart 2", got)
	}
	if len(got.Resolved.Users) != 1 || len(got.Resolved.Attachments) != 1 {
		t.Errorf("resolved = %+v, want one user and one attachment", got.Resolved)
	}
	if member.User.ID != x.player || member.Permissions&discordgo.PermissionSendMessages == 0 {
		t.Errorf("member = %+v, want the player with permissions", member)
	}
}

func TestDeferredThenEditedAndFollowedUp(t *testing.T) {
	t.Parallel()
	x := serve(t, nil, func(dg *discordgo.Session, i *discordgo.InteractionCreate) error {
		if err := dg.InteractionRespond(i.Interaction, say(5, "", 0)); err != nil {
			return err
		}
		text := "done"
		if _, err := dg.InteractionResponseEdit(i.Interaction, &discordgo.WebhookEdit{Content: &text}); err != nil {
			return err
		}
		m, err := dg.FollowupMessageCreate(i.Interaction, true, &discordgo.WebhookParams{Content: "more", Flags: discordgo.MessageFlagsEphemeral})
		if err != nil {
			return err
		}
		text = "even more"
		_, err = dg.FollowupMessageEdit(i.Interaction, m.ID, &discordgo.WebhookEdit{Content: &text})
		return err
	})
	i, err := x.s.Command(x.player, x.channel, "form")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := i.Response(t.Context()); err != nil || r.Type != discordtest.CallbackDeferredMessage {
		t.Fatalf("response = %+v, %v, want a deferral", r, err)
	}
	if m, err := i.Answer(t.Context()); err != nil || m.Content != "done" || m.Loading() {
		t.Errorf("answer = %+v, %v, want done", m, err)
	}
	if _, err := i.AwaitFollowups(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if _, err := x.s.AwaitRequests(t.Context(), "PATCH /webhooks/{webhook}/{token}/messages/{message}", 2); err != nil {
		t.Fatal(err)
	}
	if got := i.Followups()[0]; got.Content != "even more" || !got.Ephemeral() || got.Versions[0] != "more" {
		t.Errorf("followup = %+v, want a private one that was edited", got)
	}
	if got := x.s.Messages(x.channel); len(got) != 1 || got[0].Content != "done" {
		t.Errorf("channel = %+v, want the public answer alone", got)
	}
}

// TestFollowupFillsDeferral checks that the first followup replaces the loading
// message.
func TestFollowupFillsDeferral(t *testing.T) {
	t.Parallel()
	x := serve(t, nil, func(dg *discordgo.Session, i *discordgo.InteractionCreate) error {
		if err := dg.InteractionRespond(i.Interaction, say(5, "", discordgo.MessageFlagsEphemeral)); err != nil {
			return err
		}
		_, err := dg.FollowupMessageCreate(i.Interaction, true, &discordgo.WebhookParams{Content: "late"})
		return err
	})
	i, err := x.s.Command(x.player, x.channel, "form")
	if err != nil {
		t.Fatal(err)
	}
	m, err := i.Answer(t.Context())
	if err != nil || m.Content != "late" || !m.Ephemeral() || len(i.Followups()) != 0 {
		t.Errorf("answer = %+v, %v with %d followups, want the followup in the private deferral's place", m, err, len(i.Followups()))
	}
}

func TestAutocomplete(t *testing.T) {
	t.Parallel()
	x := serve(t, nil, func(dg *discordgo.Session, i *discordgo.InteractionCreate) error {
		typed := i.ApplicationCommandData().Options[0].GetOption("npc")
		if !typed.Focused {
			return errors.New("npc is not focused")
		}
		return dg.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: 8, Data: &discordgo.InteractionResponseData{
			Choices: []*discordgo.ApplicationCommandOptionChoice{{Name: typed.StringValue() + "art", Value: "bart"}},
		}})
	})
	i, err := x.s.Autocomplete(x.player, x.channel, "npc say", "npc", discordtest.Option{Name: "npc", Value: "B"})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := i.Response(t.Context()); err != nil || len(r.Choices) != 1 || r.Choices[0].Name != "Bart" {
		t.Errorf("response = %+v, %v, want the choice Bart", r, err)
	}
}

func TestModalAndButton(t *testing.T) {
	t.Parallel()
	x := serve(t, nil, func(dg *discordgo.Session, i *discordgo.InteractionCreate) error {
		switch i.Type {
		case discordgo.InteractionApplicationCommand:
			return dg.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: 9, Data: &discordgo.InteractionResponseData{
				CustomID: "entity", Title: "New entity", Components: []discordgo.MessageComponent{
					discordgo.ActionsRow{Components: []discordgo.MessageComponent{
						discordgo.TextInput{CustomID: "name", Label: "Name", Style: discordgo.TextInputShort, Required: new(true), MaxLength: 20},
					}},
				},
			}})
		case discordgo.InteractionModalSubmit:
			row := i.ModalSubmitData().Components[0].(*discordgo.ActionsRow)
			r := say(4, "Add "+row.Components[0].(*discordgo.TextInput).Value+"?", discordgo.MessageFlagsEphemeral)
			r.Data.Components = []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
				discordgo.Button{CustomID: "yes", Label: "Yes", Style: discordgo.SuccessButton},
			}}}
			return dg.InteractionRespond(i.Interaction, r)
		default:
			r := say(7, "Added.", 0)
			r.Data.Components = []discordgo.MessageComponent{}
			return dg.InteractionRespond(i.Interaction, r)
		}
	})
	i, err := x.s.Command(x.player, x.channel, "form")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := i.Response(t.Context()); err != nil || r.Modal == nil || r.Modal.Title != "New entity" {
		t.Fatalf("response = %+v, %v, want a modal", r, err)
	}
	if _, err := x.s.Submit(i, map[string]string{"name": ""}); err == nil {
		t.Error("a required input took nothing")
	}
	submit, err := x.s.Submit(i, map[string]string{"name": "Durnan"})
	if err != nil {
		t.Fatal(err)
	}
	ask, err := submit.Answer(t.Context())
	if err != nil || ask.Content != "Add Durnan?" {
		t.Fatalf("answer = %q, %v, want the question", ask.Content, err)
	}
	if _, err := x.s.Press(x.s.BotID(), x.channel, ask.ID, "yes"); err == nil {
		t.Error("somebody else pressed a button of a private message")
	}
	press, err := x.s.Press(x.player, x.channel, ask.ID, "yes")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := press.Answer(t.Context()); err != nil || m.Content != "Added." || m.ID != ask.ID || len(m.Components) != 0 {
		t.Errorf("answer = %+v, %v, want the question changed", m, err)
	}
}

// TestCommandNotSent checks which commands a user's client does not send.
func TestCommandNotSent(t *testing.T) {
	t.Parallel()
	x := serve(t, nil, func(*discordgo.Session, *discordgo.InteractionCreate) error { return errors.New("it was sent") })
	npc := func(v any) discordtest.Option { return discordtest.Option{Name: "npc", Value: v} }
	tests := []struct {
		name, path string
		options    []discordtest.Option
		want       string
	}{
		{"unknown", "nothing", nil, "no command"},
		{"not_for_players", "admin", nil, "does not see"},
		{"sub_command_missing", "npc", nil, "sub-command is missing"},
		{"sub_command_unknown", "npc sing", nil, "no sub-command"},
		{"required_missing", "npc say", nil, "option npc is missing"},
		{"wrong_type", "npc say", []discordtest.Option{npc(3)}, "no text"},
		{"out_of_range", "npc say", []discordtest.Option{npc("Bart"), {Name: "times", Value: 4}}, "range"},
		{"unknown_option", "npc say", []discordtest.Option{npc("Bart"), {Name: "loud", Value: true}}, "no option loud"},
		{"unknown_user", "npc say", []discordtest.Option{npc("Bart"), {Name: "to", Value: "1"}}, "nobody"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := x.s.Command(x.player, x.channel, tt.path, tt.options...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestInteractionDeadlineAndDoubleAnswer(t *testing.T) {
	t.Parallel()
	late := newInbox[error]()
	x := sit(t, &discordtest.Options{InteractionDeadline: 300 * time.Millisecond})
	if _, err := x.dg.ApplicationCommandBulkOverwrite(x.s.ApplicationID(), "", commands()); err != nil {
		t.Fatal(err)
	}
	arrived, release := make(chan struct{}), make(chan struct{})
	x.dg.AddHandler(func(dg *discordgo.Session, i *discordgo.InteractionCreate) {
		if i.ApplicationCommandData().Name == "form" {
			close(arrived)
			<-release
		}
		late.put(dg.InteractionRespond(i.Interaction, say(4, "hi", 0)))
		late.put(dg.InteractionRespond(i.Interaction, say(4, "hi", 0)))
	})
	slow, err := x.s.Command(x.player, x.channel, "form")
	if err != nil {
		t.Fatal(err)
	}
	<-arrived
	if _, err := slow.Response(t.Context()); !errors.Is(err, discordtest.ErrNoAnswer) {
		t.Errorf("err = %v, want ErrNoAnswer", err)
	}
	close(release)
	late.wait(t, 2)
	if _, err := x.s.Command(x.player, x.channel, "npc say", discordtest.Option{Name: "npc", Value: "Bart"}); err != nil {
		t.Fatal(err)
	}
	var codes []int
	for _, err := range late.wait(t, 4) {
		codes = append(codes, code(err))
	}
	if want := []int{10062, 10062, 0, 40060}; !slices.Equal(codes, want) {
		t.Errorf("codes = %v, want %v: too late twice, then taken once", codes, want)
	}
}

// code returns Discord's code of an error, 0 for no error, -1 for another
// error.
func code(err error) int {
	var rest *discordgo.RESTError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &rest) && rest.Message != nil:
		return rest.Message.Code
	}
	return -1
}

func TestCommandInDirectConversation(t *testing.T) {
	t.Parallel()
	d := rest(t, nil)
	all := commands()[1:2]
	all = append(all, &discordgo.ApplicationCommand{Name: "guild-only", Description: "x", Contexts: &[]discordgo.InteractionContextType{discordgo.InteractionContextGuild}})
	if _, err := d.dg.ApplicationCommandBulkOverwrite(d.s.ApplicationID(), "", all); err != nil {
		t.Fatal(err)
	}
	w := dial(t, d.s, "")
	w.identify()
	w.next(0)
	dm := d.s.AddDM(d.player)
	if _, err := d.s.Command(d.player, dm, "guild-only"); err == nil {
		t.Error("a command for guilds was offered in a direct conversation")
	}
	if _, err := d.s.Command(d.player, dm, "form"); err != nil {
		t.Fatal(err)
	}
	var got discordgo.Interaction
	if err := json.Unmarshal(w.next(0).D, &got); err != nil || got.User == nil || got.User.ID != d.player || got.Member != nil || got.GuildID != "" {
		t.Errorf("interaction = %+v, %v, want one of the user, of no guild", got, err)
	}
}
