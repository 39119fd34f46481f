package simulate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// picture is a plot that has not been drawn. Until then it is a draft under
// another name, so that a failed simulation does not replace an older plot. A
// nil picture draws nothing.
type picture struct {
	path   string
	format Format
	draft  *os.File
}

// newPicture creates the draft of a picture at path.
func newPicture(path string) (*picture, error) {
	format, err := FormatOf(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: this is no file", path)
	}
	draft, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err // the draft's name means nothing to the user
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &picture{path: path, format: format, draft: draft}, nil
}

// draw draws the picture and moves it to its path.
func (p *picture) draw(x string, points []Point) error {
	if p == nil {
		return nil
	}
	err := Draw(p.draft, p.format, x, points)
	err = errors.Join(err, p.draft.Chmod(0o644), p.draft.Close())
	if err == nil {
		err = os.Rename(p.draft.Name(), p.path)
	}
	if err != nil {
		return fmt.Errorf("--plot %s: %w", p.path, err)
	}
	return nil
}

// close removes the draft, unless it was drawn.
func (p *picture) close() {
	if p == nil {
		return
	}
	// The draft may be closed already.
	_ = p.draft.Close()
	_ = os.Remove(p.draft.Name())
}

// sameFile reports whether two names refer to one file, existing or not.
func sameFile(a, b string) bool {
	if a, err := filepath.Abs(a); err == nil {
		if b, err := filepath.Abs(b); err == nil && a == b {
			return true
		}
	}
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
