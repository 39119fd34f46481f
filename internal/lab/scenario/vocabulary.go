package scenario

import (
	"reflect"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// tableEvents are the types of the table's events by kind.
func tableEvents() map[string]reflect.Type {
	return map[string]reflect.Type{
		table.KindUtterance:     reflect.TypeFor[table.Heard](),
		table.KindTurnStarted:   reflect.TypeFor[table.TurnStarted](),
		table.KindToolCalled:    reflect.TypeFor[table.ToolCalled](),
		table.KindToolFinished:  reflect.TypeFor[table.ToolFinished](),
		table.KindSentence:      reflect.TypeFor[table.Sentence](),
		table.KindAudioStarted:  reflect.TypeFor[table.AudioStarted](),
		table.KindCutSentence:   reflect.TypeFor[table.CutSentence](),
		table.KindFiller:        reflect.TypeFor[table.Filler](),
		table.KindBarge:         reflect.TypeFor[table.Barge](),
		table.KindPolicy:        reflect.TypeFor[table.Policy](),
		table.KindGuarded:       reflect.TypeFor[table.Guarded](),
		table.KindTier:          reflect.TypeFor[table.Tier](),
		table.KindCost:          reflect.TypeFor[table.Cost](),
		table.KindListening:     reflect.TypeFor[table.Listening](),
		table.KindSpokenOrder:   reflect.TypeFor[table.Ordered](),
		table.KindUnsaid:        reflect.TypeFor[table.Unsaid](),
		table.KindErased:        reflect.TypeFor[table.Erased](),
		table.KindTurnEnded:     reflect.TypeFor[table.TurnEnded](),
		table.KindNotice:        reflect.TypeFor[table.Notice](),
		table.KindApprovalWaits: reflect.TypeFor[table.ApprovalWaits](),
		table.KindApprovalEnded: reflect.TypeFor[table.ApprovalEnded](),
	}
}

// ledgerNumbers maps the fields of a turn's ledger to whether they are numbers.
func ledgerNumbers() map[string]bool {
	out := map[string]bool{}
	ledger := reflect.TypeFor[table.Ledger]()
	for i := range ledger.NumField() {
		f := ledger.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out[name] = f.Type.Kind() != reflect.String
	}
	return out
}
