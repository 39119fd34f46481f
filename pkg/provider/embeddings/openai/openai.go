// Package openai embeds text through the embeddings endpoint of OpenAI and of
// the many servers that speak its protocol.
//
// Imported by the composition root. Every call is bounded by its context
// alone; nothing is retried here.
package openai

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// DefaultModel is used when no model is named.
const DefaultModel = "text-embedding-3-small"

const defaultBatch = 96

// Options tune an [Embedder].
type Options struct {
	// BaseURL is the API's root, such as "http://localhost:11434/v1". If
	// empty, OpenAI's own.
	BaseURL string
	// Model names the embedding model. If empty, [DefaultModel].
	Model string
	// Dimensions is the length of the model's vectors. If 0, the model must be
	// a well-known one.
	Dimensions int
	// Batch is the most texts sent in one request. If 0, 96.
	Batch int
	// Client makes the requests. If nil, one without a time limit of its own.
	Client *http.Client
}

// Embedder embeds text over the network. It is safe for concurrent use.
type Embedder struct {
	client  *openai.Client
	model   string
	dims    int
	askDims bool // the request must name the dimensions
	batch   int
	key     string
}

// New returns an embedder that sends key as bearer token; an empty key is
// fine for servers that ask for none. It fails if the options do not tell how
// long a vector is. Nothing is sent before the first Embed.
func New(key string, opts *Options) (*Embedder, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Model == "" {
		o.Model = DefaultModel
	}
	native := nativeDimensions(o.Model)
	if o.Dimensions == 0 {
		o.Dimensions = native
	}
	if o.Dimensions <= 0 {
		return nil, fmt.Errorf("embedding model %q: unknown vector length; set the option \"dimensions\"", o.Model)
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
	cfg.HTTPClient = &http.Client{}
	if o.Client != nil {
		cfg.HTTPClient = o.Client
	}
	return &Embedder{
		client:  openai.NewClientWithConfig(cfg),
		model:   o.Model,
		dims:    o.Dimensions,
		askDims: native != 0 && o.Dimensions != native,
		batch:   o.Batch,
		key:     key,
	}, nil
}

// nativeDimensions returns the vector length of well-known models, 0 for
// others.
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

// Name identifies model and vector length.
func (e *Embedder) Name() string { return fmt.Sprintf("openai %s/%d", e.model, e.dims) }

// Dimensions is the length of every vector.
func (e *Embedder) Dimensions() int { return e.dims }

// Embed sends the texts in batches, one after the other. Errors wrap one of
// the package embeddings' sentinels or ctx's error and never contain the key.
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
		// Vendors refuse an empty input, and with it the whole batch.
		req.Input[i] = strings.ToValidUTF8(t, "\ufffd")
		if strings.TrimSpace(t) == "" {
			req.Input[i] = "-"
		}
	}
	if e.askDims {
		req.Dimensions = e.dims
	}
	resp, err := e.client.CreateEmbeddings(ctx, req)
	if err != nil {
		return nil, e.explain(ctx, err)
	}
	return e.collect(resp.Data, len(texts))
}

// collect puts the answer into the order of the request and checks it, since
// a short or misshapen answer would poison the index.
func (e *Embedder) collect(data []openai.Embedding, n int) ([][]float32, error) {
	out := make([][]float32, n)
	for _, d := range data {
		if d.Index < 0 || d.Index >= n || out[d.Index] != nil {
			return nil, fmt.Errorf("%w: answer has no vector per text", embeddings.ErrUnavailable)
		}
		if len(d.Embedding) != e.dims {
			return nil, fmt.Errorf("%w: vectors have %d dimensions, %d are configured", embeddings.ErrRejected, len(d.Embedding), e.dims)
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
