package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

func initCommand(c *app.Common) *cobra.Command {
	o := app.InitOptions{Dir: "."}
	var languages string
	cmd := &cobra.Command{
		Use: "init", Short: "Write a glyphoxa.yaml and an NPC to start with", Args: app.NoArgs,
		Long: "Write a commented glyphoxa.yaml and an NPC, or the sample cast, into this directory.\n" +
			"At a terminal, it asks for what no flag sets. It never overwrites a file.",
		Example: "  glyphoxa init\n  glyphoxa init --language de --sample\n  glyphoxa init --base-url http://localhost:11434/v1 --model qwen3:8b --discord",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.Terminal {
				q := questions{cmd: cmd, in: bufio.NewReader(io.LimitReader(c.In, 64<<10)), out: c.Err}
				q.ask("name", "What is the campaign called?", &o.Name)
				q.ask("language", "Which languages are spoken, the main one first?", &languages)
				q.ask("base-url", "Address of a language model other than OpenAI's (empty: OpenAI if OPENAI_API_KEY is set, otherwise prepared lines)?", &o.BaseURL)
				q.ask("model", "Which model (empty: the usual one)?", &o.Model)
				q.ask("voice", "Which voices: auto, espeak, openai, elevenlabs or silent?", &o.Voice)
				q.confirm("discord", "Do you also want to play on Discord?", &o.Discord)
				q.confirm("sample", "Do you want to copy the sample cast of Thornhollow?", &o.Sample)
				if q.err != nil {
					return fmt.Errorf("reading the answers: %w", q.err)
				}
			}
			o.Languages = strings.FieldsFunc(languages, func(r rune) bool { return r == ',' || r == ' ' })
			if len(o.Languages) == 0 {
				return userfile.Usage(errors.New("--language names nothing; use such as --language en,de"))
			}
			return app.Init(c.Out, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Name, "name", "My campaign", "what the campaign is called")
	f.StringVar(&languages, "language", "en", "languages spoken at the table, the main one first, such as en,de")
	f.StringVar(&o.Model, "model", "", "language model, such as gpt-4o-mini or qwen3:8b")
	f.StringVar(&o.BaseURL, "base-url", "", "address of a service that speaks OpenAI's protocol, such as http://localhost:11434/v1")
	f.StringVar(&o.Voice, "voice", "auto", "voices: auto, espeak, openai, elevenlabs or silent")
	f.BoolVar(&o.Discord, "discord", false, "prepare the Discord bot")
	f.BoolVar(&o.Sample, "sample", false, "copy the cast and the world that come with the program")
	return cmd
}

func npcCommand(c *app.Common) *cobra.Command {
	cmd := &cobra.Command{Use: "npc", Short: "Write NPC files", Args: app.NoArgs,
		RunE: app.Help}
	var o app.NPCOptions
	add := &cobra.Command{
		Use: "new NAME", Short: "Write the file of a new NPC to the configured directory",
		Example: "  glyphoxa npc new \"Old Hob\"\n  glyphoxa npc new \"Old Hob\" --role miller --place \"the mill\" --personality \"Grumbles, and means well.\"",
		Args:    app.Args(1, 1, `npc new takes one name, in quotes if it has several words: glyphoxa npc new "Old Hob"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			if c.Terminal {
				q := questions{cmd: cmd, in: bufio.NewReader(io.LimitReader(c.In, 64<<10)), out: c.Err}
				q.ask("role", "What is "+o.Name+" to those who do not know the name?", &o.Role)
				q.ask("place", "Where?", &o.Place)
				q.ask("personality", "What is "+o.Name+" like?", &o.Personality)
				if q.err != nil {
					return fmt.Errorf("reading the answers: %w", q.err)
				}
			}
			return app.NewNPC(c.Out, c.Config, o)
		},
	}
	f := add.Flags()
	f.StringVar(&o.Role, "role", "", "what the NPC is, such as miller")
	f.StringVar(&o.Place, "place", "", "where the NPC usually is")
	f.StringVar(&o.Personality, "personality", "", "what the NPC is like")
	cmd.AddCommand(add)
	return cmd
}

// questions asks the user for values that no flag sets.
type questions struct {
	cmd *cobra.Command
	in  *bufio.Reader
	out io.Writer
	err error // first error
}

// ask asks for a flag's value; an empty answer keeps it.
func (q *questions) ask(flag, text string, to *string) {
	if q.err != nil || q.cmd.Flags().Changed(flag) {
		return
	}
	if *to != "" {
		text += " [" + *to + "]"
	}
	fmt.Fprint(q.out, text+" ")
	line, err := q.in.ReadString('\n')
	if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
		q.err = err
		return
	}
	if line = strings.TrimSpace(line); line != "" {
		*to = line
	}
}

// confirm asks for yes or no; anything but yes is no.
func (q *questions) confirm(flag, text string, to *bool) {
	answer := "no"
	q.ask(flag, text, &answer)
	if !q.cmd.Flags().Changed(flag) {
		*to = strings.HasPrefix(strings.ToLower(answer), "y")
	}
}
