import { healthy } from '../../support/platform-answers.ts';
import { answerJson, type PlatformBehaviour } from '../../support/platform-stub.ts';

/** Of an answer that comes, and comes late. */
const SLOW_MS = 4_000;
const DRIP_MS = 100;

const drip: PlatformBehaviour = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/vnd.api+json' });
  const timer = setInterval(() => response.write(' '), DRIP_MS);
  response.on('close', () => clearInterval(timer));
};

const slow: PlatformBehaviour = (request, response, socket) => {
  const timer = setTimeout(() => void healthy(1)(request, response, socket), SLOW_MS);
  response.on('close', () => clearTimeout(timer));
};

/** The ways in which the platform's report endpoint fails; its sessions and games are well meanwhile. */
export const REPORT_ENDPOINTS = {
  'never answers': () => undefined,
  'answers after 4 s': slow,
  drips: drip,
  'resets the connection': (_request, _response, socket) => void socket.resetAndDestroy(),
  'answers 500 at once': (_request, response) => answerJson(response, 500, { errors: [] }),
} as const satisfies Record<string, PlatformBehaviour>;

export type ReportEndpoint = keyof typeof REPORT_ENDPOINTS;
