// Command conformanceserver is the server that the MCP conformance suite (npm:
// @modelcontextprotocol/conformance) tests. It offers the suite's tools under
// the suite's names, registered with a host and served by
// internal/mcp/mcpserver like the product's own tools.
//
// It is only for tests and no package imports it. It serves every program on
// this machine, and stores nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves until ctx ends, and prints the address to stderr.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("conformanceserver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "127.0.0.1:0", "`address` to serve at")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("usage: conformanceserver [-listen ADDRESS]; %q is too much", flags.Arg(0))
	}
	return serve(ctx, *listen, func(url string) { fmt.Fprintln(stderr, "serving at", url) })
}
