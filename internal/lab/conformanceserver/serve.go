package main

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// limits are wide, because the suite calls faster than a single client may.
var limits = config.Limits{Burst: 1_000_000, PerSecond: 1_000_000}

// serve serves the fixtures at address until ctx ends, and passes the URL to
// ready.
func serve(ctx context.Context, address string, ready func(url string)) (err error) {
	rules, err := access.New(access.Options{Limits: limits})
	if err != nil {
		return err
	}
	gate := access.NewGate(rules, nil, nil)
	host := mcphost.New(mcphost.WithGate(gate))
	defer func() { err = errors.Join(err, host.Close()) }()
	prompts := newScripts()
	server := mcpserver.New(host, mcpserver.Options{
		Version: "1", Policy: rules, Gate: gate, Resources: shelf{}, Prompts: prompts,
		Instructions: "What the conformance suite expects of a server.",
	})
	if err := register(host, prompts, server); err != nil {
		return err
	}
	keeper, err := access.NewGatekeeper(ctx, config.Server{}, access.GatekeeperOptions{Profile: rules.Profile})
	if err != nil {
		return err
	}
	web, err := server.Listen(ctx, address, mcpserver.WebOptions{Gatekeeper: keeper})
	if err != nil {
		return err
	}
	ready(fmt.Sprintf("http://%s/mcp", web.Addr()))
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return rules.Run(ctx) })
	g.Go(func() error { return server.Run(ctx) })
	g.Go(func() error { return web.Serve(ctx) })
	return g.Wait()
}

// register adds every fixture tool to the host.
func register(host *mcphost.Host, prompts *scripts, server *mcpserver.Server) error {
	seal, err := newSeal()
	if err != nil {
		return err
	}
	for _, list := range [][]fixture{
		plainFixtures(), askingFixtures(), requestFixtures(), inputFixtures(seal), changingFixtures(host, prompts, server),
	} {
		for _, f := range list {
			if err := host.RegisterBuiltin(f.tool()); err != nil {
				return err
			}
		}
	}
	return nil
}
