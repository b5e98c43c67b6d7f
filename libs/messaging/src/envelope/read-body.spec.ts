import { describe, expect, it } from '@jest/globals';

import { readBody } from './read-body.ts';

const MAX_BYTES = 64 * 1024;

const read = (content: string | Buffer, mayBePacket = true, maxBytes = MAX_BYTES) =>
  readBody(Buffer.from(content as string), Buffer.byteLength(content), maxBytes, mayBePacket);

const MALFORMED: [string, string | Buffer][] = [
  ['nothing', ''],
  ['blanks', ' \n'],
  ['a word', 'hello'],
  ['half an object', '{"userId":"p-1"'],
  ['an object and more', '{"userId":"p-1"}{}'],
  ['a comma too many', '{"userId":"p-1",}'],
  ['single quotes', "{'userId':'p-1'}"],
  ['a bare NaN', '{"page":NaN}'],
  ['null', 'null'],
  ['a string', '"{}"'],
  ['a number', '1'],
  ['a boolean', 'true'],
  ['a list', '[]'],
  ['a list of commands', '[{"userId":"p-1"}]'],
  ['a byte order mark', '\uFEFF{"userId":"p-1"}'],
  ['UTF-16', Buffer.from('{"userId":"p-1"}', 'utf16le')],
  ['Latin-1', Buffer.from('{"userId":"Zo\u00EB"}', 'latin1')],
  ['half a character', Buffer.concat([Buffer.from('{"userId":"'), Buffer.of(0xc3), Buffer.from('"}')])],
  ['an overlong character', Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xc0, 0xaf), Buffer.from('"}')])],
  [
    'a surrogate in UTF-8',
    Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('"}')]),
  ],
];

describe('readBody', () => {
  it.each(MALFORMED)('refuses %s as malformed', (_, content) => {
    for (const mayBePacket of [true, false]) {
      const body = read(content, mayBePacket);
      expect(body).toMatchObject({ form: 'typed', fault: { code: 'MALFORMED_MESSAGE' } });
      expect(body).not.toHaveProperty('data');
    }
  });

  it('takes an object as the data', () => {
    expect(read(' {"userId":"Zo\u00EB \u{1F0A1}"}\n')).toEqual({
      form: 'typed',
      data: { userId: 'Zo\u00EB \u{1F0A1}' },
    });
    expect(read('{}')).toEqual({ form: 'typed', data: {} });
  });

  it('keeps __proto__ as a member like any other', () => {
    const { data } = read('{"__proto__":{"userId":"p-1"}}');
    expect(Object.keys(data as object)).toEqual(['__proto__']);
    expect(data).not.toHaveProperty('userId');
    expect(({} as Record<string, unknown>)['userId']).toBeUndefined();
  });

  it.each([
    ['a packet', { pattern: 'session.create', data: { userId: 'p-1' }, id: 'n-1' }],
    ['an event, which has no id', { pattern: 'session.create', data: { userId: 'p-1' } }],
    ['a packet with a pattern that is no text', { pattern: { cmd: 'x' }, data: null, id: 7 }],
    ['a packet without data', { id: 'n-1', pattern: 'session.create' }],
  ])('reads %s', (_, packet) => {
    expect(read(JSON.stringify(packet))).toEqual({ ...packet, form: 'packet' });
  });

  it('takes a packet for data if the message has a type', () => {
    const packet = { pattern: 'session.create', data: {}, id: 'n-1' };
    expect(read(JSON.stringify(packet), false)).toEqual({ form: 'typed', data: packet });
  });

  it('finds no pattern in the prototype', () => {
    expect(read('{"__proto__":{"pattern":"session.create"}}').form).toBe('typed');
  });

  it.each([
    ['one that cannot be read', `{"pattern":"session.create","data":`, MAX_BYTES],
    ['one that is too large', `{"pattern":"session.create","data":{}}`, 20],
  ])('guesses the form of a packet: %s', (_, content, maxBytes) => {
    expect(read(content, true, maxBytes)).toMatchObject({ form: 'packet', fault: expect.anything() });
    expect(read(content, false, maxBytes)).toMatchObject({ form: 'typed', fault: expect.anything() });
  });

  it('accepts a body of exactly the largest size, in bytes', () => {
    const content = `{"nick":"${'\u00EB'.repeat((MAX_BYTES - 12) / 2)}"} `;
    expect(Buffer.byteLength(content)).toBe(MAX_BYTES);
    expect(read(content)).not.toHaveProperty('fault');
    expect(read(`${content} `)).toMatchObject({
      fault: { code: 'MESSAGE_TOO_LARGE', details: { bytes: MAX_BYTES + 1, maxBytes: MAX_BYTES } },
    });
  });

  it.each([
    ['open brackets', '['.repeat(1_000_000)],
    ['nested lists', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['nested objects', '{"a":'.repeat(200_000)],
  ])('refuses a megabyte of %s quickly, too large or not', (_, content) => {
    const used = process.threadCpuUsage();
    expect(read(content).fault?.code).toBe('MESSAGE_TOO_LARGE');
    expect(read(content, true, 2_000_000).fault?.code).toBe('MALFORMED_MESSAGE');
    // Of the processor, so that a busy machine changes nothing.
    expect(process.threadCpuUsage(used).user / 1_000).toBeLessThan(2_000);
  });

  it('never repeats the body in its fault', () => {
    const { fault } = read('{"userId":"CANARY');
    expect(`${fault?.message} ${String(fault?.cause)} ${JSON.stringify(fault)}`).not.toContain('CANARY');
  });
});
