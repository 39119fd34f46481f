package fakegemini

import (
	"context"
	"slices"
)

// callTools sends tool calls and reports whether the answer continues. A call
// of an undeclared tool is an error of the script.
func (g *generation) callTools(ctx context.Context, step CallTools) bool {
	var calls []any
	var ids []string
	for _, call := range step.Calls {
		if !g.c.openCall(call, step.NoWait) {
			g.c.server.change(func() {
				g.c.server.refusals = append(g.c.server.refusals, "the script calls "+call.Name+", which is not declared")
			})
			return false
		}
		ids = append(ids, call.ID)
		args := call.Args
		if args == nil {
			args = map[string]any{}
		}
		calls = append(calls, object{"id": call.ID, "name": call.Name, "args": args})
	}
	g.c.say(ctx, object{"toolCall": object{"functionCalls": calls}})
	if len(step.Cancel) > 0 {
		g.c.cancelCalls(step.Cancel)
		g.c.say(ctx, object{"toolCallCancellation": object{"ids": step.Cancel}})
	}
	if step.Trailing > 0 {
		g.speak(ctx, Speak{Sound: step.Trailing})
	}
	if step.NoWait {
		return true
	}
	for g.c.areOpen(ids) {
		select {
		case <-g.c.awaitMove(ids):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// openCall opens a call and reports whether its tool is declared.
func (c *connection) openCall(called Call, noWait bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.ContainsFunc(c.tools, func(d declaration) bool { return d.Name == called.Name }) {
		return false
	}
	c.calls[called.ID] = call{state: callOpen, noWait: noWait}
	return true
}

func (c *connection) areOpen(ids []string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(ids, func(id string) bool { return c.calls[id].state == callOpen })
}

// awaitMove returns a channel that is closed when a call changes state, or at
// once if none of ids is open.
func (c *connection) awaitMove(ids []string) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.ContainsFunc(ids, func(id string) bool { return c.calls[id].state == callOpen }) {
		done := make(chan struct{})
		close(done)
		return done
	}
	return c.moved
}

func (c *connection) cancelCalls(ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		if cancelled := c.calls[id]; cancelled.state == callOpen {
			cancelled.state = callCancelled
			c.calls[id] = cancelled
		}
	}
	c.moveCalls()
}
