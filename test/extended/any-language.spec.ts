import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it, jest } from '@jest/globals';

import { Program } from '../../scripts/processes/program.ts';
import { root } from '../../scripts/root.ts';
import { sandboxedForAll } from '../e2e/commands/sandboxed-service.ts';
import { folderForAll } from '../support/suite-service.ts';

const EXAMPLES = join(root, 'examples/any-language');
const JARS = ['amqp-client', 'slf4j-api'].map((name) => `/usr/share/java/${name}.jar`);
/** Of 2010; `RabbitMqClient6.cs` adds the members of version 6. */
const RABBITMQ_CLIENT = '/usr/lib/mono/4.5/RabbitMQ.Client.dll';
const ADAPTERS = join(root, 'test/extended/RabbitMqClient6.cs');

/** Each language, with the required files from Debian packages and the command that runs its example. */
const LANGUAGES: readonly (readonly [name: string, needs: readonly string[], command: string])[] = [
  [
    'Go',
    ['/usr/bin/go', '/usr/share/gocode/src/github.com/rabbitmq/amqp091-go'],
    `GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE="$PWD/cache" go run ${EXAMPLES}/open_lobby.go`,
  ],
  ['Java', ['/usr/bin/java', ...JARS], `java -cp ${JARS.join(':')} ${EXAMPLES}/OpenLobby.java`],
  [
    'C#',
    ['/usr/bin/mcs', '/usr/bin/mono', RABBITMQ_CLIENT],
    `mcs -nologo -nowarn:436 -out:open-lobby.exe -r:${RABBITMQ_CLIENT} -r:debian=${RABBITMQ_CLIENT} \
${ADAPTERS} ${EXAMPLES}/OpenLobby.cs && mono open-lobby.exe`,
  ],
  ['PHP', ['/usr/bin/php', '/usr/share/php/PhpAmqpLib/autoload.php'], `php ${EXAMPLES}/open_lobby.php`],
];

jest.setTimeout(120_000);

describe('the clients of docs/any-language.md', () => {
  const folder = folderForAll();
  const sandboxed = sandboxedForAll();

  describe.each(LANGUAGES)('in %s', (_name, needs, command) => {
    const isInstalled = needs.every((path) => existsSync(path));

    (isInstalled ? it : it.skip)('open the lobby', async () => {
      const { url, prefix } = sandboxed.service;
      const env = { AMQP_URL: url, AMQP_PREFIX: prefix, HOME: folder.path };
      const program = new Program('/bin/sh', ['-c', `cd "$0" && ${command}`, folder.path], env);
      const { code, stdout, stderr } = await program.result;
      if (code !== 0) throw new Error(stdout + stderr);
      expect(stdout).toMatch(/^(lobby: |game\.opened .*"url":")http:\/\/127\.0\.0\.1:\d+\/lobby\?auth=/);
    });
  });
});
