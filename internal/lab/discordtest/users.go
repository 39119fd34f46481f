package discordtest

import (
	"fmt"
	"slices"
	"strings"
)

// An Option is one argument of a command. The value is a string, bool, int or
// float64 according to the command, an id for users, channels and roles, and an
// Upload for attachments.
type Option struct {
	Name  string
	Value any
}

// An Upload is a file from a user.
type Upload struct {
	Name, Type string
	Data       []byte
}

// Command lets a user run a command; a sub-command is written "npc say". It
// fails if the user's client would not offer or send it: the command does not
// exist, the user lacks its permissions, or an option is missing, unknown or
// out of range.
func (s *Server) Command(userID, channelID, path string, options ...Option) (*Interaction, error) {
	return s.run(interactionCommand, userID, channelID, path, "", options)
}

// Autocomplete lets a user type into an option of a command. The options
// include the focused one, with the text typed so far.
func (s *Server) Autocomplete(userID, channelID, path, focused string, options ...Option) (*Interaction, error) {
	return s.run(interactionAutocomplete, userID, channelID, path, focused, options)
}

func (s *Server) run(kind int, userID, channelID, path, focused string, options []Option) (*Interaction, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, u := s.mustChannel(channelID), s.mustUser(userID)
	words := strings.Fields(path)
	k := s.lookup(ch.GuildID, words[0])
	if k == nil || ch.GuildID == "" && !k.direct() {
		return nil, fmt.Errorf("there is no command /%s", words[0])
	}
	rights := s.permissions(ch, userID)
	if k.Needs != nil && rights&*k.Needs != *k.Needs || rights&(ViewChannel|UseCommands) != ViewChannel|UseCommands {
		return nil, fmt.Errorf("%s does not see /%s", u.Username, words[0])
	}
	fill := filler{s: s, ch: ch, focused: focused, resolved: map[string]map[string]any{}}
	data := map[string]any{"id": k.ID, "name": k.Name, "type": k.Type}
	if k.GuildID != "" {
		data["guild_id"] = k.GuildID
	}
	given, err := fill.descend(k.Options, words[1:], options)
	if err != nil {
		return nil, fmt.Errorf("/%s: %w", path, err)
	}
	data["options"] = given
	if len(fill.resolved) > 0 {
		data["resolved"] = fill.resolved
	}
	i := &Interaction{kind: kind, channel: ch, user: u}
	return i, s.interact(i, data)
}

// lookup finds a command as a client in the guild does, guild commands first.
func (s *Server) lookup(guildID, name string) *command {
	for _, at := range []string{guildID, ""} {
		for _, k := range s.commands[at] {
			if k.Name == name && k.Type == 1 {
				return k
			}
		}
	}
	return nil
}

// contextDirect is the context of a conversation with the bot.
const contextDirect = 1

// direct reports whether a command is available in conversations with the bot.
func (k *command) direct() bool {
	return (k.DM == nil || *k.DM) && (len(k.Contexts) == 0 || slices.Contains(k.Contexts, contextDirect))
}

// filler converts options to the data of an interaction.
type filler struct {
	s        *Server
	ch       *channel
	focused  string
	resolved map[string]map[string]any
}

// descend follows the sub-commands to the options with values.
func (f *filler) descend(known []option, path []string, given []Option) ([]any, error) {
	if len(path) == 0 {
		return f.values(known, given)
	}
	for _, o := range known {
		if o.Name != path[0] || o.Type != optionSub && o.Type != optionGroup {
			continue
		}
		inner, err := f.descend(o.Options, path[1:], given)
		return []any{map[string]any{"name": o.Name, "type": o.Type, "options": inner}}, err
	}
	return nil, fmt.Errorf("there is no sub-command %s", path[0])
}

func (f *filler) values(known []option, given []Option) ([]any, error) {
	all := []any{}
	for _, o := range known {
		if o.Type == optionSub || o.Type == optionGroup {
			return nil, fmt.Errorf("a sub-command is missing")
		}
		at := slices.IndexFunc(given, func(g Option) bool { return g.Name == o.Name })
		if at < 0 {
			if o.Required && f.focused == "" {
				return nil, fmt.Errorf("option %s is missing", o.Name)
			}
			continue
		}
		v := given[at].Value
		focused := f.focused == o.Name
		if !focused {
			var err error
			if v, err = f.value(o, v); err != nil {
				return nil, fmt.Errorf("option %s: %w", o.Name, err)
			}
		} else if !o.Autocomplete {
			return nil, fmt.Errorf("option %s has no autocomplete", o.Name)
		}
		entry := map[string]any{"name": o.Name, "type": o.Type, "value": v}
		if focused {
			entry["focused"] = true
		}
		all = append(all, entry)
	}
	for _, g := range given {
		if !slices.ContainsFunc(known, func(o option) bool { return o.Name == g.Name }) {
			return nil, fmt.Errorf("there is no option %s", g.Name)
		}
	}
	return all, nil
}

// value checks a value as the user's client does.
func (f *filler) value(o option, v any) (any, error) {
	switch o.Type {
	case optionString:
		text, ok := v.(string)
		if n := runes(text); !ok || n > 6000 || o.MinLength != nil && n < *o.MinLength || o.MaxLength != nil && n > *o.MaxLength {
			return nil, fmt.Errorf("%v is no text of the right length", v)
		}
	case optionInteger, optionNumber:
		n, ok := number(v)
		if !ok || o.Type == optionInteger && n != float64(int64(n)) || o.MinValue != nil && n < *o.MinValue || o.MaxValue != nil && n > *o.MaxValue {
			return nil, fmt.Errorf("%v is no number in the range", v)
		}
	case optionBoolean:
		if _, ok := v.(bool); !ok {
			return nil, fmt.Errorf("%v is neither true nor false", v)
		}
	case optionAttachment:
		up, ok := v.(Upload)
		if !ok {
			return nil, fmt.Errorf("%v is no upload", v)
		}
		a := f.s.keep(f.ch.ID, upload{name: up.Name, kind: up.Type, data: up.Data})
		a.Ephemeral = true
		f.resolve("attachments", a.ID, a)
		return a.ID, nil
	default:
		id, _ := v.(string)
		if !f.refer(o.Type, id) {
			return nil, fmt.Errorf("%v is nobody and nothing here", v)
		}
	}
	if len(o.Choices) > 0 && !slices.ContainsFunc(o.Choices, func(c choice) bool { return fmt.Sprint(c.Value) == fmt.Sprint(v) }) {
		return nil, fmt.Errorf("%v is none of the choices", v)
	}
	return v, nil
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// refer resolves a user, channel or role by id.
func (f *filler) refer(kind int, id string) bool {
	g := f.s.guilds[f.ch.GuildID]
	if kind == optionUser || kind == optionMentionable {
		if u := f.s.users[id]; u != nil {
			f.resolve("users", id, u)
			if g != nil && g.members[id] != nil {
				m := *g.members[id]
				m.User = nil
				rights := f.s.permissions(f.ch, id)
				m.Permissions = &rights
				f.resolve("members", id, m)
			}
			return true
		}
	}
	if kind == optionChannel {
		if ch := f.s.channels[id]; ch != nil && ch.GuildID == f.ch.GuildID {
			f.resolve("channels", id, ch)
			return true
		}
	}
	if g != nil && (kind == optionRole || kind == optionMentionable) {
		for _, r := range g.Roles {
			if r.ID == id {
				f.resolve("roles", id, r)
				return true
			}
		}
	}
	return false
}

func (f *filler) resolve(kind, id string, v any) {
	if f.resolved[kind] == nil {
		f.resolved[kind] = map[string]any{}
	}
	f.resolved[kind][id] = v
}
