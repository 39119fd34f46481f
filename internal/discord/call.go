package discord

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/play"
)

// call is a command that somebody gave, a button that was pressed, or a form
// that was filled in.
type call struct {
	bot     *Bot
	guild   *play.Guild
	channel *discordgo.Channel
	id      string // of the interaction
	rights  int64  // of the bot in the channel
	by      *play.Member
	name    string   // of who gave it, in the guild
	lang    Language // of the answer
	options map[string]any
	files   map[string]*discordgo.MessageAttachment // by id
	focused string                                  // the option that is typed into, where it is completed
	// pressed is what the button says that was pressed, empty if none was.
	pressed string
	// filled is whether the options come from a form.
	filled bool

	// showMeanwhile shows a text in the place of the answer until that comes.
	showMeanwhile func(ctx context.Context, text string)

	// What goes with the answer.
	buttons  []button
	attached []Attachment
}

// say is a text in the language of the answer.
func (c *call) say(t Text, args ...any) string { return t.In(c.lang, args...) }

// textOption is a text option, empty if it was not given.
func (c *call) textOption(name string) string {
	s, _ := c.options[name].(string)
	return strings.TrimSpace(s)
}

// fileOption is an attached file, nil if none was given.
func (c *call) fileOption(name string) *discordgo.MessageAttachment {
	return c.files[c.textOption(name)]
}

// numberOption is a whole number, 0 if it was not given.
func (c *call) numberOption(name string) int {
	f, _ := c.options[name].(float64) // as JSON has it
	return int(f)
}

// attachFile lets the answer carry a file.
func (c *call) attachFile(name string, data []byte) {
	c.attached = append(c.attached, Attachment{Name: name, Data: data})
}

// requireText is a text option that may not be blank; missing says so.
func (c *call) requireText(name string, missing Text) (string, error) {
	if s := c.textOption(name); s != "" {
		return s, nil
	}
	return "", missing.With()
}

// runningSession is the session of the guild.
func (c *call) runningSession() (*session, error) {
	if r := c.bot.sessions.findSession(c.guild.ID()); r != nil {
		return r, nil
	}
	return nil, errNoSession
}

// errNoSession says that there is nothing a command could work on.
var errNoSession = NoSession.With()
