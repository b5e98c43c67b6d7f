import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { installPacked, linkPackages } from '../contracts/packed-package.ts';
import {
  type SandboxedOptions,
  type SandboxedService,
  startSandboxedService,
} from '../e2e/commands/sandboxed-service.ts';
import { installPythonClient } from '../support/python-client.ts';

const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const EXAMPLES: readonly (readonly [file: string, language: 'Python' | 'Node.js'])[] = [
  ['python/send_commands.py', 'Python'],
  ['node/send-commands.mjs', 'Node.js'],
  ['nest/send-commands.ts', 'Node.js'],
];
const NEST = ['@nestjs/common', '@nestjs/core', '@nestjs/microservices', 'rxjs'];
const RUN_TIMEOUT_MS = 30_000;
const INSTALL_TIMEOUT_MS = 120_000;

interface Run {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program with only the given environment. */
function run(program: string, args: readonly string[], variables: Record<string, string>): Promise<Run> {
  const env = { PATH: process.env['PATH'], ...variables };
  return new Promise((resolve) => {
    execFile(program, args, { env, timeout: RUN_TIMEOUT_MS }, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr });
    });
  });
}

/** A project with the examples and what they install. */
let folder: string;
let python: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'examples-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await cp(examples, folder, { recursive: true });
  await installPacked('libs/contracts', folder);
  await installPacked('libs/rabbitmq', folder);
  await installPacked('libs/caller', folder);
  await linkPackages(NEST, folder);
  python = await installPythonClient(folder);
}, INSTALL_TIMEOUT_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each<[string, SandboxedOptions, (result: Run) => void]>([
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
  let sandboxed: SandboxedService;
  beforeAll(async () => {
    sandboxed = await startSandboxedService(options);
  }, RUN_TIMEOUT_MS);
  afterAll(async () => sandboxed?.[Symbol.asyncDispose]());

  it.each(EXAMPLES)(
    'examples/%s prints the outcome of its commands',
    async (file, language) => {
      const { url, prefix } = sandboxed.service;
      const program = language === 'Python' ? python : process.execPath;
      expectRightly(await run(program, [join(folder, file)], { AMQP_URL: url, AMQP_PREFIX: prefix }));
    },
    RUN_TIMEOUT_MS,
  );
});
