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
	// maxCalls bounds the calls that are open at a time; more are refused.
	maxCalls = 64
	// maxID and maxArguments bound a call, in bytes.
	maxID, maxArguments = 512, 256 << 10
	// maxClosed is how many calls are remembered once they are closed, so that their
	// late results can be told from results of calls that never were.
	maxClosed = 256
)

// calls are the tool calls of a session. It does no I/O; its owner serves one call at
// a time.
type calls struct {
	traits traits
	open   map[string]*openCall
	closed []string // ids, the oldest first
	made   int      // ids made up
	wanted bool     // a result of those the answer waits for is to be spoken about
}

// openCall is a call that has no result yet.
type openCall struct {
	wire  string // its id for the service, which may have none
	name  string
	round *round
}

// round are the calls of one message. Their results go back together, since a model
// that waits goes on with the first message that comes.
type round struct {
	waiting int
	dead    bool // nobody waits for its results any more
	results []*functionResponse
}

// start opens the calls of a message, but for those that are open. What cannot be
// opened is refused.
func (c *calls) start(wanted []*functionCall) (opened []llm.ToolCall, refused []*functionResponse) {
	r := &round{}
	if c.liveCalls() == 0 {
		c.wanted = false
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
			continue // it is said again; two results would end the session
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

// refuseAll answers calls of an answer nobody waits for.
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

// response is a result in the service's words.
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

// answer closes a call. ready are the results to be sent now; over reports that the
// answer has all it waited for, and wanted that the model is to go on with it. found
// is false for a call that is not open, and known true if it once was.
func (c *calls) answer(r s2s.ToolResult) (ready []*functionResponse, over, wanted, found, known bool) {
	call, found := c.open[r.ID]
	if !found {
		return nil, false, false, false, slices.Contains(c.closed, r.ID)
	}
	c.forget(r.ID)
	in := call.round
	quiet := r.Silent || in.dead
	in.waiting--
	c.wanted = c.wanted || !quiet
	in.results = append(in.results, c.response(call.wire, call.name, r.Text, r.IsError, quiet))
	if in.waiting > 0 && !in.dead {
		return nil, false, false, true, true
	}
	ready, in.results = in.results, nil
	return ready, !in.dead && c.liveCalls() == 0, c.wanted, true, true
}

// liveCalls is how many calls the answer still waits for.
func (c *calls) liveCalls() int {
	n := 0
	for _, call := range c.open {
		if !call.round.dead {
			n++
		}
	}
	return n
}

// giveUp notes that nobody waits for the results of open calls any more. It returns
// those results that waited for others.
func (c *calls) giveUp() []*functionResponse {
	var ready []*functionResponse
	for _, call := range c.open {
		r := call.round
		if r.dead {
			continue
		}
		r.dead = true
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

// settle closes all open calls with an error, since some models take no input while
// they wait for them. The caller has given them up.
func (c *calls) settle() []*functionResponse {
	var ready []*functionResponse
	for id, call := range c.open {
		ready = append(ready, c.response(call.wire, call.name, "the player spoke before there was a result", true, true))
		c.forget(id)
	}
	slices.SortFunc(ready, func(a, b *functionResponse) int { return cmp.Compare(a.ID, b.ID) })
	return ready
}

// cancel closes the calls that the service takes back; it needs no answer to them. It
// returns those that were open, and results that waited for them. over is as for
// answer.
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
			over = over || !r.dead
		}
	}
	slices.Sort(ids)
	return ids, ready, over && c.liveCalls() == 0
}

// forget closes a call and remembers that it was.
func (c *calls) forget(id string) {
	delete(c.open, id)
	if len(c.closed) == maxClosed {
		c.closed = slices.Delete(c.closed, 0, 1)
	}
	c.closed = append(c.closed, id)
}
