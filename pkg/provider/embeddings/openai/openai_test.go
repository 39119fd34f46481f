package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/openai"
)

var _ embeddings.Provider = (*openai.Embedder)(nil)

const key = "sk-very/secret\"key"

type request struct {
	Input      []string `json:"input"`
	Model      string   `json:"model"`
	Dimensions int      `json:"dimensions"`
}

type datum struct {
	Index     int       `json:"index"`
	Embedding []float64 `json:"embedding"`
}

// vendor answers with vectors that contain the text's length, last text first.
func vendor(t *testing.T, seen func(*http.Request, request)) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req request
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Errorf("decoding request: %v", err)
		}
		seen(r, req)
		var data []datum
		for i := len(req.Input) - 1; i >= 0; i-- {
			data = append(data, datum{i, []float64{float64(len(req.Input[i])), 0, 1}})
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"data": data}); err != nil {
			t.Errorf("encoding answer: %v", err)
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

func newEmbedder(t *testing.T, o openai.Options) *openai.Embedder {
	t.Helper()
	e, err := openai.New(key, &o)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return e
}

func TestEmbedBatchesInOrder(t *testing.T) {
	var calls atomic.Int32
	srv := vendor(t, func(r *http.Request, req request) {
		calls.Add(1)
		if got, want := r.Header.Get("Authorization"), "Bearer "+key; got != want {
			t.Errorf("Authorization = %q, want %q", got, want)
		}
		if got, want := r.URL.Path, "/v1/embeddings"; got != want {
			t.Errorf("path = %q, want %q", got, want)
		}
		if req.Model != "local" || req.Dimensions != 0 {
			t.Errorf("model %q dimensions %d, want local without dimensions", req.Model, req.Dimensions)
		}
		for _, in := range req.Input {
			if in == "" {
				t.Error("an empty input was sent")
			}
		}
	})
	e := newEmbedder(t, openai.Options{BaseURL: srv.URL + "/v1", Model: "local", Dimensions: 3, Batch: 2})
	vs, err := e.Embed(t.Context(), []string{"a", "bb", "ccc", "", "eeeee"})
	if err != nil {
		t.Fatalf("Embed: %v", err)
	}
	for i, want := range []float32{1, 2, 3, 1, 5} {
		if len(vs) != 5 || vs[i][0] != want {
			t.Fatalf("vectors = %v, want first components 1 2 3 1 5", vs)
		}
	}
	if got := calls.Load(); got != 3 {
		t.Errorf("%d requests, want 3", got)
	}
	if vs, err := e.Embed(t.Context(), nil); err != nil || len(vs) != 0 || calls.Load() != 3 {
		t.Errorf("no texts: %v, %v, %d requests; want nothing sent", vs, err, calls.Load())
	}
}

func TestDimensionsAreAskedForOnlyWhenShortened(t *testing.T) {
	rows := []struct {
		name       string
		model      string
		dims, want int
	}{
		{name: "native", model: "text-embedding-3-small", dims: 1536, want: 0},
		{name: "shortened", model: "text-embedding-3-small", dims: 3, want: 3},
		{name: "unknown_model", model: "mine", dims: 3, want: 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := -1
			srv := vendor(t, func(_ *http.Request, r request) { got = r.Dimensions })
			e := newEmbedder(t, openai.Options{BaseURL: srv.URL, Model: row.model, Dimensions: row.dims})
			_, err := e.Embed(t.Context(), []string{"x"})
			if row.dims == 3 && err != nil {
				t.Errorf("Embed: %v", err)
			}
			if got != row.want {
				t.Errorf("asked for %d dimensions, want %d", got, row.want)
			}
		})
	}
}

func TestErrorsAreKindAndKeepTheKey(t *testing.T) {
	rows := []struct {
		name   string
		status int
		body   string
		want   error
	}{
		{name: "bad_key", status: 401, body: `{"error":{"message":"Incorrect API key provided: sk-very/sec***ey"}}`, want: embeddings.ErrRejected},
		{name: "unknown_model", status: 404, body: fmt.Sprintf(`{"error":{"message":"no model for %s"}}`, strings.ReplaceAll(key, `"`, `\"`)), want: embeddings.ErrRejected},
		{name: "rate_limit", status: 429, body: `{"error":{"message":"slow down"}}`, want: embeddings.ErrRateLimited},
		{name: "html", status: 502, body: "<html>\n" + key + strings.Repeat("x", 5000), want: embeddings.ErrUnavailable},
		{name: "empty_body", status: 500, body: "", want: embeddings.ErrUnavailable},
		{name: "broken_json", status: 200, body: `{"data":[`, want: embeddings.ErrUnavailable},
		{name: "nothing", status: 200, body: `{}`, want: embeddings.ErrUnavailable},
		{name: "wrong_index", status: 200, body: `{"data":[{"index":7,"embedding":[1,2,3]}]}`, want: embeddings.ErrUnavailable},
		{name: "twice", status: 200, body: `{"data":[{"index":0,"embedding":[1,2,3]},{"index":0,"embedding":[1,2,3]}]}`, want: embeddings.ErrUnavailable},
		{name: "wrong_length", status: 200, body: `{"data":[{"index":0,"embedding":[1,2]}]}`, want: embeddings.ErrRejected},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(row.status)
				fmt.Fprint(w, row.body)
			}))
			defer srv.Close()
			e := newEmbedder(t, openai.Options{BaseURL: srv.URL, Model: "m", Dimensions: 3})
			_, err := e.Embed(t.Context(), []string{"x"})
			if !errors.Is(err, row.want) {
				t.Fatalf("err = %v, want %v", err, row.want)
			}
			msg := err.Error()
			if strings.Contains(msg, "sk-very") || strings.Contains(msg, "\n") || len(msg) > 400 {
				t.Errorf("error is no short line without the key: %s", msg)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	e := newEmbedder(t, openai.Options{BaseURL: srv.URL + "/" + "?k=" + "sk-very%2Fsecret%22key", Model: "m", Dimensions: 3})
	_, err := e.Embed(t.Context(), []string{"x"})
	if !errors.Is(err, embeddings.ErrUnavailable) {
		t.Errorf("err = %v, want ErrUnavailable", err)
	}
	if err != nil && strings.Contains(err.Error(), "sk-very") {
		t.Errorf("error shows the key: %v", err)
	}
}

func TestEmbedReturnsWhenContextIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		// The server notices a disconnected client only after reading the body.
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Errorf("reading request: %v", err)
		}
		cancel()
		<-r.Context().Done()
	}))
	defer srv.Close()
	e := newEmbedder(t, openai.Options{BaseURL: srv.URL, Model: "m", Dimensions: 3})
	if _, err := e.Embed(ctx, []string{"x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}

func TestNew(t *testing.T) {
	rows := []struct {
		name     string
		opts     *openai.Options
		wantName string
		wantErr  string
	}{
		{name: "defaults", opts: nil, wantName: "openai text-embedding-3-small/1536"},
		{name: "length_to_be_learnt", opts: &openai.Options{Model: "mystery"}, wantName: "openai mystery"},
		{name: "length_given", opts: &openai.Options{Model: "mystery", Dimensions: 5}, wantName: "openai mystery/5"},
		{name: "negative_length", opts: &openai.Options{Model: "mystery", Dimensions: -1}, wantErr: "dimensions"},
		{name: "bad_url", opts: &openai.Options{BaseURL: "localhost:1"}, wantErr: "base_url"},
		{name: "local", opts: &openai.Options{Model: "nomic-embed-text:latest"}, wantName: "openai nomic-embed-text:latest/768"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			e, err := openai.New(key, row.opts)
			if row.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), row.wantErr) {
					t.Errorf("err = %v, want one about %q", err, row.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatalf("New: %v", err)
			}
			if e.Name() != row.wantName {
				t.Errorf("Name = %q, want %q", e.Name(), row.wantName)
			}
		})
	}
}

// TestLengthIsLearnt checks that an unknown model's first answer sets the vector length,
// and that later answers must match.
func TestLengthIsLearnt(t *testing.T) {
	length := 4
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := json.NewEncoder(w).Encode(map[string]any{"data": []datum{{0, make([]float64, length)}}}); err != nil {
			t.Errorf("encoding answer: %v", err)
		}
	}))
	defer srv.Close()
	e := newEmbedder(t, openai.Options{BaseURL: srv.URL, Model: "mystery"})
	if name, dims := e.Name(), e.Dimensions(); name != "openai mystery" || dims != 0 {
		t.Errorf("before the first answer: %q with %d dimensions, want openai mystery with 0", name, dims)
	}
	for range 2 {
		vs, err := e.Embed(t.Context(), []string{"x"})
		if err != nil || len(vs) != 1 || len(vs[0]) != 4 {
			t.Fatalf("Embed = %v, %v, want one vector of 4", vs, err)
		}
		if name, dims := e.Name(), e.Dimensions(); name != "openai mystery" || dims != 4 {
			t.Errorf("after an answer: %q with %d dimensions, want openai mystery with 4", name, dims)
		}
	}
	for _, length = range []int{5, 0} {
		if vs, err := e.Embed(t.Context(), []string{"x"}); !errors.Is(err, embeddings.ErrRejected) {
			t.Errorf("Embed = %v, %v after vectors of 4 came one of %d, want ErrRejected", vs, err, length)
		}
	}
}

// TestEmptyVectorTeachesNothing checks that an empty vector sets no length.
func TestEmptyVectorTeachesNothing(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[{"index":0,"embedding":[]}]}`)
	}))
	defer srv.Close()
	e := newEmbedder(t, openai.Options{BaseURL: srv.URL, Model: "mystery"})
	if _, err := e.Embed(t.Context(), []string{"x"}); !errors.Is(err, embeddings.ErrUnavailable) || e.Dimensions() != 0 {
		t.Errorf("err = %v, %d dimensions, want ErrUnavailable and 0", err, e.Dimensions())
	}
}

// TestGivenLengthIsAskedFor checks that an unknown model is asked for the configured
// length once it has answered with another.
func TestGivenLengthIsAskedFor(t *testing.T) {
	var asked []int
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req request
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Errorf("decoding request: %v", err)
		}
		asked = append(asked, req.Dimensions)
		n := req.Dimensions
		if n == 0 {
			n = 8
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"data": []datum{{0, make([]float64, n)}}}); err != nil {
			t.Errorf("encoding answer: %v", err)
		}
	}))
	defer srv.Close()
	e := newEmbedder(t, openai.Options{BaseURL: srv.URL, Model: "mystery", Dimensions: 3})
	for range 2 {
		if vs, err := e.Embed(t.Context(), []string{"x"}); err != nil || len(vs) != 1 || len(vs[0]) != 3 {
			t.Fatalf("Embed = %v, %v, want one vector of 3", vs, err)
		}
	}
	if fmt.Sprint(asked) != "[0 3 3]" {
		t.Errorf("asked for lengths %v, want 0, then 3 and 3", asked)
	}
}
