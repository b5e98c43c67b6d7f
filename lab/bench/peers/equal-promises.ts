// A worker that keeps the promises of poker-bridge as long as nothing fails, as a careful team would write it
// from well-known parts, each used as its documentation shows: validation, one run for each identity over all
// workers, a deadline, retries and circuits, a reply that is confirmed before the acknowledgement, one log
// line for each outcome, and metrics. Replies in Redis are encrypted, and identities are hidden.
import 'reflect-metadata';

import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { plainToInstance } from 'class-transformer';
import { validateOrReject } from 'class-validator';
import { Redis } from 'ioredis';
import CircuitBreaker from 'opossum';
import { pino, stdTimeFunctions } from 'pino';
import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';
import { type AsyncMessage, Connection } from 'rabbitmq-client';
import { Agent, interceptors, setGlobalDispatcher } from 'undici';

import { CreateSessionDto } from './create-session-dto.ts';
import { createSession, type Session, type SessionData, settings } from './peer.ts';

const TYPE = 'session.create';
const DEADLINE_MS = 15_000;
const ATTEMPT_TIMEOUT_MS = 5_000;
const LEASE_MS = 1_500;
const OUTCOME_MS = 60_000;
const POLL_MS = 125;
const KEY = createHash('sha256').update('bench').digest();
const OWNER = randomBytes(12).toString('base64url');

const logger = pino({ base: null, timestamp: stdTimeFunctions.isoTime });

collectDefaultMetrics();
const commands = new Counter({
  name: 'commands_total',
  help: 'Final replies, by type and outcome.',
  labelNames: ['type', 'outcome'],
});
const durations = new Histogram({
  name: 'command_duration_seconds',
  help: 'From the receipt of a command to its reply.',
  labelNames: ['type'],
});
const inFlight = new Gauge({ name: 'commands_in_flight', help: 'Commands in flight.' });
const calls = new Counter({
  name: 'platform_requests_total',
  help: 'Calls to the platform, by result.',
  labelNames: ['operation', 'result'],
});
const callDurations = new Histogram({
  name: 'platform_request_duration_seconds',
  help: 'Duration of one call to the platform.',
  labelNames: ['operation'],
});
createServer((_, response) => void register.metrics().then((text) => response.end(text))).listen(0);

const retry = interceptors.retry({ maxRetries: 2, minTimeout: 100, methods: ['POST'], throwOnError: false });
setGlobalDispatcher(new Agent({ connections: 256 }).compose(retry));

/** One circuit for each operator. */
const circuits = new Map<string, CircuitBreaker<Parameters<typeof createSession>, Session>>();

function circuitOf(operator: string) {
  const known = circuits.get(operator);
  if (known) return known;
  const options = { timeout: ATTEMPT_TIMEOUT_MS, errorThresholdPercentage: 50, volumeThreshold: 10 };
  const circuit = new CircuitBreaker(createSession, options);
  circuit.on('success', (_, latencyMs) => {
    calls.inc({ operation: TYPE, result: '2xx' });
    callDurations.observe({ operation: TYPE }, latencyMs / 1_000);
  });
  circuit.on('failure', () => calls.inc({ operation: TYPE, result: 'failed' }));
  circuits.set(operator, circuit);
  return circuit;
}

/** Redis with a script that replaces a value unless another one is there, which it returns. */
interface ScriptedRedis extends Redis {
  replace(key: string, over: string, value: string, durationMs: number): Promise<string | null>;
}

const redis = new Redis(process.env['REDIS_URL'] ?? '') as ScriptedRedis;
redis.on('error', (error) => logger.error({ err: error }, 'Redis'));
redis.defineCommand('replace', {
  numberOfKeys: 1,
  lua: `local found = redis.call('GET', KEYS[1])
        if found and found ~= ARGV[1] then return found end
        redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
        return false`,
});
const leases = new Set<string>();
setInterval(() => leases.forEach((key) => void redis.pexpire(key, LEASE_MS)), LEASE_MS / 3).unref();

/** Runs a command unless its identity has run before; then it returns the reply of that run. */
async function once(identity: string, content: string, run: () => Promise<Session>): Promise<Session> {
  const key = `peer:${createHmac('sha256', KEY).update(identity).digest('base64url')}`;
  const fingerprint = createHmac('sha256', KEY).update(key).update(content).digest('base64url');
  const lease = `lease ${fingerprint} ${OWNER}`;
  for (;;) {
    const found = await redis.set(key, lease, 'PX', LEASE_MS, 'NX', 'GET');
    if (found === null) break;
    const [kind, of, sealed = ''] = found.split(' ');
    if (of !== fingerprint) throw new Error('another command has this identity');
    if (kind === 'outcome') return open(sealed, key);
    await sleep(POLL_MS);
  }
  leases.add(key);
  try {
    const session = await run();
    const outcome = `outcome ${fingerprint} ${seal(session, key)}`;
    const [, , earlier] = (await redis.replace(key, lease, outcome, OUTCOME_MS))?.split(' ') ?? [];
    return earlier === undefined ? session : open(earlier, key);
  } catch (error) {
    await redis.del(key);
    throw error;
  } finally {
    leases.delete(key);
  }
}

/** Encrypts a reply, because it contains a token. */
function seal(session: Session, key: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', KEY, nonce).setAAD(Buffer.from(key));
  const text = Buffer.concat([cipher.update(JSON.stringify(session)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

function open(sealed: string, key: string): Session {
  const bytes = Buffer.from(sealed, 'base64');
  const cipher = createDecipheriv('aes-256-gcm', KEY, bytes.subarray(0, 12)).setAAD(Buffer.from(key));
  cipher.setAuthTag(bytes.subarray(12, 28));
  return JSON.parse(cipher.update(bytes.subarray(28), undefined, 'utf8') + cipher.final('utf8')) as Session;
}

const { amqpUrl, queue, prefetch } = settings;
const rabbit = new Connection(amqpUrl);
rabbit.on('error', (error) => logger.error({ err: error }, 'connection'));
const replies = rabbit.createPublisher({ confirm: true, maxAttempts: 2 });
replies.on('basic.return', ({ messageId }) => logger.error({ messageId }, 'reply undelivered'));

async function handle(message: AsyncMessage): Promise<void> {
  const startedAtMs = performance.now();
  const { headers = {}, userId: caller = 'anonymous', messageId: id = '', correlationId, replyTo } = message;
  const operator = String(headers['operator'] ?? 'default');
  const command = { id, correlationId, type: TYPE, caller, operator };
  const deadlineMs = headers['x-deadline'] === undefined ? DEADLINE_MS : headers['x-deadline'] - Date.now();
  inFlight.inc();
  let body: object;
  let outcome = 'success';
  try {
    const data = message.body as SessionData;
    const given = plainToInstance(CreateSessionDto, data);
    await validateOrReject(given, { whitelist: true, forbidNonWhitelisted: true });
    const signal = AbortSignal.timeout(deadlineMs);
    body = await once(JSON.stringify([caller, operator, id]), `${TYPE} ${JSON.stringify(data)}`, () =>
      circuitOf(operator).fire(data, signal),
    );
  } catch (error) {
    outcome = 'failed';
    body = { code: 'FAILED', message: String(error) };
  }
  await replies.send(
    {
      routingKey: replyTo ?? '',
      mandatory: true,
      durable: true,
      type: outcome === 'success' ? 'session.created' : 'command.failed',
      correlationId: correlationId ?? '',
      messageId: `${id}:0`,
      timestamp: Math.floor(Date.now() / 1_000),
      headers: { 'command-id': id, 'command-type': TYPE, sequence: 0, final: true },
    },
    body,
  );
  const durationMs = performance.now() - startedAtMs;
  inFlight.dec();
  commands.inc({ type: TYPE, outcome });
  durations.observe({ type: TYPE }, durationMs / 1_000);
  logger.info({ ...command, outcome, durationMs }, 'command answered');
}

const queueOptions = { durable: true, arguments: { 'x-queue-type': 'quorum' } } as const;
const consumer = rabbit.createConsumer({ queue, queueOptions, qos: { prefetchCount: prefetch } }, handle);
consumer.on('error', (error) => logger.error({ err: error }, 'consumer'));

process.once('SIGTERM', () => void stop());

async function stop(): Promise<void> {
  await consumer.close();
  await replies.close();
  await rabbit.close();
  process.exit();
}
