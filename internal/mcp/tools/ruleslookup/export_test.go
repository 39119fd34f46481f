package ruleslookup

import "io/fs"

// ReadCompiled decodes the data that BuiltIn uses.
func ReadCompiled(data []byte) (any, error) { return readCompiled(data) }

// Open returns a loaded book.
func Open(fsys fs.FS) (*Book, error) {
	b := Lazy(fsys)
	if err := b.Warm(); err != nil {
		return nil, err
	}
	return b, nil
}
