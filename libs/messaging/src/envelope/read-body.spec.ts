import { describe, expect, it } from '@jest/globals';

import { readBody } from './read-body.ts';

const MAX_BYTES = 64 * 1024;

const read = (content: string | Buffer, mayBePacket = true, maxBytes = MAX_BYTES) =>
  readBody(Buffer.from(content as string), Buffer.byteLength(content), maxBytes, mayBePacket);

describe('readBody', () => {
  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['a word', 'hello'],
    ['an object and more', '{"userId":"p-1"}{}'],
    ['a bare NaN', '{"page":NaN}'],
    ['null', 'null'],
    ['a string', '"{}"'],
    ['a list of commands', '[{"userId":"p-1"}]'],
    ['two byte order marks', '\uFEFF\uFEFF{"userId":"p-1"}'],
    ['UTF-16', Buffer.from('{"userId":"p-1"}', 'utf16le')],
    ['Latin-1', Buffer.from('{"userId":"Zo\u00EB"}', 'latin1')],
    [
      'an overlong character',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xc0, 0xaf), Buffer.from('"}')]),
    ],
    ['a secret that is cut off', '{"userId":"CANARY'],
  ])('refuses %s as malformed, and does not repeat it', (_, content) => {
    for (const mayBePacket of [true, false]) {
      const { fault, ...body } = read(content, mayBePacket);
      expect([body, fault?.code]).toEqual([{ form: 'typed' }, 'MALFORMED_MESSAGE']);
      expect(`${fault?.message} ${String(fault?.cause)} ${JSON.stringify(fault)}`).not.toContain('CANARY');
    }
  });

  it('skips a byte order mark, and uses the last value of a duplicate member', () => {
    expect(read('\uFEFF{"userId":"p-1","userId":"p-2"}')).toEqual({ form: 'typed', data: { userId: 'p-2' } });
  });

  it('returns an object as the data, with __proto__ as an ordinary member', () => {
    expect(read(' {"userId":"Zo\u00EB \u{1F0A1}"}\n')).toEqual({
      form: 'typed',
      data: { userId: 'Zo\u00EB \u{1F0A1}' },
    });
    const { data, form } = read('{"__proto__":{"pattern":"session.create"}}');
    expect([form, Object.keys(data as object)]).toEqual(['typed', ['__proto__']]);
    expect(data).not.toHaveProperty('pattern');
  });

  it.each([
    ['a packet', { pattern: 'session.create', data: { userId: 'p-1' }, id: 'n-1' }],
    ['an event, which has no id', { pattern: 'session.create', data: { userId: 'p-1' } }],
    ['a packet with a pattern that is no text', { pattern: { cmd: 'x' }, data: null, id: 7 }],
    ['a packet without data', { id: 'n-1', pattern: 'session.create' }],
  ])('reads %s, and takes it for data if the message has a type', (_, packet) => {
    expect(read(JSON.stringify(packet))).toEqual({ ...packet, form: 'packet' });
    expect(read(JSON.stringify(packet), false)).toEqual({ form: 'typed', data: packet });
  });

  it.each([
    ['cannot be read', `{"pattern":"session.create","data":`, MAX_BYTES],
    ['is too large', `{"pattern":"session.create","data":{}}`, 20],
  ])('guesses the form of a packet that %s', (_, content, maxBytes) => {
    expect(read(content, true, maxBytes)).toMatchObject({ form: 'packet', fault: expect.anything() });
    expect(read(content, false, maxBytes)).toMatchObject({ form: 'typed', fault: expect.anything() });
  });

  it('refuses a body with too many values without parsing it, and names the member', () => {
    const values = `[${Array.from({ length: 10_000 }, () => '{}').join()}]`;
    const { data, fault } = read(`{"userId":"u","x/y":${values}}`);
    expect([data, fault?.code, fault?.violations?.[0]?.pointer]).toEqual([
      undefined,
      'VALIDATION_FAILED',
      '/x~1y',
    ]);
    expect(read(`{"pattern":"session.create","id":"n-1","data":{"x":${values}}}`)).toMatchObject({
      id: 'n-1',
    });
    expect(read(values).fault?.code).toBe('MALFORMED_MESSAGE');
  });

  it('accepts a body of exactly the maximum size in bytes', () => {
    const content = `{"nick":"${'\u00EB'.repeat((MAX_BYTES - 12) / 2)}"} `;
    expect(Buffer.byteLength(content)).toBe(MAX_BYTES);
    expect(read(content)).not.toHaveProperty('fault');
    expect(read(`${content} `)).toMatchObject({
      fault: { code: 'MESSAGE_TOO_LARGE', details: { bytes: MAX_BYTES + 1, maxBytes: MAX_BYTES } },
    });
  });
});
