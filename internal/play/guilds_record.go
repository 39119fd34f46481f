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

// recordName is kept in a guild's directory.
const recordName = "guild.json"

// recordFile is what is kept of a guild beside its databases: a small file, which
// is always replaced as a whole. It is safe for concurrent use; no other process
// writes it.
type recordFile struct {
	dir string
	mu  sync.Mutex // held while the file is written
}

// record is what the file says.
type record struct {
	// Campaign is the id of the campaign that is played, empty for the configured
	// one.
	Campaign string `json:"campaign,omitempty"`
	// Campaigns are those that were loaded.
	Campaigns []keptCampaign `json:"campaigns,omitempty"`
	// Unheard are the users who do not want to be heard.
	Unheard []string `json:"unheard,omitempty"`
	// Table is where the session is played that is running, or was cut off; nil
	// if there is none.
	Table *place `json:"table,omitempty"`
}

// keptCampaign is a campaign in a directory of its own, named by its id.
type keptCampaign struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	System string `json:"system,omitempty"`
}

// place is where a session is played.
type place struct {
	Channel string `json:"channel"`
	// Voice is the voice channel it is heard in, empty if in none.
	Voice string `json:"voice,omitempty"`
}

// readRecord returns what is kept; of a guild nobody has played in, that is nothing.
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

// changeRecord writes down what do makes of what is kept. It is on the disk when
// change returns; an error leaves it as it was.
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

// replaceFile puts a private file in the place of another, if there is one: at
// any time either is there as a whole, also after a power cut. It makes the
// directory.
func replaceFile(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // private by itself
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // it may be in its place by now
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

// guildsSyncDir brings the names in a directory to the disk, where that is a thing to
// do.
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
