package discordtest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The types of a command's options.
const (
	optionSub         = 1
	optionGroup       = 2
	optionString      = 3
	optionInteger     = 4
	optionBoolean     = 5
	optionUser        = 6
	optionChannel     = 7
	optionRole        = 8
	optionMentionable = 9
	optionNumber      = 10
	optionAttachment  = 11

	maxCommands     = 100
	maxOptions      = 25
	maxCommandChars = 8000
)

// command is an application command.
type command struct {
	ID            string          `json:"id"`
	ApplicationID string          `json:"application_id"`
	GuildID       string          `json:"guild_id,omitempty"`
	Version       string          `json:"version"`
	Type          int             `json:"type"`
	Name          string          `json:"name"`
	Description   string          `json:"description"`
	NameLocal     json.RawMessage `json:"name_localizations,omitempty"`
	DescLocal     json.RawMessage `json:"description_localizations,omitempty"`
	Options       []option        `json:"options,omitempty"`
	Needs         *Permissions    `json:"default_member_permissions"`
	DM            *bool           `json:"dm_permission,omitempty"`
	NSFW          bool            `json:"nsfw"`
	Contexts      []int           `json:"contexts,omitempty"`
	Integrations  []int           `json:"integration_types,omitempty"`
}

type option struct {
	Type         int             `json:"type"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	NameLocal    json.RawMessage `json:"name_localizations,omitempty"`
	DescLocal    json.RawMessage `json:"description_localizations,omitempty"`
	Required     bool            `json:"required,omitempty"`
	Choices      []choice        `json:"choices,omitempty"`
	Options      []option        `json:"options,omitempty"`
	ChannelTypes []int           `json:"channel_types,omitempty"`
	MinValue     *float64        `json:"min_value,omitempty"`
	MaxValue     *float64        `json:"max_value,omitempty"`
	MinLength    *int            `json:"min_length,omitempty"`
	MaxLength    *int            `json:"max_length,omitempty"`
	Autocomplete bool            `json:"autocomplete,omitempty"`
}

type choice struct {
	Name      string          `json:"name"`
	NameLocal json.RawMessage `json:"name_localizations,omitempty"`
	Value     any             `json:"value"`
}

func (s *Server) commandRoutes(add func(string, route)) {
	for _, at := range []string{"/applications/{application}/commands", "/applications/{application}/guilds/{guild}/commands"} {
		add("GET "+at, s.registry(func(c *call, guildID string) (any, error) {
			return listed(s.commands[guildID], c.r.URL.Query().Get("with_localizations") == "true"), nil
		}))
		add("PUT "+at, s.registry(s.overwriteCommands))
		add("POST "+at, s.registry(s.createCommand))
		add("GET "+at+"/{command}", s.registry(func(c *call, guildID string) (any, error) { return s.command(c, guildID) }))
		add("PATCH "+at+"/{command}", s.registry(s.editCommand))
		add("DELETE "+at+"/{command}", s.registry(func(c *call, guildID string) (any, error) {
			old, err := s.command(c, guildID)
			if err != nil {
				return nil, err
			}
			s.commands[guildID] = slices.DeleteFunc(s.commands[guildID], func(k *command) bool { return k == old })
			return nil, nil
		}))
	}
}

// registry checks the application and guild in a call about commands.
func (s *Server) registry(f func(*call, string) (any, error)) route {
	return func(c *call) (any, error) {
		if c.id("application") != s.app.ID {
			return nil, errUnknownApplication
		}
		if id := c.id("guild"); id != "" && (s.guilds[id] == nil || !s.guilds[id].botIn) {
			return nil, errMissingAccess
		}
		return f(c, c.id("guild"))
	}
}

func (s *Server) command(c *call, guildID string) (*command, error) {
	for _, k := range s.commands[guildID] {
		if k.ID == c.id("command") {
			return k, nil
		}
	}
	return nil, errUnknownCommand
}

func (s *Server) overwriteCommands(c *call, guildID string) (any, error) {
	var sent []command // values, so that null becomes an empty command
	if err := c.decode(&sent); err != nil {
		return nil, err
	}
	all := []*command{}
	for i := range sent {
		all = append(all, &sent[i])
	}
	var f formError
	if len(all) > maxCommands {
		f.add("_errors", "APPLICATION_COMMANDS_TOO_MANY", "Maximum number of application commands reached (%d).", maxCommands)
	}
	names := map[string]bool{}
	for i, k := range all {
		k.check(&f, fmt.Sprintf("%d.", i))
		if names[k.Name] {
			f.add(fmt.Sprintf("%d.name", i), "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
		}
		names[k.Name] = true
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	for _, k := range all {
		s.number(k, guildID)
	}
	s.commands[guildID] = all
	return append([]*command{}, all...), nil
}

func (s *Server) createCommand(c *call, guildID string) (any, error) {
	k := &command{}
	if err := c.decode(k); err != nil {
		return nil, err
	}
	var f formError
	k.check(&f, "")
	if err := f.err(); err != nil {
		return nil, err
	}
	s.number(k, guildID)
	rest := slices.DeleteFunc(slices.Clone(s.commands[guildID]), func(o *command) bool { return o.ID == k.ID })
	s.commands[guildID] = append(rest, k)
	return createdBody{k}, nil
}

func (s *Server) editCommand(c *call, guildID string) (any, error) {
	old, err := s.command(c, guildID)
	if err != nil {
		return nil, err
	}
	k := *old
	k.Options = nil
	if err := c.decode(&k); err != nil {
		return nil, err
	}
	k.ID = old.ID
	if k.Options == nil {
		k.Options = old.Options
	}
	var f formError
	k.check(&f, "")
	if err := f.err(); err != nil {
		return nil, err
	}
	k.Version = s.id()
	*old = k
	return old, nil
}

// number assigns ids to a command; a command that replaces one of the same name
// and type keeps its id.
func (s *Server) number(k *command, guildID string) {
	k.ApplicationID, k.GuildID, k.Version, k.ID = s.app.ID, guildID, s.id(), ""
	if k.Type == 0 {
		k.Type = 1
	}
	for _, old := range s.commands[guildID] {
		if old.Name == k.Name && old.Type == k.Type {
			k.ID = old.ID
		}
	}
	if k.ID == "" {
		k.ID = s.id()
	}
}

var commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)

func (f *formError) checkCommandName(at, name string) {
	if !commandName.MatchString(name) || strings.ToLower(name) != name {
		f.add(at, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
	}
}

// check records the errors of a command; only chat commands have options and a
// description.
func (k *command) check(f *formError, at string) {
	if k.Type > 1 {
		f.length(at+"name", k.Name, 1, 32)
		return
	}
	f.checkCommandName(at+"name", k.Name)
	f.length(at+"description", k.Description, 1, 100)
	f.checkLocalized(at+"description_localizations", k.DescLocal)
	f.checkLocalizedNames(at+"name_localizations", k.NameLocal)
	checkOptions(f, at+"options", k.Options, 0)
	if n := runes(k.Name) + runes(k.Description) + optionChars(k.Options); n > maxCommandChars {
		f.add(at+"name", "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (%d)", maxCommandChars)
	}
}

func optionChars(all []option) int {
	n := 0
	for _, o := range all {
		n += runes(o.Name) + runes(o.Description) + optionChars(o.Options)
		for _, c := range o.Choices {
			n += runes(c.Name) + runes(fmt.Sprint(c.Value))
		}
	}
	return n
}

// checkOptions records the errors of options at a depth below the command.
func checkOptions(f *formError, at string, all []option, depth int) {
	if len(all) > maxOptions {
		f.add(at, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxOptions)
	}
	names, optional, subs := map[string]bool{}, false, 0
	for i, o := range all {
		at := fmt.Sprintf("%s.%d.", at, i)
		f.checkCommandName(at+"name", o.Name)
		f.length(at+"description", o.Description, 1, 100)
		f.checkLocalized(at+"description_localizations", o.DescLocal)
		if names[o.Name] {
			f.add(at+"name", "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists")
		}
		names[o.Name] = true
		if o.Required && optional {
			f.add(at+"required", "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options")
		}
		optional = optional || !o.Required
		if o.Type == optionSub || o.Type == optionGroup {
			subs++
			if o.Type == optionGroup && depth > 0 || depth > 1 {
				f.add(at+"type", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-commands and groups nest no deeper")
			}
			checkOptions(f, at+"options", o.Options, depth+1)
			continue
		}
		o.check(f, at)
	}
	if subs > 0 && subs < len(all) {
		f.add(at, "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-command and sub-command group option types are mutually exclusive to all other types")
	}
}

// check records the errors of an option with a value.
func (o *option) check(f *formError, at string) {
	if o.Type < optionString || o.Type > optionAttachment {
		f.add(at+"type", "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}.")
	}
	if len(o.Choices) > maxOptions {
		f.add(at+"choices", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxOptions)
	}
	checkChoices(f, at+"choices", o.Choices)
	typed := o.Type == optionString || o.Type == optionInteger || o.Type == optionNumber
	if o.Autocomplete && (len(o.Choices) > 0 || !typed) {
		f.add(at+"autocomplete", "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID", "Autocomplete needs a string, integer or number without choices")
	}
}

func checkChoices(f *formError, at string, all []choice) {
	for i, c := range all {
		f.length(fmt.Sprintf("%s.%d.name", at, i), c.Name, 1, 100)
		f.checkLocalized(fmt.Sprintf("%s.%d.name_localizations", at, i), c.NameLocal)
		if text, ok := c.Value.(string); ok {
			f.length(fmt.Sprintf("%s.%d.value", at, i), text, 1, 100)
		}
	}
}
