import { describe, expect, it } from '@jest/globals';

import { PackageIndex } from './debian-archive.ts';

const INDEX = `Package: server
Version: 4.3.6-1
Depends: erlang-base (>= 1:27) | erlang-base-hipe, erlang-ssl:any, adduser, virtual
Pre-Depends: libc6
Filename: pool/s/server_4.3.6-1_all.deb
Size: 1200
SHA256: abc

Package: erlang-base
Version: 1:29
Depends: libc6 (>= 2.40), server
Filename: pool/e/erlang-base.deb
Size: 10
SHA256: def

Package: erlang-ssl
Version: 1:29

Package: libc6
Version: 2.43

Package: adduser
Depends: perl

Package: perl
`;

const closure = (root: string, ...leftOut: string[]) =>
  new PackageIndex(INDEX).closureOf(root, new Set(leftOut));

describe('PackageIndex', () => {
  it('finds a package with all that it needs, once each, whatever needs what in turn', () => {
    expect(closure('server', 'adduser').map(({ name }) => name)).toEqual([
      'erlang-base',
      'erlang-ssl',
      'libc6',
      'server',
    ]);
  });

  it('reads where a package lies, and its digest', () => {
    expect(closure('server').at(-1)).toEqual({
      name: 'server',
      version: '4.3.6-1',
      path: 'pool/s/server_4.3.6-1_all.deb',
      sha256: 'abc',
      bytes: 1_200,
      dependencies: ['erlang-base', 'erlang-ssl', 'adduser', 'virtual', 'libc6'],
    });
  });

  it('says if there is no such package', () => {
    expect(() => closure('rabbitmq-server')).toThrow('it holds no package rabbitmq-server');
  });
});
