import { describe, expect, it } from '@jest/globals';

import { COMMANDS, type Reply, REPLIES } from '#contracts';

import { InternalKeys } from '../envelope/internal-keys.ts';
import { StoredReplies } from './stored-replies.ts';

const safe = new StoredReplies(new InternalKeys(Buffer.alloc(32, 7)));
const opened: Reply = {
  type: 'game.opened',
  data: { id: 'g-1', playerId: 'ünï\u2028', sessionId: 's-1', auth: 'CANARY', url: 'https://example.com' },
};
const store = (reply: unknown): string => safe.encrypt(reply as Reply, 'key', 'fingerprint');
const read = (stored: string | null): Reply | undefined => safe.decrypt(stored, 'key', 'fingerprint');

describe('StoredReplies', () => {
  it('gives back what was stored, which nobody else can read', () => {
    const stored = store(opened);
    expect(read(stored)).toEqual(opened);
    expect(Buffer.from(stored, 'base64').toString('latin1')).not.toContain('CANARY');
    expect(store(opened)).not.toBe(stored);
  });

  // A final reply that is not known here would have every other worker do its command a second time.
  it.each(COMMANDS.flatMap(({ replies }) => replies.filter(({ final }) => final).map(({ type }) => type)))(
    'gives back %s with whatever members it has',
    (type) => {
      expect(read(store({ type, data: { later: 1 } }))).toEqual({ type, data: { later: 1 } });
    },
  );

  it.each([...REPLIES.values()].filter(({ final }) => !final).map(({ type }) => type))(
    'takes for absent what ends no command: %s',
    (type) => {
      expect(read(store({ type, data: {} }))).toBeUndefined();
    },
  );

  it.each([
    [],
    'game.opened',
    { type: 'game.opened' },
    { type: 'game.opened', data: null },
    { type: 'constructor', data: {} },
  ])('takes for absent what is no reply: %j', (value) => {
    expect(read(store(value))).toBeUndefined();
  });

  it.each([null, '', 'AAAA', JSON.stringify(opened), Buffer.alloc(100).toString('base64')])(
    'takes for absent what somebody else wrote: %s',
    (stored) => {
      expect(read(stored)).toBeUndefined();
    },
  );

  it('takes for absent what was changed by a bit, or cut', () => {
    const bytes = Buffer.from(store(opened), 'base64');
    for (const at of [0, 12, 28, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(read(changed.toString('base64'))).toBeUndefined();
    }
    expect(read(bytes.subarray(0, -1).toString('base64'))).toBeUndefined();
  });

  it('belongs to one command, and to workers with one key', () => {
    const stored = store(opened);
    expect(safe.decrypt(stored, 'another key', 'fingerprint')).toBeUndefined();
    expect(safe.decrypt(stored, 'key', 'another fingerprint')).toBeUndefined();
    expect(
      new StoredReplies(new InternalKeys(Buffer.alloc(32, 8))).decrypt(stored, 'key', 'fingerprint'),
    ).toBeUndefined();
  });

  it('can be read after the key has changed, and is written with the new one', () => {
    const keys = new InternalKeys(Buffer.alloc(32, 7));
    const changed = new StoredReplies(keys);
    const before = store(opened);
    keys.rotate(Buffer.alloc(32, 8));
    expect(changed.decrypt(before, 'key', 'fingerprint')).toEqual(opened);
    expect(read(changed.encrypt(opened, 'key', 'fingerprint'))).toBeUndefined();
  });
});
