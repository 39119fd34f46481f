package terminal

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/chain"
)

// TranscribeOptions configure Transcribe.
type TranscribeOptions struct {
	// File is a WAV file of 16-bit PCM.
	File string
	// JSON prints one object per line.
	JSON bool
	// Fast sends the sound immediately instead of at the speed of speech.
	Fast bool
	Out  io.Writer
}

const (
	// longestPiece bounds the sound sent as one utterance.
	longestPiece = 25 * time.Second
	// cutWithin is the part before its end in which a piece may be cut, at the quietest moment.
	cutWithin = 5 * time.Second
)

// Transcribe sends a recording to the configured speech recognition and prints the transcripts with their
// times.
func Transcribe(ctx context.Context, cfg *config.Config, o TranscribeOptions) (err error) {
	sound, err := openRecording(o.File)
	if err != nil {
		return userfile.Usage(fmt.Errorf("%s: %w", o.File, err))
	}
	defer func() { err = errors.Join(err, sound.Close()) }()
	rate := sound.rate
	campaign, err := play.ReadCampaign(cfg)
	if err != nil {
		return err
	}
	expect := play.ExpectedSpeech(cfg, cfg.NPCs, campaign)
	t := &transcription{options: o, rate: rate, began: time.Now(), records: make(chan outputRecord, 16)}
	provider, err := providers.Recognition(cfg.Providers.STT, &chain.Options{OnSwitch: t.queueSwitch, FailFast: true})
	if err != nil {
		return userfile.Usage(err)
	}
	expect.SampleRate, expect.Interim = rate, true
	stream, err := provider.Listen(ctx, expect)
	if err != nil {
		return fmt.Errorf("hearing: %w", err)
	}
	defer func() { err = errors.Join(err, stream.Close(), t.printSwitches()) }()
	failed := 0
	for ctx.Err() == nil {
		piece, err := sound.nextPiece()
		if err != nil {
			return userfile.Usage(fmt.Errorf("%s: %w", o.File, err))
		}
		if len(piece) == 0 {
			break
		}
		ok, err := t.transcribePiece(ctx, stream, piece)
		if err != nil {
			return err
		}
		if !ok {
			failed++
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if failed > 0 {
		return fmt.Errorf("%s could not be transcribed", plural.Count(failed, "utterance", "utterances"))
	}
	return nil
}

// wavFile is a WAV file read as one channel in pieces, because a session of hours does not fit into memory.
type wavFile struct {
	*os.File
	rate, channels int
	declared       int64 // declared bytes of sound; negative if unknown
	samples        *audio.S16LEReader
	block          [8192]int16 // samples read last, of all channels
	odd            int         // samples at the beginning of block that belong to the next frame
	ahead          []int16     // one channel, not returned yet
	done           bool
}

// openRecording opens a recording. It rejects files that are not regular, because opening a pipe without a
// writer could not be interrupted. Errors do not contain path.
func openRecording(path string) (*wavFile, error) {
	f, err := userfile.Open(path)
	if err != nil {
		return nil, fileReason(err)
	}
	format, err := audio.ReadWAVHeader(f)
	if err != nil {
		return nil, errors.Join(fileReason(err), f.Close())
	}
	var sound io.Reader = f
	if format.Bytes >= 0 {
		sound = io.LimitReader(f, format.Bytes)
	}
	r := &wavFile{File: f, rate: format.Rate, channels: format.Channels, declared: format.Bytes, samples: audio.NewS16LEReader(bufio.NewReaderSize(sound, 1<<16))}
	if err := r.fill(1); err != nil {
		return nil, errors.Join(fileReason(err), f.Close())
	}
	if len(r.ahead) == 0 {
		return nil, errors.Join(errors.New("it contains no sound"), f.Close())
	}
	return r, nil
}

// fill reads until n samples are available or the sound ends. Sound that is shorter than declared, for
// example after a crash of its writer, is no error.
func (r *wavFile) fill(n int) error {
	for len(r.ahead) < n && !r.done {
		got, err := r.samples.Read(r.block[r.odd:])
		if err == io.EOF {
			r.done = true
			return nil
		}
		if err != nil {
			return err
		}
		whole := (r.odd + got) / r.channels * r.channels
		r.ahead = append(r.ahead, audio.WAV{Channels: r.channels, Samples: r.block[:whole]}.Mono()...)
		r.odd = copy(r.block[:], r.block[whole:r.odd+got])
	}
	return nil
}

// nextPiece returns the next utterance to send, valid until the next call; nil at the end.
func (r *wavFile) nextPiece() ([]int16, error) {
	if err := r.fill(int(longestPiece.Seconds()*float64(r.rate)) + 1); err != nil {
		return nil, fileReason(err)
	}
	n := pieceLength(r.ahead, r.rate)
	piece := r.ahead[:n:n]
	r.ahead = append([]int16(nil), r.ahead[n:]...)
	return piece, nil
}

// longestHeard bounds a player's recording, in samples, because it is in memory during the session.
const longestHeard = 64 << 20

// readRecording reads a whole recording.
func readRecording(path string) (sound []int16, rate int, err error) {
	r, err := openRecording(path)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	info, err := r.Stat()
	if err != nil {
		return nil, 0, fileReason(err)
	}
	at, err := r.Seek(0, io.SeekCurrent) // some sound is already read, which makes no difference
	if err != nil {
		return nil, 0, fileReason(err)
	}
	tooLong := fmt.Errorf("it is longer than %s; cut it", time.Duration(longestHeard/r.rate)*time.Second)
	size := info.Size() - at
	if r.declared >= 0 {
		size = min(size, r.declared)
	}
	if size/2/int64(r.channels) > longestHeard { // check before reading it
		return nil, 0, tooLong
	}
	if err := r.fill(longestHeard + 1); err != nil {
		return nil, 0, fileReason(err)
	}
	if len(r.ahead) > longestHeard {
		return nil, 0, tooLong
	}
	return r.ahead, r.rate, nil
}

// fileReason returns a file error without the path.
func fileReason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// pieceLength returns how many samples to send as one utterance: all, or up to the quietest frame near the
// limit.
func pieceLength(sound []int16, rate int) int {
	longest := int(longestPiece.Seconds() * float64(rate))
	if len(sound) <= longest {
		return len(sound)
	}
	frame := max(1, rate/50)
	best, quietest := longest, math.Inf(1)
	for at := longest - int(cutWithin.Seconds()*float64(rate)); at+frame <= longest; at += frame {
		loud := 0.0
		for _, v := range sound[at : at+frame] {
			loud += float64(v) * float64(v)
		}
		if loud < quietest {
			best, quietest = at+frame/2, loud
		}
	}
	return best
}

// transcription prints transcripts. Only one goroutine uses it, except for queueSwitch.
type transcription struct {
	options TranscribeOptions
	rate    int
	began   time.Time
	records chan outputRecord // changes of provider; new ones are dropped if full
}

// outputRecord is a line of output.
type outputRecord struct {
	Kind string `json:"kind"` // interim, final, failed or switch
	// AtMS is the time since the start.
	AtMS float64 `json:"at_ms"`
	// LatencyMS is the time from the end of the speech to a final transcript.
	LatencyMS  float64 `json:"latency_ms,omitempty"`
	Utterance  int     `json:"utterance"`
	Text       string  `json:"text"`
	Confidence float64 `json:"confidence,omitempty"`
	// Assumed marks an interim transcript that replaces a missing final one.
	Assumed bool   `json:"assumed,omitempty"`
	Error   string `json:"error,omitempty"`
}

// queueSwitch records a change of provider for the printing goroutine.
func (t *transcription) queueSwitch(s chain.Switch) {
	n := outputRecord{Kind: "switch", AtMS: mcp.RoundedMillis(time.Since(t.began)), Text: s.From + " → " + s.To}
	if s.Reason != nil {
		n.Error = s.Reason.Error()
	}
	select {
	case t.records <- n:
	default: // too many to be useful
	}
}

// transcribePiece sends a piece and prints the result. It reports whether the result is a transcript.
func (t *transcription) transcribePiece(ctx context.Context, s stt.Stream, sound []int16) (bool, error) {
	last, err := t.sendAndListen(ctx, s, sound)
	if err != nil {
		return false, err
	}
	end := time.Now()
	var printed error
	r, err := stt.Utterance(ctx, s, stt.UtteranceOptions{Last: last, Interim: func(r stt.Result) {
		printed = errors.Join(printed, t.printTranscript("interim", r, 0, nil))
	}})
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	kind := "final"
	if err != nil {
		kind = "failed"
	}
	return err == nil, errors.Join(printed, t.printTranscript(kind, r, time.Since(end), err))
}

// sendAndListen sends sound and prints interim transcripts. It returns the last one.
func (t *transcription) sendAndListen(ctx context.Context, s stt.Stream, sound []int16) (stt.Result, error) {
	talking, done := context.WithCancel(ctx)
	sent := make(chan error, 1)
	go func() { // ends with the sound or ctx; awaited below
		defer done()
		sent <- t.sendSound(ctx, s, sound)
	}()
	var last stt.Result
	var failed error
	for {
		r, err := s.Recv(talking)
		if err != nil {
			break // the end of the sound, or of the stream, which sendSound reports
		}
		if r.Final || r.Text == "" {
			continue // belongs to the previous utterance
		}
		last = r
		failed = errors.Join(failed, t.printTranscript("interim", r, 0, nil))
	}
	return last, errors.Join(<-sent, failed)
}

// sendSound sends sound frame by frame, at the speed of speech unless Fast is set.
func (t *transcription) sendSound(ctx context.Context, s stt.Stream, sound []int16) error {
	frame := max(1, t.rate/50)
	began := time.Now()
	for sent := 0; sent < len(sound); {
		n := min(frame, len(sound)-sent)
		if err := s.Send(sound[sent : sent+n]); err != nil {
			return err
		}
		sent += n
		if t.options.Fast {
			continue
		}
		timer := time.NewTimer(time.Until(began.Add(audio.Duration(sent, t.rate))))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
	return nil
}

// printTranscript prints a transcript after the recorded changes of provider.
func (t *transcription) printTranscript(kind string, r stt.Result, latency time.Duration, err error) error {
	n := outputRecord{
		Kind: kind, AtMS: mcp.RoundedMillis(time.Since(t.began)), LatencyMS: mcp.RoundedMillis(latency), Utterance: r.Utterance,
		Text: r.Text, Confidence: math.Round(r.Confidence*1000) / 1000, Assumed: r.Assumed,
	}
	if err != nil {
		n.Error = err.Error()
	}
	return errors.Join(t.printSwitches(), t.printRecord(n))
}

// printSwitches prints the recorded changes of provider.
func (t *transcription) printSwitches() error {
	for {
		select {
		case n := <-t.records:
			if err := t.printRecord(n); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// printRecord prints a line.
func (t *transcription) printRecord(n outputRecord) error {
	if t.options.JSON {
		return json.NewEncoder(t.options.Out).Encode(n)
	}
	line := fmt.Sprintf("%8.2f s  %s", n.AtMS/1000, n.Text)
	switch n.Kind {
	case "interim":
		line += " …"
	case "final":
		line += "  [final after " + mcp.MillisText(n.LatencyMS) + "]"
		if n.Assumed {
			line += " [never confirmed]"
		}
	case "failed":
		line += "  [failed after " + mcp.MillisText(n.LatencyMS) + "]"
	}
	if n.Error != "" {
		line += ": " + n.Error
	}
	_, err := fmt.Fprintln(t.options.Out, line)
	return err
}
