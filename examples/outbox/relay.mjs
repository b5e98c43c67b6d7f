// Publishes the commands of an outbox in PostgreSQL (schema.sql), keeps their replies, and sends again what
// is retryable. Any number of outboxes can be relayed, each by one process with an `instance` of its own.
//
//   npm install pg <the packed files of libs/contracts, rabbitmq and caller>
//   DATABASE_URL=postgres://… AMQP_URL=amqp://guest:guest@127.0.0.1:5672 node relay.mjs
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { createCaller } from '@poker-bridge/caller';
import pg from 'pg';

const POLL_MS = 200;
/** A command without a reply by then is sent again, under the same id: the worker runs it once. */
const REPLY_TIMEOUT_SECONDS = 60;
const LONGEST_PAUSE_SECONDS = 300;

const DUE = `
  UPDATE outbox SET state = 'sent', attempts = attempts + 1, send_at = now() + make_interval(secs => $1)
  WHERE id IN (
    SELECT id FROM outbox WHERE state IN ('waiting', 'sent') AND send_at <= now()
    ORDER BY send_at LIMIT 20 FOR UPDATE SKIP LOCKED)
  RETURNING id, type, data, attempts`;
const FAIL = `
  UPDATE outbox SET
    state = CASE WHEN $2 THEN 'waiting' ELSE 'failed' END,
    send_at = now() + make_interval(secs => greatest($3, least($4, power(2, attempts - 1)))),
    error = $5
  WHERE id = $1 AND state <> 'done'`;

const database = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const caller = createCaller({
  url: process.env.AMQP_URL,
  prefix: process.env.AMQP_PREFIX ?? 'poker',
  name: 'example-outbox',
  instance: 'relay',
  onReply: keep,
});
const stopping = new AbortController();
void once(process, 'SIGTERM').then(() => stopping.abort());

await caller.ready();
console.log('relaying');
while (!stopping.signal.aborted) {
  const { rows } = await database.query(DUE, [REPLY_TIMEOUT_SECONDS]);
  await Promise.all(rows.map(publish));
  if (rows.length === 0) await sleep(POLL_MS);
}
await caller.close();
await database.end();

async function publish({ id, type, data }) {
  try {
    await caller.publish(caller.prepare(type, data, { id }));
  } catch (error) {
    await fail(database, id, error);
  }
}

/** Keeps a reply and its consequence in one transaction. A reply that is delivered again changes nothing. */
async function keep({ id, commandId, type, data, isFinal }) {
  const client = await database.connect();
  try {
    await client.query('BEGIN');
    const row = [id, commandId, type, JSON.stringify(data)];
    const insert = 'INSERT INTO inbox VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING';
    const { rowCount } = await client.query(insert, row);
    if (rowCount === 1 && type === 'command.failed') await fail(client, commandId, data);
    else if (rowCount === 1 && isFinal)
      await client.query("UPDATE outbox SET state = 'done', error = NULL WHERE id = $1", [commandId]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

/** Sends a retryable command again later, no earlier than `retryAfterMs`; others fail for good. */
async function fail(client, id, { code, retryable, retryAfterMs = 0 }) {
  await client.query(FAIL, [id, retryable === true, retryAfterMs / 1_000, LONGEST_PAUSE_SECONDS, code]);
}
