package sqlstore

import "github.com/MrWong99/glyphoxa/pkg/memory"

const (
	entityColumns      = `e.id, e.type, e.name, e.description, e.aliases, e.attributes, e.visible, e.x, e.y, e.z`
	relationColumns    = `r.src, r.type, r.dst, r.note, r.visible`
	worldChangeColumns = `seq, at, who, cause, data, undoes, undone`
	// audienceOfLine and audienceOfFact select an audience's list in its stored encoding.
	audienceOfLine = `(SELECT a.ids FROM audiences a WHERE a.n = l.audience)`
	audienceOfFact = `(SELECT a.ids FROM audiences a WHERE a.n = f.audience)`
)

// queries holds the statements that differ between dialects. They are built once, so that a connection can
// reuse its prepared statements.
type queries struct {
	// Statements on the graph. Those that list entities have the parameters $1 type, $2 viewer and $3 limit,
	// followed by their own.
	entity, listEntities, matchEntities, loadEntities string
	placesOf, insideOf                                string
	connected, connecting                             string
	// Statements on lines, facts and vectors.
	lineColumns                              string
	recent, recentFor, nextLines, line       string
	loadLines                                string
	findFact, loadFacts, stated, latestSpace string
	audiences, there                         string
}

func newQueries(d Syntax) queries {
	seen := func(table, param string) string {
		return `(` + table + `.visible = '' OR ` + d.Contains(table+`.visible`, param) + `)`
	}
	var q queries
	q.entity = `SELECT ` + entityColumns + ` FROM entities e WHERE e.id = $1 AND ` + seen("e", "$2")

	scope := `($1 = '' OR lower(e.type) = lower($1)) AND ` + seen("e", "$2")
	q.listEntities = `SELECT ` + entityColumns + ` FROM entities e
		WHERE ` + scope + ` ORDER BY e.key, e.id LIMIT $3`
	// matchEntities ranks matches: 0 name, 1 alias, 2 prefix of either, 3 words of either, 4 prefixes of
	// words. Within a rank, more matching words win. Its own parameters are $4 the key, $5 whether only whole
	// names count, $6 the words and $7 the last rune.
	q.matchEntities = `WITH hit (id, rank, matched) AS (
			SELECT entity, ` + d.Least + `(alias, 1), 0 FROM entity_names WHERE key = $4
			UNION ALL
			SELECT entity, 2, 0 FROM entity_names WHERE NOT $5 AND key >= $4 AND key < $4 || $7
			UNION ALL
			SELECT w.entity, 3, count(*) FROM ` + d.List("$6", "text") + ` CROSS JOIN entity_words w
				WHERE w.word = j.value GROUP BY w.entity
			UNION ALL
			SELECT w.entity, 4, count(DISTINCT j.value) FROM ` + d.List("$6", "text") + ` CROSS JOIN entity_words w
				WHERE w.word >= j.value AND w.word < j.value || $7 AND NOT $5 AND length(j.value) >= 3 GROUP BY w.entity
		)
		SELECT ` + entityColumns + ` FROM (SELECT id, min(rank) AS rank, max(matched) AS matched FROM hit GROUP BY id) h
		JOIN entities e ON e.id = h.id
		WHERE ` + scope + ` ORDER BY h.rank, h.matched DESC, e.key, e.id LIMIT $3`
	q.loadEntities = `SELECT ` + entityColumns + ` FROM ` + d.List("$4", "text") + ` CROSS JOIN entities e
		WHERE e.id = j.value AND ` + scope + ` ORDER BY j.key LIMIT $3`

	q.placesOf = `SELECT r.src, ` + entityColumns + ` FROM ` + d.List("$1", "text") + ` CROSS JOIN relations r CROSS JOIN entities e
		WHERE r.src = j.value AND r.type = '` + memory.LocatedIn + `' AND ` + seen("r", "$2") + ` AND e.id = r.dst AND ` + seen("e", "$2") + `
		ORDER BY r.src, r.dst DESC`
	// Ordered by id like the index, so that a crowded place is read only up to the limit.
	q.insideOf = `SELECT ` + entityColumns + ` FROM relations r CROSS JOIN entities e
		WHERE r.dst = $1 AND r.type = '` + memory.LocatedIn + `' AND ` + seen("r", "$2") + ` AND e.id = r.src AND ` + seen("e", "$2") + `
		ORDER BY r.src LIMIT $3`

	reach := d.Reach(func(table string) string { return seen(table, "$2") })
	q.connected = reach + `SELECT ` + entityColumns + ` FROM near JOIN entities e ON e.id = near.id
		WHERE near.depth > 0 ORDER BY near.depth, e.key, e.id`
	least := d.Least + `(a.depth, b.depth)`
	q.connecting = reach + `SELECT ` + relationColumns + ` FROM near a
		JOIN relations r ON r.src = a.id AND ` + seen("r", "$2") + `
		JOIN near b ON b.id = r.dst
		WHERE ` + least + ` < $3 ORDER BY ` + least + `, r.src, r.type, r.dst`
	q.there = `SELECT e.id FROM ` + d.List("$1", "text") + ` CROSS JOIN entities e WHERE e.id = j.value`

	q.lineColumns = `l.id, s.id, l.turn, l.speaker, l.npc, l.heard, l.text, l.at, l.` + d.User + `, l.ref, l.dm, ` + audienceOfLine + `, l.day, l.date`
	q.recent = `SELECT ` + q.lineColumns + ` FROM sessions s JOIN lines l ON l.session = s.n WHERE s.id = $1 ORDER BY l.id DESC LIMIT $2`
	q.recentFor = `SELECT ` + q.lineColumns + ` FROM sessions s JOIN lines l ON l.session = s.n WHERE s.id = $1 AND ` + d.Heard("l", "$3") + ` ORDER BY l.id DESC LIMIT $2`
	q.nextLines = `SELECT ` + q.lineColumns + ` FROM lines l JOIN sessions s ON s.n = l.session
		WHERE l.id > (SELECT line FROM indexed_lines) ORDER BY l.id LIMIT $1`
	q.line = `SELECT ` + q.lineColumns + ` FROM lines l JOIN sessions s ON s.n = l.session WHERE l.id = $1`
	q.loadLines = `SELECT ` + q.lineColumns + ` FROM ` + d.List("$1", "bigint") + ` CROSS JOIN lines l CROSS JOIN sessions s
		WHERE l.id = j.value AND s.n = l.session ORDER BY j.key`

	q.findFact = `SELECT id, embedded FROM facts WHERE ` + d.SameFact
	q.loadFacts = `SELECT f.id, f.source, f.text, f.at, ` + audienceOfFact + `, f.day, f.date, f.topic, f.since_day, f.since
		FROM ` + d.List("$1", "bigint") + ` CROSS JOIN facts f WHERE f.id = j.value ORDER BY j.key`
	q.stated = `SELECT f.id, f.topic, f.at, f.day, f.date, f.since_day, f.since FROM ` + d.List("$1", "text") + ` CROSS JOIN facts f
		WHERE f.topic = j.value AND f.topic <> '' AND ` + d.Heard("f", "$2") + ` ORDER BY f.stated, f.id`
	q.latestSpace = `SELECT n, name, dims, ` + d.SpaceKind + ` FROM vector_spaces ORDER BY n DESC LIMIT 1`
	q.audiences = `SELECT a.n FROM audiences a WHERE a.n = 0 OR ` + d.Contains("a.ids", "$1")
	return q
}
