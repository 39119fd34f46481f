package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/world"
)

// fileKind is a kind of file that people write.
type fileKind struct {
	// name is the kind's name on the command line, and title its name in messages.
	name, title string
	// dir is the directory such files are usually in.
	dir    string
	schema func() (*jsonschema.Schema, error)
	// check returns warnings about a file and a summary of its content. The error contains the problems. If
	// servers is true, unknown tools may belong to external servers.
	check func(path string, text []byte, servers bool) (warnings []userfile.Problem, summary string, err error)
}

// fileKinds lists all kinds. A file that could be of several kinds is of the first.
var fileKinds = []fileKind{
	{"config", "a configuration", "", config.Schema, nil},
	{"npc", "an NPC file", "npcs", config.NPCSchema, checkNPC},
	{"campaign", "a campaign file", "campaigns", world.CampaignSchema, checkCampaign},
	{"workflow", "a workflow file", "workflows", workflow.Schema, checkWorkflow},
}

// Check checks the configuration, or another file if one is named. It prints warnings, and a line if there
// are no problems. The error contains all problems.
func Check(w io.Writer, configuration, file string) error {
	if file == "" {
		return checkConfig(w, configuration, "")
	}
	kind, text, err := recogniseFile(file)
	if err != nil {
		return err
	}
	if kind.check == nil {
		err := checkConfig(w, file, ", as "+kind.title)
		if err != nil && text != nil {
			fmt.Fprintf(w, "%s was checked as %s\n", file, kind.title)
		}
		return err
	}
	warnings, summary, err := kind.check(file, text, mayHaveServers(configuration))
	printWarnings(w, warnings)
	if err != nil {
		fmt.Fprintf(w, "%s was checked as %s\n", file, kind.title)
		return userfile.Usage(err)
	}
	_, err = fmt.Fprintf(w, "%s is fine, as %s: %s\n", file, kind.title, summary)
	return err
}

// mayHaveServers reports whether a configuration has external servers, or cannot be read.
func mayHaveServers(path string) bool {
	cfg, err := play.LoadConfig(path)
	return err != nil || hasServers(cfg)
}

func hasServers(cfg *config.Config) bool {
	return slices.ContainsFunc(cfg.MCP.Servers, func(s config.MCPServerConfig) bool { return !s.Disabled })
}

func printWarnings(w io.Writer, warnings []userfile.Problem) {
	for _, p := range warnings {
		fmt.Fprintln(w, "warning:", p)
	}
}

// topKey matches the keys at the left margin of a file, even if the file is not valid YAML.
var topKey = regexp.MustCompile(`(?m)^([a-z0-9_]+):`)

// recogniseFile determines the kind of the file at a path by most of its keys, or otherwise by its directory,
// and returns its text. It leaves unreadable files to the reader of configurations.
func recogniseFile(path string) (*fileKind, []byte, error) {
	text, err := userfile.Read(path, world.MaxCampaignSize)
	if errors.Is(err, userfile.ErrTooLarge) || errors.Is(err, userfile.ErrNotRegular) {
		return nil, nil, userfile.Usage(userfile.PlainFileError(err))
	}
	if err != nil {
		return &fileKinds[0], nil, nil
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil, userfile.Usage(userfile.Problems{{File: path, Line: 1, What: "the file is empty", Fix: "write something into it, or remove it"}})
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, nil, err
	}
	if isScene(text) {
		return nil, nil, userfile.Usage(fmt.Errorf("%s is a scene; check it with: glyphoxa-lab scenario check %s", path, path))
	}
	best, most := &fileKinds[0], 0
	for i := range fileKinds {
		schema, err := fileKinds[i].schema()
		if err != nil {
			return nil, nil, err
		}
		score := 0
		for _, m := range topKey.FindAllSubmatch(text, -1) {
			if slices.Contains(schema.PropertyOrder, string(m[1])) {
				score += 2
			}
		}
		if filepath.Base(filepath.Dir(abs)) == fileKinds[i].dir {
			score++
		}
		if score > most {
			best, most = &fileKinds[i], score
		}
	}
	return best, text, nil
}

// isScene reports whether a file is a scripted scene. No other kind has both keys.
func isScene(text []byte) bool {
	keys := topKey.FindAllString(string(text), -1)
	return slices.Contains(keys, "story:") && slices.Contains(keys, "expect:")
}

// checkConfig checks a configuration with all files it names. as is added to the result.
func checkConfig(w io.Writer, path, as string) error {
	e, err := examine(path)
	if err != nil {
		return err
	}
	printWarnings(w, e.warnings)
	if err := e.unknown.Err(); err != nil {
		return userfile.Usage(err)
	}
	entities := 0
	if e.world != nil {
		entities = len(e.world.Entities)
	}
	_, err = fmt.Fprintf(w, "%s is fine%s: %s, %s, %s, a world of %s\n",
		e.cfg.File, as, plural.Count(len(e.cfg.NPCs), "NPC", "NPCs"), plural.Count(len(e.cfg.MCP.Servers), "external server", "external servers"), plural.Count(len(e.flows), "workflow", "workflows"), plural.Count(entities, "entity", "entities"))
	return err
}

// examined is a configuration with all files it names, and the warnings about them.
type examined struct {
	cfg      *config.Config
	world    *world.Campaign // nil if none is configured
	flows    []*workflow.Workflow
	warnings []userfile.Problem
	unknown  userfile.Problems // tools that are not known
}

// examine reads a configuration with all files it names. The error contains the problems.
func examine(path string) (e examined, err error) {
	if e.cfg, err = play.LoadConfig(path); err != nil {
		return e, err
	}
	if e.world, err = play.ReadCampaign(e.cfg); err != nil {
		return e, err
	}
	if e.flows, err = play.LoadWorkflows(e.cfg.Server, e.cfg.Source); err != nil {
		return e, userfile.Usage(err)
	}
	if err := play.OpenRules(e.cfg).Warm(); err != nil {
		return e, userfile.Usage(err)
	}
	for _, f := range e.flows {
		e.unknown = append(e.unknown, f.UnknownTools(knownTools(e.flows))...)
	}
	e.warnings = slices.Concat(e.cfg.Warnings, e.cfg.Idle, sceneWarnings(e.cfg.File, 0, e.cfg.Campaign.Scene), play.FindRevealedSecrets(e.cfg, e.world))
	if e.world != nil {
		e.warnings = append(e.warnings, sceneWarnings(e.world.File, e.world.Lines.Scene, e.world.Scene)...)
	}
	if hasServers(e.cfg) {
		e.warnings, e.unknown = append(e.warnings, fromServers(e.unknown)...), nil
	}
	return e, nil
}

// problemsOf returns all problems and warnings of the configuration's files in their current state.
func problemsOf(running *config.Config) []userfile.Problem {
	path := running.File
	if _, err := os.Stat(path); err != nil {
		path = "" // the built-in configuration
	}
	e, err := examine(path)
	var wrong userfile.Problems
	switch {
	case errors.As(err, &wrong):
	case err != nil:
		wrong.Add(running.File, 0, err.Error(), "")
	}
	return slices.Concat(wrong, e.unknown, e.warnings)
}

// knownTools returns the names of the built-in tools and the workflows.
func knownTools(flows []*workflow.Workflow) []string {
	known := play.BuiltinNames()
	for _, f := range flows {
		known = append(known, f.Name)
	}
	return known
}

// fromServers adds to problems with unknown tools that a server may offer the tool.
func fromServers(unknown userfile.Problems) userfile.Problems {
	for i := range unknown {
		unknown[i].What += ", so it must come from an external server"
	}
	return unknown
}

func checkNPC(path string, text []byte, servers bool) ([]userfile.Problem, string, error) {
	flows := play.WorkflowNames(nil, filepath.Join(filepath.Dir(path), "..", config.Default().Server.Workflows))
	cfg, err := config.LoadNPC(path, text, &config.Options{KnownTools: append(play.BuiltinNames(), flows...), NeverOwn: play.NeverOwn(), JudgeNPC: agent.FindFaults, Alone: servers})
	n := cfg.NPCs[0]
	return append(cfg.Warnings, cfg.Idle...), fmt.Sprintf("%s with the id %s, %s", n.Name, n.ID, plural.Count(len(n.Tools), "tool", "tools")), err
}

func checkCampaign(path string, text []byte, _ bool) ([]userfile.Problem, string, error) {
	c, err := world.ParseCampaign(path, text)
	if err != nil {
		return nil, "", err
	}
	return sceneWarnings(path, c.Lines.Scene, c.Scene), fmt.Sprintf("%s with %s, %s, %s", c.Name, plural.Count(len(c.Entities), "entity", "entities"), plural.Count(len(c.Relations), "relation", "relations"), plural.Count(len(c.Facts), "fact", "facts")), nil
}

// sceneWarnings warns about a scene that is too long for the models.
func sceneWarnings(file string, line int, scene string) []userfile.Problem {
	var found []userfile.Problem
	for _, f := range agent.FindSceneFaults(scene) {
		found = append(found, userfile.Problem{File: file, Line: line, What: f.Path + ": " + f.What, Fix: f.Fix})
	}
	return found
}

func checkWorkflow(path string, text []byte, servers bool) ([]userfile.Problem, string, error) {
	f, err := workflow.Parse(path, text)
	if err != nil {
		return nil, "", err
	}
	known := append(knownTools([]*workflow.Workflow{f}), play.WorkflowNames(nil, filepath.Dir(path))...)
	unknown := f.UnknownTools(known)
	if !servers {
		if err := unknown.Err(); err != nil {
			return nil, "", err
		}
	}
	return fromServers(unknown), fmt.Sprintf("%s calls %s", f.Name, plural.Count(len(f.Needs()), "tool", "tools")), nil
}

// Schema prints the JSON Schema of a kind of file, for editors.
func Schema(w io.Writer, kind string) error {
	for _, k := range fileKinds {
		if k.name == kind {
			s, err := k.schema()
			if err != nil {
				return err
			}
			return userfile.WriteSchema(w, s)
		}
	}
	fix := userfile.Suggest(kind, SchemaKinds(), fmt.Sprintf("use one of %q", SchemaKinds()))
	return userfile.Usage(fmt.Errorf("there is no schema of %q; %s", kind, fix))
}

// SchemaKinds returns the kinds of files that have a schema.
func SchemaKinds() []string {
	var names []string
	for _, k := range fileKinds {
		names = append(names, k.name)
	}
	return names
}
