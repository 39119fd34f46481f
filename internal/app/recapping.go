package app

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// RecapOptions configure Recap. The zero value means the latest session, for the DM.
type RecapOptions struct {
	Session string
	// Players leaves out what players must not know.
	Players bool
	// Extract uses the lines themselves even if there is a model.
	Extract bool
	// Threads groups the lines by subject.
	Threads bool
}

const (
	// recapLines bounds the lines of a recap without a model.
	recapLines = 12
	// recapTime bounds how long a model may take.
	recapTime = 2 * time.Minute
)

// Recap prints what happened in a session: as told by the configured model, or without one the most
// significant lines.
func Recap(ctx context.Context, w io.Writer, cfg *config.Config, o RecapOptions) error {
	return withStore(ctx, cfg, func(store memory.Store) error {
		s, err := findSession(ctx, store, o.Session)
		if err != nil {
			return err
		}
		lines, err := store.Recent(ctx, s.ID, max(1, s.Lines))
		if err != nil {
			return err
		}
		entities, _, err := store.World(ctx)
		if err != nil {
			return err
		}
		secrets := &world.Secrets{}
		if o.Players {
			var facts []memory.Fact
			if err := eachCampaignFact(ctx, store, func(f memory.Fact) { facts = append(facts, f) }); err != nil {
				return err
			}
			secrets = world.SecretsOf(entities, facts)
			lines = world.ForPlayers(lines, secrets)
		}
		text, by, err := recapSession(ctx, cfg, lines, entities, secrets, o)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s, %s, %s%s\n\n%s\n", cmp.Or(s.Campaign, "a session"), s.Started.Local().Format("2 January 2006 15:04"), plural.Count(s.Lines, "line", "lines"), by, text)
		return err
	})
}

// recapSession returns the text of a recap, and the method by which it was made.
func recapSession(ctx context.Context, cfg *config.Config, lines []memory.Line, entities []memory.Entity, secrets *world.Secrets, o RecapOptions) (text, by string, err error) {
	if len(lines) == 0 {
		return "Nothing was said that could be told.", "", nil
	}
	if o.Threads {
		return recapThreads(lines, entities, o.Players), ", by thread", nil
	}
	client := providers.NewClient()
	defer client.CloseIdleConnections()
	model, scripted, err := providers.Model(client, cfg.Providers.LLM, providers.Reports{})
	if err != nil {
		return "", "", userfile.Usage(err)
	}
	if !o.Extract && !scripted {
		ctx, cancel := context.WithTimeout(ctx, recapTime)
		defer cancel()
		language := ""
		if len(cfg.Language) > 0 {
			language = cfg.Language[0]
		}
		text, err := world.RequestRecap(ctx, model, lines, language)
		if err != nil {
			return "", "", fmt.Errorf("%w; --extract needs no model", err)
		}
		if !secrets.Betrays(text) {
			return text, ", as told by the model", nil
		}
	}
	var names []string
	for _, e := range entities {
		names = append(names, e.Name)
	}
	var b strings.Builder
	for _, l := range world.ExtractRecap(lines, names, recapLines) {
		fmt.Fprintf(&b, "- %s: %s\n", l.Speaker, l.Text)
	}
	return strings.TrimSuffix(b.String(), "\n"), ", the most important lines", nil
}

// recapThreads returns the lines of a session grouped by subject. For players it leaves out subjects that they
// do not know.
func recapThreads(lines []memory.Line, entities []memory.Entity, players bool) string {
	var names []string
	for _, e := range entities {
		if !players || len(e.Visible) == 0 {
			names = append(names, e.Name)
		}
	}
	for _, l := range lines {
		if l.NPC != "" && !slices.Contains(names, l.Speaker) {
			names = append(names, l.Speaker)
		}
	}
	var b strings.Builder
	for _, t := range world.Threads(lines, names) {
		fmt.Fprintf(&b, "%s\n", t.Title)
		for _, l := range t.Lines {
			fmt.Fprintf(&b, "- %s: %s\n", l.Speaker, l.Text)
		}
		b.WriteString("\n")
	}
	return cmp.Or(strings.TrimSpace(b.String()), "Nothing was said that belongs together.")
}

// findSession returns the session of an id, or the latest one that has lines.
func findSession(ctx context.Context, store memory.Store, id string) (memory.Session, error) {
	all, err := store.Sessions(ctx, 0)
	if err != nil {
		return memory.Session{}, err
	}
	latest := slices.IndexFunc(all, func(s memory.Session) bool { return s.Lines > 0 })
	if id != "" {
		if i := slices.IndexFunc(all, func(s memory.Session) bool { return s.ID == id }); i >= 0 {
			return all[i], nil
		}
		if latest >= 0 {
			return memory.Session{}, userfile.Usage(fmt.Errorf("there is no session %q; the latest is %s", id, all[latest].ID))
		}
	}
	if latest < 0 {
		return memory.Session{}, userfile.Usage(errors.New("nothing has been said in any session yet; glyphoxa play starts one"))
	}
	return all[latest], nil
}

// RemoveOptions configure RemoveCampaign.
type RemoveOptions struct {
	Name string
	// Sessions also removes the campaign's sessions with all lines.
	Sessions bool
	// Confirm asks whether to continue. If nil, RemoveCampaign does not ask.
	Confirm func(question string) error
}

// Campaigns prints the campaigns in memory.
func Campaigns(ctx context.Context, w io.Writer, cfg *config.Config) error {
	return withStore(ctx, cfg, func(store memory.Store) error {
		all, err := listCampaigns(ctx, cfg, store)
		if err != nil {
			return err
		}
		waiting, err := unimportedCampaign(ctx, cfg, store)
		if err != nil {
			return err
		}
		for _, c := range all {
			fresh := ""
			if waiting != nil && c.name == cmp.Or(cfg.Campaign.Name, waiting.Name) {
				fresh = fmt.Sprintf("; %s is not in memory yet; glyphoxa play or glyphoxa import adds it", cfg.Campaign.World)
			}
			if _, err := fmt.Fprintf(w, "%s: %s, %s with %s%s\n", c.name, plural.Count(c.countPresent(), "entity", "entities"), plural.Count(len(c.sessions), "session", "sessions"), plural.Count(c.lines, "line", "lines"), fresh); err != nil {
				return err
			}
		}
		return nil
	})
}

// storedCampaign is a campaign in memory.
type storedCampaign struct {
	name string
	// entities are the ids that the campaign added or will add when it is next played. there contains the ids
	// that are in the world now.
	entities []string
	present  map[string]bool
	sessions []string
	lines    int
}

// countPresent returns the number of the campaign's entities that are in the world now.
func (c *storedCampaign) countPresent() int { return c.countPresentOf(c.entities) }

func (c *storedCampaign) countPresentOf(ids []string) (n int) {
	for _, id := range ids {
		if c.present[id] {
			n++
		}
	}
	return n
}

// listCampaigns returns the campaigns in memory: the imported ones, the configured one, and those that were
// played.
func listCampaigns(ctx context.Context, cfg *config.Config, store memory.Store) ([]*storedCampaign, error) {
	byName, there := map[string]*storedCampaign{}, map[string]bool{}
	var all []*storedCampaign
	of := func(name string) *storedCampaign {
		if byName[name] == nil {
			byName[name] = &storedCampaign{name: name, present: there}
			all = append(all, byName[name])
		}
		return byName[name]
	}
	entities, _, err := store.World(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range entities {
		there[e.ID] = true
	}
	state, err := store.LoadState(ctx, importsSpace)
	if err != nil {
		return nil, err
	}
	for name, text := range state {
		if err := json.Unmarshal(text, &of(name).entities); err != nil {
			return nil, fmt.Errorf("reading what %q added: %w; import it again", name, err)
		}
	}
	if c, err := play.ReadCampaign(cfg); err != nil {
		return nil, err
	} else if c != nil {
		configured := of(cmp.Or(cfg.Campaign.Name, c.Name))
		for _, e := range c.Entities {
			configured.entities = append(configured.entities, e.ID)
		}
	}
	sessions, err := store.Sessions(ctx, 0)
	for _, s := range sessions {
		c := of(s.Campaign)
		c.sessions, c.lines = append(c.sessions, s.ID), c.lines+s.Lines
	}
	for _, c := range all {
		slices.Sort(c.entities)
		c.entities = slices.Compact(c.entities)
	}
	slices.SortFunc(all, func(a, b *storedCampaign) int { return cmp.Compare(a.name, b.name) })
	return all, err
}

// RemoveCampaign removes a campaign from memory, and prints what stays.
func RemoveCampaign(ctx context.Context, w io.Writer, cfg *config.Config, o RemoveOptions) error {
	return withStore(ctx, cfg, func(store memory.Store) error {
		all, err := listCampaigns(ctx, cfg, store)
		if err != nil {
			return err
		}
		var names []string
		shared := map[string]bool{}
		var c *storedCampaign
		for _, other := range all {
			if names = append(names, other.name); other.name == o.Name {
				c = other
				continue
			}
			for _, id := range other.entities {
				shared[id] = true
			}
		}
		if c == nil {
			return userfile.Usage(fmt.Errorf("there is no campaign %q; there are: %s", o.Name, strings.Join(names, ", ")))
		}
		gone := slices.DeleteFunc(slices.Clone(c.entities), func(id string) bool { return shared[id] })
		question := fmt.Sprintf("This removes %s of %q, with all relations and facts about them", plural.Count(c.countPresentOf(gone), "entity", "entities"), o.Name)
		if o.Sessions {
			question += fmt.Sprintf(", and %s with %s", plural.Count(len(c.sessions), "session", "sessions"), plural.Count(c.lines, "line", "lines"))
		}
		if o.Confirm != nil {
			if err := o.Confirm(question + "."); err != nil {
				return err
			}
		}
		if err := withdrawCampaign(ctx, store, o.Name, gone); err != nil {
			return err
		}
		lines := 0
		if o.Sessions {
			for _, id := range c.sessions {
				n, err := store.RemoveSession(ctx, id)
				if lines += n; err != nil {
					return err
				}
			}
		}
		if err := announceWorld(ctx, cfg, store); err != nil {
			return err
		}
		return describeRemoval(w, cfg, c, o, c.countPresentOf(gone), lines)
	})
}

// withdrawCampaign removes entities of a campaign from the world, with the facts about them and about the
// campaign.
func withdrawCampaign(ctx context.Context, store memory.Store, name string, ids []string) error {
	sources := map[string]bool{"campaign:" + world.Slug(name): true}
	for _, id := range ids {
		sources["entity:"+id] = true
	}
	var facts []memory.Fact
	err := eachCampaignFact(ctx, store, func(f memory.Fact) {
		if sources[f.Source] {
			facts = append(facts, f)
		}
	})
	if err != nil {
		return err
	}
	if err := store.Withdraw(ctx, ids, nil, facts); err != nil {
		return err
	}
	if err := store.SaveState(ctx, importsSpace, map[string][]byte{name: nil}); err != nil {
		return err
	}
	return store.SaveState(ctx, "world", map[string][]byte{"scene:" + name: nil, "initial:" + name: nil})
}

// describeRemoval prints which parts were removed and which were not.
func describeRemoval(w io.Writer, cfg *config.Config, c *storedCampaign, o RemoveOptions, gone, lines int) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "removed %s of %q, with all relations and facts about them", plural.Count(gone, "entity", "entities"), o.Name)
	if o.Sessions {
		fmt.Fprintf(b, ", and %s with %s", plural.Count(len(c.sessions), "session", "sessions"), plural.Count(lines, "line", "lines"))
	}
	fmt.Fprintln(b)
	if n := c.countPresent() - gone; n > 0 {
		fmt.Fprintf(b, "%s, because another campaign has them, too\n", plural.Count(n, "entity stays", "entities stay"))
	}
	if !o.Sessions && len(c.sessions) > 0 {
		fmt.Fprintf(b, "still there, and remembered by NPCs: %s with %s; --with-sessions removes them\n", plural.Count(len(c.sessions), "session", "sessions"), plural.Count(c.lines, "line", "lines"))
	}
	fmt.Fprintln(b, "what was created at the table, notes, the audit log and copies of the database stay")
	if o.Name == cfg.Campaign.Name && cfg.Campaign.World != "" {
		fmt.Fprintf(b, "the configuration names %s, which the next start imports again; remove campaign.world from it\n", cfg.Campaign.World)
	}
	return b.Flush()
}
