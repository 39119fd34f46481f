package app

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

	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/terminal"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// Program describes the running program.
type Program struct {
	// Name is the command's name, as in "glyphoxa".
	Name string
	// Version is the release, "dev" outside one.
	Version string
	// Commit is the revision set by the linker. If empty, the revision in the build information is shown.
	Commit string
	// Libraries receives the logs of libraries that know only a process-wide logger. It follows [Common.Logger].
	// If nil, these libraries are not changed.
	Libraries *observe.LibraryLogs
}

// Line returns the output of the version command.
func (p Program) Line() string {
	commit, goVersion := "unknown", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		goVersion = info.GoVersion
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value
			}
		}
	}
	return fmt.Sprintf("%s %s (commit %s, %s)\n", p.Name, p.Version, cmp.Or(p.Commit, commit), goVersion)
}

// Main runs the program's command line and exits with 0 (done), 1 (failed) or 2 (wrong usage
// or configuration). The first SIGINT, SIGTERM or SIGHUP cancels the context of the command,
// so that it ends in order. A second one ends the process at once, and so do 10 seconds, or 45 after
// [Common.OpensTables].
func Main(p Program, newRoot func(*Common) *cobra.Command) {
	tuneGC(os.LookupEnv, os.DirFS("/"))
	hangsUp := hangUp()
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, append(hangsUp, os.Interrupt, syscall.SIGTERM)...)
	var farewells atomic.Bool // tables may be open, and need time to close
	go func() {               // ends with the program
		first := <-signals
		// The next signal must end the process even if ending in order hangs, so the
		// default action is restored before anything else happens.
		signal.Stop(signals)
		cancel(fmt.Errorf("%s signal received", first))
		wait := longestEnd
		if farewells.Load() {
			wait = longestFarewell
		}
		time.Sleep(wait) // only a command that hangs is still running after that
		fmt.Fprintf(os.Stderr, "%s: %s signal received, but the command did not end within %s; ended at once\n", p.Name, first, wait)
		os.Exit(exitFailed)
	}()
	// A reader that closes its pipe is an error like any other, and a closing terminal
	// signals twice, once itself and once through the shell. Both are caught here because
	// the default action would end the process before its work is saved.
	signal.Notify(make(chan os.Signal, 1), append(hangsUp, syscall.SIGPIPE)...)
	interrupt := func() {
		select {
		case signals <- os.Interrupt:
		default: // one is pending
		}
	}
	os.Exit(run(ctx, p, newRoot, os.Args[1:], terminalStreams(interrupt, func() { farewells.Store(true) })))
}

// Bounds of how long the program takes to end after a signal.
const (
	// longestEnd is for commands that open no table. A transaction that is cut off is rolled back.
	longestEnd = 10 * time.Second
	// longestFarewell is longer than a bot takes to close all its tables, and shorter than the
	// time after which service managers kill a process.
	longestFarewell = 45 * time.Second
)

// hangUp returns SIGHUP, unless the program was started to outlive its terminal, as with nohup.
func hangUp() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return nil
	}
	return []os.Signal{syscall.SIGHUP}
}

// Streams are the input and output of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Terminal reports that a person types at In.
	Terminal bool
	// Edit reports that a person also reads Out, on a terminal that can edit lines.
	// Colour reports that this terminal shows colours.
	Edit, Colour bool
	// Notes is Err if that is a terminal, otherwise nil.
	Notes *terminal.Redirect
	// Interrupt acts as if Ctrl-C had been pressed.
	Interrupt func()

	opens   func() // records that tables are open
	watched bool   // a person reads Err at a terminal
	rewrite bool   // a line of that terminal can be overwritten
}

func terminalStreams(interrupt, opens func()) Streams {
	s := Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Interrupt: interrupt, opens: opens}
	s.Terminal = isatty.IsTerminal(os.Stdin.Fd())
	s.Edit = s.Terminal && isatty.IsTerminal(os.Stdout.Fd()) && os.Getenv("TERM") != "dumb"
	s.Colour = s.Edit && os.Getenv("NO_COLOR") == ""
	s.watched = isatty.IsTerminal(os.Stderr.Fd())
	s.rewrite = s.watched && os.Getenv("TERM") != "dumb"
	if s.Edit && s.rewrite {
		s.Notes = terminal.NewRedirect(os.Stderr)
		s.Err = s.Notes
	}
	return s
}

// run executes a command line and returns the exit code.
func run(ctx context.Context, p Program, newRoot func(*Common) *cobra.Command, args []string, s Streams) int {
	c := &Common{Streams: s, Program: p, status: &status{program: p.Name, terminal: s.Err, rewrite: s.rewrite}}
	c.Out, c.Err = clearing{c.status, s.Out}, clearing{c.status, s.Err}
	root := newRoot(c)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = context.Cause(ctx) // this says why, and not only that something was cancelled
	}
	c.status.clear()
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, userfile.ErrUsage):
		p.reportError(s.Err, err)
		return exitUsage
	case isBrokenPipe(err):
		return exitFailed
	}
	p.reportError(s.Err, err)
	return exitFailed
}

// isBrokenPipe reports whether the only thing that went wrong is that the reader of stdout
// closed it, as in a pipe into head. The reader knows that, so nothing is printed.
func isBrokenPipe(err error) bool {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(several.Unwrap(), func(e error) bool { return !isBrokenPipe(e) })
	}
	var path *fs.PathError
	return errors.As(err, &path) && path.Path == os.Stdout.Name() && errors.Is(path.Err, syscall.EPIPE)
}

// reportError prints an error on one line, or one line for each problem.
func (p Program) reportError(w io.Writer, err error) {
	var list userfile.Problems
	if errors.As(err, &list) {
		fmt.Fprintln(w, err)
		return
	}
	fmt.Fprintln(w, p.Name+":", userfile.OneLine(err))
}

// Common holds the streams and the flags that every command shares.
type Common struct {
	Streams
	Program Program
	// Config is the configuration file that --config names, "" if the flag is missing.
	Config string

	// Quiet reports that --quiet was given: commands print only results and errors.
	Quiet bool

	verbose bool
	status  *status
}

// Logger returns a logger to stderr: only for errors, or for everything with --verbose.
func (c *Common) Logger() *slog.Logger {
	level := slog.LevelError
	if c.verbose {
		level = slog.LevelDebug
	}
	l := slog.New(slog.NewTextHandler(c.Err, &slog.HandlerOptions{Level: level}))
	if c.Program.Libraries != nil {
		c.Program.Libraries.To(l)
	}
	return l
}

// OpensTables gives the command more time to end after a signal, because tables take a while to
// close.
func (c *Common) OpensTables() { c.opens() }

// Root returns a root command with the common flags and a version command.
func (c *Common) Root(short, long string) *cobra.Command {
	root := &cobra.Command{
		Use: c.Program.Name, Short: short, Long: long,
		SilenceErrors: true, SilenceUsage: true,
		Args:    NoArgs,
		RunE:    Help,
		Version: c.Program.Version,
	}
	root.SetVersionTemplate(c.Program.Line())
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return userfile.Usage(fmt.Errorf("%w; try %s --help", err, cmd.CommandPath()))
	})
	root.PersistentFlags().StringVar(&c.Config, "config", "", "configuration file (default ./glyphoxa.yaml, otherwise the built-in one)")
	root.PersistentFlags().BoolVar(&c.verbose, "verbose", false, "write a log to stderr")
	root.PersistentFlags().BoolVar(&c.Quiet, "quiet", false, "print only what you asked for, and errors")
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if c.Quiet && c.verbose {
			return userfile.Usage(errors.New("--quiet and --verbose contradict each other; give one of them"))
		}
		return nil
	}
	root.AddCommand(c.versionCommand(), c.manualCommand())
	return root
}

func (c *Common) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Show version, commit and Go version", Args: NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(c.Out, c.Program.Line())
			return err
		},
	}
}

// Help prints a command's help. Commands that only group others run it.
func Help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// NoArgs refuses arguments, with the nearest command for a mistyped one.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, sub := range cmd.Commands() {
		known = append(known, sub.Name())
	}
	if len(known) == 0 {
		return userfile.Usage(fmt.Errorf("%s takes no argument %q", cmd.CommandPath(), args[0]))
	}
	hint := "try " + cmd.CommandPath() + " --help"
	if near := userfile.Nearest(args[0], known); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return userfile.Usage(fmt.Errorf("%s has no command %q; %s", cmd.CommandPath(), args[0], hint))
}

// Args refuses any number of arguments outside least to most, with a sentence that says what
// the command accepts.
func Args(least, most int, usage string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return userfile.Usage(errors.New(usage))
		}
		return nil
	}
}

// RefuseEmpty refuses flags that were given without a value, most often because of a variable
// that is not set.
func RefuseEmpty(cmd *cobra.Command, flags ...string) error {
	for _, name := range flags {
		if f := cmd.Flags().Lookup(name); f.Changed && f.Value.String() == "" {
			return userfile.Usage(fmt.Errorf("--%s has no value; give it one, or leave it out", name))
		}
	}
	return nil
}
