package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	// readAhead is the size of the read buffer. Longer lines are copied.
	readAhead = 64 << 10
	// endRoom is how many bytes of each end of an oversized line are kept, because encoders put the id there.
	endRoom = 256
	// closeGrace bounds the wait for reads and writes that closing a stream does not interrupt, such as a
	// read from a terminal.
	closeGrace = 100 * time.Millisecond
)

// oversized is the error for a message that is too long, or that exceeds its sender's share. It keeps both
// ends of the message.
type oversized struct {
	code       int64
	why        string
	head, tail []byte
}

func (o *oversized) Error() string   { return o.why }
func (o *oversized) Is(e error) bool { return e == ErrTooLarge }

// lines is a stream of lines.
type lines struct {
	*handover
	r   io.ReadCloser
	w   io.WriteCloser
	max int

	reading, writing sync.Once
	out              chan outgoing
	ended            error // result of Close; set before done is closed
	done             chan struct{}
}

// outgoing is a line to write, with the channel for the result.
type outgoing struct {
	line []byte
	done chan error // capacity one
}

// Lines returns the stream of newline-delimited messages that is read from r and written to w, with at most
// max bytes per line; 0 means [DefaultMaxFrame]. It skips longer lines and ignores blank ones.
//
// Close closes r and w and waits for the goroutines that use them, for at most a tenth of a second. A read
// from a terminal ends only with its next line, and so does its goroutine.
func Lines(r io.ReadCloser, w io.WriteCloser, max int) Frames {
	if max <= 0 {
		max = DefaultMaxFrame
	}
	return &lines{
		handover: newHandover(), r: r, w: w, max: max,
		out: make(chan outgoing), done: make(chan struct{}),
	}
}

func (l *lines) ReadFrame(ctx context.Context) ([]byte, error) {
	l.reading.Do(func() { l.startTask(l.readAll) })
	return l.receiveFrame(ctx)
}

// readAll hands over one line after another until the input ends.
func (l *lines) readAll() {
	br := bufio.NewReaderSize(l.r, readAhead)
	for {
		line, err := readLine(br, l.max)
		var over *oversized
		skipped := errors.As(err, &over)
		if len(bytes.TrimSpace(line)) > 0 || skipped {
			f := frame{data: line}
			if skipped {
				f = frame{err: over}
			}
			if !l.pass(f) {
				l.endHandover(ErrClosed)
				return
			}
		}
		if err != nil && !skipped {
			if err != io.EOF {
				err = fmt.Errorf("reading a line: %w", err)
			}
			l.endHandover(err)
			return
		}
	}
}

// readLine returns the next line of at most limit bytes, without its newline. The caller may keep it. It
// skips a longer line and returns an *oversized error. If the input ends within a line, it returns that part
// with the error.
func readLine(br *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		piece, err := br.ReadSlice('\n')
		line = append(line, piece...)
		if len(bytes.TrimRight(line, "\r\n")) > limit {
			return nil, skipLine(br, line, err, limit)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

// skipLine skips the rest of a line that is too long. line is what has been read of it, with the result err.
func skipLine(br *bufio.Reader, line []byte, err error, limit int) error {
	head := bytes.Clone(line[:min(len(line), endRoom)])
	tail := bytes.Clone(line[max(0, len(line)-endRoom):])
	for errors.Is(err, bufio.ErrBufferFull) {
		var piece []byte
		piece, err = br.ReadSlice('\n')
		tail = append(tail, piece...)
		tail = append(tail[:0], tail[max(0, len(tail)-endRoom):]...)
	}
	if err != nil && err != io.EOF {
		return err
	}
	return &oversized{code: codeInvalid, why: fmt.Sprintf("a message of more than %d bytes", limit), head: head, tail: tail}
}

func (l *lines) WriteFrame(ctx context.Context, data []byte) error {
	line := make([]byte, 0, len(data)+1)
	if bytes.IndexByte(data, '\n') < 0 {
		line = append(line, data...)
	} else {
		buf := bytes.NewBuffer(line)
		if err := json.Compact(buf, data); err != nil {
			return fmt.Errorf("joining the lines of a message: %w", err)
		}
		line = buf.Bytes()
	}
	l.writing.Do(func() { l.startTask(l.writeAll) })
	o := outgoing{line: append(line, '\n'), done: make(chan error, 1)}
	select {
	case l.out <- o:
	case <-l.closed:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-o.done:
		return err
	case <-l.closed:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// writeAll writes one line after another until the stream is closed.
func (l *lines) writeAll() {
	for {
		select {
		case o := <-l.out:
			_, err := l.w.Write(o.line)
			if err != nil {
				err = fmt.Errorf("writing a line: %w", err)
			}
			o.done <- err
		case <-l.closed:
			return
		}
	}
}

func (l *lines) Close() error {
	if l.shut() {
		go l.finishClose()
	}
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	select {
	case <-l.done:
		return l.ended
	case <-timer.C:
		return nil
	}
}

// finishClose closes both ends and waits for their goroutines.
func (l *lines) finishClose() {
	for _, c := range []io.Closer{l.r, l.w} {
		if err := c.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			l.ended = errors.Join(l.ended, err)
		}
	}
	l.tasks.Wait()
	close(l.done)
}
