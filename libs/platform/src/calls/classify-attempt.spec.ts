import { expect, it } from '@jest/globals';

import type { Answer } from '../transport/exchange.ts';
import { classifyAttempt } from './classify-attempt.ts';

const answer = (status: number, retryAfter?: string): Answer => ({
  status,
  retryAfter,
  contentEncoding: undefined,
  body: Buffer.alloc(0),
});

it.each([
  [200, 'answered', 'healthy', '2xx'],
  [204, 'answered', 'healthy', '2xx'],
  [302, 'answered', 'ignored', '3xx'],
  [400, 'answered', 'ignored', '4xx'],
  [422, 'answered', 'ignored', '4xx'],
  [429, 'transient', 'ignored', '4xx'],
  [500, 'transient', 'unhealthy', '5xx'],
  [503, 'transient', 'unhealthy', '5xx'],
  [999, 'transient', 'unhealthy', '5xx'],
])('classifies the answer %d as %s, %s, %s', (status, kind, health, result) => {
  const attempt = classifyAttempt({ kind: 'answer', answer: answer(status) }, 0);
  expect([attempt.outcome.kind, attempt.health, attempt.result]).toEqual([kind, health, result]);
});

it.each([
  ['lost', 'reset', 'unknown', 'unhealthy'],
  ['lost', 'timeout', 'unknown', 'unhealthy'],
  ['not-sent', 'refused', 'not-sent', 'unhealthy'],
  ['not-sent', 'closed', 'not-sent', 'ignored'],
  ['lost', 'closed', 'unknown', 'ignored'],
] as const)('classifies an exchange %s by %s as %s, %s', (kind, fault, outcome, health) => {
  const attempt = classifyAttempt({ kind, fault }, 0);
  expect([attempt.outcome.kind, attempt.health, attempt.result]).toEqual([outcome, health, fault]);
});

it.each([429, 503])('keeps the wait that %d asks for', (status) => {
  const { outcome } = classifyAttempt({ kind: 'answer', answer: answer(status, '3') }, 0);
  expect(outcome).toMatchObject({ retryAfterMs: 3000 });
});
