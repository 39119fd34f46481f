package play

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// recordName is the name of the record in a guild's directory.
const recordName = "guild.json"

// recordFile stores data of a guild outside its databases, in a small file that is always replaced as a
// whole. It is safe for concurrent use within this process; no other process writes the file.
type recordFile struct {
	dir string
	mu  sync.Mutex // held while the file is written
}

// record is the content of the file.
type record struct {
	// Campaign is the id of the current campaign; empty for the configured one.
	Campaign string `json:"campaign,omitempty"`
	// Campaigns are the loaded campaigns.
	Campaigns []loadedCampaign `json:"campaigns,omitempty"`
	// Unheard are the users who do not want to be heard.
	Unheard []string `json:"unheard,omitempty"`
	// Table is where the running or cut-off session is played; nil if there is none.
	Table *place `json:"table,omitempty"`
}

// loadedCampaign is a loaded campaign. Its directory is named by its id.
type loadedCampaign struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	System string `json:"system,omitempty"`
}

// place is where a session is played.
type place struct {
	Channel string `json:"channel"`
	// Voice is the voice channel in which it is heard; empty if there is none.
	Voice string `json:"voice,omitempty"`
}

// readRecord reads the record. It is empty if the file does not exist.
func (f *recordFile) readRecord() (record, error) {
	var r record
	data, err := userfile.Read(filepath.Join(f.dir, recordName), 16<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, nil
	case err != nil:
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return record{}, fmt.Errorf("reading %s: %w", filepath.Join(f.dir, recordName), err)
	}
	return r, nil
}

// changeRecord applies do to the record and writes it. The record is durable when changeRecord returns. On an
// error the file is unchanged.
func (f *recordFile) changeRecord(do func(*record) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, err := f.readRecord()
	if err == nil {
		err = do(&r)
	}
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(f.dir, recordName), append(data, '\n'))
}

// replaceFile atomically replaces a file with a private one, even across a power failure. It creates the
// directory.
func replaceFile(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // private by default
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // it may have been renamed already
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return guildsSyncDir(dir)
}

// guildsSyncDir makes the names in a directory durable, where the system supports that.
func guildsSyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
