package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// maxScene bounds a scene's file and every file it names, in bytes.
const maxScene = 1 << 20

// Load reads scenes: paths are files, or directories whose *.yaml and *.yml
// files are read in order of name. All problems are reported together as
// [userfile.Problems], each with its file and line.
func Load(paths ...string) ([]*Scene, error) {
	files, problems := findFiles(paths)
	var scenes []*Scene
	for _, file := range files {
		text, err := readFile(file)
		if err != nil {
			problems.Add(file, 1, describeFileError(err), "check the path and its permissions")
			continue
		}
		s, found := Parse(file, text, readFile)
		problems = append(problems, found...)
		scenes = append(scenes, s)
	}
	if len(files) == 0 && len(problems) == 0 {
		problems.Add(strings.Join(paths, ", "), 0, "there is no scene", "name a file, or a directory with *.yaml files")
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return scenes, nil
}

// findFiles lists the files of paths.
func findFiles(paths []string) (files []string, problems userfile.Problems) {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			problems.Add(path, 1, describeFileError(err), "check the path")
		case !info.IsDir():
			files = append(files, path)
		default:
			inside, err := os.ReadDir(path)
			if err != nil {
				problems.Add(path, 1, describeFileError(err), "check its permissions")
			}
			for _, e := range inside {
				ext := strings.ToLower(filepath.Ext(e.Name()))
				if !e.IsDir() && (ext == ".yaml" || ext == ".yml") && !strings.HasPrefix(e.Name(), ".") {
					files = append(files, filepath.Join(path, e.Name()))
				}
			}
		}
	}
	return files, problems
}

func readFile(path string) ([]byte, error) {
	return userfile.Read(path, maxScene)
}

// describeFileError returns an error without the path, which the problem
// already names.
func describeFileError(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no such file"
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// Parse reads one scene from the text of its file. read opens the NPC files it
// names, by path. The scene is usable only if there is no problem.
func Parse(file string, text []byte, read func(path string) ([]byte, error)) (*Scene, userfile.Problems) {
	s := blank()
	s.File = file
	c := &checker{scene: s, read: read}
	c.doc = userfile.ReadYAML(file, text, s, &userfile.Options{MaxSize: maxScene}, &c.problems)
	c.cast()
	if len(c.problems) == 0 { // otherwise missing parts would cause further problems
		c.checkScene()
	}
	return s, c.problems
}

// checker checks what needs the whole scene.
type checker struct {
	scene    *Scene
	doc      *userfile.Document
	problems userfile.Problems
	read     func(string) ([]byte, error)
}

func (c *checker) addProblem(path userfile.Path, what, fix string) {
	c.problems.Add(c.scene.File, c.doc.Line(path), what, fix)
}

// cast reads the NPC files and assigns every NPC its id.
func (c *checker) cast() {
	s := c.scene
	for i, name := range s.Cast {
		path := filepath.Join(filepath.Dir(s.File), filepath.FromSlash(name))
		text, err := c.read(path)
		if err != nil {
			c.addProblem(userfile.Path("cast").Item(i), "cast: "+describeFileError(err), "name a file as seen from the scene's directory")
			continue
		}
		npc := config.DefaultNPC()
		config.ReadNPC(path, text, &npc, nil, &c.problems)
		s.NPCs = append(s.NPCs, npc)
	}
	seen := map[string]bool{}
	for i := range s.NPCs {
		n := &s.NPCs[i]
		if n.ID == "" {
			n.ID = config.Slug(n.Name)
		}
		switch path := userfile.Path("npcs").Item(i).Key("name"); {
		case n.Name == "": // the missing name is already reported
		case n.ID == "":
			c.addProblem(path, "no id can be made from the name", "add an id of letters a to z and digits")
		case seen[n.ID]:
			c.addProblem(path, fmt.Sprintf("another NPC has the id %q", n.ID), "give this one an id of its own")
		}
		seen[n.ID] = true
	}
}

// npc reports whether the scene has an NPC by this name or id.
func (s *Scene) npc(name string) bool {
	return slices.ContainsFunc(s.NPCs, func(n config.NPC) bool { return isCalled(n, name) })
}

// isCalled reports whether a scene may refer to an NPC by name.
func isCalled(n config.NPC, name string) bool {
	return strings.EqualFold(n.Name, name) || n.ID == name || slices.Contains(n.Aliases, name)
}

// Schema returns the JSON Schema of a scene, for editors.
func Schema() (*jsonschema.Schema, error) {
	return userfile.Schema("Glyphoxa scene", blank(), nil)
}
