import 'reflect-metadata';
import { createHash } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { sessionIdOf } from './game-open.controller.ts';

const NAMESPACE = '6f1c2d0e0f435c1b9b0e3f6a7d1f4c52';

/** UUIDv5, implemented independently after RFC 9562. */
function uuid5(name: string): string {
  const bytes = createHash('sha1').update(Buffer.from(NAMESPACE, 'hex')).update(name, 'utf8').digest();
  bytes[6] = (Number(bytes[6]) & 0x0f) | 0x50;
  bytes[8] = (Number(bytes[8]) & 0x3f) | 0x80;
  return bytes.toString('hex', 0, 16).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}

describe('sessionIdOf', () => {
  it('is the same for the same command, in every version of this service', () => {
    expect(sessionIdOf('shop', 'default', 'm-1')).toBe(sessionIdOf('shop', 'default', 'm-1'));
    expect(sessionIdOf('shop', 'default', 'm-1')).toBe(uuid5('["shop","default","m-1"]'));
  });

  it.each([
    ['another command', ['shop', 'default', 'm-2']],
    ['another operator', ['shop', 'casino', 'm-1']],
    ['another caller', ['cashier', 'default', 'm-1']],
    ['operator and id that join to the same text', ['shop', 'defaultm-', '1']],
    ['operator and id that join to the same text with a comma', ['shop', 'default","m-1', '']],
  ] as const)('differs for %s', (_, [caller, operator, id]) => {
    expect(sessionIdOf(caller, operator, id)).not.toBe(sessionIdOf('shop', 'default', 'm-1'));
  });
});
