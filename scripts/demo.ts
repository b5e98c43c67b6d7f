import { EventEmitter, on } from 'node:events';
import { styleText } from 'node:util';

import { type BusReply, type Caller, createCaller } from '#caller';
import type { CommandType } from '#contracts';
import { exactJson } from '#signing';

import { describeCommand, describeReply } from '../apps/cli/src/output.ts';
import { removeQueues } from './broker/remove-topology.ts';
import { toldToStop } from './run-task.ts';
import { startService } from './start-service.ts';

const DEADLINE_MS = 20_000;
const ANSWER_SLACK_MS = 1_500;

/** A command of the demo, and the expected error code; default: it must succeed. */
type Scene = readonly [title: string, type: CommandType, data: object, code?: string];

const ALICE = { player: { id: 'alice' } };
const BACK = { restoreSessionUrl: 'https://operator.example/login' };
const PAGES = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00', perPage: 10 };
const RAKE = { ...PAGES, userId: 'player-00000001', timeZone: '+03:00' };

/** One of each command, and three that must fail. A player who opens a game becomes known to the platform. */
const STORY: readonly Scene[] = [
  ['The lobby, in the browser', 'game.open', { ...ALICE, session: { authType: 'external', lang: 'de' } }],
  ['A session for Alice', 'session.create', { userId: 'alice', nick: 'Ace', lang: 'en', currency: 'EUR' }],
  ['Table 7, with a way back', 'game.open', { ...ALICE, session: { tableId: 7, launchOptions: BACK } }],
  ['The ad hoc report, page by page', 'report.ad-hoc.fetch', PAGES],
  ['The rake of one player', 'report.rake.fetch', RAKE],
  ['A nickname that is taken', 'game.open', { player: { id: 'bob', nick: 'Ace' } }, 'NICKNAME_TAKEN'],
  ['A player whom nobody knows', 'session.create', { userId: 'nobody' }, 'PLAYER_NOT_FOUND'],
  ['Data that breaks the contract', 'session.create', { userId: 1, password: '***' }, 'VALIDATION_FAILED'],
];

/**
 * Shows the whole flow: a broker, the sandbox platform, a worker, and every command over the bus.
 *
 * @param isKept true to keep everything running until the process is interrupted
 * @returns true if every command got the expected answer
 */
export async function demo(isKept: boolean): Promise<boolean> {
  await using parts = new AsyncDisposableStack();
  console.log(styleText('bold', 'poker-bridge demo'));
  const prefix = `poker-demo-${process.pid}`;
  const settings = { SANDBOX_UNKNOWN_PLAYERS: 'refuse', SANDBOX_REPORT_RECORDS: '25' };
  const { amqpUrl: url, sandboxUrl, worker } = parts.use(await startService(prefix, settings, step));
  const name = `${prefix}-caller`;
  // The broker may belong to the user.
  parts.defer(() => removeQueues(url, [`${name}.replies.demo`]));
  const replies = new EventEmitter();
  const onReply = (reply: BusReply): void => void replies.emit('reply', reply);
  const caller = parts.use(createCaller({ url, prefix, name, instance: 'demo', onReply }));

  let isRight = true;
  for (const scene of STORY) isRight = (await play(caller, replies, scene)) && isRight;
  const end = isRight
    ? styleText('green', `All ${STORY.length} commands were answered as they should be.`)
    : styleText('red', 'Not every command was answered as it should be.');
  console.log(`\n${end}`);
  if (isKept) {
    const health = await worker.url();
    console.log(
      `\nEverything runs until you press Ctrl-C:
  commands   AMQP_URL=${url} AMQP_PREFIX=${prefix}
  platform   ${sandboxUrl}
  console    ${health}/console
  health     ${health}/health
  metrics    ${health}/metrics`,
    );
    await toldToStop();
  }
  return isRight;
}

/** Reports a step of the setup with its duration. */
async function step<T>(what: string, work: Promise<T>, tell: (result: T) => string): Promise<T> {
  const startedAtMs = Date.now();
  const result = await work;
  const seconds = styleText('dim', `(${((Date.now() - startedAtMs) / 1000).toFixed(1)} s)`);
  console.log(`  ${what.padEnd(10)}${tell(result)} ${seconds}`);
  return result;
}

/** Sends a command, and shows it with its replies. @returns true if it got the expected answer */
async function play(caller: Caller, replies: EventEmitter, [title, type, data, expected]: Scene) {
  const command = caller.prepare(type, data as never, { deadlineMs: DEADLINE_MS });
  console.log(`\n${styleText('bold', title)}`);
  process.stdout.write(describeCommand({ type, id: command.id, text: JSON.stringify(data) }));
  const sentAtMs = Date.now();
  const signal = AbortSignal.timeout(DEADLINE_MS + ANSWER_SLACK_MS);
  const arriving = on(replies, 'reply', { signal }) as AsyncIterable<[BusReply]>;
  await caller.publish(command);
  for await (const [reply] of arriving) {
    process.stdout.write(describeReply(reply.type, exactJson({ ...reply.data }), Date.now() - sentAtMs));
    if (!reply.isFinal) continue;
    if (expected === (reply.type === 'command.failed' ? reply.data.code : undefined)) return true;
    break;
  }
  console.log(styleText('red', `    expected ${expected ?? 'a success'}`));
  return false;
}
