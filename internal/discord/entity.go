package discord

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode"

	"github.com/bwmarrin/discordgo"
)

// maxImport bounds an imported file, in bytes.
const maxImport = 10 << 20

func (b *Bot) entityAdd(ctx context.Context, c *call) (string, error) {
	args := map[string]any{"name": c.str("name"), "type": c.str("kind")}
	for option, field := range map[string]string{"description": "description", "place": "location"} {
		if s := c.str(option); s != "" {
			args[field] = s
		}
	}
	type added struct {
		Entity struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"entity"`
	}
	a, err := ask[added](ctx, c, "place_entity", args)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("**%s** is part of the world now, as `%s`.", escape(a.Entity.Name), a.Entity.ID), nil
}

// entity is somebody or something of the world.
type entity struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

func (e entity) line() string {
	return fmt.Sprintf("- **%s** `%s` (%s): %s", escape(e.Name), e.ID, escape(e.Type), escape(e.Description))
}

func (b *Bot) entityList(ctx context.Context, c *call) (string, error) {
	type found struct {
		Entities []entity `json:"entities"`
	}
	args := map[string]any{}
	if s := c.str("name"); s != "" {
		args["name"] = s
	}
	f, err := ask[found](ctx, c, "query_entities", args)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, e := range f.Entities {
		lines = append(lines, e.line())
	}
	return list(lines, "There is nobody and nothing of that name."), nil
}

func (b *Bot) entityRemove(ctx context.Context, c *call) (string, error) {
	id := c.pressed
	if id == "" {
		id = c.str("id")
		if id == "" || strings.ContainsFunc(id, unicode.IsSpace) {
			return "", errors.New("an id has no spaces in it; /entity list shows the ids")
		}
		c.buttons = []button{{"Yes, for good", "entity remove " + id, discordgo.DangerButton}}
		return fmt.Sprintf("Take `%s` out of the world for good, with all that connects it to others?", id), nil
	}
	if _, err := ask[struct{}](ctx, c, "remove_entity", map[string]any{"id": id}); err != nil {
		return "", err
	}
	return fmt.Sprintf("`%s` is no part of the world any more.", id), nil
}

// entityImport reads a campaign file that came with the command.
func (b *Bot) entityImport(ctx context.Context, c *call) (string, error) {
	f := c.file("file")
	if f == nil {
		return "", errors.New("there is no file; attach one")
	}
	if f.Size > maxImport {
		return "", fmt.Errorf("the file has %d MB; 10 MB are the most", f.Size>>20)
	}
	data, err := b.fetch(ctx, f.URL)
	if err != nil {
		return "", err
	}
	n, err := b.backend.Import(ctx, c.guild, c.by, f.Filename, data)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d entities were read from %s.", n, escape(f.Filename)), nil
}

// fetch gets an attached file.
func (b *Bot) fetch(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("the file has no address that can be read")
	}
	resp, err := b.api.session.Client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("fetching the file: %w", plain(err))
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxImport+1))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, fmt.Errorf("fetching the file: %w", plain(err))
	}
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("fetching the file: Discord answered with status %d", resp.StatusCode)
	case len(data) > maxImport:
		return nil, errors.New("the file has more than 10 MB")
	}
	return data, nil
}
