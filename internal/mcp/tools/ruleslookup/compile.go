package ruleslookup

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"fmt"
	"io"
	"io/fs"

	"github.com/MrWong99/glyphoxa/srd"
)

// Compile parses the rules files of the built-in system and returns them in the form
// that [BuiltIn] reads: rules in gob, compressed. Parsing 24,000 lines of YAML
// at each start would take about ten times as long.
func Compile(fsys fs.FS) ([]byte, error) {
	rules, err := parseAll(System{Name: builtIn, Rules: fsys}, texts{})
	if err != nil {
		return nil, fmt.Errorf("parsing the rules: %w", err)
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("compressing the rules: %w", err)
	}
	if err := gob.NewEncoder(w).Encode(rules); err != nil {
		return nil, fmt.Errorf("encoding the rules: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compressing the rules: %w", err)
	}
	return out.Bytes(), nil
}

// readCompiled decodes what [Compile] returned. The input must come with the program,
// because gob is not made for hostile input.
func readCompiled(data []byte) ([]rule, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	whole, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var rules []rule
	if err := gob.NewDecoder(bytes.NewReader(whole)).Decode(&rules); err != nil {
		return nil, err
	}
	return rules, nil
}

// BuiltIn returns a book of the rules that come with Glyphoxa and those of further
// systems. Each is read when it is first used or warmed; BuiltIn itself returns at once.
func BuiltIn(further ...System) *Book {
	return newBook(newRuleSet(builtIn, func(texts) ([]rule, error) { return readCompiled(srd.Compiled) }), further)
}
