package ruleslookup

import "io/fs"

// ReadCompiled is what BuiltIn decodes.
func ReadCompiled(data []byte) (any, error) { return readCompiled(data) }

// Open returns a book that is loaded.
func Open(fsys fs.FS) (*Book, error) {
	b := Lazy(fsys)
	if err := b.Warm(); err != nil {
		return nil, err
	}
	return b, nil
}
