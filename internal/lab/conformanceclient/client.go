package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Names by which the suite's authorization servers know this client.
const (
	callback       = "http://localhost:3000/callback"
	clientMetadata = "https://conformance-test.local/client-metadata.json"
)

// withSession connects a bare client to the server, lets use work with the
// session, and closes it.
func withSession(ctx context.Context, t *sdk.StreamableClientTransport, opts *sdk.ClientOptions, use func(*sdk.ClientSession) error) error {
	session, err := sdk.NewClient(&sdk.Implementation{Name: "glyphoxa", Version: "1"}, opts).Connect(ctx, t, nil)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	if err := use(session); err != nil {
		_ = session.Close() // the first error says more
		return err
	}
	if err := session.Close(); err != nil {
		return fmt.Errorf("closing the session: %w", err)
	}
	return nil
}

// elicit calls tools that ask the user, who accepts with the given answer.
func elicit(answer map[string]any, names ...string) scenario {
	accept := func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		return &sdk.ElicitResult{Action: "accept", Content: answer}, nil
	}
	return func(ctx context.Context, address string, _ settings) error {
		t := &sdk.StreamableClientTransport{Endpoint: address}
		return withSession(ctx, t, &sdk.ClientOptions{ElicitationHandler: accept}, func(s *sdk.ClientSession) error {
			for _, name := range names {
				if _, err := s.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: map[string]any{}}); err != nil {
					return fmt.Errorf("calling %q: %w", name, err)
				}
			}
			return nil
		})
	}
}

// authorizationCode lets the user grant access, then lists and calls the
// server's tools.
func authorizationCode(ctx context.Context, address string, s settings) error {
	cfg := &auth.AuthorizationCodeHandlerConfig{RedirectURL: callback, AuthorizationCodeFetcher: agree}
	if s.ClientID != "" {
		cfg.PreregisteredClient = &oauthex.ClientCredentials{ClientID: s.ClientID}
		if s.ClientSecret != "" {
			cfg.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: s.ClientSecret}
		}
	} else {
		cfg.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: clientMetadata}
		cfg.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{RedirectURIs: []string{callback}},
		}
	}
	handler, err := auth.NewAuthorizationCodeHandler(cfg)
	if err != nil {
		return fmt.Errorf("preparing the authorization: %w", err)
	}
	t := &sdk.StreamableClientTransport{Endpoint: address, OAuthHandler: handler}
	return withSession(ctx, t, nil, func(session *sdk.ClientSession) error {
		for tool, err := range session.Tools(ctx, nil) {
			if err != nil {
				return fmt.Errorf("listing tools: %w", err)
			}
			if _, err := session.CallTool(ctx, &sdk.CallToolParams{Name: tool.Name, Arguments: map[string]any{}}); err != nil {
				return fmt.Errorf("calling %q: %w", tool.Name, err)
			}
		}
		return nil
	})
}

// agree plays the user at the authorization server, who accepts and is
// redirected at once.
func agree(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, args.URL, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the authorization address: %w", err)
	}
	stay := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := stay.Do(req)
	if err != nil {
		return nil, err
	}
	if err := resp.Body.Close(); err != nil {
		return nil, err
	}
	back, err := resp.Location()
	if err != nil {
		return nil, errors.New("the authorization server does not send the user back")
	}
	q := back.Query()
	return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
}
