package stt_test

import (
	"slices"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/chain"
)

// BenchmarkSTTFinal measures what chain, adapter and loopback add to a service that
// answers at once: the time from the end of an utterance of 1 s, which has been sent
// completely, to its final transcript.
func BenchmarkSTTFinal(b *testing.B) {
	for _, v := range vendors {
		b.Run(v.name, func(b *testing.B) {
			service := fakestt.Start(b, fakestt.Script{})
			p, err := v.open(service.URL())
			if err != nil {
				b.Fatal(err)
			}
			s, err := chain.New([]chain.Link{{Name: v.name, Provider: p}}, nil).Listen(b.Context(), stt.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			var frame audio.Frame
			var took []time.Duration
			for b.Loop() {
				b.StopTimer()
				want := service.Samples() + audio.SampleRate/3*4/5
				for range 50 {
					if err := s.Send(frame[:]); err != nil {
						b.Fatal(err)
					}
				}
				for v.streams && service.Samples() < want { // as if spoken in real time
					<-time.After(time.Millisecond)
				}
				b.StartTimer()
				began := time.Now()
				if _, err := stt.Utterance(b.Context(), s, stt.UtteranceOptions{}); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}
