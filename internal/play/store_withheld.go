package play

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// forgottenFileName is the file, next to the store, that lists forgotten users, so that an older backup does not
// restore them.
const forgottenFileName = "forgotten.list"

// ForgottenUsersFile returns the path of the list of users who were forgotten in the store of a configuration.
func ForgottenUsersFile(cfg *config.Config) string {
	if cfg.Memory.Store == config.StorePostgres {
		return filepath.Join(cfg.DataDir, forgottenFileName)
	}
	return filepath.Join(filepath.Dir(cfg.Memory.Path), forgottenFileName)
}

// RecordForgotten records that a user was forgotten. The file contains its own key and, for each user on one line,
// the HMAC of the user's id and the time, so that it names no one. Lines are only ever added.
func RecordForgotten(file, user string) error {
	if user == "" {
		return nil
	}
	key, err := forgottenKey(file)
	if err != nil {
		return wrapRecordError(err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return wrapRecordError(err)
	}
	// The first newline ends a line that a crash has left incomplete.
	_, err = fmt.Fprintf(f, "\n%s %s\n", hashOf(key, user), time.Now().UTC().Format(time.RFC3339Nano))
	return wrapRecordError(errors.Join(err, f.Sync(), f.Close()))
}

func wrapRecordError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("noting who was forgotten: %w", userfile.PlainFileError(err))
}

func hashOf(key []byte, user string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(user))
	return hex.EncodeToString(mac.Sum(nil))
}

// forgottenKey returns the key of a file, which it creates if necessary.
func forgottenKey(file string) ([]byte, error) {
	if key, err := readKey(file); !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	f, err := os.CreateTemp(filepath.Dir(file), forgottenFileName+"-")
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString("key " + base64.StdEncoding.EncodeToString(key) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Link(f.Name(), file) // another process may have created it first
	}
	if removed := os.Remove(f.Name()); err == nil || errors.Is(err, fs.ErrExist) {
		err = removed
	}
	if err != nil {
		return nil, err
	}
	return readKey(file)
}

func readKey(file string) ([]byte, error) {
	f, err := userfile.Open(file)
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(io.LimitReader(f, 1024)).ReadString('\n')
	if closed := f.Close(); err != nil || closed != nil {
		return nil, errors.Join(err, closed)
	}
	encoded, is := strings.CutPrefix(strings.TrimSpace(line), "key ")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !is || err != nil || len(key) != sha256.Size {
		return nil, fmt.Errorf("%s: the first line is not a key, and without the key Glyphoxa cannot recognise forgotten players; restore the file from a backup", file)
	}
	return key, nil
}

// MaxForgottenBytes bounds the list of forgotten users, in bytes. That is enough for half a million people.
const MaxForgottenBytes = 64 << 20

// ForgottenUsers is the list of forgotten users. The zero value is empty.
type ForgottenUsers struct {
	key   []byte
	since map[string]time.Time
}

// ReadForgotten reads the list of forgotten users. It is empty if the file does not exist.
func ReadForgotten(file string) (ForgottenUsers, error) {
	content, err := userfile.Read(file, MaxForgottenBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return ForgottenUsers{}, nil
	}
	if err != nil {
		return ForgottenUsers{}, userfile.PlainFileError(err)
	}
	w := ForgottenUsers{since: map[string]time.Time{}}
	if w.key, err = readKey(file); err != nil {
		return w, err
	}
	for line := range bytes.Lines(content) {
		hash, at, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		when, err := time.Parse(time.RFC3339Nano, at)
		if len(hash) == 2*sha256.Size && err == nil && when.After(w.since[hash]) { // otherwise the line is incomplete
			w.since[hash] = when
		}
	}
	return w, nil
}

// After reports whether a user was forgotten after a time.
func (w ForgottenUsers) After(user string, made time.Time) bool {
	return user != "" && len(w.since) > 0 && w.since[hashOf(w.key, user)].After(made)
}
