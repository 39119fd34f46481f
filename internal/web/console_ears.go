package web

import "github.com/MrWong99/glyphoxa/internal/table"

// earView describes how a player is heard.
type earView struct {
	Speaker string `json:"speaker"`
	Voicing bool   `json:"voicing"`
	// Counts are numbers of packets and transcripts by result.
	Counts []countView `json:"counts"`
}

type countView struct {
	Name string `json:"name"`
	N    uint64 `json:"n"`
}

func earsOf(a *roomRequest) ([]earView, error) {
	all, err := table.Ears(a.r.Context(), a.room.session.Table)
	out := []earView{}
	for _, e := range all {
		out = append(out, earView{Speaker: e.Speaker, Voicing: e.Speaking, Counts: []countView{
			{"packets", e.Packets.Packets}, {"dropped", e.Packets.Dropped}, {"late", e.Packets.Late}, {"lost", e.Packets.Lost}, {"undecodable", e.Packets.Broken},
			{"broken", e.Broken}, {"late_transcripts", e.Late}, {"early", e.Early}, {"vain", e.Vain}, {"samples_lost", uint64(max(e.Dropped, 0))},
		}})
	}
	return out, err
}
