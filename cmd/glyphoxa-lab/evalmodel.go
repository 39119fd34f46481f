package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/lab/exam"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// resultsName is the file of results beside a configuration, unless --results names another.
const resultsName = "glyphoxa-eval.jsonl"

// modelEvaluation is `eval --config`.
type modelEvaluation struct {
	o      exam.Options
	asJSON bool
}

func (m *modelEvaluation) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&m.o.Corpora, "corpus", exam.Corpora(), "what to ask for")
	f.BoolVar(&m.o.OwnNPCs, "own-npcs", false, "ask the configuration's NPCs for their secrets, in place of the corpus's")
	f.IntVar(&m.o.Limit, "limit", 60, "most cases of each corpus; 0 means all")
	f.StringVar(&m.o.Results, "results", "", "file of results (default "+resultsName+" beside the configuration)")
	f.IntVar(&m.o.Parallel, "parallel", 2, "how many tables play at once")
	f.Float64Var(&m.o.MaxCost, "max-cost", 0, "stop once this run has cost that much, by the prices of the configuration; 0 means never")
	f.BoolVar(&m.asJSON, "json", false, "print one JSON object in place of tables")
}

func (m *modelEvaluation) run(cmd *cobra.Command, c *app.Common) error {
	if err := m.check(cmd); err != nil {
		return userfile.Usage(fmt.Errorf("eval: %w", err))
	}
	cfg, err := play.LoadConfig(c.Config)
	if err != nil {
		return err
	}
	log := c.Logger()
	m.o.Config, m.o.Say = cfg, func(text string) {
		c.ShowProgress(text)
		log.Info(text)
	}
	if m.o.Results == "" {
		m.o.Results = filepath.Join(filepath.Dir(c.Config), resultsName)
	}
	c.OpensTables()
	report, err := exam.Run(cmd.Context(), m.o)
	if err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	if m.asJSON {
		err = report.WriteJSON(c.Out)
	} else {
		err = report.Write(c.Out)
	}
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	return nil
}

// check returns an error if the flags do not fit together.
func (m *modelEvaluation) check(cmd *cobra.Command) error {
	if err := app.RefuseEmpty(cmd, "results"); err != nil {
		return err
	}
	for _, name := range m.o.Corpora {
		if !slices.Contains(exam.Corpora(), name) {
			return fmt.Errorf("--corpus: %q is not one of %s", name, strings.Join(exam.Corpora(), ", "))
		}
	}
	switch {
	case len(m.o.Corpora) == 0:
		return errors.New("--corpus: name at least one of " + strings.Join(exam.Corpora(), ", "))
	case m.o.Limit < 0:
		return errors.New("--limit is below 0")
	case m.o.Parallel < 1 || m.o.Parallel > 64:
		return errors.New("--parallel is not from 1 to 64")
	case !(m.o.MaxCost >= 0):
		return errors.New("--max-cost is below 0")
	}
	return nil
}
