import { expect, it } from '@jest/globals';

import type { Answer } from '../transport/answer.ts';
import { judge } from './judge.ts';

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
  [429, 'passing', 'ignored', '4xx'],
  [500, 'passing', 'unhealthy', '5xx'],
  [503, 'passing', 'unhealthy', '5xx'],
  [999, 'passing', 'unhealthy', '5xx'],
])('an answer %d is %s, %s, %s', (status, kind, health, result) => {
  const judgement = judge({ kind: 'answer', answer: answer(status) }, () => 0);
  expect([judgement.outcome.kind, judgement.health, judgement.result]).toEqual([kind, health, result]);
});

it.each([
  ['lost', 'reset', 'unknown', 'unhealthy'],
  ['lost', 'timeout', 'unknown', 'unhealthy'],
  ['not-sent', 'refused', 'not-sent', 'unhealthy'],
  ['not-sent', 'closed', 'not-sent', 'ignored'],
  ['lost', 'closed', 'unknown', 'ignored'],
] as const)('an exchange %s by %s is %s, %s', (kind, fault, outcome, health) => {
  const judgement = judge({ kind, fault }, () => 0);
  expect([judgement.outcome.kind, judgement.health, judgement.result]).toEqual([outcome, health, fault]);
});

it.each([429, 503])('%d brings the wait that it asks for', (status) => {
  expect(judge({ kind: 'answer', answer: answer(status, '3') }, () => 0).outcome).toMatchObject({
    retryAfterMs: 3000,
  });
});
