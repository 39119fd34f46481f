package truth

import (
	"math/rand/v2"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/lab/tabletalk"
)

// TestPlantedJudge checks that the evaluation's judges are right as often as
// configured, and are asked only about doubtful lines.
func TestPlantedJudge(t *testing.T) {
	inDoubt := address.Decision{NPCs: []int{1}, Doubt: &address.Doubt{NPCs: []int{1}, Route: address.RouteName}}
	for name, right := range judges {
		asked, correct := 0, 0
		decides := plantedJudge(right, rand.New(rand.NewPCG(1, 1)), func() { asked++ })
		for i := range 1000 {
			l := &tabletalk.Line{ToNPC: i%2 == 0}
			if d := decides(nil, address.State{}, l, address.Decision{NPCs: []int{1}}); len(d.NPCs) != 1 || d.NPCs[0] != 1 {
				t.Fatalf("%s: a line in no doubt goes to %v", name, d.NPCs)
			}
			if d := decides(nil, address.State{}, l, inDoubt); len(d.NPCs) > 0 == l.ToNPC && (!l.ToNPC || d.NPCs[0] == 0) {
				correct++
			}
		}
		want := map[string][2]int{"perfect": {1000, 1000}, "nine": {870, 930}, "slow": {0, 0}, "failing": {0, 0}}[name]
		if asked != 1000 || correct < want[0] || correct > want[1] {
			t.Errorf("%s: asked %d times, %d right; want 1000 and %v", name, asked, correct, want)
		}
	}
}
