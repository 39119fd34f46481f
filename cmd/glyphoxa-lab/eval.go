package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/lab/truth"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// evaluation is one command of eval.
type evaluation struct {
	name, short string
	clips       bool // the command scores sound, which the make target of the same name generates
	run         func(context.Context, truth.Options) (*truth.Report, error)
}

var evaluations = []evaluation{
	{"address", "Score whom a line is for, over the sequences of testdata/truth/address", false, truth.Address},
	{"hearing", "Score the voice detectors on the clips of testdata/hearing", true, truth.Hearing},
	{"interrupt", "Score what an NPC does when somebody speaks over it, over testdata/truth/interrupt", false, truth.Interrupt},
	{"memory", "Score what search_sessions finds of six evenings, over testdata/truth/memory", false, truth.Memory},
	{"quiet", "Score what NPCs answer at a table whose talk was recorded", false, truth.Quiet},
	{"prosody", "Score what pitch, length and loudness tell of the end of a turn", true, truth.Prosody},
	{"retrieve", "Score what is found for a line before the model is asked", false, truth.Retrieve},
	{"rules", "Score the search of the rule book, over testdata/truth/rules", false, truth.Rules},
}

func evalCommand(c *app.Common) *cobra.Command {
	var m modelEvaluation
	cmd := &cobra.Command{Use: "eval", Short: "Score a language model, or what the program decides, finds and hears", Args: app.NoArgs,
		Long: "With --config, ask the language model of that configuration what players say at a table, and\n" +
			"print how well it holds one, how fast it is and what it costs. Each answer is paid for as at\n" +
			"play. Results are kept in a file, so that a run that was cut off goes on when started again.\n\n" +
			"The commands below score the program itself over the corpora of its repository, without any\n" +
			"model, and print one table for each. They fail where it comes to less than it did. Run them\n" +
			"inside a clone of the repository.",
		Example: "  glyphoxa-lab eval --config glyphoxa.yaml --limit 20 --max-cost 0.50\n  glyphoxa-lab eval --config glyphoxa.yaml --corpus secrets,tools --limit 0 --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.Config == "" {
				if cmd.Flags().NFlag() == 0 {
					return app.Help(cmd, args)
				}
				return userfile.Usage(errors.New("eval: name the configuration whose model is to be scored with --config, or one of the commands of eval"))
			}
			return m.run(cmd, c)
		},
	}
	m.addFlags(cmd)
	for _, e := range evaluations {
		cmd.AddCommand(e.command(c))
	}
	return cmd
}

func (e evaluation) command(c *app.Common) *cobra.Command {
	var o truth.Options
	var asJSON, misses bool
	cmd := &cobra.Command{
		Use: e.name, Short: e.short, Args: app.NoArgs,
		Example: "  glyphoxa-lab eval " + e.name + " --json",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err := checkConfig(c); err != nil {
				return err
			}
			if o.Root, err = repositoryRoot(); err != nil {
				return userfile.Usage(fmt.Errorf("eval %s: %w", e.name, err))
			}
			if e.clips {
				if err := app.RefuseEmpty(cmd, "clips"); err != nil {
					return err
				}
				if err := e.findClips(&o); err != nil {
					return err
				}
			}
			o.Say = c.ShowProgress
			report, err := e.run(cmd.Context(), o)
			if err != nil {
				return fmt.Errorf("eval %s: %w", e.name, err)
			}
			return show(c, e.name, report, asJSON, misses)
		},
	}
	f := cmd.Flags()
	if e.name == "quiet" {
		f.StringVar(&o.Talk, "talk", os.Getenv("GLYPHOXA_TABLE_TALK"), "the folder of recorded table talk; $GLYPHOXA_TABLE_TALK if missing")
		f.StringVar(&o.Judge, "judge", "", "who decides what is in doubt: a judge that is perfect, right nine times in ten (nine), slow or failing; nobody if missing")
	}
	f.BoolVar(&asJSON, "json", false, "print one JSON object in place of tables")
	if e.name != "prosody" {
		f.BoolVar(&o.Held, "held", false, "score the parts that are held back, too")
	}
	if e.clips {
		f.StringVar(&o.Clips, "clips", "", "the folder of the clips; $GLYPHOXA_HEARING or the user's cache if missing")
	} else {
		f.BoolVar(&misses, "misses", false, "show what went wrong in corpora that may be read")
	}
	if e.name == "hearing" {
		f.BoolVar(&o.EachClip, "each-clip", false, "score each clip there is to develop with by itself")
	}
	return cmd
}

// findClips finds the folder of the clips.
func (e evaluation) findClips(o *truth.Options) error {
	if o.Clips == "" {
		o.Clips = os.Getenv("GLYPHOXA_HEARING")
	}
	if o.Clips == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("eval %s: finding the clips: %w", e.name, err)
		}
		o.Clips = filepath.Join(cache, "glyphoxa", "hearing")
	}
	if _, err := os.Stat(o.Clips); err != nil {
		return userfile.Usage(fmt.Errorf("eval %s: there are no clips in %s; `make eval-%s` makes them", e.name, o.Clips, e.name))
	}
	return nil
}

// repositoryRoot is the nearest folder around the working directory that holds the corpora.
func repositoryRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "testdata", "truth")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", errors.New("there is no testdata/truth here nor in a folder above; run it inside a clone of the repository")
		}
		dir = above
	}
}

// show prints a report, and returns an error if a bound does not hold.
func show(c *app.Common, name string, report *truth.Report, asJSON, misses bool) error {
	if !misses {
		report.Misses = nil
	}
	var err error
	if asJSON {
		err = json.NewEncoder(c.Out).Encode(report)
	} else {
		err = report.Write(c.Out)
	}
	if err != nil {
		return err
	}
	if len(report.Broken) > 0 {
		return fmt.Errorf("eval %s: it came to less than it did: %s", name, strings.Join(report.Broken, "; "))
	}
	return nil
}
