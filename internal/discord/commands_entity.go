package discord

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// maxImport bounds an imported file, in bytes: the worst file of this size takes 160 MB of memory and
	// about a second to read; a plain one has 10,000 entities.
	maxImport = 1 << 20
	// Limits of an entity's fields, in characters.
	maxEntityName, maxEntityKind, maxEntityText = 200, 64, 1000
)

// entityKinds are the kinds of entities with their descriptions.
var entityKinds = []struct {
	name          string
	word, meaning Text
}{
	{"npc", KindPerson, ChoicePerson}, {"location", KindPlace, ChoicePlace}, {"faction", KindFaction, ChoiceFaction},
	{"item", KindItem, ChoiceItem}, {"creature", KindCreature, ChoiceCreature},
}

// kindWord translates a kind of entity. It returns unknown kinds unchanged.
func kindWord(l Language, kind string) string {
	for _, k := range entityKinds {
		if k.name == kind {
			return k.word.In(l)
		}
	}
	return kind
}

// addEntity adds an entity to the world.
func addEntity(ctx context.Context, c *call) (string, error) {
	e, err := newEntity(c)
	if err != nil {
		return "", c.withTypedText(err)
	}
	placed, err := c.by.PlaceEntity(ctx, e)
	if err != nil {
		return "", c.withTypedText(err)
	}
	return c.format(EntityPlaced, escapeMarkup(placed.Name), placed.ID), nil
}

// newEntity returns the entity that the options describe.
func newEntity(c *call) (play.NewEntity, error) {
	kind, known := strings.ToLower(c.textOption("kind")), false
	var all []string
	for _, k := range entityKinds {
		if strings.EqualFold(kind, k.word.In(c.lang)) {
			kind = k.name
		}
		known = known || k.name == kind
		all = append(all, fmt.Sprintf("%s (%s)", k.word.In(c.lang), k.meaning.In(c.lang)))
	}
	e := play.NewEntity{Name: c.textOption("name"), Type: kind, Description: c.textOption("description"), Location: c.textOption("place")}
	switch {
	case e.Name == "":
		return e, NeedsName.With()
	case !known:
		return e, NoSuchKind.With(c.textOption("kind"), strings.Join(all, ", "))
	}
	return e, nil
}

// entityForm asks for an entity's fields if its name or kind is missing. Given options are filled in.
func entityForm(_ context.Context, c *call) *form {
	if c.textOption("name") != "" && c.textOption("kind") != "" {
		return nil
	}
	must, may := true, false
	var names []string
	for _, k := range entityKinds {
		names = append(names, c.format(k.word))
	}
	return &form{command: "entity add", title: c.format(NewEntity), fields: []discordgo.TextInput{
		{CustomID: "name", Label: c.format(FieldName), Style: discordgo.TextInputShort, Placeholder: c.format(OptEntityName), Required: &must, MaxLength: maxEntityName, Value: c.textOption("name")},
		{CustomID: "kind", Label: c.format(FieldKind), Style: discordgo.TextInputShort, Placeholder: strings.Join(names, ", "), Required: &must, MaxLength: maxEntityKind, Value: c.textOption("kind")},
		{CustomID: "description", Label: c.format(FieldText), Style: discordgo.TextInputParagraph, Placeholder: c.format(OptEntityText), Required: &may, MaxLength: maxEntityText, Value: c.textOption("description")},
		{CustomID: "place", Label: c.format(FieldPlace), Style: discordgo.TextInputShort, Placeholder: c.format(HintPlace), Required: &may, MaxLength: maxEntityName, Value: c.textOption("place")},
	}}
}

// withTypedText adds the submitted form's content to an error, because Discord discards it.
func (c *call) withTypedText(err error) error {
	if !c.filled {
		return err
	}
	lines := []string{c.format(YouTyped, strings.TrimPrefix(errorText(c.lang, err), "⚠ "))}
	for _, f := range []struct {
		name  string
		label Text
	}{{"name", FieldName}, {"kind", FieldKind}, {"place", FieldPlace}, {"description", FieldText}} {
		if s := c.textOption(f.name); s != "" {
			lines = append(lines, fmt.Sprintf("%s: %s", c.format(f.label), escapeMarkup(s)))
		}
	}
	return Verbatim.With(strings.Join(lines, "\n"))
}

// entityLine formats an entity in a list.
func entityLine(l Language, id, kind, name, description string) string {
	line := fmt.Sprintf("- **%s** `%s` (%s)", escapeMarkup(name), id, escapeMarkup(kindWord(l, kind)))
	if description != "" {
		line += ": " + escapeMarkup(description)
	}
	return line
}

// listEntities lists the entities, or those whose name contains a text.
func listEntities(ctx context.Context, c *call) (string, error) {
	filter := c.textOption("name")
	if page, query := c.turnedPage(); page > 0 {
		filter = query
	}
	found, err := c.by.ListEntities(ctx, filter)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, e := range found {
		lines = append(lines, entityLine(c.lang, e.ID, e.Type, e.Name, e.Description))
	}
	return c.showPage("entity list", filter, lines, c.format(NoSuchEntity))
}

// removeEntity removes an entity from the world after a confirmation.
func removeEntity(ctx context.Context, c *call) (string, error) {
	if c.pressed != "" {
		if err := c.by.RemoveEntity(ctx, c.pressed); err != nil {
			return "", err
		}
		return c.format(Removed, c.pressed), nil
	}
	e, err := c.namedEntity(ctx, c.textOption("id"))
	if err != nil {
		return "", err
	}
	c.buttons = []button{{c.format(YesForGood), "entity remove " + e.ID, discordgo.DangerButton}}
	return c.format(RemoveSure, "**"+escapeMarkup(e.Name)+"** `"+e.ID+"`"), nil
}

// namedEntity finds an entity by id, name or alias.
func (c *call) namedEntity(ctx context.Context, word string) (memory.Entity, error) {
	all, err := c.by.ListEntities(ctx, "")
	if err != nil {
		return memory.Entity{}, err
	}
	var named []memory.Entity
	var ids []string
	for _, e := range all {
		if e.ID == word {
			return e, nil
		}
		if strings.EqualFold(e.Name, word) || slices.ContainsFunc(e.Aliases, func(a string) bool { return strings.EqualFold(a, word) }) {
			named, ids = append(named, e), append(ids, "`"+e.ID+"`")
		}
	}
	switch len(named) {
	case 0:
		return memory.Entity{}, NoneCalled.With(word)
	case 1:
		return named[0], nil
	}
	return memory.Entity{}, SeveralCalled.With(word, strings.Join(ids, ", "))
}

// importEntities imports the attached campaign file.
func importEntities(ctx context.Context, c *call) (string, error) {
	name, data, err := fetchAttachment(ctx, c)
	if err != nil {
		return "", err
	}
	n, err := c.by.ImportCampaign(ctx, name, data)
	if err != nil {
		return "", err
	}
	return c.format(ImportedFrom, escapeMarkup(name), OfEntities.Of(n)), nil
}

// fetchAttachment downloads the file attached to a command.
func fetchAttachment(ctx context.Context, c *call) (name string, data []byte, err error) {
	f := c.fileOption("file")
	if f == nil {
		return "", nil, NoFile.With()
	}
	if f.Size > maxImport {
		return "", nil, FileTooLarge.With(maxImport >> 20)
	}
	data, err = c.bot.rest.Download(ctx, f.URL, maxImport)
	return f.Filename, data, err
}
