import type { Options } from 'amqplib';

import { type BadMessage, bytes, nested } from './bad-message.ts';

const malformed = (name: string, body: Buffer): BadMessage => ({ name, body, code: 'MALFORMED_MESSAGE' });

/** Bodies that are no data at all. */
export const UNREADABLE: readonly BadMessage[] = [
  malformed('no JSON', bytes('hello')),
  malformed('an empty body', bytes()),
  malformed('blanks', bytes(' \n\t')),
  malformed('JSON that ends too early', bytes('{"userId": "p-1"')),
  malformed('JSON with something behind it', bytes('{"userId": "p-1"}}')),
  malformed('JSON with a comment', bytes('{"userId": "p-1"} // hello')),
  malformed('JSON with a trailing comma', bytes('{"userId": "p-1",}')),
  malformed("Python's quotes", bytes("{'userId': 'p-1'}")),
  malformed('NaN', bytes('{"userId": NaN}')),
  malformed('a control character in a string', bytes('{"userId": "p-1', [0x0a], '"}')),
  malformed('an array', bytes('[{"userId": "p-1"}]')),
  malformed('a number', bytes('7')),
  malformed('a string', bytes('"session.create"')),
  malformed('null', bytes('null')),
  malformed('true', bytes('true')),
  malformed('a byte that UTF-8 does not have', bytes('{"userId": "p-', [0xff], '"}')),
  malformed('an overlong encoding', bytes('{"userId": "p-', [0xc0, 0xaf], '"}')),
  malformed('half of a character', bytes('{"userId": "p-', [0xe2, 0x82], '"}')),
  malformed('a surrogate in UTF-8', bytes('{"userId": "p-', [0xed, 0xa0, 0x80], '"}')),
  malformed('a byte order mark', bytes([0xef, 0xbb, 0xbf], '{"userId": "p-1"}')),
  malformed('UTF-16', Buffer.from('{"userId": "p-1"}', 'utf16le')),
  malformed('zeros', Buffer.alloc(100)),
  malformed('60,000 brackets that open', bytes('['.repeat(60_000))),
  malformed('30,000 arrays in each other', bytes(nested(30_000))),
  malformed('a gzipped body', bytes([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])),
];

const tooLarge = (name: string, body: Buffer, options: Options.Publish = {}): BadMessage => ({
  name,
  body,
  options,
  code: 'MESSAGE_TOO_LARGE',
});

/** Bodies over 64 KiB. */
export const TOO_LARGE: readonly BadMessage[] = [
  tooLarge('one byte too many', bytes('{"userId": "', 'x'.repeat(65_537 - 14), '"}')),
  tooLarge('a megabyte of brackets', bytes('['.repeat(1024 * 1024))),
  tooLarge('a megabyte of objects', bytes('{"a":'.repeat(200_000))),
  tooLarge('a megabyte that is no UTF-8', Buffer.alloc(1024 * 1024, 0xff)),
  tooLarge('a large body of an unknown command', Buffer.alloc(100_000, 0x20), { type: 'no.such.command' }),
];
