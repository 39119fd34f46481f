//lint:file-ignore SA1019 The suite has servers ask for sampling and roots as long as a revision has them.

package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// seal proves that a state returned by a client came from this server.
type seal struct{ key [32]byte }

func newSeal() (*seal, error) {
	s := &seal{}
	if _, err := rand.Read(s.key[:]); err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	return s, nil
}

func (s *seal) mark(text string) []byte {
	h := hmac.New(sha256.New, s.key[:])
	h.Write([]byte(text))
	return h.Sum(nil)
}

// letters is an encoding with exactly one form for each value.
func letters() *base64.Encoding { return base64.RawURLEncoding.Strict() }

// close returns a state that open accepts.
func (s *seal) close(text string) string {
	return letters().EncodeToString([]byte(text)) + "." + letters().EncodeToString(s.mark(text))
}

// open returns the text given to close.
func (s *seal) open(state string) (string, error) {
	first, second, _ := strings.Cut(state, ".")
	text, err := letters().DecodeString(first)
	if err == nil {
		var mark []byte
		if mark, err = letters().DecodeString(second); err == nil && hmac.Equal(mark, s.mark(string(text))) {
			return string(text), nil
		}
	}
	return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState is none of ours; call again without it"}
}

// stateOf returns the state in a call, or "".
func (s *seal) stateOf(req *sdk.CallToolRequest) (string, error) {
	if req.Params.RequestState == "" {
		return "", nil
	}
	return s.open(req.Params.RequestState)
}

func (s *seal) confirms(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	state, err := s.stateOf(req)
	if err != nil {
		return nil, err
	}
	if state != "" && accepted(req.Params.InputResponses, "confirm") != nil {
		return words("state-ok: it came back as it was, with the user's word"), nil
	}
	return needs(s.close("confirm"), sdk.InputRequestMap{"confirm": ask("Please confirm", confirmForm)}), nil
}

func (s *seal) needsAll(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if _, err := s.stateOf(req); err != nil {
		return nil, err
	}
	given := req.Params.InputResponses
	name := filled(given, "user_name", "name")
	greeting, greeted := completed(given, "greeting")
	roots, rooted := listed(given, "client_roots")
	if name != "" && greeted && rooted {
		return words("%s %s, %d roots", greeting, name, len(roots)), nil
	}
	return needs(s.close("all"), sdk.InputRequestMap{
		"user_name":    ask("What is your name?", callerForm),
		"greeting":     question("Write a greeting."),
		"client_roots": &sdk.ListRootsParams{},
	}), nil
}

// named is the prefix of the second round's state.
const named = "named "

// rounds asks twice. The state carries the first answer.
func (s *seal) rounds(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	state, err := s.stateOf(req)
	if err != nil {
		return nil, err
	}
	given := req.Params.InputResponses
	if name, ok := strings.CutPrefix(state, named); ok {
		if colour := filled(given, "step2", "color"); colour != "" {
			return words("%s likes %s", name, colour), nil
		}
		return s.second(name), nil
	}
	if name := filled(given, "step1", "name"); state != "" && name != "" {
		return s.second(name), nil
	}
	return needs(s.close("asked"), sdk.InputRequestMap{"step1": ask("Step 1: What is your name?", callerForm)}), nil
}

func (s *seal) second(name string) *sdk.CallToolResult {
	return needs(s.close(named+name), sdk.InputRequestMap{"step2": ask("Step 2: What is your favorite color?", colourForm)})
}
