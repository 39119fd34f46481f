// Command conformanceserver is the server that the MCP conformance suite
// (npm: @modelcontextprotocol/conformance) puts to the test: what the suite
// expects a server to offer, by the names it knows, registered with a host and
// served by internal/mcp/mcpserver as the product's own tools are.
//
// It is for tests alone and imported by nothing. It serves whoever is on this
// machine, and keeps nothing.
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

// run serves until ctx ends, and tells stderr where.
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
