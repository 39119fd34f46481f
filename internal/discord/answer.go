package discord

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/discord/rest"
)

// maxAnswers bounds the messages one answer is split into.
const maxAnswers = 5

// answer is what is told to who gave a command.
type answer struct {
	text string
	err  error
	// open shows it to everyone, instead puts it where the question was that a
	// button answered, and deferred says that it was announced. An error is
	// shown to who gave the command alone.
	open, instead, deferred bool

	buttons []button
	files   []rest.File
}

// button does something that goes with an answer: a command's name, a space, and
// what the command is then told.
type button struct {
	label, does string
	style       discordgo.ButtonStyle
}

// row shows buttons. Without any it takes those away that are there.
func row(all []button) []discordgo.MessageComponent {
	if len(all) == 0 {
		return []discordgo.MessageComponent{}
	}
	var out discordgo.ActionsRow
	for _, b := range all {
		out.Components = append(out.Components, discordgo.Button{Label: b.label, Style: b.style, CustomID: b.does})
	}
	return []discordgo.MessageComponent{out}
}

// form is what somebody fills in for a command.
type form struct {
	command, title string
	fields         []discordgo.TextInput
}

func (f *form) response() *discordgo.InteractionResponse {
	var rows []discordgo.MessageComponent
	for _, in := range f.fields {
		rows = append(rows, discordgo.ActionsRow{Components: []discordgo.MessageComponent{in}})
	}
	return &discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseModal,
		Data: &discordgo.InteractionResponseData{CustomID: f.command, Title: f.title, Components: rows},
	}
}

// flags of an answer that everyone sees, or only who asked.
func flags(open bool) discordgo.MessageFlags {
	if open {
		return 0
	}
	return discordgo.MessageFlagsEphemeral
}

// reply answers an interaction, in several messages if the text is long. The
// first of them has the buttons and the files.
func (b *Bot) reply(ctx context.Context, i *discordgo.Interaction, a answer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rest.Timeout)
	defer cancel()
	for n, part := range a.parts() {
		send := b.next
		if n == 0 {
			send = b.first
		}
		if err := send(ctx, i, a, part); err != nil {
			b.log.Warn("answering a command", "reason", err)
			return
		}
	}
}

// parts are the messages of an answer.
func (a answer) parts() []string {
	text := a.text
	if a.err != nil {
		text = sentence(a.err)
	}
	parts := markup.Split(text, markup.MaxMessage)
	switch {
	case len(parts) == 0 && len(a.files) > 0:
		parts = []string{""}
	case len(parts) == 0:
		parts = []string{"Done."} // Discord takes no empty answer
	case len(parts) > maxAnswers:
		parts = append(parts[:maxAnswers-1], "…")
	}
	return parts
}

// first answers an interaction, or puts the answer where it was announced.
func (b *Bot) first(ctx context.Context, i *discordgo.Interaction, a answer, text string) error {
	if a.err != nil {
		if a.instead && a.deferred { // the question stays as it is
			return b.next(ctx, i, answer{}, text)
		}
		if a.open && a.deferred { // everyone saw that it was announced
			if err := b.api.DeleteResponse(ctx, i); err != nil {
				return err
			}
			return b.next(ctx, i, answer{}, text)
		}
		a = answer{deferred: a.deferred}
	}
	buttons := row(a.buttons)
	if a.deferred {
		return b.api.EditResponse(ctx, i, &discordgo.WebhookEdit{Content: &text, Components: &buttons, AllowedMentions: nobody()}, a.files...)
	}
	r := &discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{Content: text, Components: buttons, AllowedMentions: nobody(), Flags: flags(a.open)},
	}
	if a.instead {
		r.Type, r.Data.Flags = discordgo.InteractionResponseUpdateMessage, 0
	}
	return b.api.Respond(ctx, i, r, a.files...)
}

// next adds to an answer.
func (b *Bot) next(ctx context.Context, i *discordgo.Interaction, a answer, text string) error {
	return b.api.FollowUp(ctx, i, &discordgo.WebhookParams{Content: text, AllowedMentions: nobody(), Flags: flags(a.open && a.err == nil)})
}

// sentence is an error as people read it.
func sentence(err error) string {
	text := markup.ShortenPaths(err.Error())
	if word, _, _ := strings.Cut(text, " "); !strings.ContainsAny(word, ".:/_") { // else it is no word but a file or a key
		first, n := utf8.DecodeRuneInString(text)
		text = string(unicode.ToUpper(first)) + text[n:]
	}
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
		text += "."
	}
	return "⚠ " + text
}
