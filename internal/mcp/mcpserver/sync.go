package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/world"
)

// Methods of state sync.
const (
	MethodSubscribe = "state/subscribe"
	MethodPoll      = "state/poll"
	MethodDeclare   = "aoi/declare"
)

// maxPoll bounds how long a poll waits for a change, in milliseconds.
const maxPoll = 25_000

// syncParams are the params of a state sync method. They are decoded strictly, so that a misspelt key does
// not mean "everything".
type syncParams struct {
	sdk.ParamsBase
	raw json.RawMessage
}

func (p *syncParams) UnmarshalJSON(b []byte) error {
	var base struct {
		Meta sdk.Meta `json:"_meta"`
	}
	if err := json.Unmarshal(b, &base); err != nil {
		return err
	}
	p.Meta, p.raw = base.Meta, bytes.Clone(b)
	return nil
}

// syncResult is an encoded result.
type syncResult struct {
	sdk.ResultBase
	raw []byte
}

func (r *syncResult) MarshalJSON() ([]byte, error) { return r.raw, nil }

// stateSync answers the methods of state sync. It is safe for concurrent use.
type stateSync struct {
	*dispatcher
	world *world.World // nil if there is none
	polls *quota       // bounds waiting polls
}

// addTo registers the state sync methods with the SDK.
func (s *stateSync) addTo(server *sdk.Server) {
	if s.world == nil {
		return
	}
	for method, answer := range map[string]func(context.Context, json.RawMessage) ([]byte, error){
		MethodSubscribe: s.subscribe, MethodPoll: s.poll, MethodDeclare: s.declareArea,
	} {
		err := sdk.AddReceivingCustomMethod(server, method, func(ctx context.Context, ss *sdk.ServerSession, p *syncParams) (*syncResult, error) {
			var raw json.RawMessage
			if p != nil {
				raw = p.raw
			}
			out, err := answer(ctx, raw)
			if err != nil {
				return nil, s.syncError(err)
			}
			return &syncResult{raw: typed(ss, out)}, nil
		})
		if err != nil {
			panic(err) // the names are constants and differ from all standard methods
		}
	}
}

// typed adds the result type, which every result has in the newest revision.
func typed(ss *sdk.ServerSession, out []byte) []byte {
	if p := ss.InitializeParams(); p == nil || p.ProtocolVersion < newestProtocol {
		return out
	}
	return append(out[:len(out)-1:len(out)-1], `,"resultType":"complete"}`...)
}

// syncError converts an error of state sync to a JSON-RPC error.
func (s *stateSync) syncError(err error) error {
	if errors.Is(err, mcp.ErrInvalidArguments) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: oneLine(strings.TrimPrefix(err.Error(), mcp.ErrInvalidArguments.Error()+": "))}
	}
	return s.refuse(err)
}

// following describes what a client wants to follow.
type following struct {
	area   *world.Area
	since  *uint64
	waitMs int
}

// parseFollowing parses {aoi?, since?, waitMs?}. Any other key is an error.
func parseFollowing(raw json.RawMessage) (following, error) {
	var f following
	var params struct {
		AOI    json.RawMessage `json:"aoi"`
		Since  *uint64         `json:"since"`
		WaitMs int             `json:"waitMs"`
		Meta   json.RawMessage `json:"_meta"`
	}
	if len(raw) == 0 {
		return f, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&params); err != nil {
		return f, fmt.Errorf("%w: %s", mcp.ErrInvalidArguments, strings.TrimPrefix(err.Error(), "json: "))
	}
	if params.WaitMs < 0 || params.WaitMs > maxPoll {
		return f, fmt.Errorf("%w: waitMs is %d; use 0 to %d", mcp.ErrInvalidArguments, params.WaitMs, maxPoll)
	}
	f.since, f.waitMs = params.Since, params.WaitMs
	if params.AOI != nil {
		area, err := world.ParseArea(params.AOI)
		if err != nil {
			return f, err
		}
		f.area = &area
	}
	return f, nil
}

// mayFollow reports whether the subject of ctx may follow the world.
func (s *stateSync) mayFollow(ctx context.Context) error {
	return s.permits(ctx, MethodSubscribe, access.WorldRead)
}

// openSubscription opens a subscription for the subject of ctx.
func (s *stateSync) openSubscription(ctx context.Context, f following) (*world.Subscription, error) {
	if err := s.mayFollow(ctx); err != nil {
		return nil, refused(err)
	}
	return s.world.Subscribe(world.Filter{Viewer: access.SubjectFrom(ctx).Caller().Viewer(), Area: f.area, Since: f.since})
}

// subscribe answers state/subscribe. If the connection can push, the snapshot and all changes are sent as
// notifications. Otherwise the result contains the snapshot and the client polls.
func (s *stateSync) subscribe(ctx context.Context, raw json.RawMessage) (out []byte, err error) {
	f, err := parseFollowing(raw)
	if err != nil {
		return nil, err
	}
	err = s.passGate(ctx, MethodSubscribe, string(raw), func(ctx context.Context) error {
		out, err = s.startFollowing(ctx, f)
		return err
	})
	return out, err
}

func (s *stateSync) startFollowing(ctx context.Context, f following) ([]byte, error) {
	conn := feedFrom(ctx)
	if conn != nil && f.area == nil {
		f.area = conn.declared()
	}
	sub, err := s.openSubscription(ctx, f)
	if err != nil {
		return nil, err
	}
	snap, resumed := sub.Snapshot(), sub.Resumed()
	if conn == nil {
		defer sub.Close()
		b := append([]byte(`{"ok":true,`), appendSnapshot(nil, ourWords.seq, snap)...)
		return append(b, '}'), nil
	}
	subject := access.SubjectFrom(ctx)
	may := func() error { return s.mayFollow(access.WithSubject(context.WithoutCancel(ctx), subject)) }
	if err := conn.follow(ctx, sub, f.area, may); err != nil {
		return nil, err
	}
	b := appendSeq([]byte(`{"ok":true,`), conn.words.seq, snap.Seq)
	if resumed {
		b = append(b, `,"resumed":true`...)
	}
	return append(b, '}'), nil
}

// poll answers state/poll {since, aoi?, waitMs?} with the changes since then, or with the whole state if the
// log does not reach back that far.
func (s *stateSync) poll(ctx context.Context, raw json.RawMessage) (out []byte, err error) {
	f, err := parseFollowing(raw)
	if err != nil {
		return nil, err
	}
	if f.since == nil {
		return nil, fmt.Errorf("%w: since is missing; take the seq of state/subscribe or of the last poll", mcp.ErrInvalidArguments)
	}
	var sub *world.Subscription
	err = s.passGate(ctx, MethodPoll, string(raw), func(ctx context.Context) (err error) {
		sub, err = s.openSubscription(ctx, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer sub.Close()
	if !sub.Resumed() {
		b := append([]byte(`{"snapshot":true,`), appendSnapshot(nil, ourWords.seq, sub.Snapshot())...)
		return append(b, '}'), nil
	}
	if f.waitMs > 0 {
		free, err := s.acquireFor(ctx, s.polls, MethodPoll)
		if err != nil {
			return nil, err
		}
		defer free()
	}
	wait, cancel := context.WithTimeout(ctx, time.Duration(f.waitMs)*time.Millisecond)
	defer cancel()
	d, err := sub.Next(wait)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d = world.Delta{Seq: *f.since}
	}
	b := append([]byte{'{'}, appendDelta(nil, ourWords.seq, d)...)
	return append(b, '}'), nil
}

// declareArea answers aoi/declare {center, radius}.
func (s *stateSync) declareArea(ctx context.Context, raw json.RawMessage) ([]byte, error) {
	conn := feedFrom(ctx)
	if conn == nil {
		return nil, fmt.Errorf("%w: this connection cannot be pushed to; name the area as aoi in state/subscribe and state/poll", mcp.ErrInvalidArguments)
	}
	area, err := world.ParseArea(withoutMeta(raw))
	if err != nil {
		return nil, err
	}
	if err := s.mayFollow(ctx); err != nil {
		if why, ok := errors.AsType[*mcp.Refusal](err); ok {
			s.recordRefusal(ctx, mcp.Target{Tool: MethodDeclare, Source: sourceServer, ReadOnly: true}, string(raw), why)
		}
		return nil, err
	}
	if err := conn.declare(area); err != nil {
		return nil, err
	}
	return []byte(`{"ok":true}`), nil
}

// withoutMeta removes the protocol's own key from params.
func withoutMeta(raw json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return raw
	}
	if _, ok := all["_meta"]; !ok {
		return raw
	}
	delete(all, "_meta")
	out, err := json.Marshal(all)
	if err != nil {
		return raw
	}
	return out
}
