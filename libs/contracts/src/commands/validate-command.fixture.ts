import type { CommandType } from '../command-types.ts';
import { CommandError } from '../errors/command-error.ts';
import type { Violation } from '../errors/error-body.ts';
import { validateCommand } from './validate-command.ts';

/** A valid command of each type, with every member it can have. */
export const COMPLETE = {
  'session.create': { userId: 'p-1', nick: 'Lucky', authType: 'internal', lang: 'en', currency: 'EUR' },
  'game.open': {
    player: {
      id: 'p-1',
      nick: 'Lucky',
      name: 'Ada',
      email: 'ada@example.com',
      referredBy: 'bob',
      referralCode: 'R1',
      bonusCode: 'B1',
      avatar: 7,
      phoneNumber: '+49 30 1',
      tag: 'vip',
      active: true,
      verified: false,
      trustedLevel: 2,
      currency: 'EUR',
      preferredCurrency: 'USD',
      country: 'DE',
    },
    session: {
      id: 's-1',
      authType: 'external',
      tableId: 42,
      lang: 'de',
      launchOptions: { restoreSessionUrl: 'https://example.com/login', theme: { dark: true, accent: null } },
      longLifeLoginToken: false,
      userIp: '192.0.2.1',
    },
  },
  'report.ad-hoc.fetch': {
    dateFrom: '2026-01-01 00:00:00',
    dateTo: '2026-01-02 00:00:00',
    userId: 'p-1',
    currency: 'EUR',
    page: 1,
    perPage: 1000,
  },
  'report.rake.fetch': {
    dateFrom: '2026-01-01 00:00:00',
    dateTo: '2026-01-02 00:00:00',
    userId: 'p-1',
    currency: 'EUR',
    page: 1,
    perPage: 1000,
    timeZone: '+03:00',
    convertToPreferredCurrency: '1',
    sort: '-value',
  },
} as const satisfies Record<CommandType, object>;

/** What `validateCommand` finds wrong; it may throw nothing else. */
export function violationsOf(type: CommandType, data: unknown): readonly Violation[] {
  try {
    validateCommand(type, data);
    return [];
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 'VALIDATION_FAILED') throw error;
    return error.violations ?? [];
  }
}

export function pointersOf(type: CommandType, data: unknown): readonly string[] {
  return violationsOf(type, data).map(({ pointer }) => pointer);
}

/** `data` with the member at `path` (`player.nick`) set, in JSON: a value `undefined` removes it. */
export function withMember(data: object, path: string, value: unknown): unknown {
  const copy = structuredClone(data) as Record<string, never>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  const holder = names.reduce<Record<string, unknown>>((object, name) => object[name] as never, copy);
  Object.defineProperty(holder, last, { value, enumerable: true, configurable: true, writable: true });
  return JSON.parse(JSON.stringify(copy));
}
