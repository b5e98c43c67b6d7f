import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { readAddress } from './address.ts';

type Row = { address: string; fault?: string };
const VECTORS = new URL('../../../../test/vectors/amqp-addresses.json', import.meta.url);
const ROWS = JSON.parse(readFileSync(VECTORS, 'utf8')) as Row[];

describe('readAddress', () => {
  it.each(ROWS)('reads $address as the Python client does', ({ address, fault, ...expected }) => {
    const read = () => readAddress(address.replace('HOST', 'broker.example'));
    if (fault === undefined) expect(read()).toMatchObject(expected);
    else expect(read).toThrow(new RegExp(`^must (?!.*CANARY).*${fault}`));
  });

  it('returns any percent-encoded user, password and virtual host unchanged', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((each) => each.isWellFormed());
    // A URL drops the path segments . and .., which therefore cannot name a virtual host.
    const path = text.filter((each) => !/^\.\.?$/.test(each));
    fc.assert(
      fc.property(text, text, path, (user, password, virtualHost) => {
        const [encodedUser, encodedPassword, encodedPath] = [user, password, virtualHost].map(
          encodeURIComponent,
        );
        const address = readAddress(`amqp://${encodedUser}:${encodedPassword}@broker.example/${encodedPath}`);
        expect(address).toMatchObject({ user, password, virtualHost });
      }),
    );
  });
});
