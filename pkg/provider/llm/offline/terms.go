package offline

import "strings"

// term is a rule that people ask about by name.
type term struct {
	// name is the rule's name in the rule book.
	name string
	// id is the rule's ID, empty if it cannot be derived from the name.
	id string
}

// terms maps English and German names to rules. Spells whose name is an everyday word (light, knock, shield)
// are left out; they are found as "the spell light".
var terms = buildTerms()

func buildTerms() map[string]term {
	out := map[string]term{}
	for _, c := range strings.Fields(conditions) {
		out[c] = term{name: c, id: "condition-" + c}
	}
	for _, s := range strings.Split(spells, ",") {
		s = strings.TrimSpace(s)
		out[s] = term{name: s, id: "spell-" + slug(s)}
	}
	for _, r := range strings.Split(generalRules, ",") {
		r = strings.TrimSpace(r)
		out[r] = term{name: r}
	}
	for _, pair := range strings.Split(translations, ",") {
		names, english, _ := strings.Cut(strings.TrimSpace(pair), "=")
		known, ok := out[english]
		if !ok {
			known = term{name: english}
		}
		for _, n := range strings.Split(names, "|") {
			out[n] = known
		}
	}
	return out
}

const (
	conditions = `blinded charmed deafened frightened grappled incapacitated invisible paralyzed petrified poisoned prone
		restrained stunned unconscious exhaustion`

	spells = `acid arrow, acid splash, animate dead, antimagic field, bane, banishment, bestow curse, burning hands, call lightning,
		chain lightning, charm person, chill touch, cloudkill, color spray, cone of cold, counterspell, cure wounds, dancing lights,
		detect magic, dimension door, disguise self, disintegrate, dispel magic, dominate person, eldritch blast, entangle,
		faerie fire, false life, feather fall, find familiar, finger of death, fire bolt, fireball, flame strike, flaming sphere,
		fog cloud, gaseous form, glyph of warding, goodberry, greater invisibility, greater restoration, guiding bolt, gust of wind,
		healing word, heat metal, hellish rebuke, hold person, hunter's mark, hypnotic pattern, ice storm, inflict wounds,
		invisibility, lesser restoration, lightning bolt, locate object, mage armor, mage hand, magic missile, mass cure wounds,
		meteor swarm, minor illusion, mirror image, misty step, moonbeam, pass without trace, phantasmal killer, planar binding,
		plane shift, polymorph, power word kill, prestidigitation, produce flame, raise dead, ray of frost, remove curse,
		resurrection, revivify, sacred flame, scorching ray, scrying, shillelagh, shocking grasp, speak with dead, spider climb,
		spirit guardians, spiritual weapon, stinking cloud, stoneskin, telekinesis, teleport, thaumaturgy, thunderwave, time stop,
		tongues, true polymorph, true seeing, true strike, unseen servant, vampiric touch, vicious mockery, wall of fire,
		wall of force, water breathing, zone of truth, hideous laughter, faithful hound, tiny hut, spare the dying, poison spray`

	generalRules = `grappling, grapple, shoving, cover, half cover, initiative, surprise, opportunity attack, opportunity attacks,
		death saving throw, death saving throws, saving throw, saving throws, ability check, ability checks, advantage, disadvantage,
		proficiency bonus, concentration, short rest, long rest, critical hit, critical hits, armor class, hit points,
		temporary hit points, difficult terrain, two-weapon fighting, mounted combat, underwater combat, falling damage, suffocating,
		suffocation, darkvision, blindsight, truesight, spell slots, cantrips, rituals, bonus action, bonus actions, reaction, reactions,
		dodge action, dash action, disengage action, help action, ready action, spellcasting, multiclassing, encumbrance, inspiration,
		passive perception, passive checks, damage resistance, stabilizing, instant death`

	translations = `geblendet|blind|blindheit=blinded, bezaubert=charmed, taub=deafened, verängstigt=frightened, gepackt|gegriffen=grappled,
		kampfunfähig|handlungsunfähig=incapacitated, unsichtbar=invisible, gelähmt=paralyzed, versteinert=petrified, vergiftet=poisoned,
		liegend=prone, festgesetzt=restrained, betäubt=stunned, bewusstlos=unconscious, erschöpfung|erschöpft=exhaustion,
		feuerball=fireball, magisches geschoss=magic missile, wunden heilen=cure wounds, unsichtbarkeit=invisibility, kettenblitz=chain lightning,
		blitzstrahl=lightning bolt, gegenzauber=counterspell, magie bannen=dispel magic, feuerpfeil=fire bolt, nebelschritt=misty step,
		deckung=cover, ringen|ringkampf|haltegriff=grappling, überraschung=surprise, gelegenheitsangriff|gelegenheitsangriffe=opportunity attack,
		rettungswurf|rettungswürfe=saving throw, todesrettungswurf|todesrettungswürfe=death saving throws, vorteil=advantage, nachteil=disadvantage,
		übungsbonus=proficiency bonus, konzentration=concentration, kurze rast=short rest, lange rast=long rest, rüstungsklasse=armor class,
		trefferpunkte=hit points, kritischer treffer|kritische treffer=critical hit, dunkelsicht=darkvision, bonusaktion=bonus action,
		reaktion=reaction, zweihändigkeit|beidhändiger kampf=two-weapon fighting, schwieriges gelände=difficult terrain, fallschaden|sturzschaden=falling damage`
)
