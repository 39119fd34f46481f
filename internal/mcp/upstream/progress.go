package upstream

import (
	"encoding/json"
	"strconv"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// progress hands a server's progress notifications to the calls they are
// about. It is safe for concurrent use.
type progress struct {
	mu    sync.Mutex // guards calls
	calls map[string]mcp.Progress
}

func newProgress() *progress { return &progress{calls: map[string]mcp.Progress{}} }

// expectCall returns the token under which the server reports on a call.
func (p *progress) expectCall(key uint64, report mcp.Progress) (token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	token = progressToken(key)
	p.calls[token] = report
	return token
}

func (p *progress) forgetCall(key uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.calls, progressToken(key))
}

func progressToken(key uint64) string { return "glyphoxa-" + strconv.FormatUint(key, 10) }

// handleParams passes on the params of a notification as they came; what is none of
// the protocol's is dropped.
func (p *progress) handleParams(params json.RawMessage) {
	var n sdk.ProgressNotificationParams
	if json.Unmarshal(params, &n) == nil {
		p.report(&n)
	}
}

// report passes on what a server says; what is about no call is dropped.
func (p *progress) report(n *sdk.ProgressNotificationParams) {
	token, _ := n.ProgressToken.(string)
	p.mu.Lock()
	report := p.calls[token]
	p.mu.Unlock()
	if report != nil {
		report(n.Progress, n.Total, cleanLine(n.Message))
	}
}
