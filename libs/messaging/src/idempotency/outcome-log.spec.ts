import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { Reply } from '#contracts';

import { OutcomeLog } from './outcome-log.ts';

const CHUNK_BYTES = 256 * 1024;
const CHUNK_OUTCOMES = 4096;

const created = (auth: string): Reply => ({
  type: 'session.created',
  data: { userId: 'p-1', sessionId: 's-1', auth, redirectUrl: 'https://play.example' },
});

describe('OutcomeLog', () => {
  it('gives back whatever was appended, in chunks of every kind', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 2_000 }),
      fc.nat(3).map((share) => '♠'.repeat((share * CHUNK_BYTES) / 3)),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
        const log = new OutcomeLog();
        const places = texts.map((auth, index) => log.append(`${index}`, `f-${index}`, created(auth), index));
        places.forEach((place, index) => {
          // What is no text of Unicode comes back from JSON as it went in, by its escape.
          expect(log.reply(place)).toEqual(created(texts[index]!));
          expect(log.fingerprint(place)).toBe(`f-${index}`);
          expect(log.untilMs(place)).toBe(index);
        });
      }),
      { numRuns: 50 },
    );
  });

  it('drops in the order in which it was given, and tells when the next one is over', () => {
    const log = new OutcomeLog();
    expect([log.oldestUntilMs, log.dropOldest()]).toEqual([Infinity, undefined]);
    const places = ['a', 'b'].map((identity, index) =>
      log.append(identity, 'f', created(identity), 10 + index),
    );
    expect([log.oldestUntilMs, log.dropOldest()]).toEqual([10, { identity: 'a', place: places[0] }]);
    expect(log.reply(places[1]!)).toEqual(created('b'));
    expect([log.oldestUntilMs, log.dropOldest()]).toEqual([11, { identity: 'b', place: places[1] }]);
    expect([log.oldestUntilMs, log.dropOldest()]).toEqual([Infinity, undefined]);
  });

  it('lists what was not dropped, over several chunks', () => {
    const log = new OutcomeLog();
    const places = Array.from({ length: 10_000 }, (_, index) => ({
      identity: `${index}`,
      place: log.append(`${index}`, 'f', created('x'), index),
    }));
    for (let index = 0; index < 5_000; index += 1) log.dropOldest();
    expect(log.length).toBe(5_000);
    expect(log.places()).toEqual(places.slice(5_000));
  });

  it('is small as long as it is short', () => {
    const log = new OutcomeLog();
    log.append('a', 'f', created('x'), 0);
    expect(log.bytes).toBe(16 * 1024);
    for (let index = 0; index < 5_000; index += 1) log.append(`${index}`, 'f', created('x'), index);
    expect(log.bytes).toBeLessThan(2 * 5_000 * 200);
  });

  it('holds as much memory as the outcomes that stand need', () => {
    const log = new OutcomeLog();
    const standing = 1_000;
    for (let index = 0; index < 50_000; index += 1) {
      const place = log.append(`${index}`, 'f', created(`${index}`), index);
      expect(log.reply(place)).toEqual(created(`${index}`));
      if (index >= standing) expect(log.dropOldest()?.identity).toBe(`${index - standing}`);
      expect(log.bytes).toBeLessThanOrEqual(3 * CHUNK_BYTES);
    }
    for (let index = 0; index < standing; index += 1) log.dropOldest();
    expect(log.bytes).toBe(0);
  });

  it('gives a chunk of its own to what is larger than one, and its memory back', () => {
    const log = new OutcomeLog();
    log.append('small', 'f', created(''), 0);
    const place = log.append('large', 'f', created('x'.repeat(2 * CHUNK_BYTES)), 0);
    expect(log.reply(place)).toEqual(created('x'.repeat(2 * CHUNK_BYTES)));
    expect(log.bytes).toBeGreaterThan(2 * CHUNK_BYTES);
    log.dropOldest();
    log.dropOldest();
    expect(log.bytes).toBe(0);
  });

  it('gives every outcome a place of its own, however short they are', () => {
    const log = new OutcomeLog();
    const reply = { type: 'x' } as unknown as Reply;
    const places = Array.from({ length: 5 * CHUNK_OUTCOMES }, (_, index) =>
      log.append(`${index}`, '', reply, 0),
    );
    expect(new Set(places).size).toBe(places.length);
  });
});
