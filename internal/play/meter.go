package play

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// meter is a sink that counts the events of a table before it passes them on.
type meter struct {
	next    table.Sink
	metrics *observe.Metrics
}

// countEvents returns a sink that counts events and passes them to next, or next itself if metrics is nil.
// Several tables may share metrics.
func countEvents(next table.Sink, metrics *observe.Metrics) table.Sink {
	if metrics == nil {
		return next
	}
	return &meter{next: next, metrics: metrics}
}

// Emit implements [table.Sink].
func (m *meter) Emit(e table.Event) {
	switch e := e.(type) {
	case *table.Policy:
		m.metrics.Policy(e.Step)
	case *table.Guarded:
		m.metrics.Guarded(e.Reason)
	case *table.Barge:
		m.metrics.BargeIn()
	case *table.TurnEnded:
		m.metrics.Turn(string(e.Outcome))
		m.countStages(e.Ledger)
	}
	m.next.Emit(e)
}

// countStages records the stages that a turn had.
func (m *meter) countStages(l table.Ledger) {
	for _, s := range []struct {
		name string
		ms   float64
	}{
		{"endpoint", l.EndpointMS}, {"stt", l.STTFinalMS}, {"context", l.ContextMS}, {"llm", l.LLMFirstTokenMS}, {"writing", l.LLMFirstSentenceMS},
		{"tool", l.ToolMS}, {"tts", l.TTSFirstAudioMS}, {"first_sound", l.FirstSoundMS},
	} {
		if s.ms > 0 {
			m.metrics.Stage(s.name, time.Duration(s.ms*float64(time.Millisecond)))
		}
	}
}
