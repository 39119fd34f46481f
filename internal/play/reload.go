package play

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Reload reads the NPC files again and replaces the cast of the table. It returns notes for people. On an
// error, nothing has changed.
func (s *Session) Reload(ctx context.Context) (Recast, error) {
	r, err := Reread(s.game.Config)
	if err != nil {
		return Recast{}, err
	}
	return s.Recast(ctx, r)
}

// Recast describes a replaced cast: the changes, and notes about them.
type Recast struct {
	table.CastChange
	Notes []string
}

// String returns all of it, one item on each line.
func (r Recast) String() string {
	return strings.Join(append([]string{r.CastChange.String()}, r.Notes...), "\n")
}

// Recast replaces the cast of the table with NPCs that were read again.
func (s *Session) Recast(ctx context.Context, r Reading) (Recast, error) {
	cast, err := ChooseNPCs(r.Config.NPCs, s.only)
	if err != nil {
		return Recast{}, err
	}
	var notes []string
	changed, err := s.Table.Recast(ctx, s.game.makeAgents(cast, &notes))
	if err != nil {
		return Recast{}, err
	}
	s.game.SetCast(r.Config.NPCs)
	for _, w := range s.game.Registry.Warnings(r.Config, r.known...) {
		notes = append(notes, r.Shown(w).String())
	}
	if len(r.others) > 0 {
		notes = append(notes, "the other changes need a restart: "+strings.Join(r.others, ", "))
	}
	return Recast{changed, notes}, nil
}

// Reading is a configuration whose files were read again.
type Reading struct {
	// Config has the NPCs that are in the files now. The rest is unchanged.
	Config *config.Config
	// known are the previous warnings.
	known []userfile.Problem
	// others are the other keys that have changed.
	others []string
	// Shown returns a problem in the form in which people may see it.
	Shown func(userfile.Problem) userfile.Problem
}

// errBuiltIn is returned if the NPCs are not read from files.
var errBuiltIn = errors.New("these NPCs came with the program, so there is nothing to read again; " +
	"to play your own, write a glyphoxa.yaml and restart")

// Reread reads the files of a configuration again. Problems in them are returned as [userfile.Problems].
func Reread(now *config.Config) (Reading, error) {
	if now.File == config.BuiltIn {
		return Reading{}, errBuiltIn
	}
	found, err := LoadConfig(now.File)
	if err != nil {
		return Reading{}, err
	}
	next := *now
	next.NPCs, next.NPCsDir, next.Warnings, next.ServerTools = found.NPCs, found.NPCsDir, found.Warnings, found.ServerTools
	return Reading{
		Config: &next, known: now.Warnings, others: changedKeys(now, found),
		Shown: func(p userfile.Problem) userfile.Problem { return p },
	}, nil
}

// changedKeys returns the keys in which two configurations differ, apart from those of NPCs.
func changedKeys(a, b *config.Config) (keys []string) {
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range x.NumField() {
		key := x.Type().Field(i).Tag.Get("yaml")
		switch key {
		case "-", "npcs", "npcs_dir":
			continue
		}
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			keys = append(keys, key)
		}
	}
	return keys
}

// RelativeTo returns a problem with its file relative to a directory, for people who must not know where the
// directory is.
func RelativeTo(dir string, p userfile.Problem) userfile.Problem {
	abs, err := filepath.Abs(p.File)
	if err == nil {
		abs, err = filepath.Rel(dir, abs)
	}
	if err != nil || !filepath.IsLocal(abs) {
		abs = filepath.Base(p.File)
	}
	p.File = abs
	return p
}
