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

// DefaultFile is the configuration read if no other is named.
const DefaultFile = "glyphoxa.yaml"

// BuiltIn is the File of a configuration that came with the program.
const BuiltIn = "built-in"

// Options tell [Load] about its surroundings. A nil *Options is the zero value.
type Options struct {
	// BuiltIn holds a glyphoxa.yaml with the files it names. It is read if no
	// path is given and there is no glyphoxa.yaml in Dir. If nil, a missing file
	// is a problem.
	BuiltIn fs.FS
	// KnownTools names the built-in tools, to check what NPCs may use. If nil,
	// the names of tools are not checked.
	KnownTools []string
	// NeverOwn names the built-in tools that change nothing an NPC could call its own.
	NeverOwn []string
	// Workflows names the workflows in a directory of fsys, or of the disk if
	// fsys is nil: NPCs may use them like tools. If nil, there are none.
	Workflows func(fsys fs.FS, dir string) []string
	// Judge finds what cannot work in the profiles, rules and limits of the
	// server's section. If nil, they are not judged.
	Judge func(Server) []Fault
	// JudgeNPC finds what of an NPC's entry will not work as it stands, which is
	// warned of. If nil, NPCs are not judged.
	JudgeNPC func(NPC) []Fault
	// Alone says that there may be servers elsewhere, which may offer more tools.
	Alone bool
	// LookupEnv finds the variables of ${NAME}. If nil, os.LookupEnv.
	LookupEnv func(name string) (value string, set bool)
	// Dir is the directory relative paths count from. If empty, the working
	// directory.
	Dir string
}

// loader is one run of Load.
type loader struct {
	opts     Options
	src      source
	cfg      *Config
	problems userfile.Problems
	main     *userfile.Document
	npcs     []located
}

// located is an NPC with the place it was read from.
type located struct {
	npc  *NPC
	d    *userfile.Document
	path userfile.Path
}

// Load reads the configuration at path, or Options.Dir/glyphoxa.yaml if path is
// empty, or else the built-in one, and the NPC files it points to. Relative
// paths in a file count from the file's directory; the data directory of the
// built-in configuration is in Options.Dir.
//
// A configuration that cannot be used yields a [userfile.Problems] with everything
// that is wrong, in all its files. Errors of other kinds come from the system.
// Load does not change anything on disk.
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

// LoadNPC reads one NPC file by itself. What is odd, and what has no effect, is in
// the Warnings and Idle of the configuration it returns, which holds that NPC.
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

// readMain fills the configuration from glyphoxa.yaml.
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

// readNPCDir appends the NPCs of npcs_dir, in the order of their file names.
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
		if !doc.Given("") {
			continue
		}
		l.cfg.NPCs = append(l.cfg.NPCs, npc)
		docs = append(docs, doc)
	}
	// Appending may have moved the NPCs, so the places are noted afterwards.
	for i := range l.cfg.NPCs {
		if i < inline {
			l.npcs[i].npc = &l.cfg.NPCs[i]
			continue
		}
		l.npcs = append(l.npcs, located{&l.cfg.NPCs[i], docs[i-inline], ""})
	}
}

// ReadNPC fills npc, which holds the defaults, from the text of an NPC file. It
// adds what is wrong to problems. Without lookupEnv, variables are problems.
func ReadNPC(file string, text []byte, npc *NPC, lookupEnv func(string) (string, bool), problems *userfile.Problems) *userfile.Document {
	doc := userfile.ReadYAML(file, text, npc, &userfile.Options{
		MaxSize: maxFile, LookupEnv: lookupEnv, Empty: "describe an NPC in it, or remove it",
	}, problems)
	npc.File = file
	return doc
}

// resolvePaths makes the paths absolute. Those of a built-in configuration
// point into Source, except for what is written to.
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

// absolute resolves path against dir; "" stays "".
func absolute(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// isYAML reports whether a file in npcs_dir is read. Hidden files are not: they
// are what editors leave behind.
func isYAML(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return (ext == ".yaml" || ext == ".yml") && !strings.HasPrefix(name, ".")
}
