// Package memorybench measures the cost of a grown memory: a million lines,
// 300,000 facts and 50,000 entities in a file, a tenth of that in PostgreSQL.
// It contains only tests.
package memorybench
