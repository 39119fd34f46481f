// Package memorybench measures what memory costs when it has grown: a million lines,
// 300,000 facts and 50,000 entities in a file, a tenth of that in PostgreSQL. It has nothing
// but tests.
package memorybench
