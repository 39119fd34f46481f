package openai

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
)

// maxAnswer bounds how much of a response is read, in bytes.
const maxAnswer = 1 << 20

// shortAnswers reads and closes the body of every response, up to a bound: the
// vendor's package reads them whole.
type shortAnswers struct{ client *http.Client }

// Do implements the vendor package's HTTPDoer.
func (s shortAnswers) Do(request *http.Request) (*http.Response, error) {
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// encode makes a WAV file of a recording at [vendor.Rate].
func encode(recording []int16) ([]byte, error) {
	var m memory
	w, err := audio.NewWAVWriter(&m, vendor.Rate, 1)
	if err == nil {
		err = w.Write(recording)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("encoding the recording: %w", err)
	}
	return m.data, nil
}

// memory is a file in memory, so that the WAV header can tell the length.
type memory struct {
	data []byte
	at   int
}

func (m *memory) Write(p []byte) (int, error) {
	n := copy(m.data[m.at:], p)
	m.data = append(m.data, p[n:]...)
	m.at += len(p)
	return len(p), nil
}

// Seek knows only what the WAV writer asks for: places from the start, and
// where it is.
func (m *memory) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		if offset < 0 || offset > int64(len(m.data)) {
			return 0, io.ErrUnexpectedEOF
		}
		m.at = int(offset)
	}
	return int64(m.at), nil
}

// clean returns a transcript fit to be read by people and models.
func clean(text string) string { return strings.TrimSpace(untrusted.Clean(text, 0)) }
