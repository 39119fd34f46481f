package play

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	// feedbackFile is a file in a guild's directory with one line of JSON for each entry.
	feedbackFile = "feedback.jsonl"
	// maxFeedback bounds that file, in bytes.
	maxFeedback = 1 << 20
)

// feedback is an entry in the file.
type feedback struct {
	Time time.Time `json:"time"`
	User string    `json:"user"`
	DM   bool      `json:"dm"`
	Text string    `json:"text"`
}

// StoreFeedback stores the member's feedback for the operator of the bot.
func (m *Member) StoreFeedback(_ context.Context, text string) error {
	line, err := json.Marshal(feedback{Time: time.Now().UTC(), User: m.ID, DM: m.DM, Text: text})
	if err != nil {
		return err
	}
	g := m.guild
	g.feedback.Lock()
	defer g.feedback.Unlock()
	if err := appendFeedback(g.dir, append(line, '\n')); err != nil {
		g.log.Error("keeping feedback", "reason", err)
		return errors.New("the feedback could not be saved; tell the person running the bot")
	}
	return nil
}

// appendFeedback adds a line to a guild's feedback.
func appendFeedback(dir string, line []byte) (err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, feedbackFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size()+int64(len(line)) > maxFeedback {
		return fmt.Errorf("%s is full; read it, then move it away", f.Name())
	}
	_, err = f.Write(line)
	return err
}

// deleteFeedback deletes a user's entries from the guild's feedback.
func (g *Guild) deleteFeedback(user string) error {
	g.feedback.Lock()
	defer g.feedback.Unlock()
	path := filepath.Join(g.dir, feedbackFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var rest []byte
	for line := range bytes.Lines(data) {
		var f feedback
		if json.Unmarshal(line, &f) == nil && f.User == user {
			continue
		}
		rest = append(rest, line...)
	}
	if bytes.Equal(rest, data) {
		return nil
	}
	return replaceFile(path, rest)
}
