package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/discord/wording"
	"github.com/MrWong99/glyphoxa/internal/guilds"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
)

const (
	// maxImport bounds an imported file, in bytes.
	maxImport = 10 << 20
	// What an entity is made of, in characters.
	maxEntityName, maxEntityKind, maxEntityText = 200, 64, 1000
)

// entityKinds are what an entity may be, and what that means.
var entityKinds = []struct {
	name    string
	meaning wording.Text
}{
	{"npc", wording.ChoicePerson}, {"location", wording.ChoicePlace}, {"faction", wording.ChoiceFaction}, {"item", wording.ChoiceItem}, {"creature", wording.ChoiceCreature},
}

// addEntity adds to the world.
func addEntity(ctx context.Context, c *call) (string, error) {
	e, err := newEntity(c)
	if err != nil {
		return "", c.withTypedText(err)
	}
	placed, err := c.by.PlaceEntity(ctx, e)
	if err != nil {
		return "", c.withTypedText(err)
	}
	return fmt.Sprintf("**%s** is part of the world now, as `%s`.", markup.Escape(placed.Name), placed.ID), nil
}

// newEntity is the entity that somebody describes.
func newEntity(c *call) (guilds.NewEntity, error) {
	kind, known := strings.ToLower(c.textOption("kind")), false
	var all []string
	for _, k := range entityKinds {
		known = known || k.name == kind
		all = append(all, fmt.Sprintf("%s (%s)", k.name, k.meaning.In(wording.English)))
	}
	e := guilds.NewEntity{Name: c.textOption("name"), Type: kind, Description: c.textOption("description"), Location: c.textOption("place")}
	switch {
	case e.Name == "":
		return e, errors.New("it needs a name")
	case !known:
		return e, fmt.Errorf("%q is no kind; take %s", c.textOption("kind"), strings.Join(all, ", "))
	}
	return e, nil
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
	lines := []string{strings.TrimPrefix(errorText(c.lang, err), "⚠ ") + " What you typed:"}
	for _, name := range []string{"name", "kind", "place", "description"} {
		if s := c.textOption(name); s != "" {
			lines = append(lines, fmt.Sprintf("%s: %s", name, markup.Escape(s)))
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

// entityLine is an entity in a list.
func entityLine(e memorytool.Entity) string {
	line := fmt.Sprintf("- **%s** `%s` (%s)", markup.Escape(e.Name), e.ID, markup.Escape(e.Type))
	if e.Description != "" {
		line += ": " + markup.Escape(e.Description)
	}
	return line
}

func listEntities(ctx context.Context, c *call) (string, error) {
	found, err := c.by.FindEntities(ctx, c.textOption("name"))
	if err != nil {
		return "", err
	}
	var lines []string
	for _, e := range found {
		lines = append(lines, entityLine(e))
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
	if err := c.by.RemoveEntity(ctx, id); err != nil {
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
	n, err := c.by.ImportCampaign(ctx, name, data)
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
