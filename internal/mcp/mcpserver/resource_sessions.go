package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	maxSessions = 200 // listed at once
	// maxLines is how many lines of a transcript are returned, counted from its end.
	maxLines = 2000
	// maxTranscript bounds the spoken text of a transcript, in bytes.
	maxTranscript = 1 << 20
	maxLine       = 4000 // characters
)

type sessionsDoc struct {
	Count    int          `json:"count"`
	Sessions []sessionDoc `json:"sessions"`
	// More says that there are older sessions.
	More bool `json:"more,omitempty"`
}

type sessionDoc struct {
	ID       string    `json:"id"`
	Campaign string    `json:"campaign"`
	Started  time.Time `json:"started"`
	// Ended is nil while the session runs and after a crash.
	Ended      *time.Time `json:"ended,omitempty"`
	Lines      int        `json:"lines"`
	URI        string     `json:"uri"`
	Transcript string     `json:"transcript"`
}

func docOf(s memory.Session) sessionDoc {
	doc := sessionDoc{
		ID: s.ID, Campaign: name(s.Campaign), Started: s.Started, Lines: s.Lines,
		URI:        address{shelf: sessionsShelf, id: s.ID}.String(),
		Transcript: TranscriptURI(s.ID),
	}
	if !s.Ended.IsZero() {
		doc.Ended = &s.Ended
	}
	return doc
}

func (l *Library) sessions(ctx context.Context) (sessionsDoc, error) {
	all, err := l.src.Log.Sessions(ctx, maxSessions+1)
	if err != nil {
		return sessionsDoc{}, err
	}
	all, more := cut(all, maxSessions)
	doc := sessionsDoc{Count: len(all), Sessions: make([]sessionDoc, len(all)), More: more}
	for i, s := range all {
		doc.Sessions[i] = docOf(s)
	}
	return doc, nil
}

func (l *Library) session(ctx context.Context, id string) (sessionDoc, error) {
	s, err := l.findSession(ctx, id)
	return docOf(s), err
}

// findSession finds a session by id. It searches the list, because the log has no faster way.
func (l *Library) findSession(ctx context.Context, id string) (memory.Session, error) {
	all, err := l.src.Log.Sessions(ctx, 0)
	if err != nil {
		return memory.Session{}, err
	}
	i := slices.IndexFunc(all, func(s memory.Session) bool { return s.ID == id })
	if i < 0 {
		return memory.Session{}, ErrUnknownResource
	}
	return all[i], nil
}

type transcriptDoc struct {
	Session sessionDoc `json:"session"`
	// Note says what was left out, if anything.
	Note  string           `json:"note,omitempty"`
	Lines []transcriptLine `json:"lines"`
}

type transcriptLine struct {
	ID      int64       `json:"id"`
	Turn    int64       `json:"turn"`
	Speaker string      `json:"speaker"`
	Role    memory.Role `json:"role"`
	NPC     string      `json:"npc,omitempty"`
	To      string      `json:"to,omitempty"`
	Text    string      `json:"text"`
	At      time.Time   `json:"at"`
}

func (l *Library) transcript(ctx context.Context, v LibraryView, id string) (transcriptDoc, error) {
	s, err := l.findSession(ctx, id)
	if err != nil {
		return transcriptDoc{}, err
	}
	spoken, err := l.src.Log.RecentFor(ctx, id, v.Viewer, maxLines)
	if err != nil {
		return transcriptDoc{}, err
	}
	doc := transcriptDoc{Session: docOf(s), Lines: []transcriptLine{}}
	size := 0
	for _, line := range slices.Backward(spoken) {
		text := untrusted.Clean(line.Text, maxLine)
		if size += len(text); size > maxTranscript {
			break
		}
		doc.Lines = append(doc.Lines, transcriptLine{line.ID, line.Turn, name(line.Speaker), line.Role(), line.NPC, line.To, text, line.At})
	}
	slices.Reverse(doc.Lines)
	// Lines added after the session was looked up do not count as missing.
	if n := len(doc.Lines); n < s.Lines && (n < len(spoken) || len(spoken) == maxLines) {
		doc.Note = fmt.Sprintf("Only the last %d of %d lines are given.", n, s.Lines)
	}
	return doc, nil
}
