import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { root } from '../../../scripts/root.ts';
import { Program } from '../../support/program.ts';

it('the launcher names the existing tasks', async () => {
  await using program = new Program(process.execPath, [join(root, 'scripts/run.mjs'), 'nothing']);

  const { code, stderr } = await program.result;
  expect(code).toBe(2);
  expect(stderr).toMatch(/one of: .*broker.*build.*check.*demo.*sandbox.*test.*worker/);
});
