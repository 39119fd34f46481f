package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// DefaultFile is the configuration file that is read if none is named.
const DefaultFile = "glyphoxa.yaml"

// BuiltIn is the File of a configuration that is part of the program.
const BuiltIn = "built-in"

// Options describe the environment of [Load]. A nil *Options is equivalent to the zero value.
type Options struct {
	// BuiltIn holds a glyphoxa.yaml and the files it refers to. It is read if no path is given and Dir
	// contains no glyphoxa.yaml. If nil, a missing file is a problem.
	BuiltIn fs.FS
	// KnownTools lists the built-in tools, so that the tools of NPCs can be checked. If nil, tool names are
	// not checked.
	KnownTools []string
	// NeverOwn lists the built-in tools that cannot change anything of an NPC's own.
	NeverOwn []string
	// Workflows returns the names of the workflows in a directory of fsys, or on disk if fsys is nil. NPCs
	// may use them like tools. If nil, there are none.
	Workflows func(fsys fs.FS, dir string) []string
	// Judge returns the impossible parts of the profiles, rules and limits of the server section. If nil,
	// they are not checked.
	Judge func(Server) []Fault
	// JudgeNPC returns the impossible parts of an NPC's entry, which yields warnings. If nil, NPCs are
	// not checked.
	JudgeNPC func(NPC) []Fault
	// Alone means that the file is loaded on its own: there may be servers elsewhere that offer more tools.
	Alone bool
	// LookupEnv looks up the variables in ${NAME}. If nil, it is os.LookupEnv.
	LookupEnv func(name string) (value string, set bool)
	// Dir is the directory that relative paths start from. If empty, it is the working directory.
	Dir string
}

// loader holds the state of one call of Load.
type loader struct {
	opts     Options
	src      source
	cfg      *Config
	problems userfile.Problems
	main     *userfile.Document
	npcs     []located
}

// located is an NPC and the place it was read from.
type located struct {
	npc  *NPC
	d    *userfile.Document
	path userfile.Path
}

// Load reads a configuration and the NPC files that it refers to. It reads the file at path. If path is
// empty, it reads Options.Dir/glyphoxa.yaml, or, if that does not exist, the built-in configuration. Relative
// paths in a file start from the directory of the file; the data directory of the built-in configuration is
// in Options.Dir.
//
// If the configuration is invalid, Load returns a [userfile.Problems] with all problems in all its files.
// Other errors come from the operating system. Load does not change anything on disk.
func Load(path string, opts *Options) (*Config, error) {
	l := newLoader(opts)
	dir, err := filepath.Abs(l.opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("finding the working directory: %w", err)
	}
	l.src = findSource(path, dir, l.opts.BuiltIn)
	l.cfg.File, l.cfg.Source = l.src.display, l.src.fsys

	l.readMain()
	l.learnWorkflows()
	l.readNPCDir()
	l.checkAll()
	if err := l.problems.Err(); err != nil {
		return nil, err
	}
	l.resolvePaths(dir)
	l.cfg.Warnings = userfile.Problems(l.cfg.Warnings).Sorted()
	return l.cfg, nil
}

func newLoader(opts *Options) *loader {
	l := &loader{cfg: Default()}
	if opts != nil {
		l.opts = *opts
	}
	if l.opts.LookupEnv == nil {
		l.opts.LookupEnv = os.LookupEnv
	}
	return l
}

// LoadNPC reads a single NPC file. It returns a configuration that holds only that NPC. Its Warnings and Idle
// list oddities and settings without effect.
func LoadNPC(path string, text []byte, opts *Options) (*Config, error) {
	l := newLoader(opts)
	npc := DefaultNPC()
	doc := ReadNPC(path, text, &npc, l.opts.LookupEnv, &l.problems)
	l.cfg.NPCs = []NPC{npc}
	l.main, l.npcs = doc, []located{{&l.cfg.NPCs[0], doc, ""}}
	l.checkNPCs()
	l.checkCascade(doc, "cascade", &l.cfg.NPCs[0].Cascade)
	l.findIdle()
	return l.cfg, l.problems.Err()
}

// readMain reads glyphoxa.yaml into the configuration.
func (l *loader) readMain() {
	data, f := l.src.read(l.src.file, true)
	if f != nil {
		l.problems.Add(l.src.display, f.Line, f.What, f.Fix)
	}
	l.main = userfile.ReadYAML(l.src.display, data, l.cfg, &userfile.Options{MaxSize: maxFile, LookupEnv: l.opts.LookupEnv}, &l.problems)
	for i := range l.cfg.NPCs {
		n := &l.cfg.NPCs[i]
		n.File = l.src.display
		l.npcs = append(l.npcs, located{n, l.main, userfile.Path("npcs").Item(i)})
	}
}

// learnWorkflows adds the workflows to the tools that NPCs may use.
func (l *loader) learnWorkflows() {
	if l.opts.Workflows == nil || l.opts.KnownTools == nil || l.cfg.Server.Workflows == "" {
		return
	}
	where := absolute(l.src.dir, l.cfg.Server.Workflows)
	if l.src.fsys != nil {
		where = l.src.join(l.cfg.Server.Workflows)
	}
	l.opts.KnownTools = slices.Concat(l.opts.KnownTools, l.opts.Workflows(l.src.fsys, where))
}

// readNPCDir appends the NPCs in npcs_dir, in order of file name.
func (l *loader) readNPCDir() {
	dir := l.cfg.NPCsDir
	if dir == "" {
		return
	}
	names, f := l.src.list(dir)
	if f != nil {
		l.main.AddProblem("npcs_dir", f.What, f.Fix)
		return
	}
	inline := len(l.npcs)
	var docs []*userfile.Document
	for _, name := range names {
		file := l.src.shown(filepath.Join(dir, name))
		data, f := l.src.read(l.src.join(dir, name), false)
		if f != nil {
			l.problems.Add(file, f.Line, f.What, f.Fix)
			continue
		}
		npc := DefaultNPC()
		doc := ReadNPC(file, data, &npc, l.opts.LookupEnv, &l.problems)
		if !doc.HasValue("") {
			continue
		}
		l.cfg.NPCs = append(l.cfg.NPCs, npc)
		docs = append(docs, doc)
	}
	// Appending may have moved the NPCs, so their places are recorded afterwards.
	for i := range l.cfg.NPCs {
		if i < inline {
			l.npcs[i].npc = &l.cfg.NPCs[i]
			continue
		}
		l.npcs = append(l.npcs, located{&l.cfg.NPCs[i], docs[i-inline], ""})
	}
}

// ReadNPC parses the text of an NPC file into npc, which must hold the defaults. It adds the problems that it
// finds to problems. If lookupEnv is nil, a variable is a problem.
func ReadNPC(file string, text []byte, npc *NPC, lookupEnv func(string) (string, bool), problems *userfile.Problems) *userfile.Document {
	doc := userfile.ReadYAML(file, text, npc, &userfile.Options{
		MaxSize: maxFile, LookupEnv: lookupEnv, Empty: "describe an NPC in it, or remove it",
	}, problems)
	npc.File = file
	return doc
}

// resolvePaths makes the paths absolute. Those of a built-in configuration refer to Source, except for files
// that are written.
func (l *loader) resolvePaths(dir string) {
	c := l.cfg
	base := l.src.dir
	if l.src.fsys != nil {
		base = dir
		c.Campaign.World = l.src.join(c.Campaign.World)
		c.NPCsDir = l.src.join(c.NPCsDir)
		c.Server.Workflows = l.src.join(c.Server.Workflows)
		c.resolveRules(func(path string) string { return l.src.join(path) })
	} else {
		c.Campaign.World = absolute(base, c.Campaign.World)
		c.NPCsDir = absolute(base, c.NPCsDir)
		c.Server.Workflows = absolute(base, c.Server.Workflows)
		c.resolveRules(func(path string) string { return absolute(base, path) })
	}
	c.DataDir = absolute(base, c.DataDir)
	if c.Memory.Path == "" {
		c.Memory.Path = filepath.Join(c.DataDir, "glyphoxa.db")
	}
	c.Memory.Path = absolute(base, c.Memory.Path)
	c.Hearing.ONNXRuntime = absolute(base, c.Hearing.ONNXRuntime)
}

// absolute resolves path against dir. It leaves "" unchanged.
func absolute(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// isYAML reports whether a file in npcs_dir is read. It excludes hidden files, because those are usually left
// behind by editors.
func isYAML(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return (ext == ".yaml" || ext == ".yml") && !strings.HasPrefix(name, ".")
}
