import { join } from 'node:path';

import { beforeAll, describe, expect, it, jest } from '@jest/globals';

import { installMissing } from '../../../scripts/debian.ts';
import { Program } from '../../../scripts/processes/program.ts';
import { root } from '../../../scripts/root.ts';
import { sandboxedForAll } from '../../e2e/commands/sandboxed-service.ts';
import { installPythonClient } from '../../support/python-client.ts';
import { folderForAll } from '../../support/suite-service.ts';

const PACKAGES = Object.fromEntries(
  ['fastapi', 'httpx', 'django'].map((name) => [
    `python3-${name}`,
    `/usr/lib/python3/dist-packages/${name}/__init__.py`,
  ]),
);
/** Requests to each example: one for a lobby, and one with an invalid player id. */
const FRAMEWORKS = {
  fastapi: `from fastapi.testclient import TestClient
from fastapi_app import app

with TestClient(app) as client:
    for player in ("alice", "x" * 300):
        response = client.post(f"/players/{player}/lobby")
        print(response.status_code, response.json())
`,
  django: `import django
import django_app
from django.test import Client

django.setup()
for player in ("alice", "x" * 300):
    response = Client().post(f"/players/{player}/lobby")
    print(response.status_code, response.json())
django_app.caller().close()
`,
};

jest.setTimeout(300_000);

describe('the examples for web frameworks', () => {
  const folder = folderForAll();
  const sandboxed = sandboxedForAll();
  let python: string;
  beforeAll(async () => {
    await installMissing(PACKAGES);
    python = await installPythonClient(folder.path);
  });

  it.each(Object.entries(FRAMEWORKS))(
    '%s answers with the lobby, and with a status for an error',
    async (name, text) => {
      const { url, prefix } = sandboxed.service;
      const env = {
        AMQP_URL: url,
        AMQP_PREFIX: prefix,
        PYTHONPATH: join(root, 'examples/python'),
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONWARNINGS: 'ignore',
      };
      const { stdout, stderr } = await new Program(python, [folder.write(`use_${name}.py`, text)], env)
        .result;
      expect(stdout + stderr).toMatch(/^200 \{'url': 'http:.*\}\n400 \{'code': 'VALIDATION_FAILED'\}\n$/);
    },
  );
});
