package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Errors that calls can return; test with errors.Is.
var (
	// ErrDSN means that the connection string is invalid.
	ErrDSN = errors.New("bad connection string")
	// ErrTooNew means that a newer Glyphoxa has written the schema.
	ErrTooNew = errors.New("database is newer than this program")
	// ErrUnreachable means that the server does not answer.
	ErrUnreachable = errors.New("database server cannot be reached")
	// ErrRefused means that the server rejects this user.
	ErrRefused = errors.New("database server refuses the connection")
	// ErrReadOnly means that the database cannot be written.
	ErrReadOnly = errors.New("no write access")
	// ErrFull means that the server's disk is full.
	ErrFull = errors.New("disk of the database server is full")
	// ErrBusy means that another process kept writers waiting for too long.
	ErrBusy = errors.New("database is locked by another process")
)

// explain adds to an error the operation, the database, and advice for the user. It returns nil for nil.
func (s *database) explain(ctx context.Context, doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrTooNew):
		return fmt.Errorf("%s in %s: %w", doing, s.location, err)
	case errors.Is(err, memory.ErrNotFound), errors.Is(err, memory.ErrConflict):
		return fmt.Errorf("%s: %w", doing, err)
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	}
	advice, reason := diagnose(err)
	if reason == nil {
		return fmt.Errorf("%s in %s: %w", doing, s.location, err)
	}
	return fmt.Errorf("%s in %s: %w; %s (%s)", doing, s.location, reason, advice, oneLine(err))
}

// oneLine returns the message of an error on one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// diagnose returns the reason for an error and advice, or nil if there is nothing to add to the error's
// message.
func diagnose(err error) (advice string, reason error) {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return diagnoseCode(e.Code)
	}
	var connect *pgconn.ConnectError
	var network net.Error
	if errors.As(err, &connect) || errors.As(err, &network) || pgconn.Timeout(err) || strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "unexpected EOF") {
		return "check that it runs and that memory.dsn names it; nothing that was saved before is lost", ErrUnreachable
	}
	return "", nil
}

func diagnoseCode(code string) (advice string, reason error) {
	switch {
	case code == "53100":
		return "free some space; nothing that was saved before is lost", ErrFull
	case code == "25006", code == "42501":
		return "give this user the right to create and to write, or name the server that takes writes", ErrReadOnly
	case code == "55P03":
		return "stop the other process that uses it", ErrBusy
	case strings.HasPrefix(code, "28"), code == "3D000":
		return "check user, password and database in memory.dsn", ErrRefused
	case strings.HasPrefix(code, "57P"), strings.HasPrefix(code, "08"), code == "53300":
		return "wait until it runs again; nothing that was saved before is lost", ErrUnreachable
	}
	return "", nil
}
