// A platform that serves all four operations after a fixed time. The name of a player says what becomes of a request.
import { createServer, type ServerResponse } from 'node:http';

import { REPORT_RECORDS, sessionOf } from './session-of.ts';

const { PORT, LATENCY_MS = '20' } = process.env;
const SIGNATURE = /^[0-9a-f]{64}$/;

interface Failure {
  readonly status: number;
  readonly detail?: string;
}

/** Players whose first request has failed. */
const hasFailed = new Set<string>();

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const url = new URL(request.url ?? '/', 'http://platform');
    const body = Buffer.concat(chunks).toString();
    const isSigned = SIGNATURE.test(String(request.headers['sign']));
    setTimeout(() => {
      if (isSigned) answer(url, body, response);
      else send(response, 400, { errors: [{ status: 400, detail: 'Not Valid Request Signature' }] });
    }, Number(LATENCY_MS));
  });
}).listen(Number(PORT), '127.0.0.1');

function answer(url: URL, body: string, response: ServerResponse): void {
  const [, user] = /\/users\/([^/]+)\/session$/.exec(url.pathname) ?? [];
  const isGame = url.pathname.endsWith('/open-game');
  const game = isGame ? (JSON.parse(body) as Game) : undefined;
  const form = new URLSearchParams(isGame ? '' : body);
  const player = game?.data.attributes.player.id ?? decodeURIComponent(user ?? '');
  const isLaterPage = Number(url.searchParams.get('page') ?? 1) > 1;
  const failure = isLaterPage ? undefined : failureFor(player || (form.get('userId') ?? ''));
  if (failure) send(response, failure.status, { errors: [failure] });
  else if (game) send(response, 200, gameDocument(game));
  else if (player) send(response, 200, sessionDocument(player));
  else send(response, 200, reportDocument(url));
}

/** `flaky-…` fails in passing, once; `taken-…` and `absent-…` for good. */
function failureFor(player: string): Failure | undefined {
  if (player.startsWith('absent-')) return { status: 404 };
  if (player.startsWith('taken-')) {
    return { status: 422, detail: 'A Player with this username already exists in the system.' };
  }
  // The second request forgets the first, so that hours of them need no memory.
  if (!player.startsWith('flaky-') || hasFailed.delete(player)) return undefined;
  hasFailed.add(player);
  return { status: 503 };
}

interface Game {
  readonly data: {
    readonly attributes: {
      readonly player: { readonly id: string };
      readonly session?: { readonly id?: string };
    };
  };
}

function sessionDocument(player: string): object {
  return { data: { type: 'session', id: `auth-${player}`, attributes: sessionOf(player) } };
}

function gameDocument({ data: { attributes } }: Game): object {
  const { id } = attributes.player;
  const opened = {
    playerId: id,
    sessionId: attributes.session?.id ?? `session-${id}`,
    auth: `auth-${id}`,
    url: `https://lobby.example/?auth=auth-${id}`,
  };
  return { data: { type: 'GameSession', id: `/games/${id}`, attributes: opened } };
}

function reportDocument({ pathname, searchParams }: URL): object {
  const [page, perPage] = [Number(searchParams.get('page')), Number(searchParams.get('per-page'))];
  const first = (page - 1) * perPage + 1;
  const count = Math.max(0, Math.min(perPage, REPORT_RECORDS - first + 1));
  const type = pathname.endsWith('/rake') ? 'players-rake' : 'ad-hoc-report';
  return {
    data: Array.from({ length: count }, (_, index) => ({
      type,
      id: String(first + index),
      attributes: {
        'user-id': `u-${first + index}`,
        date: '2026-01-01',
        currency: 'USD',
        value: first + index,
      },
    })),
    links: { self: { href: pathname } },
    meta: {
      'total-count': REPORT_RECORDS,
      'page-count': Math.ceil(REPORT_RECORDS / perPage),
      'current-page': page,
      'per-page': perPage,
    },
  };
}

function send(response: ServerResponse, status: number, document: object): void {
  response.writeHead(status, { 'content-type': 'application/vnd.api+json' }).end(JSON.stringify(document));
}
