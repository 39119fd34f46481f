// Package openai embeds texts through the embeddings endpoint of OpenAI, or of the many servers with the same
// protocol.
//
//	e, err := openai.New(key, nil)
//	vectors, err := e.Embed(ctx, []string{"The mill burned down."})
//
// Each call is limited only by its context. Nothing is retried, except once with the vectors' length in the
// request, see [Options].
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	openai "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
)

// DefaultModel is the default of [Options].Model.
const DefaultModel = "text-embedding-3-small"

const defaultBatch = 96

// Options configure an [Embedder].
type Options struct {
	// BaseURL is the root of the API, such as "http://localhost:11434/v1". The default is OpenAI's.
	BaseURL string
	// Model is the embedding model. The default is [DefaultModel].
	Model string
	// Dimensions is the length of the vectors. If 0, it is that of a well-known model, or learnt from the
	// first response of another. A well-known model is asked for a length other than its own; another model
	// is asked only after it has returned a wrong length, because some servers refuse the parameter.
	Dimensions int
	// Batch is the maximum number of texts per request. The default is 96.
	Batch int
	// Used, if not nil, is called after every answered request with the name of the embedder, the bytes of
	// text, and the tokens counted by the server, 0 if it did not count them. It must be safe for concurrent
	// use and must not block.
	Used func(ctx context.Context, name string, bytes, tokens int)
	// Client sends the requests. If nil, a client without a timeout is used.
	Client *http.Client
}

// Embedder embeds texts over the network. It is safe for concurrent use.
type Embedder struct {
	client      *openai.Client
	name        string
	model       string
	dims        atomic.Int64 // 0 until known
	requestDims atomic.Bool  // the request has to contain the dimensions
	unknown     bool         // whether the model accepts the parameter is unknown
	batch       int
	used        func(ctx context.Context, name string, bytes, tokens int)
	service     vendor.Service
}

// New returns an embedder that sends key as a bearer token; key may be empty for servers without
// authentication. It sends nothing before the first Embed.
func New(key string, opts *Options) (*Embedder, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Model == "" {
		o.Model = DefaultModel
	}
	if o.Dimensions < 0 {
		return nil, errors.New("embedding option dimensions is no positive number")
	}
	native := nativeDimensions(o.Model)
	asked := native != 0 && o.Dimensions != 0 && o.Dimensions != native
	o.Dimensions = cmp.Or(o.Dimensions, native)
	name := "openai " + o.Model
	if o.Dimensions > 0 {
		name = fmt.Sprintf("%s/%d", name, o.Dimensions)
	}
	if o.Batch <= 0 {
		o.Batch = defaultBatch
	}
	cfg := openai.DefaultConfig(key)
	if o.BaseURL != "" {
		if u, err := url.Parse(o.BaseURL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return nil, errors.New("embedding base_url is no http or https address")
		}
		cfg.BaseURL = o.BaseURL
	}
	e := &Embedder{name: name, model: o.Model, unknown: native == 0, batch: o.Batch, used: o.Used}
	e.service = vendor.Service{
		Doing: "embedding", Key: key, Address: cfg.BaseURL, Configured: o.BaseURL != "", Advice: "check api_key",
		RateLimited: embeddings.ErrRateLimited, Unavailable: embeddings.ErrUnavailable, Rejected: embeddings.ErrRejected,
	}
	cfg.HTTPClient = e.service.Client(o.Client)
	e.client = openai.NewClientWithConfig(cfg)
	e.dims.Store(int64(o.Dimensions))
	e.requestDims.Store(asked)
	return e, nil
}

// nativeDimensions returns the vector length of a well-known model, or 0 for any other.
func nativeDimensions(model string) int {
	switch strings.TrimSuffix(model, ":latest") {
	case "text-embedding-3-small", "text-embedding-ada-002":
		return 1536
	case "text-embedding-3-large":
		return 3072
	case "nomic-embed-text":
		return 768
	case "mxbai-embed-large", "bge-m3":
		return 1024
	case "all-minilm":
		return 384
	}
	return 0
}

// Name returns the model, and the length of the vectors if New knew it.
func (e *Embedder) Name() string { return e.name }

// Dimensions returns the length of the vectors, or 0 until the first response of a model whose length was not
// given.
func (e *Embedder) Dimensions() int { return int(e.dims.Load()) }

// Embed sends the texts in batches, one after the other. Errors wrap one of the sentinels of package
// embeddings or ctx's error, and never contain the key.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for part := range slices.Chunk(texts, e.batch) {
		vs, err := e.embedBatch(ctx, part)
		if err != nil {
			return nil, fmt.Errorf("embedding %d texts with %s: %w", len(texts), e.model, err)
		}
		out = append(out, vs...)
	}
	return out, nil
}

func (e *Embedder) embedBatch(ctx context.Context, texts []string) ([][]float32, error) {
	req := openai.EmbeddingRequestStrings{
		Input:          make([]string, len(texts)),
		Model:          openai.EmbeddingModel(e.model),
		EncodingFormat: openai.EmbeddingEncodingFormatFloat,
	}
	for i, t := range texts {
		// Vendors refuse the whole batch if one input is empty.
		req.Input[i] = strings.ToValidUTF8(t, "\ufffd")
		if strings.TrimSpace(t) == "" {
			req.Input[i] = "-"
		}
	}
	for {
		asked := e.requestDims.Load()
		if asked {
			req.Dimensions = e.Dimensions()
		}
		resp, err := e.client.CreateEmbeddings(ctx, req)
		if err != nil {
			return nil, e.service.Failed(ctx, err)
		}
		e.reportUsage(ctx, req.Input, resp.Usage.PromptTokens)
		vectors, err := e.collect(resp.Data, len(texts))
		if asked || !e.unknown || !errors.Is(err, errLength) {
			return vectors, err
		}
		e.requestDims.Store(true)
	}
}

// reportUsage reports the usage of a request.
func (e *Embedder) reportUsage(ctx context.Context, texts []string, tokens int) {
	if e.used == nil {
		return
	}
	bytes := 0
	for _, t := range texts {
		bytes += len(t)
	}
	e.used(ctx, e.name, bytes, tokens)
}

// errLength means that the vectors do not have the known length.
var errLength = errors.New("vectors of a wrong length")

// collect validates the response and puts it in the order of the request. An incomplete or malformed response
// would corrupt the index.
func (e *Embedder) collect(data []openai.Embedding, n int) ([][]float32, error) {
	out := make([][]float32, n)
	for _, d := range data {
		if d.Index < 0 || d.Index >= n || out[d.Index] != nil {
			return nil, fmt.Errorf("%w: answer has no vector per text", embeddings.ErrUnavailable)
		}
		if err := e.checkLength(len(d.Embedding)); err != nil {
			return nil, err
		}
		for _, x := range d.Embedding {
			if math.IsInf(float64(x), 0) || math.IsNaN(float64(x)) {
				return nil, fmt.Errorf("%w: answer contains no finite vector", embeddings.ErrUnavailable)
			}
		}
		out[d.Index] = d.Embedding
	}
	for _, v := range out {
		if v == nil {
			return nil, fmt.Errorf("%w: answer has no vector per text", embeddings.ErrUnavailable)
		}
	}
	return out, nil
}

// checkLength compares a vector's length with the known one, or learns it. It learns even from a response
// that is otherwise invalid, because all vectors of a model have the same length.
func (e *Embedder) checkLength(n int) error {
	if n > 0 && e.dims.CompareAndSwap(0, int64(n)) {
		return nil
	}
	switch want := e.Dimensions(); {
	case want == 0:
		return fmt.Errorf("%w: answer contains an empty vector", embeddings.ErrUnavailable)
	case n != want:
		return fmt.Errorf("%w: %w: they have %d dimensions, not %d", embeddings.ErrRejected, errLength, n, want)
	}
	return nil
}
