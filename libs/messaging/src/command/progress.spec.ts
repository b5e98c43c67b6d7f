import { describe, expect, it } from '@jest/globals';

import { commandOf, copiedCommandOf } from './command.fixture.ts';
import { type Progress, progressHeaders, readProgress } from './progress.ts';

const runAt = (sequence: number, progress: Progress | undefined) =>
  Object.assign(commandOf().run, { sequence, progress });

const afterRetry = (headers: object) =>
  copiedCommandOf({ queue: 'poker.reports', headers: { ...headers } }).run;

describe('progress', () => {
  it('comes back as it was written', () => {
    const progress = { pages: 5, records: 2_500, firstTotal: 9_999, changedWhileReading: false };
    const headers = progressHeaders(runAt(5, progress));
    expect(readProgress(headers)).toEqual({ sequence: 5, progress });
    expect(afterRetry(headers)).toMatchObject({ sequence: 5, progress });
    expect(commandOf({ queue: 'poker.reports', headers }).run).toMatchObject({ sequence: 0 });
  });

  it('travels in headers that AMQP can hold', () => {
    const headers = progressHeaders(runAt(5, { pages: 5, changedWhileReading: true }));
    expect(Object.values(headers).every((value) => ['string', 'number'].includes(typeof value))).toBe(true);
  });

  it('of a run that has published nothing is that of a first run', () => {
    const headers = progressHeaders(runAt(0, undefined));
    expect(headers).toEqual({ 'x-sequence': 0 });
    expect(readProgress(headers)).toEqual({ sequence: 0 });
  });

  it.each([
    ['nothing', {}],
    ['a progress alone', { 'x-progress': '{"pages":5}' }],
    ['a sequence below 0', { 'x-sequence': -1, 'x-progress': '{"pages":5}' }],
    ['a sequence that is no integer', { 'x-sequence': 1.5, 'x-progress': '{"pages":5}' }],
    ['a sequence as text', { 'x-sequence': '5', 'x-progress': '{"pages":5}' }],
  ])('counts as a first run if the headers hold %s', (_, headers) => {
    expect(readProgress(headers)).toEqual({ sequence: 0 });
    expect(afterRetry(headers)).toMatchObject({ sequence: 0, progress: undefined });
  });

  it.each([
    ['none, as of a redriven command', {}],
    ['one that is not JSON', { 'x-progress': '{' }],
    ['one that is null', { 'x-progress': 'null' }],
    ['one that is a number', { 'x-progress': '5' }],
    ['one that is a table', { 'x-progress': { pages: 5 } }],
  ])(
    'begins again, with the next sequence, if the headers hold a sequence and of a progress %s',
    (_, headers) => {
      expect(afterRetry({ 'x-sequence': 5, ...headers })).toMatchObject({ sequence: 5, progress: undefined });
    },
  );
});
