package workflow

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// errStopped cancels the calls that run in parallel with a failed one.
var errStopped = fmt.Errorf("%w: a call beside it failed", context.Canceled)

// run is one run of a workflow. It is owned by a single goroutine.
type run struct {
	w             *Workflow
	values        values
	reports       []stepReport // of w.steps()
	finished      []bool       // which of them have ended
	finishedCount int          // how many have
	bytesLeft     int          // bytes still available for results
	progress      mcp.Progress
}

// respond runs the workflow through the caller's door, or resumes the run that the same call left in runs. If
// a failed step or ctx ended the run, respond returns both the report so far and an error that wraps the
// failure.
func (w *Workflow) respond(ctx context.Context, args string, runs *Runs) (mcp.Result, error) {
	params, err := w.arguments(args)
	if err != nil {
		return mcp.Result{}, err
	}
	key, err := w.keyOf(ctx, params)
	if err != nil {
		return mcp.Result{}, err
	}
	ctx, release := early(ctx)
	defer release()
	r := runs.remove(key)
	if r == nil {
		r = w.newRun(params)
	}
	r.progress = mcp.ProgressFrom(ctx)
	err = r.stages(ctx)
	var output json.RawMessage
	if err == nil && w.output != nil {
		output, err = r.output(ctx)
	}
	res, err := r.result(output, err)
	if until := awaited(err); !until.IsZero() {
		r.rewind()
		runs.store(key, r, until)
	}
	return res, err
}

func (w *Workflow) newRun(params map[string]any) *run {
	r := &run{w: w, values: values{params: params, steps: map[string]any{}}, bytesLeft: MaxResult}
	for _, s := range w.steps() {
		r.reports = append(r.reports, stepReport{ID: s.id, Tool: s.tool, Skipped: true})
	}
	r.finished = make([]bool, len(r.reports))
	return r
}

// keyOf returns the key under which a call's run is kept.
func (w *Workflow) keyOf(ctx context.Context, params map[string]any) (runKey, error) {
	args, err := encodeValue(params)
	if err != nil {
		return runKey{}, err
	}
	caller := mcp.CallerFrom(ctx)
	return runKey{workflow: w.sum, args: sha256.Sum256(args), caller: caller.Name(), viewer: caller.Viewer()}, nil
}

// arguments returns the values of the parameters. An omitted parameter has its default, or nil if it has
// none.
func (w *Workflow) arguments(args string) (map[string]any, error) {
	given := map[string]any{}
	if args != "" {
		v, err := decodeValue([]byte(args))
		object, ok := v.(map[string]any)
		if err != nil || !ok {
			return nil, fmt.Errorf("%w: want a JSON object", mcp.ErrInvalidArguments)
		}
		given = object
	}
	params := make(map[string]any, len(w.params))
	for i := range w.params {
		p := &w.params[i]
		v := given[p.name]
		delete(given, p.name)
		switch {
		case v == nil && p.required:
			return nil, fmt.Errorf("%w: %q is missing", mcp.ErrInvalidArguments, p.name)
		case v == nil:
			v = p.fallback
		default:
			if why := p.misfit(v); why != "" {
				return nil, fmt.Errorf("%w: %q cannot have this value: %s", mcp.ErrInvalidArguments, p.name, why)
			}
		}
		params[p.name] = v
	}
	for name := range given {
		return nil, fmt.Errorf("%w: there is no parameter %q", mcp.ErrInvalidArguments, name)
	}
	return params, nil
}

func (r *run) stages(ctx context.Context) error {
	at := 0
	for _, st := range r.w.stages {
		if ctx.Err() != nil {
			return fmt.Errorf("ended before step %q: %w", st[0].id, context.Cause(ctx))
		}
		if err := r.stage(ctx, st, at); err != nil {
			return err
		}
		at += len(st)
	}
	return nil
}

// readyStep is a step that is ready to run, with its arguments.
type readyStep struct {
	at   int // index in reports
	tool string
	args string
}

// stage runs the steps of st; the first one has index at. It returns the failure that ends the workflow, or
// nil.
func (r *run) stage(ctx context.Context, st stage, at int) error {
	calls, fatal := r.prepare(ctx, st, at)
	if fatal != nil {
		return fatal
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	succeeded := 0
	fan(inner, len(calls), MaxParallel,
		func(i int) outcome { return callThrough(inner, calls[i].tool, calls[i].args) },
		func(i int, o outcome) {
			err := r.finishStep(calls[i].at, o)
			switch {
			case err == nil:
				succeeded++
			case !r.w.keepGoing && fatal == nil:
				fatal = fmt.Errorf("step %q: %w", r.reports[calls[i].at].ID, err)
				cancel(errStopped)
			}
		})
	if fatal == nil && ctx.Err() != nil && succeeded < len(calls) {
		return fmt.Errorf("ended at step %q: %w", st[0].id, context.Cause(ctx))
	}
	return fatal
}

// prepare decides which steps of a stage run and evaluates their arguments, before any of them runs.
func (r *run) prepare(ctx context.Context, st stage, at int) (calls []readyStep, fatal error) {
	for i, s := range st {
		if r.finished[at+i] { // done before the run stopped to wait for an approval
			continue
		}
		args, wanted, err := r.arguments(ctx, s)
		switch {
		case err != nil:
			err = r.finishStep(at+i, outcome{err: err})
			if !r.w.keepGoing || ctx.Err() != nil {
				return nil, fmt.Errorf("step %q: %w", s.id, err)
			}
		case !wanted:
			r.skip(at + i)
		default:
			calls = append(calls, readyStep{at + i, s.tool, args})
		}
	}
	return calls, nil
}

// arguments returns a step's arguments as JSON text, and whether the step should run at all.
func (r *run) arguments(ctx context.Context, s *step) (args string, wanted bool, err error) {
	if s.when != nil {
		if wanted, err = s.when.truth(ctx, r.values); err != nil || !wanted {
			return "", false, err
		}
	}
	if s.with == nil {
		return "{}", true, nil
	}
	v, err := s.with.render(ctx, r.values, true)
	if err != nil {
		return "", false, err
	}
	b, err := encodeValue(v)
	if err != nil {
		return "", false, fmt.Errorf("composing the arguments of %q: %w", s.tool, err)
	}
	return string(b), true, nil
}

// skip records that a step's condition was false.
func (r *run) skip(at int) { r.recordResult(at, nil) }

// finishStep records how a call ended, and returns its error.
func (r *run) finishStep(at int, o outcome) error {
	o.fit(&r.bytesLeft)
	rep := &r.reports[at]
	rep.Skipped, rep.OK, rep.Ms, rep.Result, rep.Error = false, o.err == nil, mcp.RoundedMillis(o.took), o.raw, describeError(o.err)
	var result any
	if o.raw != nil {
		result, _ = decodeValue(o.raw) // valid JSON, because content made it
	}
	r.recordResult(at, result)
	return o.err
}

// recordResult makes a step's result available to later steps and reports progress.
func (r *run) recordResult(at int, result any) {
	rep := r.reports[at]
	known := map[string]any{"ok": rep.OK, "result": result, "error": nil, "skipped": rep.Skipped, "ms": rep.Ms}
	if rep.Error != nil {
		known["error"] = map[string]any{"code": string(rep.Error.Code), "message": rep.Error.Message}
	}
	r.values.steps[rep.ID] = known
	r.finished[at] = true
	r.finishedCount++
	if r.progress != nil {
		r.progress(float64(r.finishedCount), float64(len(r.reports)), rep.ID)
	}
}

// output evaluates the workflow's output.
func (r *run) output(ctx context.Context) (json.RawMessage, error) {
	v, err := r.w.output.render(ctx, r.values, false)
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	b, err := encodeValue(v)
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	return b, nil
}
