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

// answer is the response to a command.
type answer struct {
	text string
	err  error
	// open shows the answer to everyone in the channel, instead replaces the message whose button was
	// pressed, and deferred means that Discord was told to expect the answer. An error is shown only to the
	// user who gave the command.
	open, instead, deferred bool

	buttons []button
	files   []Attachment
}

// button runs a command when it is pressed: does holds the command's name, a space, and the command's
// argument.
type button struct {
	label, does string
	style       discordgo.ButtonStyle
}

// buttonRow returns the message components for buttons. An empty row removes existing buttons.
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

// form is the form that the user fills in before a command runs.
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

// messageFlags returns the flags of an answer that everyone sees, or only the user who asked.
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

// sendAnswer answers an interaction, in several messages if the text is long. The first message has the
// buttons and files.
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

// splitText returns the messages of an answer. Links show their addresses, because much of the text was
// written by players. Errors are in l.
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
		parts = []string{Done.In(l)} // Discord rejects empty messages
	case len(parts) > maxAnswers:
		parts = append(parts[:maxAnswers-1], "…")
	}
	return parts
}

// answerFirst answers an interaction, or replaces the deferred answer.
func (r responder) answerFirst(ctx context.Context, i *discordgo.Interaction, a answer, text string) error {
	if a.err != nil {
		if a.instead && a.deferred { // leave the question in place
			return r.followUp(ctx, i, answer{}, text)
		}
		if a.open && a.deferred { // the placeholder is visible to everyone
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

// followUp sends a further message of an answer.
func (r responder) followUp(ctx context.Context, i *discordgo.Interaction, a answer, text string) error {
	return r.rest.FollowUp(ctx, i, &discordgo.WebhookParams{Content: text, AllowedMentions: noMentions(), Flags: messageFlags(a.open && a.err == nil)})
}

// errorText formats an error for the user.
func errorText(l Language, err error) string {
	text := shortenPaths(TranslateError(l, err))
	if word, _, _ := strings.Cut(text, " "); !strings.ContainsAny(word, ".:/_") { // otherwise it is a file name or a key, not a word
		first, n := utf8.DecodeRuneInString(text)
		text = string(unicode.ToUpper(first)) + text[n:]
	}
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
		text += "."
	}
	return "⚠ " + text
}
