package web

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// consoleTable is the current state of a table.
type consoleTable struct {
	Campaign  string       `json:"campaign"`
	System    string       `json:"system"`
	Live      bool         `json:"live"`
	Session   string       `json:"session,omitempty"`
	Scene     string       `json:"scene,omitempty"`
	Date      string       `json:"date,omitempty"`
	Listening string       `json:"listening,omitempty"`
	Scripted  bool         `json:"scripted"`
	NPCs      []consoleNPC `json:"npcs"`
	Stages    []stageView  `json:"stages"`
	Cost      *costView    `json:"cost,omitempty"`
	Ears      []earView    `json:"ears"`
	Voices    []string     `json:"voices"`
	// Targets are the latency targets of the first sound in ms, by tier.
	Targets map[string]float64 `json:"targets"`
}

// consoleNPC describes an NPC.
type consoleNPC struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Role  string `json:"role,omitempty"`
	Place string `json:"place,omitempty"`
	// Engine is the engine in use. Configured is the configured one, and Why says why they differ; see
	// [play.EngineInUse].
	Engine     string `json:"engine"`
	Configured string `json:"configured"`
	Why        string `json:"engine_why,omitempty"`
	Voice      string `json:"voice,omitempty"`
	Tier       string `json:"tier"`
	Ceiling    string `json:"ceiling"`
	Muted      bool   `json:"muted"`
	// The following fields are for visitors who see everything.
	LeaseTier      string    `json:"lease_tier,omitempty"`
	LeaseUntil     time.Time `json:"lease_until,omitzero"`
	LeaseTurns     int       `json:"lease_turns,omitempty"`
	Directive      string    `json:"directive,omitempty"`
	DirectiveTurns int       `json:"directive_turns,omitempty"`
	Tools          []string  `json:"tools,omitempty"`
	Secrets        int       `json:"secrets,omitempty"`
	Revealed       int       `json:"revealed,omitempty"`
	Withheld       int       `json:"withheld,omitempty"`
	Cost           string    `json:"cost,omitempty"`
}

type stageView struct {
	Tier   string     `json:"tier"`
	Turns  int        `json:"turns"`
	P50    float64    `json:"p50_ms"`
	P95    float64    `json:"p95_ms"`
	Stages []stageRow `json:"stages"`
}

type stageRow struct {
	Stage string  `json:"stage"`
	P50   float64 `json:"p50_ms"`
	P95   float64 `json:"p95_ms"`
}

type costView struct {
	Currency string      `json:"currency"`
	Total    cost.Amount `json:"total"`
	SoftCap  cost.Amount `json:"soft_cap"`
	HardCap  cost.Amount `json:"hard_cap"`
	Lines    []string    `json:"lines"`
}

// showTable describes the table and its NPCs.
func (d *authenticator) showTable(a *roomRequest) {
	if !a.may(access.SessionRead) {
		fail(a.w, http.StatusForbidden, "to see the table, you need the permission "+access.SessionRead)
		return
	}
	g, all := a.room.game, a.sees(access.NPCRead)
	v := consoleTable{Campaign: g.Config.Campaign.Name, System: g.Config.Campaign.System, Scene: g.World.Scene(), Date: g.Date(), NPCs: []consoleNPC{}, Stages: []stageView{}, Ears: []earView{}, Voices: []string{}, Targets: map[string]float64{}}
	for _, tier := range []string{"fast", "standard", "deep"} {
		v.Targets[tier] = targetOf(g, tier)
	}
	for _, n := range g.Cast() {
		if !a.may(access.NPCRead) {
			break
		}
		one := consoleNPC{ID: n.ID, Name: n.Name, Role: n.Role, Place: n.Place, Configured: n.Engine, Tier: n.BudgetTier.String(), Ceiling: n.BudgetTier.String()}
		in := play.EngineOf(g.Config, n)
		if a.room.session != nil {
			in = a.room.session.EngineOf(n)
		}
		one.Engine, one.Why = in.Engine, in.Why
		if all {
			one.Tools, one.Secrets, one.Voice = n.Tools, len(n.SecretKnowledge), n.Voice.ID
		}
		v.NPCs = append(v.NPCs, one)
	}
	if s := a.room.session; s != nil {
		v.Live, v.Session, v.Scripted = true, s.ID(), s.Scripted
		if err := d.addStatus(a, &v, all); err != nil {
			failWith(a.w, err)
			return
		}
	}
	if all {
		v.Voices = g.VoiceIDs()
	}
	answer(a.w, v)
}

// addStatus adds the running table's status.
func (d *authenticator) addStatus(a *roomRequest, v *consoleTable, all bool) error {
	t, report := a.room.session.Table, a.room.session.Cost()
	status, err := t.Status(a.r.Context())
	if err != nil {
		return err
	}
	here := []consoleNPC{}
	for _, s := range status {
		i := slices.IndexFunc(v.NPCs, func(n consoleNPC) bool { return n.Name == s.Name })
		if i < 0 {
			continue
		}
		n := v.NPCs[i]
		n.Tier, n.Ceiling, n.Muted = s.Tier.String(), s.Ceiling.String(), s.Muted
		if all {
			n.Directive, n.DirectiveTurns, n.Revealed, n.Withheld = s.Directive, s.DirectiveTurns, s.Revealed, s.Withheld
			if s.Lease != nil {
				n.LeaseTier, n.LeaseUntil, n.LeaseTurns = s.Lease.Tier.String(), s.Lease.Until, s.Lease.Turns
			}
			for _, e := range report.NPCs {
				if e.Name == s.Name || e.Name == n.ID {
					n.Cost = e.Amount.In(report.Currency)
				}
			}
		}
		here = append(here, n)
	}
	v.NPCs = here
	how, err := t.Listening(a.r.Context())
	if err != nil {
		return err
	}
	v.Listening = how.String()
	if !all {
		return nil
	}
	v.Cost = &costView{report.Currency, report.Total.Amount, report.SoftCap, report.HardCap, report.Lines()}
	stages, err := t.Stages(a.r.Context())
	for _, s := range stages {
		one := stageView{Tier: s.Tier, Turns: s.Turns, P50: mcp.RoundedMillis(s.FirstSoundP50), P95: mcp.RoundedMillis(s.FirstSoundP95)}
		for _, row := range s.Stages {
			one.Stages = append(one.Stages, stageRow{row.Stage, mcp.RoundedMillis(row.P50), mcp.RoundedMillis(row.P95)})
		}
		v.Stages = append(v.Stages, one)
	}
	if err != nil {
		return err
	}
	v.Ears, err = earsOf(a)
	return err
}

// showWorld returns the entities and relations that the visitor may see.
func (d *authenticator) showWorld(a *roomRequest) {
	if !a.may(access.WorldRead) {
		fail(a.w, http.StatusForbidden, "to see the world, you need the permission "+access.WorldRead)
		return
	}
	world, viewer := a.room.game.World, a.viewer()
	entities := world.Entities(viewer)
	relations := []memory.Relation{}
	for _, e := range entities {
		relations = append(relations, world.Relations(e.ID, viewer)...)
	}
	slices.SortFunc(relations, func(a, b memory.Relation) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Type, b.Type), cmp.Compare(a.To, b.To))
	})
	relations = slices.CompactFunc(relations, func(a, b memory.Relation) bool { return a.From == b.From && a.Type == b.Type && a.To == b.To })
	answer(a.w, map[string]any{"entities": entities, "relations": relations})
}

// entryView is a learnt or proposed entry.
type entryView struct {
	ID int64 `json:"id"`
	world.Entry
}

// showMemory returns the learnt entries and the proposals.
func (d *authenticator) showMemory(a *roomRequest) {
	if !a.sees(access.MemoryRead) {
		fail(a.w, http.StatusForbidden, "to see what the NPCs learnt, you must be allowed to see everything and need the permission "+access.MemoryRead)
		return
	}
	views := func(accepted bool) []entryView {
		out := []entryView{}
		for _, e := range a.room.game.Chronicle.List(accepted) {
			out = append(out, entryView{e.ID, e})
		}
		return out
	}
	answer(a.w, map[string]any{"waiting": views(false), "learnt": views(true), "learn": a.room.game.Config.Memory.Learn, "mentions": a.room.game.Mentions.CountWaiting()})
}

// showProblems returns the problems of the configuration.
func (d *authenticator) showProblems(a *roomRequest) {
	if !a.sees(access.SessionRead) || a.room.id != HomeRoom {
		fail(a.w, http.StatusForbidden, "only those who may see everything may see the configuration's problems")
		return
	}
	type view struct {
		File string `json:"file"`
		Line int    `json:"line"`
		What string `json:"what"`
		Fix  string `json:"fix"`
	}
	all := []view{}
	var found []userfile.Problem
	if d.o.Problems != nil {
		found = d.o.Problems()
	}
	for _, p := range found {
		all = append(all, view{p.File, p.Line, p.What, p.Fix})
	}
	answer(a.w, map[string]any{"problems": all, "servers": a.room.game.Registry.Servers(), "unfinished": a.room.game.Registry.Unfinished(), "memory": a.room.game.Store.Location()})
}

// recapLines bounds the lines of a recap.
const recapLines = 12

// recap summarises a session by its most significant lines that the visitor may see.
func (d *authenticator) recap(a *roomRequest) {
	if !a.may(access.SessionRead) {
		fail(a.w, http.StatusForbidden, "to see sessions, you need the permission "+access.SessionRead)
		return
	}
	g, viewer := a.room.game, a.viewer()
	all, err := g.Store.Sessions(a.r.Context(), 0)
	if err != nil {
		failWith(a.w, err)
		return
	}
	i := slices.IndexFunc(all, func(s memory.Session) bool { return s.ID == a.r.URL.Query().Get("session") })
	if i < 0 {
		fail(a.w, http.StatusNotFound, "there is no such session")
		return
	}
	lines, err := g.Store.RecentFor(a.r.Context(), all[i].ID, viewer, max(1, all[i].Lines))
	if err != nil {
		failWith(a.w, err)
		return
	}
	var names []string
	for _, e := range g.World.Entities(viewer) {
		names = append(names, e.Name)
	}
	told := []map[string]string{}
	for _, l := range world.ExtractRecap(lines, names, recapLines) {
		told = append(told, map[string]string{"speaker": l.Speaker, "text": l.Text})
	}
	answer(a.w, map[string]any{"lines": told})
}

// read returns a resource of package mcpserver by its URI.
func (d *authenticator) read(a *roomRequest) {
	host, ctx := a.room.game.Registry.Host, a.calling()
	doc, err := mcpserver.NewLibrary(play.SourcesOf(a.room.game)).Read(ctx, mcpserver.LibraryView{
		Viewer: a.viewer(), May: a.may,
		Tool: func(name string) bool {
			t, ok := host.Registered(name)
			return ok && a.room.game.Registry.Governance.Policy.Permits(ctx, t.Target) == nil
		},
	}, a.r.URL.Query().Get("uri"))
	if err != nil || len(doc.Contents) == 0 {
		fail(a.w, http.StatusNotFound, "there is no such document, or you may not read it")
		return
	}
	a.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = a.w.Write([]byte(doc.Contents[0].Text)) // the client may be gone
}
