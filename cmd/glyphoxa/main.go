// Command glyphoxa runs AI-driven NPCs for tabletop role-playing.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/lineedit"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/problem"
)

// version is set by the linker for releases.
var version = "dev"

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	tuneGC(os.LookupEnv, os.DirFS("/"))
	hangsUp := hangUp()
	var farewells atomic.Bool // a table may be open, which is closed in order
	ctx, cancel := context.WithCancelCause(context.Background())
	told := make(chan os.Signal, 1)
	signal.Notify(told, append(hangsUp, os.Interrupt, syscall.SIGTERM)...)
	go func() { // ends with the program
		// The first signal ends everything in order, a second one at once: it is
		// the system's again before anything ends.
		first := <-told
		signal.Stop(told)
		cancel(fmt.Errorf("%s signal received", first))
		wait := longestEnd
		if farewells.Load() {
			wait = longestFarewell
		}
		time.Sleep(wait) // only what hangs is still there then
		fmt.Fprintf(os.Stderr, "glyphoxa: %s signal received, and what was at work did not end within %s; ended at once\n", first, wait)
		os.Exit(exitFailed)
	}()
	// A reader that leaves is an error like any other, and a terminal that closes
	// says so twice, itself and through the shell: what is at work still ends in
	// order. Nobody reads the channel; that it is there is enough.
	signal.Notify(make(chan os.Signal, 1), append(hangsUp, syscall.SIGPIPE)...)
	interrupt := func() {
		select {
		case told <- os.Interrupt:
		default: // one is on its way
		}
	}
	os.Exit(run(ctx, os.Args[1:], terminalStreams(interrupt, func() { farewells.Store(true) })))
}

// Bounds of how long a program that got a signal takes to end.
const (
	// longestEnd is for a command that says no farewell to anyone: a transaction that it
	// leaves behind never was.
	longestEnd = 10 * time.Second
	// longestFarewell is longer than a bot takes that closes all its tables, and shorter than
	// what managers of services wait before they kill.
	longestFarewell = 45 * time.Second
)

// hangUp is the signal of a closed terminal or a dropped connection, unless the
// program was started to outlive them, as with nohup.
func hangUp() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return nil
	}
	return []os.Signal{syscall.SIGHUP}
}

// streams is what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// terminal says that a human types at in.
	terminal bool
	// edit says that the human also reads at out, on a terminal on which lines can be
	// edited, and colour that it wants colours.
	edit, colour bool
	// notes is err where that is a terminal, nil elsewhere.
	notes *lineedit.Redirect
	// watched says that a human reads err at a terminal, and rewrite that a line can be
	// written over there.
	watched, rewrite bool
	// interrupt is as if Ctrl-C had been pressed.
	interrupt func()
	// opens is called before a command opens tables, which take a while to close.
	opens func()
}

// terminalStreams are the program's own.
func terminalStreams(interrupt, opens func()) streams {
	s := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, interrupt: interrupt, opens: opens}
	s.terminal = isatty.IsTerminal(os.Stdin.Fd())
	s.edit = s.terminal && isatty.IsTerminal(os.Stdout.Fd()) && os.Getenv("TERM") != "dumb"
	s.colour = s.edit && os.Getenv("NO_COLOR") == ""
	s.watched = isatty.IsTerminal(os.Stderr.Fd())
	s.rewrite = s.watched && os.Getenv("TERM") != "dumb"
	if s.edit && s.rewrite {
		s.notes = lineedit.NewRedirect(os.Stderr)
		s.err = s.notes
	}
	return s
}

// run carries out a command line and returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
	c := &common{streams: s, status: &status{terminal: s.err, rewrite: s.rewrite}}
	c.out, c.err = clearing{c.status, s.out}, clearing{c.status, s.err}
	root := newRoot(c)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	c.status.clear()
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = context.Cause(ctx) // rather than what was being done just then
	}
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, problem.ErrUsage):
		reportError(s.err, err)
		return exitUsage
	case isReaderGone(err):
		return exitFailed
	}
	reportError(s.err, err)
	return exitFailed
}

// isReaderGone reports whether all that is wrong is that the reader of stdout left,
// who knows: a pipe into head, for example.
func isReaderGone(err error) bool {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(several.Unwrap(), func(e error) bool { return !isReaderGone(e) })
	}
	var path *fs.PathError
	return errors.As(err, &path) && path.Path == os.Stdout.Name() && errors.Is(path.Err, syscall.EPIPE)
}

// reportError tells a human what is wrong: one line, or one a problem.
func reportError(w io.Writer, err error) {
	var list problem.List
	if errors.As(err, &list) {
		fmt.Fprintln(w, err)
		return
	}
	fmt.Fprintln(w, "glyphoxa:", problem.OneLine(err))
}

// common holds the flags every command takes.
type common struct {
	streams
	config  string
	verbose bool
	quiet   bool
	status  *status
}

// newLogger writes warnings, or everything with --verbose, to stderr.
func (c *common) newLogger() *slog.Logger {
	level := slog.LevelError
	if c.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: level}))
}

// openApp reads the configuration and brings up the shared parts.
func (c *common) openApp(ctx context.Context, o app.Options) (*app.App, error) {
	cfg, err := play.LoadConfig(c.config)
	if err != nil {
		return nil, err
	}
	c.opens()
	o.Config, o.Log, o.Say, o.Version = cfg, c.newLogger(), c.sayProgress, version
	return app.Open(ctx, o)
}

// withApp runs f on an opened app and closes it.
func (c *common) withApp(ctx context.Context, f func(*app.App) error) error {
	return c.withOptions(ctx, app.Options{}, f)
}

func (c *common) withOptions(ctx context.Context, o app.Options, f func(*app.App) error) (err error) {
	a, err := c.openApp(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return f(a)
}

func newRoot(c *common) *cobra.Command {
	root := &cobra.Command{
		Use:   "glyphoxa",
		Short: "AI-driven NPCs for tabletop role-playing, within a latency budget",
		Long: "Glyphoxa gives a game master's NPCs a voice: players speak, the right NPC answers\n" +
			"with the tools that fit the turn's latency budget. Start with: glyphoxa play",
		SilenceErrors: true, SilenceUsage: true,
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Version: version,
	}
	root.SetVersionTemplate(versionLine())
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return problem.Usage(fmt.Errorf("%w; try %s --help", err, cmd.CommandPath()))
	})
	root.PersistentFlags().StringVar(&c.config, "config", "", "configuration file (default ./glyphoxa.yaml, else the built-in one)")
	root.PersistentFlags().BoolVar(&c.verbose, "verbose", false, "log what happens to stderr")
	root.PersistentFlags().BoolVar(&c.quiet, "quiet", false, "print nothing but what was asked for, and errors")
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if c.quiet && c.verbose {
			return problem.Usage(errors.New("--quiet and --verbose contradict each other; give one of them"))
		}
		return nil
	}
	root.AddCommand(playCommand(c), initCommand(c), npcCommand(c), runCommand(c), transcribeCommand(c), simulateCommand(c), scenarioCommand(c), toolsCommand(c), mcpCommand(c), checkCommand(c), schemaCommand(c), doctorCommand(c), importCommand(c), exportCommand(c), migrateCommand(c), backupCommand(c), restoreCommand(c), recapCommand(c), campaignCommand(c), versionCommand(c), manualCommand())
	return root
}

// noArgs refuses arguments, with the nearest command for a mistyped one.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, sub := range cmd.Commands() {
		known = append(known, sub.Name())
	}
	if len(known) == 0 {
		return problem.Usage(fmt.Errorf("%s takes no argument %q", cmd.CommandPath(), args[0]))
	}
	hint := "try " + cmd.CommandPath() + " --help"
	if near := problem.Nearest(args[0], known); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return problem.Usage(fmt.Errorf("%q is no command of %s; %s", args[0], cmd.CommandPath(), hint))
}

func versionCommand(c *common) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Show version, commit and Go version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(c.out, versionLine())
			return err
		},
	}
}

// versionLine says which program this is, and who built it.
func versionLine() string {
	commit, goVersion := "unknown", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		goVersion = info.GoVersion
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value
			}
		}
	}
	return fmt.Sprintf("glyphoxa %s (commit %s, %s)\n", version, cmp.Or(linked, commit), goVersion)
}

// linked is the commit, set by the linker where the build has no VCS stamp.
var linked = ""
