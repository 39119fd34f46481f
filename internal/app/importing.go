package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// importsSpace is the state space that holds the ids of the entities of each imported campaign, by name.
const importsSpace = "imports"

// ImportOptions configure Import. The zero value works.
type ImportOptions struct {
	// Name replaces the campaign's name in the file.
	Name string
	// Dry only shows what would be done.
	Dry bool
	// To, if not empty, is a campaign file to write instead of importing the campaign.
	To string
	// Report, if not nil, reports what takes long.
	Report func(text string)
}

// withStore opens the memory of a configuration for a command that needs nothing else.
func withStore(ctx context.Context, cfg *config.Config, f func(memory.Store) error) (err error) {
	kept, err := play.OpenStore(ctx, cfg.Memory, play.StoreOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	return f(kept)
}

// announceWorld makes other programs that use the same memory read the world again.
func announceWorld(ctx context.Context, cfg *config.Config, store memory.Store) error {
	scene := cfg.Campaign.Scene
	if c, err := play.ReadCampaign(cfg); err == nil && c != nil && scene == "" {
		scene = c.Scene
	}
	_, err := world.Open(ctx, store, world.Options{Campaign: cfg.Campaign.Name, Scene: scene})
	return err
}

// Import imports a campaign from a campaign file or a virtual tabletop, and prints the changes.
func Import(ctx context.Context, w io.Writer, cfg *config.Config, file string, o ImportOptions) error {
	in, err := world.ReadImport(ctx, file, world.ImportOptions{Name: o.Name, Progress: o.Report})
	if err != nil {
		return err
	}
	c := in.Campaign
	if o.To != "" {
		if err := writeNew(o.To, c.Write); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "%s, from %s: wrote %s to %s\n", c.Name, in.Format, describeHeld(c), o.To)
		return errors.Join(err, describeSkipped(w, in))
	}
	return withStore(ctx, cfg, func(store memory.Store) error {
		todo, err := store.CampaignChanges(ctx, c.Entities, c.Relations, c.Facts)
		if err != nil {
			return err
		}
		if err := describeImport(w, in, todo); err != nil {
			return err
		}
		if o.Dry {
			_, err := fmt.Fprintln(w, "nothing was changed, because of --dry-run")
			return err
		}
		if !todo.Nothing() {
			if o.Report != nil {
				o.Report("importing the campaign")
			}
			if err := c.Apply(ctx, store); err != nil {
				return err
			}
			if err := announceWorld(ctx, cfg, store); err != nil {
				return err
			}
		}
		if err := recordImport(ctx, store, c); err != nil {
			return err
		}
		if todo.Nothing() {
			_, err = fmt.Fprintln(w, "there was nothing to change")
			return err
		}
		_, err = fmt.Fprintf(w, "imported into %s\n", store.Location())
		return err
	})
}

// recordImport records the ids of a campaign's entities, for its removal.
func recordImport(ctx context.Context, store memory.Store, c *world.Campaign) error {
	state, err := store.LoadState(ctx, importsSpace)
	if err != nil {
		return err
	}
	var ids []string
	_ = json.Unmarshal(state[c.Name], &ids) // an unreadable record is replaced
	for _, e := range c.Entities {
		ids = append(ids, e.ID)
	}
	slices.Sort(ids)
	text, err := json.Marshal(slices.Compact(ids))
	if err != nil {
		return err
	}
	return store.SaveState(ctx, importsSpace, map[string][]byte{c.Name: text})
}

// describeHeld counts what a campaign has.
func describeHeld(c *world.Campaign) string {
	return fmt.Sprintf("%s, %s and %s", plural.Count(len(c.Entities), "entity", "entities"), plural.Count(len(c.Relations), "relation", "relations"), plural.Count(len(c.Facts), "fact", "facts"))
}

func describeImport(w io.Writer, in *world.Imported, todo memory.Settlement) error {
	c := in.Campaign
	_, err := fmt.Fprintf(w, "%s, from %s:\n  %s: %d new, %d changed, %d unchanged\n  %s and %s: %d and %d new or changed\n  only the DM knows %d of the entities and facts\n",
		c.Name, in.Format, plural.Count(len(c.Entities), "entity", "entities"), todo.Added, todo.Changed, todo.Kept, plural.Count(len(c.Relations), "relation", "relations"), plural.Count(len(c.Facts), "fact", "facts"), todo.Relations, todo.Facts, in.Hidden)
	return errors.Join(err, describeSkipped(w, in))
}

// describeSkipped prints the parts that were not imported.
func describeSkipped(w io.Writer, in *world.Imported) error {
	if len(in.Left) == 0 {
		return nil
	}
	var left []string
	for _, what := range slices.Sorted(maps.Keys(in.Left)) {
		left = append(left, fmt.Sprintf("%s (%d)", what, in.Left[what]))
	}
	_, err := fmt.Fprintf(w, "  left out, because a campaign has no place for it: %s\n", strings.Join(left, ", "))
	return err
}

func isThere(path string) error {
	return userfile.Usage(fmt.Errorf("%s already exists; choose another file name, or remove it", path))
}

// writeNew writes a new file completely or not at all. It fails if the file exists.
func writeNew(path string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return isThere(path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, userfile.PlainFileError(err))
	}
	b := bufio.NewWriter(f)
	if err := errors.Join(write(b), b.Flush(), f.Sync(), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", path, userfile.PlainFileError(err)), os.Remove(path))
	}
	return nil
}

// unimportedCampaign returns the configured campaign if none of it is in memory, because it was never played or was
// removed. Otherwise it returns nil.
func unimportedCampaign(ctx context.Context, cfg *config.Config, store memory.Store) (*world.Campaign, error) {
	c, err := play.ReadCampaign(cfg)
	if err != nil || c == nil {
		return nil, err
	}
	todo, err := store.CampaignChanges(ctx, c.Entities, c.Relations, c.Facts)
	if err != nil || todo.Nothing() || todo.Kept+todo.Changed > 0 {
		return nil, err
	}
	return c, nil
}

// importConfigured imports the configured campaign if none of it is in memory, as the first play does, and
// prints that.
func importConfigured(ctx context.Context, w io.Writer, cfg *config.Config, store memory.Store) error {
	c, err := unimportedCampaign(ctx, cfg, store)
	if err != nil || c == nil {
		return err
	}
	if err := c.Apply(ctx, store); err != nil {
		return err
	}
	if err := announceWorld(ctx, cfg, store); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "nothing of %s was in memory, so it was imported first, as play does\n", cfg.Campaign.World)
	return err
}

// Export writes the current world to a campaign file. If lines is true, it also writes all lines of the
// sessions to a file of JSON lines next to it.
func Export(ctx context.Context, w io.Writer, cfg *config.Config, file string, lines bool) error {
	if _, err := os.Lstat(file); err == nil {
		return isThere(file)
	}
	return withStore(ctx, cfg, func(store memory.Store) error {
		if err := importConfigured(ctx, w, cfg, store); err != nil {
			return err
		}
		c, err := currentCampaign(ctx, cfg, store)
		if err != nil {
			return err
		}
		if err := writeNew(file, c.Write); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s: wrote %s to %s\n", c.Name, describeHeld(c), file); err != nil || !lines {
			return err
		}
		said := strings.TrimSuffix(file, filepath.Ext(file)) + ".lines.jsonl"
		n := 0
		if err := writeNew(said, func(out io.Writer) (err error) { n, err = writeLines(ctx, store, out); return err }); err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "wrote %s to %s, with the names of the speakers; keep it to yourself\n", plural.Count(n, "line", "lines"), said)
		return err
	})
}

// currentCampaign returns the current world, without facts from lines and notes.
func currentCampaign(ctx context.Context, cfg *config.Config, store memory.Store) (*world.Campaign, error) {
	c := &world.Campaign{Name: cfg.Campaign.Name, System: cfg.Campaign.System, Scene: cfg.Campaign.Scene}
	state, err := store.LoadState(ctx, "world")
	if err != nil {
		return nil, err
	}
	if scene := string(state["scene:"+cfg.Campaign.Name]); scene != "" {
		c.Scene = scene
	}
	if err := copyGroupsAndCalendar(ctx, cfg, store, c); err != nil {
		return nil, err
	}
	if c.Entities, c.Relations, err = store.World(ctx); err != nil {
		return nil, err
	}
	described := make(map[string]string, len(c.Entities))
	for _, e := range c.Entities {
		f := memory.DescriptionOf(e)
		described[f.Source] = f.Text
	}
	err = eachCampaignFact(ctx, store, func(f memory.Fact) {
		if described[f.Source] != f.Text {
			c.Facts = append(c.Facts, f)
		}
	})
	return c, err
}

// copyGroupsAndCalendar copies groups and calendar from the configured campaign's file, because memory contains only the
// current day.
func copyGroupsAndCalendar(ctx context.Context, cfg *config.Config, store memory.Store, c *world.Campaign) error {
	filed, err := play.ReadCampaign(cfg)
	if err != nil {
		return err
	}
	if filed != nil {
		c.Groups, c.Calendar, c.Today = filed.Groups, filed.Calendar, filed.Today
	}
	for _, npc := range cfg.NPCs { // the NPC's own file says which groups it belongs to
		for _, id := range npc.Knows {
			if !slices.ContainsFunc(c.Groups, func(g world.CampaignGroup) bool { return g.ID == id }) {
				c.Groups = append(c.Groups, world.CampaignGroup{ID: id})
			}
		}
	}
	today, err := play.DateOf(ctx, cfg, store, c.Calendar)
	if today != "" {
		c.Today = today
	}
	return err
}

// eachCampaignFact calls f with every fact that may come from a campaign file.
func eachCampaignFact(ctx context.Context, store memory.Store, f func(memory.Fact)) error {
	const page = 1000
	for after := int64(0); ; {
		facts, err := store.CampaignFacts(ctx, after, page)
		if err != nil || len(facts) == 0 {
			return err
		}
		for _, fact := range facts {
			f(fact)
		}
		after = facts[len(facts)-1].ID
	}
}

// writeLines writes all stored lines, session by session, the oldest first.
func writeLines(ctx context.Context, store memory.Store, w io.Writer) (n int, err error) {
	sessions, err := store.Sessions(ctx, 0)
	if err != nil {
		return 0, err
	}
	out := json.NewEncoder(w)
	for _, s := range slices.Backward(sessions) {
		all, err := store.Recent(ctx, s.ID, max(1, s.Lines))
		if err != nil {
			return n, err
		}
		for _, l := range all {
			if err := out.Encode(l); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}
