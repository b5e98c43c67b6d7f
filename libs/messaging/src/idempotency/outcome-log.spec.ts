import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { OutcomeLog } from './outcome-log.ts';

const CHUNK_BYTES = 256 * 1024;
const CHUNK_TEXTS = 4096;

describe('OutcomeLog', () => {
  it('gives back whatever was appended, in chunks of every kind', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 2_000 }),
      fc.nat(3).map((share) => '♠'.repeat((share * CHUNK_BYTES) / 3)),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
        const log = new OutcomeLog();
        const places = texts.map((each, index) => log.append(`${index}`, each, index));
        expect(places.map((place) => log.at(place))).toEqual(
          texts.map((each, untilMs) => ({ text: each, untilMs })),
        );
      }),
      { numRuns: 15 },
    );
  });

  it('drops in the order in which it was given', () => {
    const log = new OutcomeLog();
    log.dropOldest();
    expect(log.oldest()).toBeUndefined();
    const [a, b] = ['a', 'b'].map((identity, index) => log.append(identity, identity, 10 + index));
    expect(log.oldest()).toEqual({ identity: 'a', place: a, untilMs: 10 });
    log.dropOldest();
    expect(log.oldest()).toEqual({ identity: 'b', place: b, untilMs: 11 });
    expect(log.at(b!).text).toBe('b');
    log.dropOldest();
    expect([log.oldest(), log.length, log.bytes]).toEqual([undefined, 0, 0]);
    expect(() => log.at(a!)).toThrow('dropped');
  });

  it('is small as long as it is short', () => {
    const log = new OutcomeLog();
    log.append('a', 'x', 0);
    expect(log.bytes).toBe(16 * 1024);
    for (let index = 0; index < 5_000; index += 1) log.append(`${index}`, 'x'.repeat(200), index);
    expect(log.bytes).toBeLessThan(2 * 5_000 * 200);
  });

  it('holds as much memory as the texts that stand need', () => {
    const log = new OutcomeLog();
    const standing = 1_000;
    for (let index = 0; index < 50_000; index += 1) {
      const place = log.append(`${index}`, `text ${index}`.padEnd(150), index);
      expect(log.at(place).untilMs).toBe(index);
      if (index >= standing) {
        expect(log.oldest()?.identity).toBe(`${index - standing}`);
        log.dropOldest();
      }
      expect(log.bytes).toBeLessThanOrEqual(3 * CHUNK_BYTES);
    }
    expect(log.length).toBe(standing);
  });

  it('gives a chunk of its own to what is larger than one, and its memory back', () => {
    const log = new OutcomeLog();
    log.append('small', '', 0);
    log.append('large', 'x'.repeat(2 * CHUNK_BYTES), 0);
    expect(log.bytes).toBeGreaterThan(2 * CHUNK_BYTES);
    log.dropOldest();
    log.dropOldest();
    expect(log.bytes).toBe(0);
  });

  it('gives every text a place of its own, however short they are', () => {
    const log = new OutcomeLog();
    const places = Array.from({ length: 5 * CHUNK_TEXTS }, (_, index) => log.append(`${index}`, '', 0));
    expect(new Set(places).size).toBe(places.length);
  });
});
