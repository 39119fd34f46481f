package gemini

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

const (
	// maxCalls is the maximum number of open calls; more are refused.
	maxCalls = 64
	// maxID and maxArguments are the maximum sizes of a call in bytes.
	maxID, maxArguments = 512, 256 << 10
	// maxClosed is the number of closed calls to remember, so that late results can be told from results of
	// unknown calls.
	maxClosed = 256
)

// calls holds the tool calls of a session. It does no I/O and is not safe for concurrent use.
type calls struct {
	traits         traits
	open           map[string]*openCall
	closed         []string // IDs, oldest first
	made           int      // number of generated IDs
	responseWanted bool     // the model is to respond to a result that the answer waits for
}

// openCall is a call without a result.
type openCall struct {
	wire  string // its ID for the service, possibly empty
	name  string
	round *round
}

// round holds the calls of one message. Their results are sent together, because a model that waits continues
// with the first message it receives.
type round struct {
	waiting   int
	abandoned bool // the results are no longer wanted
	results   []*functionResponse
}

// start opens the calls of a message, except those already open. It refuses calls that cannot be opened.
func (c *calls) start(wanted []*functionCall) (opened []llm.ToolCall, refused []*functionResponse) {
	r := &round{}
	if c.liveCalls() == 0 {
		c.responseWanted = false
	}
	for _, call := range wanted {
		if call == nil {
			continue
		}
		arguments, err := json.Marshal(call.Args)
		if call.Args == nil {
			arguments = []byte("{}")
		}
		if err != nil || len(arguments) > maxArguments || len(call.ID) > maxID || len(call.Name) > maxID ||
			call.Name == "" || len(c.open) >= maxCalls {
			refused = append(refused, c.refusal(call, "this call cannot be made"))
			continue
		}
		if _, twice := c.open[call.ID]; twice {
			continue // a repetition; two results would end the session
		}
		id := call.ID
		if id == "" || slices.Contains(c.closed, id) {
			c.made++
			id = "call-" + strconv.Itoa(c.made)
		}
		c.open[id] = &openCall{wire: call.ID, name: call.Name, round: r}
		r.waiting++
		opened = append(opened, llm.ToolCall{ID: id, Name: call.Name, Arguments: string(arguments)})
	}
	return opened, refused
}

// refuseAll answers the calls of an abandoned answer.
func (c *calls) refuseAll(unwanted []*functionCall) []*functionResponse {
	var refused []*functionResponse
	for _, call := range unwanted {
		if call != nil && call.Name != "" && len(refused) < maxCalls {
			refused = append(refused, c.refusal(call, "nobody waits for this any more"))
		}
	}
	return refused
}

func (c *calls) refusal(call *functionCall, why string) *functionResponse {
	return c.response(call.ID, call.Name, why, true, true)
}

// response builds a result for the service.
func (c *calls) response(id, name, text string, isError, quiet bool) *functionResponse {
	key := "output"
	if isError {
		key = "error"
	}
	r := &functionResponse{ID: id, Name: name, Response: map[string]string{key: text}}
	switch {
	case !c.traits.scheduling:
	case quiet:
		r.Scheduling = silent
	case c.traits.async:
		r.Scheduling = whenIdle
	}
	return r
}

// answer closes a call. ready are the results to send now. over reports whether the answer has all its
// results, and wanted whether the model is to continue with it. found is false for a call that is not open,
// and known is true if it was open before.
func (c *calls) answer(r s2s.ToolResult) (ready []*functionResponse, over, wanted, found, known bool) {
	call, found := c.open[r.ID]
	if !found {
		return nil, false, false, false, slices.Contains(c.closed, r.ID)
	}
	c.forget(r.ID)
	in := call.round
	quiet := r.Silent || in.abandoned
	in.waiting--
	c.responseWanted = c.responseWanted || !quiet
	in.results = append(in.results, c.response(call.wire, call.name, r.Text, r.IsError, quiet))
	if in.waiting > 0 && !in.abandoned {
		return nil, false, false, true, true
	}
	ready, in.results = in.results, nil
	return ready, !in.abandoned && c.liveCalls() == 0, c.responseWanted, true, true
}

// liveCalls returns the number of calls that the answer still waits for.
func (c *calls) liveCalls() int {
	n := 0
	for _, call := range c.open {
		if !call.round.abandoned {
			n++
		}
	}
	return n
}

// abandon marks the results of open calls as unwanted. It returns the results that were waiting for others.
func (c *calls) abandon() []*functionResponse {
	var ready []*functionResponse
	for _, call := range c.open {
		r := call.round
		if r.abandoned {
			continue
		}
		r.abandoned = true
		for _, result := range r.results {
			if c.traits.scheduling {
				result.Scheduling = silent
			}
		}
		ready = append(ready, r.results...)
		r.results = nil
	}
	return ready
}

// closeAll closes all open calls with an error, because some models accept no input while they wait for
// results. The caller has abandoned the calls.
func (c *calls) closeAll() []*functionResponse {
	var ready []*functionResponse
	for id, call := range c.open {
		ready = append(ready, c.response(call.wire, call.name, "the player spoke before there was a result", true, true))
		c.forget(id)
	}
	slices.SortFunc(ready, func(a, b *functionResponse) int { return cmp.Compare(a.ID, b.ID) })
	return ready
}

// cancel closes the calls that the service withdraws; they need no answer. It returns those that were open,
// and the results that waited for them. over is as for answer.
func (c *calls) cancel(wire []string) (ids []string, ready []*functionResponse, over bool) {
	for id, call := range c.open {
		if call.wire == "" || !slices.Contains(wire, call.wire) {
			continue
		}
		c.forget(id)
		ids = append(ids, id)
		r := call.round
		r.waiting--
		if r.waiting == 0 {
			ready = append(ready, r.results...)
			r.results = nil
			over = over || !r.abandoned
		}
	}
	slices.Sort(ids)
	return ids, ready, over && c.liveCalls() == 0
}

// forget closes a call and remembers its ID.
func (c *calls) forget(id string) {
	delete(c.open, id)
	if len(c.closed) == maxClosed {
		c.closed = slices.Delete(c.closed, 0, 1)
	}
	c.closed = append(c.closed, id)
}
