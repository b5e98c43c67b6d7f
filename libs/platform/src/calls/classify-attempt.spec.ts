import { expect, it } from '@jest/globals';

import type { ExchangeEnd } from '../transport/exchange.ts';
import { classifyAttempt } from './classify-attempt.ts';

const answer = (status: number): ExchangeEnd => ({
  kind: 'answer',
  answer: { status, headers: { 'retry-after': '3' }, body: Buffer.alloc(0) },
});
const noAnswer = (kind: 'lost' | 'not-sent', fault: 'reset' | 'refused' | 'closed'): ExchangeEnd => ({
  kind,
  fault,
});

it.each<[string, ExchangeEnd, object, string, string]>([
  ['204', answer(204), { kind: 'answered' }, 'healthy', '2xx'],
  ['302', answer(302), { kind: 'answered' }, 'ignored', '3xx'],
  ['422', answer(422), { kind: 'answered' }, 'ignored', '4xx'],
  ['429', answer(429), { kind: 'transient', retryAfterMs: 3000 }, 'ignored', '4xx'],
  ['500', answer(500), { kind: 'transient', retryAfterMs: 3000 }, 'unhealthy', '5xx'],
  ['999', answer(999), { kind: 'transient' }, 'unhealthy', '5xx'],
  ['lost', noAnswer('lost', 'reset'), { kind: 'unknown' }, 'unhealthy', 'reset'],
  ['not sent', noAnswer('not-sent', 'refused'), { kind: 'not-sent' }, 'unhealthy', 'refused'],
  ['closed', noAnswer('lost', 'closed'), { kind: 'unknown' }, 'ignored', 'closed'],
])('classifies an attempt that ended with %s', (_end, end, outcome, health, result) => {
  expect(classifyAttempt(end, 0)).toMatchObject({ outcome, health, result });
});
