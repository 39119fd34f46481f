package discord

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/play"
)

// call is one use of a command: a slash command, a pressed button, or a submitted form.
type call struct {
	bot     *Bot
	guild   *play.Guild
	channel *discordgo.Channel
	id      string // the interaction's id
	rights  int64  // the bot's permissions in the channel
	by      *play.Member
	name    string   // the user's name in the guild
	lang    Language // the language of the answer
	options map[string]any
	files   map[string]*discordgo.MessageAttachment // by id
	focused string                                  // the option being completed
	// pressed is the argument of the pressed button, empty if none was pressed.
	pressed string
	// filled reports whether the options come from a form.
	filled bool

	// showMeanwhile shows a text until the answer replaces it.
	showMeanwhile func(ctx context.Context, text string)

	// Sent with the answer.
	buttons  []button
	attached []Attachment
}

// format formats a text in the language of the answer.
func (c *call) format(t Text, args ...any) string { return t.In(c.lang, args...) }

// textOption returns a text option, "" if it was not given.
func (c *call) textOption(name string) string {
	s, _ := c.options[name].(string)
	return strings.TrimSpace(s)
}

// fileOption returns an attached file, nil if none was given.
func (c *call) fileOption(name string) *discordgo.MessageAttachment {
	return c.files[c.textOption(name)]
}

// numberOption returns a whole number, 0 if it was not given.
func (c *call) numberOption(name string) int {
	f, _ := c.options[name].(float64) // JSON numbers decode to float64
	return int(f)
}

// attachFile adds a file to the answer.
func (c *call) attachFile(name string, data []byte) {
	c.attached = append(c.attached, Attachment{Name: name, Data: data})
}

// requireText returns a text option, or missing as an error if the option is blank.
func (c *call) requireText(name string, missing Text) (string, error) {
	if s := c.textOption(name); s != "" {
		return s, nil
	}
	return "", missing.With()
}

// runningSession returns the guild's session.
func (c *call) runningSession() (*session, error) {
	if r := c.bot.sessions.findSession(c.guild.ID()); r != nil {
		return r, nil
	}
	return nil, errNoSession
}

// errNoSession is the error of commands that need a session.
var errNoSession = NoSession.With()
