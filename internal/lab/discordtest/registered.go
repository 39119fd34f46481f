package discordtest

// The kinds of command options.
const (
	OptionString     = optionString
	OptionInteger    = optionInteger
	OptionBoolean    = optionBoolean
	OptionUser       = optionUser
	OptionChannel    = optionChannel
	OptionRole       = optionRole
	OptionNumber     = optionNumber
	OptionAttachment = optionAttachment
)

// A RegisteredCommand is a command or sub-command in a client's list.
type RegisteredCommand struct {
	// Path is the name for [Server.Command], such as "npc say".
	Path    string
	Options []RegisteredOption
}

// A RegisteredOption is an option in a client's list.
type RegisteredOption struct {
	Name string
	// Kind is one of the Option constants.
	Kind                   int
	Required, Autocomplete bool
	// Choices are the only valid values, unless empty.
	Choices []any
	// Least and Most bound a number, or the length of a text. Nil means no
	// bound.
	Least, Most *float64
}

// RegisteredCommands returns the commands of a guild, or the global ones for an
// empty guild, down to their sub-commands, in the order of registration.
func (s *Server) RegisteredCommands(guildID string) []RegisteredCommand {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []RegisteredCommand
	for _, k := range s.commands[guildID] {
		all = append(all, offered(k.Name, k.Options)...)
	}
	return all
}

// offered returns the commands below a path.
func offered(path string, options []option) (all []RegisteredCommand) {
	k := RegisteredCommand{Path: path}
	for _, o := range options {
		if o.Type == optionSub || o.Type == optionGroup {
			all = append(all, offered(path+" "+o.Name, o.Options)...)
			continue
		}
		k.Options = append(k.Options, o.registered())
	}
	if len(all) > 0 {
		return all
	}
	return []RegisteredCommand{k}
}

func (o *option) registered() RegisteredOption {
	r := RegisteredOption{
		Name: o.Name, Kind: o.Type, Required: o.Required, Autocomplete: o.Autocomplete, Least: o.MinValue, Most: o.MaxValue,
	}
	for _, c := range o.Choices {
		r.Choices = append(r.Choices, c.Value)
	}
	if o.Type == optionString {
		r.Least, r.Most = length(o.MinLength), length(o.MaxLength)
	}
	return r
}

func length(n *int) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}
