// A WebAssembly build of PostgreSQL with pgvector, in memory, on a free port of 127.0.0.1,
// which it prints. It ends with its standard input.
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

const db = await PGlite.create({ extensions: { vector } })
await db.exec('CREATE EXTENSION vector')
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 32 })
server.addEventListener('listening', (event) => console.log(`listening on ${event.detail.port}`))
await server.start()
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
