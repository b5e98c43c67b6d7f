import { isDeepStrictEqual } from 'node:util';

import type { CommandType } from '#contracts';

import { sessionOf } from '../../support/platform-stub.ts';
import { REPORT_RECORDS } from '../platform/start-platform.ts';

/** One reply as its caller sees it. */
export interface SeenReply {
  readonly type: string;
  readonly sequence: number;
  readonly isFinal: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A command, and how its caller knows that the replies to it are the right ones. */
export interface MixedCommand {
  readonly type: CommandType;
  readonly data: object;
  /** Whether `replies`, in the order in which they came, are all and the right ones. */
  isAnsweredBy(replies: readonly SeenReply[]): boolean;
}

const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
const PER_PAGE = 20;
const PAGES = Math.ceil(REPORT_RECORDS / PER_PAGE);

/** Of twenty commands: eleven sessions, six games, two reports that page, and one that breaks the contract. */
const MIX = [
  session('player'),
  game('player'),
  session('player'),
  report('report.ad-hoc.fetch'),
  session('player'),
  game('taken', 'NICKNAME_TAKEN'),
  session('flaky'),
  game('player'),
  session('player'),
  session('absent', 'PLAYER_NOT_FOUND'),
  session('player'),
  game('flaky'),
  session('player'),
  report('report.rake.fetch'),
  session('player'),
  game('player'),
  session('player'),
  broken(),
  session('player'),
  game('player'),
] as const;

/** The command with this number: always the same one. */
export function mixedCommand(number: number): MixedCommand {
  const make = MIX.at(number % MIX.length) as (typeof MIX)[number];
  return make(number);
}

type Make = (number: number) => MixedCommand;

function session(kind: string, code?: string): Make {
  return (number) => {
    const userId = `${kind}-${number}`;
    const expected = sessionOf(userId);
    return {
      type: 'session.create',
      data: { userId, nick: `Ace ${number}`, lang: 'en', currency: 'EUR' },
      isAnsweredBy: only(code ?? 'session.created', {
        userId,
        sessionId: expected['session-id'],
        auth: expected.auth,
        redirectUrl: expected['redirect-url'],
      }),
    };
  };
}

function game(kind: string, code?: string): Make {
  return (number) => {
    const id = `${kind}-${number}`;
    return {
      type: 'game.open',
      data: { player: { id, nick: `Ace ${number}` }, session: { id: `s-${number}`, lang: 'en' } },
      isAnsweredBy: only(code ?? 'game.opened', {
        id: `/games/${id}`,
        playerId: id,
        sessionId: `s-${number}`,
        auth: `auth-${id}`,
        url: `https://lobby.example/?auth=auth-${id}`,
      }),
    };
  };
}

/** One report of three fails in passing at its first page: more, and the budget for retries would run out. */
function report(type: 'report.ad-hoc.fetch' | 'report.rake.fetch'): Make {
  return (number) => ({
    type,
    data: { ...PERIOD, userId: `${number % 3 === 0 ? 'flaky' : 'player'}-${number}`, perPage: PER_PAGE },
    isAnsweredBy: (replies) => {
      const pages = replies.slice(0, -1);
      const last = replies.at(-1);
      const ids = pages.flatMap(({ body }) =>
        (body['records'] as { id: string }[]).map(({ id }) => Number(id)),
      );
      return (
        pages.length === PAGES &&
        replies.every(({ sequence }, index) => sequence === index) &&
        pages.every((page) => page.type === 'report.page' && !page.isFinal) &&
        isDeepStrictEqual(
          ids,
          Array.from({ length: REPORT_RECORDS }, (_, index) => index + 1),
        ) &&
        last?.type === 'report.completed' &&
        last.isFinal &&
        last.body['pages'] === PAGES &&
        last.body['records'] === REPORT_RECORDS
      );
    },
  });
}

function broken(): Make {
  return (number) => ({
    type: 'session.create',
    data: { userId: `player-${number}`, language: 'en' },
    isAnsweredBy: only('VALIDATION_FAILED', {}),
  });
}

/** One reply, final, of that type and with exactly that body; or a failure with that code. */
function only(typeOrCode: string, body: object): MixedCommand['isAnsweredBy'] {
  return (replies) => {
    const [reply] = replies;
    if (replies.length !== 1 || !reply?.isFinal || reply.sequence !== 0) return false;
    if (reply.type === 'command.failed') return reply.body['code'] === typeOrCode;
    return reply.type === typeOrCode && isDeepStrictEqual(reply.body, body);
  };
}
