import { dripping, healthy, silent } from '../../support/platform-answers.ts';
import { answerJson, type PlatformBehaviour } from '../../support/platform-stub.ts';

/** Of an answer that comes, and comes late. */
const SLOW_MS = 4_000;

const slow: PlatformBehaviour = (request, response, socket) => {
  const timer = setTimeout(() => void healthy(1)(request, response, socket), SLOW_MS);
  response.on('close', () => clearTimeout(timer));
};

/** The ways in which the platform's report endpoint fails; its sessions and games are well meanwhile. */
export const REPORT_ENDPOINTS = {
  'never answers': silent,
  'answers after 4 s': slow,
  drips: dripping,
  'resets the connection': (_request, _response, socket) => void socket.resetAndDestroy(),
  'answers 500 at once': (_request, response) => answerJson(response, 500, { errors: [] }),
} as const satisfies Record<string, PlatformBehaviour>;

export type ReportEndpoint = keyof typeof REPORT_ENDPOINTS;
