package main

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

// manualCommand writes what a package brings beside the program.
func manualCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "Write manual pages and completions into a directory", Hidden: true,
		Args: takeArgs(1, 1, "man takes the directory to write to"),
		RunE: func(cmd *cobra.Command, args []string) error { return writeManual(cmd.Root(), args[0]) },
	}
}

// writeManual writes a page for each command into man and a completion for each shell into
// completions of dir. Pages are dated as SOURCE_DATE_EPOCH says, else of today.
func writeManual(root *cobra.Command, dir string) error {
	pages, shells := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	day := time.Now()
	if second, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		day = time.Unix(second, 0)
	}
	root.DisableAutoGenTag = true
	return errors.Join(
		os.MkdirAll(pages, 0o755), os.MkdirAll(shells, 0o755),
		writePages(root, pages, day.UTC()),
		root.GenBashCompletionFileV2(filepath.Join(shells, "glyphoxa.bash"), true),
		root.GenZshCompletionFile(filepath.Join(shells, "_glyphoxa")),
		root.GenFishCompletionFile(filepath.Join(shells, "glyphoxa.fish"), true),
		root.GenPowerShellCompletionFileWithDesc(filepath.Join(shells, "glyphoxa.ps1")),
	)
}

// writePages writes the pages of a command and of those below it.
func writePages(cmd *cobra.Command, dir string, day time.Time) error {
	var page bytes.Buffer
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	header := &doc.GenManHeader{Title: strings.ToUpper(name), Section: "1", Source: "Glyphoxa " + version, Manual: "Glyphoxa", Date: &day}
	if err := doc.GenMan(cmd, header, &page); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, name+".1"), mendPage(page.Bytes(), day), 0o644); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			if err := writePages(sub, dir, day); err != nil {
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

// mendPage makes of what cobra writes a page without faults: a date that can be read, and
// each option as a paragraph with a tag in place of a tab.
func mendPage(page []byte, day time.Time) []byte {
	page = pageDate.ReplaceAll(page, []byte("${1}\""+day.Format(time.DateOnly)+"\""))
	page = optionLines.ReplaceAll(page, []byte(".TP\n$1\n"))
	return emptyLines.ReplaceAll(page, []byte("\n"))
}
