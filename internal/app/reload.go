package app

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/problem"
)

// Reload reads the NPC files anew and has the table go on with those NPCs. It
// returns what people should know; on an error nothing has changed.
func (s *Session) Reload(ctx context.Context) (string, error) {
	r, err := reread(s.app.Config)
	if err != nil {
		return "", err
	}
	return s.recast(ctx, r)
}

// recast has the table go on with NPCs that were read anew.
func (s *Session) recast(ctx context.Context, r reading) (string, error) {
	cast, err := chosen(r.config.NPCs, s.only)
	if err != nil {
		return "", err
	}
	var notes []string
	said, err := s.Table.Recast(ctx, s.app.agents(cast, &notes))
	if err != nil {
		return "", err
	}
	s.app.setNPCs(r.config.NPCs)
	for _, w := range s.app.warnings(r.config) {
		if !slices.Contains(r.known, w) {
			notes = append(notes, r.shown(w).String())
		}
	}
	if len(r.others) > 0 {
		notes = append(notes, "what else has changed needs a restart: "+strings.Join(r.others, ", "))
	}
	return strings.Join(append([]string{said}, notes...), "\n"), nil
}

// reading is a configuration whose files were read anew.
type reading struct {
	// config has the NPCs that are in the files now, and is otherwise as it was.
	config *config.Config
	// known are the warnings of before.
	known []problem.Problem
	// others are the keys that have changed beside the NPCs.
	others []string
	// shown is a problem as those may see it who are told.
	shown func(problem.Problem) problem.Problem
}

// errBuiltIn is what there is to say about files that are none.
var errBuiltIn = errors.New("the NPCs came with the program, so there is nothing to read anew; " +
	"to have your own, write a glyphoxa.yaml and start again")

// reread reads the files of a configuration anew. What is wrong with them comes
// back as a [problem.List].
func reread(now *config.Config) (reading, error) {
	if now.File == config.BuiltIn {
		return reading{}, errBuiltIn
	}
	found, err := LoadConfig(now.File)
	if err != nil {
		return reading{}, err
	}
	next := *now
	next.NPCs, next.NPCsDir, next.Warnings, next.ServerTools = found.NPCs, found.NPCsDir, found.Warnings, found.ServerTools
	return reading{
		config: &next, known: now.Warnings, others: differing(now, found),
		shown: func(p problem.Problem) problem.Problem { return p },
	}, nil
}

// differing names the keys of two configurations that do not say the same, those
// of NPCs aside.
func differing(a, b *config.Config) (keys []string) {
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

// beside returns a problem with its file named as seen from a directory, for
// those who are not to know where that is.
func beside(dir string, p problem.Problem) problem.Problem {
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
