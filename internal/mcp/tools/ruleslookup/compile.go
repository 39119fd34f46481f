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

// Compile parses the rules files of the built-in system and returns them in the format that [BuiltIn] reads:
// compressed gob. Parsing the 24,000 lines of YAML at each start would take about ten times as long.
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

// readCompiled decodes the output of [Compile]. The data must be part of the program, because gob is not safe
// for untrusted input.
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

// shipped holds the rules that come with Glyphoxa. All books share them, because they never change and their
// index takes a quarter of a second to make.
var shipped = newRuleSet(builtIn, func(texts) ([]rule, error) { return readCompiled(srd.Compiled) })

// BuiltIn returns a book of the rules that come with Glyphoxa and those of any further systems. It returns at
// once; each system is read on first use or by [Book.Warm].
func BuiltIn(further ...System) *Book { return newBook(shipped, further) }
