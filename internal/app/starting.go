package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// InitOptions configure Init.
type InitOptions struct {
	// Dir is the directory to write to.
	Dir string
	// Name is the name of the campaign.
	Name string
	// Languages are the languages spoken at the table, the main one first.
	Languages []string
	// Model is the language model; if empty, the provider's default. BaseURL is the address of a service other
	// than OpenAI.
	Model, BaseURL string
	// Voice is the voice provider: auto, espeak, openai, elevenlabs or silent.
	Voice string
	// Discord prepares the configuration for the bot.
	Discord bool
	// Sample copies the cast that comes with the program, instead of writing a single NPC.
	Sample bool
}

// NPCOptions describe a new NPC.
type NPCOptions struct {
	Name, Role, Place, Personality string
}

const (
	configFile = "glyphoxa.yaml"
	npcsDir    = "npcs"
	// schemasDir is the directory of the schemas that files name for editors.
	schemasDir = ".glyphoxa/schemas"
)

// newFile is a file to write.
type newFile struct {
	path string
	text []byte
}

// Init writes a configuration with its NPCs. It does not overwrite existing files.
func Init(w io.Writer, o InitOptions) error {
	if !slices.Contains([]string{"auto", "espeak", "openai", "elevenlabs", "silent"}, o.Voice) {
		return userfile.Usage(fmt.Errorf("--voice %s: use auto, espeak, openai, elevenlabs or silent", o.Voice))
	}
	files := []newFile{{configFile, configText(o)}}
	if o.Sample {
		cast, err := fs.Glob(glyphoxa.Shipped, npcsDir+"/*.yaml")
		if err != nil {
			return err
		}
		for _, name := range append(cast, "campaigns/thornhollow.yaml") {
			text, err := fs.ReadFile(glyphoxa.Shipped, name)
			if err != nil {
				return err
			}
			files = append(files, newFile{name, withSchema(name, text)})
		}
	} else {
		texts := textsFor(o.Languages)
		files = append(files, newFile{npcsDir + "/mira.yaml", npcText(texts.first, texts)})
	}
	if err := writeFiles(w, o.Dir, files); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nglyphoxa check finds mistakes in it, glyphoxa doctor finds what is missing on this machine, and glyphoxa play starts the game.")
	return nil
}

// NewNPC writes the file of an NPC into the configured directory, unless it exists.
func NewNPC(w io.Writer, configuration string, o NPCOptions) error {
	if _, err := os.Stat(configFile); err != nil && configuration == "" {
		return userfile.Usage(fmt.Errorf("there is no %s here for the NPC to play in; write one with glyphoxa init, or name one with --config", configFile))
	}
	cfg, err := play.LoadConfig(configuration)
	if err != nil {
		return err
	}
	if cfg.NPCsDir == "" {
		return userfile.Usage(fmt.Errorf("the configuration names no directory for NPCs; add npcs_dir: %s to it", npcsDir))
	}
	slug := config.Slug(o.Name)
	if slug == "" {
		return userfile.Usage(fmt.Errorf("the name %q has no letters for a file name; give the NPC another name", o.Name))
	}
	file := filepath.Join(filepath.Base(cfg.NPCsDir), slug+".yaml")
	return writeFiles(w, filepath.Dir(cfg.NPCsDir), []newFile{{file, npcText(o, textsFor(cfg.Language))}})
}

// startingTexts are the initial texts of a new NPC's file. They are in the main language of the table,
// because the NPC would be kept from speaking another one.
type startingTexts struct {
	first                     NPCOptions // the NPC of a new configuration
	undescribed, rule, greets string
}

// textsFor returns the texts in the main language of a table, or in English if they do not exist in that one.
func textsFor(languages []string) startingTexts {
	if len(languages) > 0 && languages[0] == "de" {
		return startingTexts{
			first: NPCOptions{
				Name: "Mira die Fährfrau", Role: "Fährfrau", Place: "der Anleger",
				Personality: "Eine geduldige Frau, die schon jede Art von Reisenden gesehen hat. Sie spricht wenig und merkt sich jedes Gesicht.",
			},
			undescribed: " ist noch zu beschreiben.", rule: "Sprich in einem oder zwei kurzen Sätzen.", greets: "Seid gegrüßt.",
		}
	}
	return startingTexts{
		first: NPCOptions{
			Name: "Mira the Ferrywoman", Role: "ferrywoman", Place: "the landing",
			Personality: "A patient woman who has seen every kind of traveller. She speaks little, and remembers every face.",
		},
		undescribed: " is yet to be described.", rule: "Speak in one or two short sentences.", greets: "Well met.",
	}
}

// withSchema returns a shipped file. It adds the line that names the schema for editors to files of NPCs.
func withSchema(name string, text []byte) []byte {
	if !strings.HasPrefix(name, npcsDir+"/") {
		return text
	}
	return append([]byte(schemaLine("../", "npc")), text...)
}

// schemaLine returns the line that names a file's schema for editors. up is the path to the directory of the
// configuration.
func schemaLine(up, kind string) string {
	return fmt.Sprintf("# yaml-language-server: $schema=%s%s/%s.json\n", up, schemasDir, kind)
}

// writeFiles writes files and the schemas that they name for editors. If one of the files exists, it writes
// nothing.
func writeFiles(w io.Writer, dir string, files []newFile) error {
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(dir, f.path)); err == nil {
			return userfile.Usage(fmt.Errorf("%s already exists; move it away, or choose another name", filepath.Join(dir, f.path)))
		}
	}
	for _, kind := range []string{"config", "npc"} {
		var text bytes.Buffer
		if err := Schema(&text, kind); err != nil {
			return err
		}
		path := filepath.Join(dir, schemasDir, kind+".json")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return userfile.PlainFileError(err)
		}
		if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil { // every version replaces them
			return userfile.PlainFileError(err)
		}
	}
	for _, f := range files {
		path := filepath.Join(dir, f.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return userfile.PlainFileError(err)
		}
		if err := writeNew(path, func(out io.Writer) error { _, err := out.Write(f.text); return err }); err != nil {
			return err
		}
		fmt.Fprintln(w, "wrote", path)
	}
	return nil
}

// quoted returns text quoted for YAML.
func quoted(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // never fails for a string
	return strings.TrimSpace(b.String())
}

func configText(o InitOptions) []byte {
	var b strings.Builder
	languages := make([]string, len(o.Languages))
	for i, l := range o.Languages {
		languages[i] = quoted(l)
	}
	b.WriteString(schemaLine("", "config"))
	fmt.Fprintf(&b, `# Glyphoxa: what plays at your table. All of it is optional; "glyphoxa check" says whether
# all is well, with the line and what to do. ${NAME} takes a value from an environment
# variable, ${NAME:-text} takes text if it is not set: keep keys out of this file that way.

# Languages spoken at the table, the main one first.
languages: [%s]

campaign:
  name: %s
`, strings.Join(languages, ", "), quoted(o.Name))
	if o.Sample {
		b.WriteString("  # People, places and things of the world.\n  world: campaigns/thornhollow.yaml\n")
	}
	b.WriteString("  # What is going on when the session starts.\n  # scene: Fog on the water. A lantern at the landing.\n\nproviders:\n")
	if o.BaseURL == "" {
		b.WriteString("  # The language model: OpenAI's where the key is set, otherwise prepared lines.\n  llm:\n    name: auto\n    api_key: ${OPENAI_API_KEY:-}\n")
	} else {
		fmt.Fprintf(&b, "  # The language model: a service that speaks OpenAI's protocol.\n  llm:\n    name: openai\n    base_url: %s\n", quoted(o.BaseURL))
	}
	if o.Model != "" {
		fmt.Fprintf(&b, "    model: %s\n", quoted(o.Model))
	}
	fmt.Fprintf(&b, "  # Voices: auto (espeak-ng where it is installed), espeak, openai, elevenlabs or silent.\n  # They are heard with glyphoxa play --voice.\n  tts:\n    name: %s\n", o.Voice)
	if key := map[string]string{"openai": "OPENAI_API_KEY", "elevenlabs": "ELEVENLABS_API_KEY"}[o.Voice]; key != "" {
		fmt.Fprintf(&b, "    api_key: ${%s:-}\n", key)
	}
	fmt.Fprintf(&b, "\n# One file for each NPC; glyphoxa npc new NAME writes another.\nnpcs_dir: %s\n", npcsDir)
	if o.Discord {
		b.WriteString("\n# The bot, with glyphoxa run. The token is the one of your application at\n# https://discord.com/developers/applications, under Bot.\ndiscord:\n  token: ${DISCORD_TOKEN:-}\n")
	}
	b.WriteString(`
# Tools from other programs, by the Model Context Protocol (MCP).
# mcp:
#   servers:
#     - name: everything
#       transport: stdio
#       command: npx -y @modelcontextprotocol/server-everything
`)
	return []byte(b.String())
}

func npcText(o NPCOptions, texts startingTexts) []byte {
	var b strings.Builder
	b.WriteString(schemaLine("../", "npc"))
	fmt.Fprintf(&b, "# Who this is. \"glyphoxa check\" finds mistakes; /reload at the table takes changes over.\nname: %s\n", quoted(o.Name))
	if first, _, more := strings.Cut(o.Name, " "); more && len(first) > 2 {
		fmt.Fprintf(&b, "# Other names the NPC answers to.\naliases: [%s]\n", quoted(first))
	}
	for _, line := range []struct{ key, value, example string }{
		{"role", o.Role, "innkeeper"}, {"place", o.Place, "the Rusty Flagon"},
	} {
		if line.value == "" {
			fmt.Fprintf(&b, "# %s: %s\n", line.key, line.example)
		} else {
			fmt.Fprintf(&b, "%s: %s\n", line.key, quoted(line.value))
		}
	}
	personality := o.Personality
	if personality == "" {
		personality = o.Name + texts.undescribed
	}
	fmt.Fprintf(&b, `personality: %s
# fast answers at once, standard may look things up, deep may think.
budget_tier: standard
# What the NPC may use; "glyphoxa tools" lists what there is.
tools: [roll, search_sessions, search_rules, get_rule]
behavior_rules:
  - %s
# What the NPC knows and keeps to itself, until /reveal.
# secret_knowledge:
#   - The ferry has not crossed for three nights.
# How it sounds, with --voice.
# voice:
#   pitch: 1.1
#   speed: 0.95
# What it says without a language model.
lines:
  greeting:
    - %s
`, quoted(personality), texts.rule, texts.greets)
	return []byte(b.String())
}
