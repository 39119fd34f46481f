package fakestt

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"strings"
)

// understand speaks Deepgram's protocol with Script.Understand. Transcripts go
// out in the order of the sound, as in the real service.
func (d *deepgram) understand(ctx context.Context) {
	var heard []int16 // since the last final
	shown := ""
	for {
		m, ok := d.Receive(ctx)
		if !ok {
			return
		}
		if m.Binary {
			heard = append(heard, samplesOf(m.Data)...)
			d.server.count(len(m.Data) / 2)
			d.total += len(m.Data) / 2
			if text := d.server.script.Understand(heard); text != shown {
				shown = text
				d.SendAfter(d.server.script.Interim, d.result(false, false, text))
			}
			continue
		}
		var control struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(m.Data, &control) != nil || control.Type == "CloseStream" {
			d.Close(1000, "")
			return
		}
		if control.Type == "Finalize" && d.total > d.settled {
			d.SendAfter(d.server.script.Delay, d.result(true, true, strings.TrimSpace(d.server.script.Understand(heard))))
			d.settled, heard, shown = d.total, nil, ""
		}
	}
}

// samplesOf reads 16-bit PCM.
func samplesOf(data []byte) []int16 {
	out := make([]int16, len(data)/2)
	for i := range out {
		out[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return out
}
