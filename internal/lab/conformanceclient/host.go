package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// hostFailed is the prefix of errors that the host caused.
const hostFailed = "through the host: "

// withHost connects a host to the server, lets use work with it, and closes it.
func withHost(ctx context.Context, address string, credentials config.MCPAuth, use func(*mcphost.Host) error) (err error) {
	h := mcphost.New(mcphost.WithLogger(slog.New(slog.NewTextHandler(os.Stderr, nil))))
	defer func() {
		if err = cmp.Or(err, h.Close()); err != nil {
			err = fmt.Errorf(hostFailed+"%w", err)
		}
	}()
	if err := h.RegisterServer(ctx, config.MCPServerConfig{
		Name: "suite", Transport: config.TransportStreamableHTTP, URL: address, AllowPrivate: true, Auth: credentials,
	}); err != nil {
		return err
	}
	return use(h)
}

// list returns the server's tools, which the host reads when it connects.
func list(ctx context.Context, address string, _ settings) error {
	return withHost(ctx, address, config.MCPAuth{}, func(*mcphost.Host) error { return nil })
}

// call calls one tool, which must succeed.
func call(name, args string) scenario {
	return func(ctx context.Context, address string, _ settings) error {
		return withHost(ctx, address, config.MCPAuth{}, func(h *mcphost.Host) error { return execute(ctx, h, name, args) })
	}
}

// callAll calls every tool the host lists with the same arguments.
func callAll(args string) scenario {
	return func(ctx context.Context, address string, _ settings) error {
		return withHost(ctx, address, config.MCPAuth{}, func(h *mcphost.Host) error {
			names := h.Names()
			if len(names) == 0 {
				return errors.New("the host lists no tool")
			}
			for _, name := range names {
				if err := execute(ctx, h, name, args); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// callAsked makes the calls the suite requests.
func callAsked(ctx context.Context, address string, s settings) error {
	return withHost(ctx, address, config.MCPAuth{}, func(h *mcphost.Host) error {
		for _, c := range s.ToolCalls {
			args, err := json.Marshal(c.Arguments)
			if err != nil {
				return fmt.Errorf("encoding arguments: %w", err)
			}
			if err := execute(ctx, h, c.Name, string(args)); err != nil {
				return err
			}
		}
		return nil
	})
}

func execute(ctx context.Context, h *mcphost.Host, name, args string) error {
	res, err := h.ExecuteTool(ctx, name, args)
	if err != nil {
		return err
	}
	if res.IsError {
		return fmt.Errorf("calling %q: it answered %q", name, res.Text)
	}
	return nil
}

// echoSchema sends back a tool's input schema as the host holds it, so that the
// suite sees which parts were lost.
func echoSchema(ctx context.Context, address string, _ settings) error {
	const focus = "json_schema_2020_12_tool"
	return withHost(ctx, address, config.MCPAuth{}, func(h *mcphost.Host) error {
		for _, d := range h.AvailableTools(mcp.BudgetDeep) {
			if d.Name != focus {
				continue
			}
			args, err := json.Marshal(map[string]any{"schema": d.Parameters})
			if err != nil {
				return fmt.Errorf("encoding the schema: %w", err)
			}
			return execute(ctx, h, "json_schema_echo", string(args))
		}
		return fmt.Errorf("the host does not list %q", focus)
	})
}

// clientCredentials reads the token server from the server's metadata, as an
// operator would, and leaves the grant to the host.
func clientCredentials(ctx context.Context, address string, s settings) error {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("reading the server's address: %w", err)
	}
	u.Path = "/.well-known/oauth-protected-resource" + u.Path
	resource, err := oauthex.GetProtectedResourceMetadata(ctx, u.String(), address, nil)
	if err != nil {
		return fmt.Errorf("asking the server who grants access: %w", err)
	}
	if len(resource.AuthorizationServers) == 0 {
		return errors.New("the server names nobody who grants access")
	}
	issuer, err := auth.GetAuthServerMetadata(ctx, resource.AuthorizationServers[0], nil)
	if err != nil {
		return fmt.Errorf("asking for the token endpoint: %w", err)
	}
	if issuer == nil {
		return errors.New("the token server does not describe itself")
	}
	grant := config.MCPAuth{OAuth: &config.MCPOAuth{
		ClientID: s.ClientID, ClientSecret: config.Secret(s.ClientSecret), TokenURL: issuer.TokenEndpoint,
	}}
	return withHost(ctx, address, grant, func(h *mcphost.Host) error {
		if len(h.Names()) == 0 {
			return errors.New("the host lists no tool")
		}
		return nil
	})
}
