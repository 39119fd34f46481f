package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord"
)

// maxFeedback bounds what is kept of a guild's feedback, in bytes.
const maxFeedback = 1 << 20

// feedbackFile is kept in a guild's directory.
const feedbackFile = "feedback.jsonl"

// feedback is a line of the file.
type feedback struct {
	Time time.Time `json:"time"`
	User string    `json:"user"`
	DM   bool      `json:"dm"`
	Text string    `json:"text"`
}

// Note implements [discord.Records]: a line of JSON in the guild's feedback.jsonl.
func (h *house) Note(_ context.Context, guild string, by discord.Caller, text string) error {
	l, err := h.lodging(guild)
	if err != nil {
		return err
	}
	line, err := json.Marshal(feedback{Time: time.Now().UTC(), User: by.ID, DM: by.DM, Text: text})
	if err != nil {
		return err
	}
	l.letters.Lock()
	defer l.letters.Unlock()
	if err := keepFeedback(l.dir, append(line, '\n')); err != nil {
		h.log.Error("keeping feedback", "guild", guild, "reason", err)
		return errors.New("the feedback could not be kept; tell whoever runs the bot")
	}
	return nil
}

// keepFeedback adds a line to a guild's feedback.
func keepFeedback(dir string, line []byte) (err error) {
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
		return fmt.Errorf("%s is full; read it, and move it away", f.Name())
	}
	_, err = f.Write(line)
	return err
}
