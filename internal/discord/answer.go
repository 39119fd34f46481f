package discord

import (
	"context"
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"
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
	files   []Attachment
}

// button does something that goes with an answer: a command's name, a space, and
// what the command is then told.
type button struct {
	label, does string
	style       discordgo.ButtonStyle
}

// buttonRow shows buttons. Without any it takes those away that are there.
func buttonRow(all []button) []discordgo.MessageComponent {
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

func (f *form) modalResponse() *discordgo.InteractionResponse {
	var rows []discordgo.MessageComponent
	for _, in := range f.fields {
		rows = append(rows, discordgo.ActionsRow{Components: []discordgo.MessageComponent{in}})
	}
	return &discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseModal,
		Data: &discordgo.InteractionResponseData{CustomID: f.command, Title: f.title, Components: rows},
	}
}

// messageFlags of an answer that everyone sees, or only who asked.
func messageFlags(open bool) discordgo.MessageFlags {
	if open {
		return 0
	}
	return discordgo.MessageFlagsEphemeral
}

// responder answers interactions.
type responder struct {
	rest *RestClient
	log  *slog.Logger
}

// sendAnswer answers an interaction, in several messages if the text is long. The
// first of them has the buttons and the files.
func (r responder) sendAnswer(ctx context.Context, i *discordgo.Interaction, a answer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), RestTimeout)
	defer cancel()
	for n, part := range a.splitText(languageOf(i)) {
		send := r.followUp
		if n == 0 {
			send = r.answerFirst
		}
		if err := send(ctx, i, a, part); err != nil {
			r.log.Warn("answering a command", "reason", err)
			return
		}
	}
}

// splitText are the messages of an answer, in which links show their addresses: much of what
// answers tell was written by players. What is wrong is said in l.
func (a answer) splitText(l Language) []string {
	text := a.text
	if a.err != nil {
		text = errorText(l, a.err)
	}
	parts := splitMessage(showAddresses(text), maxMessage)
	switch {
	case len(parts) == 0 && len(a.files) > 0:
		parts = []string{""}
	case len(parts) == 0:
		parts = []string{Done.In(l)} // Discord takes no empty answer
	case len(parts) > maxAnswers:
		parts = append(parts[:maxAnswers-1], "…")
	}
	return parts
}

// answerFirst answers an interaction, or puts the answer where it was announced.
func (r responder) answerFirst(ctx context.Context, i *discordgo.Interaction, a answer, text string) error {
	if a.err != nil {
		if a.instead && a.deferred { // the question stays as it is
			return r.followUp(ctx, i, answer{}, text)
		}
		if a.open && a.deferred { // everyone saw that it was announced
			if err := r.rest.DeleteResponse(ctx, i); err != nil {
				return err
			}
			return r.followUp(ctx, i, answer{}, text)
		}
		a = answer{deferred: a.deferred}
	}
	buttons := buttonRow(a.buttons)
	if a.deferred {
		return r.rest.EditResponse(ctx, i, &discordgo.WebhookEdit{Content: &text, Components: &buttons, AllowedMentions: noMentions()}, a.files...)
	}
	out := &discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{Content: text, Components: buttons, AllowedMentions: noMentions(), Flags: messageFlags(a.open)},
	}
	if a.instead {
		out.Type, out.Data.Flags = discordgo.InteractionResponseUpdateMessage, 0
	}
	return r.rest.Respond(ctx, i, out, a.files...)
}

// followUp adds to an answer.
func (r responder) followUp(ctx context.Context, i *discordgo.Interaction, a answer, text string) error {
	return r.rest.FollowUp(ctx, i, &discordgo.WebhookParams{Content: text, AllowedMentions: noMentions(), Flags: messageFlags(a.open && a.err == nil)})
}

// errorText is an error as people read it.
func errorText(l Language, err error) string {
	text := shortenPaths(Say(l, err))
	if word, _, _ := strings.Cut(text, " "); !strings.ContainsAny(word, ".:/_") { // else it is no word but a file or a key
		first, n := utf8.DecodeRuneInString(text)
		text = string(unicode.ToUpper(first)) + text[n:]
	}
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
		text += "."
	}
	return "⚠ " + text
}
