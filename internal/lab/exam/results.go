package exam

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Record is the result of a case, a line of the results file.
type Record struct {
	// Key identifies the case and everything its result depends on: model,
	// settings and prompt.
	Key   string `json:"key"`
	ID    string `json:"id"`
	Model string `json:"model"`

	Corpus  string  `json:"corpus"`
	Kind    string  `json:"kind"`
	Lang    string  `json:"lang"`
	Verdict Verdict `json:"verdict"`
	// Why says why the answer was wrong or why there is no verdict.
	Why string `json:"why,omitempty"`
	// Line is the player's line, Said the players' output, Raw the model's
	// output.
	Line string   `json:"line"`
	Said string   `json:"said,omitempty"`
	Raw  []string `json:"raw,omitempty"`
	// Rules are the rules that the program put into the prompt, Lines the
	// number of lines of past evenings.
	Rules []string `json:"rules,omitempty"`
	Lines int      `json:"lines,omitempty"`
	// Guarded are the reasons why the guard withheld text.
	Guarded []string `json:"guarded,omitempty"`
	// Told reports that the model wrote a secret, Heard that players received
	// it.
	Told  bool `json:"told,omitempty"`
	Heard bool `json:"heard,omitempty"`

	// FirstMS runs from the request to the first piece of the answer, WholeMS
	// from the player's line to the end of the answer with all its tools. They
	// are 0 without a request to the model, or if a request was repeated.
	FirstMS float64 `json:"first_ms,omitempty"`
	WholeMS float64 `json:"whole_ms,omitempty"`
	// Input and Output are tokens, Cost is in the configuration's currency;
	// they include all attempts.
	Input    int64   `json:"input_tokens,omitempty"`
	Output   int64   `json:"output_tokens,omitempty"`
	Cost     float64 `json:"cost,omitempty"`
	Unpriced bool    `json:"unpriced,omitempty"`
	// Retries are the attempts after the first.
	Retries int       `json:"retries,omitempty"`
	Time    time.Time `json:"time"`
}

// results is the results file. It is safe for concurrent use.
type results struct {
	mu   sync.Mutex // guards the fields below
	file *os.File
	by   map[string]Record // the last of each key
}

// openResults opens or creates a results file and reads it. It skips invalid
// lines, because a killed process may leave half of one.
func openResults(path string) (*results, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	r := &results{by: map[string]Record{}}
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for line := range bytes.Lines(raw) {
		var one Record
		if json.Unmarshal(line, &one) == nil && one.Key != "" {
			r.by[one.Key] = one
		}
	}
	if r.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return nil, err
	}
	if len(raw) > 0 && raw[len(raw)-1] != '\n' {
		if _, err := r.file.WriteString("\n"); err != nil {
			return nil, errors.Join(err, r.file.Close())
		}
	}
	return r, nil
}

// find returns the last result of a key.
func (r *results) find(key string) (Record, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one, ok := r.by[key]
	return one, ok
}

func (r *results) add(one Record) error {
	raw, err := json.Marshal(one)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.by[one.Key] = one
	if _, err := r.file.Write(append(raw, '\n')); err != nil {
		return fmt.Errorf("writing the results: %w", err)
	}
	return nil
}

func (r *results) close() error { return r.file.Close() }
