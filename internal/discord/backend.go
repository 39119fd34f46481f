package discord

import (
	"context"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// House opens the tables of guilds. It is safe for concurrent use.
type House interface {
	// Sit opens a table for a guild that has none. The caller closes what it
	// returns before it asks for the guild's next.
	Sit(ctx context.Context, guild string, o SitOptions) (*Sitting, error)
	// Interrupted returns the session of a guild that a crash cut off, and whether
	// there is one in which something was said. While another runs there is none.
	Interrupted(ctx context.Context, guild string) (memory.Session, bool, error)
	// CutOff returns the sessions that were cut off since it was asked last, those
	// of another process included.
	CutOff(ctx context.Context) []Cut
}

// Cut is a session that was cut off.
type Cut struct {
	// Channel is where it was played: the thread, if in one.
	Guild, Channel string
	// Lines is how many lines were said in it.
	Lines int
}

// SitOptions say who is told what happens at a table.
type SitOptions struct {
	// Sink takes the table's events.
	Sink table.Sink
	// Tell is told at any time what people should know, as in [table.Notice]. It
	// may be called by any goroutine and does not wait.
	Tell func(level, text string)
	// Channel is where it is played: the thread, if in one.
	Channel string
	// Resume goes on with the session that was cut off, if there is one in which
	// something was said. Else what is left of it is ended, and another begins.
	Resume bool
}

// Sitting is an open table. Its functions are safe for concurrent use.
type Sitting struct {
	Table           *table.Table
	Campaign, Scene string
	Cast            []NPC
	// Notices are what people should know before the first line.
	Notices []string
	// Reload reads the NPC files anew and has the table go on with those NPCs. It
	// returns them and what people should know. What is wrong with the files comes
	// back with file and line, and nothing changes then.
	Reload func(ctx context.Context) (cast []NPC, said string, err error)
	// Close ends the table; what was said is kept.
	Close func() error
}

// NPC is how a character looks in a chat.
type NPC struct {
	Name string
	// Avatar is the address of its picture, empty if it has none.
	Avatar string
}

// Office is what a guild has beside a table. It works with and without a session
// and is safe for concurrent use.
type Office interface {
	// Call runs a tool with a caller's rights and returns its answer, which is
	// JSON for every tool that is built in.
	Call(ctx context.Context, guild string, by Caller, tool, args string) (string, error)
	// Tools describes the guild's tools, measured anew if measure is true.
	Tools(ctx context.Context, guild string, measure bool) ([]mcphost.Status, error)
	// Servers describes the external servers, and why one is down.
	Servers(ctx context.Context, guild string) ([]mcphost.ServerStatus, error)
	// HeldTools are those whose definition waits for somebody's approval.
	HeldTools(ctx context.Context, guild string) ([]mcphost.Held, error)
	// ApproveTool takes the definition that an external server offers of a tool as
	// the approved one, see [mcphost.Host.Approve]; name is as there.
	ApproveTool(ctx context.Context, guild string, by Caller, name string) error
	// Suggest returns what may be meant by what somebody has typed, the nearest
	// first, 25 at most: nothing to players. It ends with ctx, then mostly with
	// its error: a guild in which nobody did anything lately has to be opened
	// first.
	Suggest(ctx context.Context, guild string, by Caller, what Suggestion, typed string) ([]Choice, error)
	// Import takes a campaign file into the guild's world and returns how many
	// entities it has. What is wrong with the file is said with its lines.
	Import(ctx context.Context, guild string, by Caller, name string, data []byte) (int, error)
}

// Records are what is kept of a guild. They are there with and without a session
// and safe for concurrent use.
type Records interface {
	// Recall returns the latest session in which something was said, and its last
	// lines, most at most. Without any the session has no id.
	Recall(ctx context.Context, guild string, most int) (memory.Session, []memory.Line, error)
	// Campaign describes what is played in the guild.
	Campaign(ctx context.Context, guild string) (Campaign, error)
	// Campaigns names what may be played in the guild, the configured campaign
	// first, without scenes and counts.
	Campaigns(ctx context.Context, guild string) ([]Campaign, error)
	// LoadCampaign keeps a campaign file as one of the guild's campaigns, or in
	// place of that of the same name, whose world then takes in what is new. What
	// is wrong with the file is said with its lines, and changes nothing.
	LoadCampaign(ctx context.Context, guild string, by Caller, file string, data []byte) (Campaign, error)
	// SwitchCampaign has the guild play another campaign from now on, by its id,
	// with a world and a memory of its own. No session may run.
	SwitchCampaign(ctx context.Context, guild string, by Caller, id string) (Campaign, error)
	// Note keeps what somebody thinks of the play, for whoever runs the bot.
	Note(ctx context.Context, guild string, by Caller, text string) error
	// Declined lists the users who do not want to be heard in the guild.
	Declined(ctx context.Context, guild string) ([]string, error)
	// Consent keeps whether a user wants to be heard. Who never said so is.
	Consent(ctx context.Context, guild, user string, heard bool) error
	// Forget takes everything a user said or wrote out of what is kept of the
	// guild: in all its campaigns, at the table that is running, in the feedback,
	// and the user's name and words in the audit log. It returns how many lines
	// that were. An error means that something may be left.
	Forget(ctx context.Context, guild, user string) (lines int, err error)
}

// Backend is what is behind a bot.
type Backend interface {
	House
	Office
	Records
}

// Suggestion is what somebody is about to name.
type Suggestion int

// What is suggested.
const (
	SuggestEntity   Suggestion = iota // of the world, by its id
	SuggestApproval                   // a call that waits for approval, by its id
	SuggestHeldTool                   // see [Office.HeldTools], as [Office.ApproveTool] wants it
	SuggestCampaign                   // by its id, which may be empty
)

// Choice is something that can be named: how people know it, and how a command
// does.
type Choice struct{ Name, Value string }

// Campaign is what is played in a guild.
type Campaign struct {
	// ID is empty for the configured campaign.
	ID string
	// Current is whether it is played now.
	Current bool

	Name, System, Scene string
	// NPCs, Entities and Sessions count them.
	NPCs, Entities, Sessions int
}

// Caller is who gave a command.
type Caller struct {
	// ID is the user's.
	ID string
	// DM is whether the caller has a DM's rights.
	DM bool
}
