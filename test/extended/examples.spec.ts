import { cp } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { Program } from '../../scripts/processes/program.ts';
import { root } from '../../scripts/root.ts';
import { CallerProject } from '../contracts/packed-package.ts';
import { sandboxedForAll, type SandboxedOptions } from '../e2e/commands/sandboxed-service.ts';
import { installPythonClient } from '../support/python-client.ts';

const EXAMPLES: readonly (readonly [file: string, language: 'Python' | 'Node.js'])[] = [
  ['python/send_commands.py', 'Python'],
  ['node/send-commands.mjs', 'Node.js'],
  ['nest/send-commands.ts', 'Node.js'],
];
const NEST = ['@nestjs/common', '@nestjs/core', '@nestjs/microservices', 'rxjs'];

/** A project with the examples and their dependencies. */
const project = new CallerProject();
let python: string;
beforeAll(async () => {
  await cp(join(root, 'examples'), project.path, { recursive: true });
  await project.install('libs/contracts');
  await project.install('libs/rabbitmq');
  await project.install('libs/caller');
  await project.link(...NEST);
  python = await installPythonClient(project.path);
});
afterAll(() => project[Symbol.dispose]());

describe.each<[string, SandboxedOptions, (result: Awaited<Program['result']>) => void]>([
  [
    'a worker',
    {},
    ({ code, stdout, stderr }) => {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.trimEnd().split('\n')).toEqual([
        expect.stringMatching(/^lobby: http:\/\/127\.0\.0\.1:\d+\/lobby\?auth=\S+&lang=en$/),
        'page 1 of 3: 200 records',
        'page 2 of 3: 200 records',
        'page 3 of 3: 200 records',
        'complete: 600 records',
      ]);
    },
  ],
  [
    'a worker that has the wrong secret key',
    { worker: { PLATFORM_SECRET_KEY: 'wrong' } },
    ({ code, stdout, stderr }) => {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^SIGNATURE_REJECTED: The platform refused the signature\./);
    },
  ],
])('against %s', (_, options, expectRightly) => {
  const sandboxed = sandboxedForAll(options);

  it.each(EXAMPLES)('examples/%s prints the outcome of its commands', async (file, language) => {
    const { url, prefix } = sandboxed.service;
    const program = language === 'Python' ? python : process.execPath;
    expectRightly(await project.run(program, file, { AMQP_URL: url, AMQP_PREFIX: prefix }));
  });
});
