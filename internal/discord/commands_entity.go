package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
)

const (
	// maxImport bounds an imported file, in bytes.
	maxImport = 10 << 20
	// What an entity is made of, in characters.
	maxEntityName, maxEntityKind, maxEntityText = 200, 64, 1000
)

// entityKinds are what an entity may be, and what that means.
var entityKinds = []struct{ name, meaning string }{
	{"npc", "a person"}, {"location", "a place"}, {"faction", "a group of people"}, {"item", "a thing"}, {"creature", "a beast or a monster"},
}

// addEntity adds to the world.
func addEntity(ctx context.Context, c *call) (string, error) {
	args, err := placeArguments(c)
	if err != nil {
		return "", c.withTypedText(err)
	}
	type added struct {
		Entity struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"entity"`
	}
	a, err := callTool[added](ctx, c, "place_entity", args)
	if err != nil {
		return "", c.withTypedText(err)
	}
	return fmt.Sprintf("**%s** is part of the world now, as `%s`.", markup.Escape(a.Entity.Name), a.Entity.ID), nil
}

// placeArguments are the arguments of the tool that adds an entity.
func placeArguments(c *call) (map[string]any, error) {
	kind, known := strings.ToLower(c.textOption("kind")), false
	var all []string
	for _, k := range entityKinds {
		known = known || k.name == kind
		all = append(all, fmt.Sprintf("%s (%s)", k.name, k.meaning))
	}
	switch {
	case c.textOption("name") == "":
		return nil, errors.New("it needs a name")
	case !known:
		return nil, fmt.Errorf("%q is no kind; take %s", c.textOption("kind"), strings.Join(all, ", "))
	}
	args := map[string]any{"name": c.textOption("name"), "type": kind}
	for option, field := range map[string]string{"description": "description", "place": "location"} {
		if s := c.textOption(option); s != "" {
			args[field] = s
		}
	}
	return args, nil
}

// entityForm asks for an entity that has no name or no kind yet; what is known of
// it is filled in.
func entityForm(c *call) *form {
	if c.textOption("name") != "" && c.textOption("kind") != "" {
		return nil
	}
	must, may := true, false
	var names []string
	for _, k := range entityKinds {
		names = append(names, k.name)
	}
	return &form{command: "entity add", title: "Somebody or something new", fields: []discordgo.TextInput{
		{CustomID: "name", Label: "Name", Style: discordgo.TextInputShort, Placeholder: "What people call it", Required: &must, MaxLength: maxEntityName, Value: c.textOption("name")},
		{CustomID: "kind", Label: "Kind", Style: discordgo.TextInputShort, Placeholder: strings.Join(names, ", "), Required: &must, MaxLength: maxEntityKind, Value: c.textOption("kind")},
		{CustomID: "description", Label: "Description", Style: discordgo.TextInputParagraph, Placeholder: "One to three sentences", Required: &may, MaxLength: maxEntityText, Value: c.textOption("description")},
		{CustomID: "place", Label: "Place", Style: discordgo.TextInputShort, Placeholder: "Where it is: the name of a place of your world", Required: &may, MaxLength: maxEntityName, Value: c.textOption("place")},
	}}
}

// withTypedText adds to an error what was typed into a form, which is gone otherwise.
func (c *call) withTypedText(err error) error {
	if !c.filled {
		return err
	}
	lines := []string{strings.TrimPrefix(errorText(err), "⚠ ") + " What you typed:"}
	for _, name := range []string{"name", "kind", "place", "description"} {
		if s := c.textOption(name); s != "" {
			lines = append(lines, fmt.Sprintf("%s: %s", name, markup.Escape(s)))
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

// entity is somebody or something of the world.
type entity struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

func (e entity) listLine() string {
	line := fmt.Sprintf("- **%s** `%s` (%s)", markup.Escape(e.Name), e.ID, markup.Escape(e.Type))
	if e.Description != "" {
		line += ": " + markup.Escape(e.Description)
	}
	return line
}

func listEntities(ctx context.Context, c *call) (string, error) {
	type found struct {
		Entities []entity `json:"entities"`
	}
	args := map[string]any{}
	if s := c.textOption("name"); s != "" {
		args["name"] = s
	}
	f, err := callTool[found](ctx, c, "query_entities", args)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, e := range f.Entities {
		lines = append(lines, e.listLine())
	}
	return joinLines(lines, "There is nobody and nothing of that name."), nil
}

func removeEntity(ctx context.Context, c *call) (string, error) {
	id := c.pressed
	if id == "" {
		id = c.textOption("id")
		if id == "" || strings.ContainsFunc(id, unicode.IsSpace) {
			return "", errors.New("an id has no spaces in it; /entity list shows the ids")
		}
		c.buttons = []button{{"Yes, for good", "entity remove " + id, discordgo.DangerButton}}
		return fmt.Sprintf("Take `%s` out of the world for good, with all that connects it to others?", id), nil
	}
	if _, err := callTool[struct{}](ctx, c, "remove_entity", map[string]any{"id": id}); err != nil {
		return "", err
	}
	return fmt.Sprintf("`%s` is no part of the world any more.", id), nil
}

// importEntities reads a campaign file that came with the command.
func importEntities(ctx context.Context, c *call) (string, error) {
	name, data, err := fetchAttachment(ctx, c)
	if err != nil {
		return "", err
	}
	n, err := c.bot.backend.Import(ctx, c.guild, c.by, name, data)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Read from %s: %s.", markup.Escape(name), countedEntities(n)), nil
}

// fetchAttachment gets the file that came with a command.
func fetchAttachment(ctx context.Context, c *call) (name string, data []byte, err error) {
	f := c.fileOption("file")
	if f == nil {
		return "", nil, errors.New("there is no file; attach one")
	}
	if f.Size > maxImport {
		return "", nil, fmt.Errorf("the file has %d MB; 10 MB are the most", f.Size>>20)
	}
	data, err = c.bot.rest.Download(ctx, f.URL, maxImport)
	return f.Filename, data, err
}
