package app

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manualCommand writes the files that a package installs beside the program.
func (c *Common) manualCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "Write manual pages and completions into a directory", Hidden: true,
		Args: Args(1, 1, "man takes the directory to write to"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.writeManual(cmd.Root(), args[0]) },
	}
}

// writeManual writes a page for each command into man and a completion for each shell into
// completions of dir. SOURCE_DATE_EPOCH sets the date of the pages, today if it is missing.
func (c *Common) writeManual(root *cobra.Command, dir string) error {
	pages, shells := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	day := time.Now()
	if second, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		day = time.Unix(second, 0)
	}
	root.DisableAutoGenTag = true
	return errors.Join(
		os.MkdirAll(pages, 0o755), os.MkdirAll(shells, 0o755),
		c.writePages(root, pages, day.UTC()),
		root.GenBashCompletionFileV2(filepath.Join(shells, root.Name()+".bash"), true),
		root.GenZshCompletionFile(filepath.Join(shells, "_"+root.Name())),
		root.GenFishCompletionFile(filepath.Join(shells, root.Name()+".fish"), true),
		root.GenPowerShellCompletionFileWithDesc(filepath.Join(shells, root.Name()+".ps1")),
	)
}

// writePages writes the pages of a command and of those below it.
func (c *Common) writePages(cmd *cobra.Command, dir string, day time.Time) error {
	var page bytes.Buffer
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	header := &doc.GenManHeader{Title: strings.ToUpper(name), Section: "1", Source: "Glyphoxa " + c.Program.Version, Manual: "Glyphoxa", Date: &day}
	if err := doc.GenMan(cmd, header, &page); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, name+".1"), mendPage(page.Bytes(), day), 0o644); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			if err := c.writePages(sub, dir, day); err != nil {
				return err
			}
		}
	}
	return nil
}

var (
	optionLines = regexp.MustCompile(`(?m)^(?:\.PP\n)?(\\fB-.*)\n\t`)
	emptyLines  = regexp.MustCompile(`\n\n+`)
	pageDate    = regexp.MustCompile(`(?m)^(\.TH "[^"]*" "1" )"[^"]*"`)
)

// mendPage corrects the page that cobra writes, because mandoc warns about it: the date becomes
// readable, and each option becomes a tagged paragraph instead of one with a tab.
func mendPage(page []byte, day time.Time) []byte {
	page = pageDate.ReplaceAll(page, []byte("${1}\""+day.Format(time.DateOnly)+"\""))
	page = optionLines.ReplaceAll(page, []byte(".TP\n$1\n"))
	return emptyLines.ReplaceAll(page, []byte("\n"))
}
