import { styleText } from 'node:util';

import type { BusReply } from '#caller';
import type { CommandType } from '#contracts';
import { exactJson } from '#signing';

/** One command of the demo, and the type or code that must come back. */
export interface Scene {
  readonly title: string;
  readonly type: CommandType;
  readonly data: Readonly<Record<string, unknown>>;
  /** The type of the final reply, or the code of the error. */
  readonly expected: string;
}

/** The players that the sandbox knows from the start. */
export const PLAYERS = [{ userId: 'alice' }, { userId: 'bob' }];

const PERIOD = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };

/** One of each command, and three that must fail. */
export const STORY: readonly Scene[] = [
  {
    title: 'A session for Alice',
    type: 'session.create',
    data: { userId: 'alice', nick: 'Ace', lang: 'en', currency: 'EUR' },
    expected: 'session.created',
  },
  {
    title: 'The lobby, in the browser',
    type: 'game.open',
    data: { player: { id: 'alice' }, session: { authType: 'external', lang: 'de' } },
    expected: 'game.opened',
  },
  {
    title: 'Table 7, with a way back',
    type: 'game.open',
    data: {
      player: { id: 'alice' },
      session: { tableId: 7, launchOptions: { restoreSessionUrl: 'https://operator.example/login' } },
    },
    expected: 'game.opened',
  },
  {
    title: 'The ad hoc report, page by page',
    type: 'report.ad-hoc.fetch',
    data: { ...PERIOD, perPage: 10 },
    expected: 'report.completed',
  },
  {
    title: 'The rake of one player',
    type: 'report.rake.fetch',
    data: { ...PERIOD, userId: 'player-00000001', timeZone: '+03:00', perPage: 10 },
    expected: 'report.completed',
  },
  {
    title: 'A nickname that is taken',
    type: 'game.open',
    data: { player: { id: 'bob', nick: 'Ace' } },
    expected: 'NICKNAME_TAKEN',
  },
  {
    title: 'A player whom nobody knows',
    type: 'session.create',
    data: { userId: 'nobody' },
    expected: 'PLAYER_NOT_FOUND',
  },
  {
    title: 'Data that breaks the contract',
    type: 'session.create',
    data: { userId: 'alice', lang: 'english', password: 'secret' },
    expected: 'VALIDATION_FAILED',
  },
];

const LONGEST_VALUE = 72;

/** A step of the set-up, with the time that it took. */
export async function step<T>(what: string, work: () => Promise<T>, tell: (result: T) => string): Promise<T> {
  const startedAtMs = Date.now();
  const result = await work();
  const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
  process.stdout.write(`  ${what.padEnd(10)}${tell(result)} ${styleText('dim', `(${seconds} s)`)}\n`);
  return result;
}

export function printCommand({ title, type, data }: Scene): void {
  process.stdout.write(`\n${styleText('bold', title)}\n`);
  process.stdout.write(`  ${styleText('cyan', '→')} ${type} ${styleText('dim', JSON.stringify(data))}\n`);
}

export function printReply({ type, data }: BusReply, afterMs: number): void {
  const arrow = type === 'command.failed' ? styleText('yellow', '←') : styleText('green', '←');
  process.stdout.write(`  ${arrow} ${type} ${styleText('dim', `after ${afterMs} ms`)}\n`);
  for (const line of linesOf(type, { ...data })) process.stdout.write(`      ${line}\n`);
}

function linesOf(type: string, body: Record<string, unknown>): string[] {
  if (type === 'command.failed') {
    const violations = (body['violations'] ?? []) as { pointer: string; message: string }[];
    return [
      `${String(body['code'])} (${String(body['category'])}): ${String(body['message'])}`,
      ...violations.map(({ pointer, message }) => `${pointer} ${message}`),
    ];
  }
  if (type === 'report.page') {
    const records = body['records'] as unknown[];
    return [
      `page ${String(body['page'])} of ${String(body['pageCount'])}, ${records.length} records, the first:`,
      short(records[0]),
    ];
  }
  return Object.entries(body).map(([name, value]) => `${name}: ${short(value)}`);
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : exactJson(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
