package mcpserver

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// resourceMethods answers requests about resources. It is safe for concurrent use.
type resourceMethods struct {
	*dispatcher
	source Resources // nil if there are none
}

func (r *resourceMethods) served() bool { return r.source != nil }

// listResources answers resources/list and resources/templates/list.
func (r *resourceMethods) listResources(ctx context.Context, req sdk.Request) (sdk.Result, error) {
	v := r.viewOf(ctx)
	switch params := req.GetParams().(type) {
	case *sdk.ListResourcesParams:
		var all []*sdk.Resource
		err := r.passGate(ctx, methodListResources, "", func(ctx context.Context) (err error) {
			all, err = r.source.List(ctx, v)
			return err
		})
		if err != nil {
			return nil, r.refuse(err)
		}
		cursor := ""
		if params != nil {
			cursor = params.Cursor
		}
		page, next, err := paginate(all, func(entry *sdk.Resource) string { return entry.URI }, cursor, r.pageSize)
		return &sdk.ListResourcesResult{Resources: page, NextCursor: next, Cacheable: private}, err
	case *sdk.ListResourceTemplatesParams:
		cursor := ""
		if params != nil {
			cursor = params.Cursor
		}
		page, next, err := paginate(r.source.Templates(v), func(t *sdk.ResourceTemplate) string { return t.URITemplate }, cursor, r.pageSize)
		return &sdk.ListResourceTemplatesResult{ResourceTemplates: page, NextCursor: next, Cacheable: private}, err
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the request has no params"}
}

// addresses matches every address, because each request decides which of them exist.
const addresses = "{+uri}"

// addTo makes the SDK call us for every resource. The template itself is never listed.
func (r *resourceMethods) addTo(server *sdk.Server) {
	if r.source != nil {
		server.AddResourceTemplate(&sdk.ResourceTemplate{Name: "any", URITemplate: addresses}, r.readResource)
	}
}

// canonicalURI returns the canonical spelling of an address, because changes are announced under it and the
// SDK compares addresses as text.
func canonicalURI(uri string) string {
	if canonical, ok := CanonicalURI(uri); ok {
		return canonical
	}
	return uri
}

// readResource answers resources/read.
func (r *resourceMethods) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri := req.Params.URI
	v, why := r.viewAndRefusal(ctx)
	var res *sdk.ReadResourceResult
	err := r.passGate(ctx, methodReadResource, oneField("uri", uri), func(ctx context.Context) (err error) {
		res, err = r.source.Read(ctx, v, uri)
		return unknownResource(err, why)
	})
	if err != nil {
		return nil, r.resourceError(uri, err)
	}
	res.CacheScope = private.CacheScope
	return res, nil
}

// oneField returns a JSON object with one string field.
func oneField(key, value string) string {
	raw, err := json.Marshal(map[string]string{key: value})
	if err != nil {
		return "{}"
	}
	return string(raw)
}

// unknownResource marks an attempt to read a hidden resource as a refusal.
func unknownResource(err error, why func() *mcp.Refusal) error {
	if errors.Is(err, ErrUnknownResource) {
		return &refusedError{shown: err, why: why()}
	}
	return err
}

// resourceError is the answer for a URI that cannot be read. A hidden resource looks like a missing one.
func (r *resourceMethods) resourceError(uri string, err error) error {
	if errors.Is(err, ErrUnknownResource) {
		return sdk.ResourceNotFoundError(untrusted.Line(uri, 500))
	}
	return r.refuse(err)
}

// checkReadable returns an error if the subject of ctx may not read uri.
func (r *resourceMethods) checkReadable(ctx context.Context, uri string) error {
	if r.source == nil {
		return nil // the SDK refuses the request
	}
	err := r.passGate(ctx, methodSubscribe, oneField("uri", uri), func(ctx context.Context) error {
		v, why := r.viewAndRefusal(ctx)
		_, err := r.source.Read(ctx, v, uri)
		return unknownResource(err, why)
	})
	if err != nil {
		return r.resourceError(uri, err)
	}
	return nil
}

// checkListening checks a subscription of the newest protocol before the SDK creates it.
func (r *resourceMethods) checkListening(ctx context.Context, params *sdk.SubscriptionsListenParams) error {
	if params == nil || params.Notifications == nil {
		return nil // the SDK refuses the request
	}
	uris := params.Notifications.ResourceSubscriptions
	for i, uri := range uris {
		uris[i] = canonicalURI(uri)
		if err := r.checkReadable(ctx, uris[i]); err != nil {
			return err
		}
	}
	return nil
}

// subscribe accepts a subscription that Server.receive has already checked.
func (r *resourceMethods) subscribe(context.Context, *sdk.SubscribeRequest) error { return nil }
