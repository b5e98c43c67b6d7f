import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

import { COMMANDS } from '#contracts/validation';

import { operationOf } from '../../../apps/sandbox/src/interface/documents.ts';
import { DEFINITIONS } from '../../../libs/platform/src/operations/operations.ts';
import { CONTRACT_FOLDER } from '../../../scripts/contract-documents/contract-files.ts';
import { root } from '../../../scripts/root.ts';

const { paths } = parse(readFileSync(join(root, CONTRACT_FOLDER, 'openapi.yaml'), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

describe.each(COMMANDS)('the request of $type', ({ type, examples }) => {
  const sender = {
    clientId: 'sandbox',
    settings: { rakeParametersIn: 'form', playerCountryMember: 'country', clientKey: undefined },
  } as const;
  const { method, pathTemplate, document } = DEFINITIONS[type].request(examples[0]?.data as never, sender);
  const template = document ? pathTemplate : `/api/web${pathTemplate}`;

  it('has an endpoint in the sandbox', () =>
    expect(operationOf(method, template.replaceAll(/[{}]/g, ''))).toBeDefined());

  it('is described in openapi.yaml', () =>
    expect(Object.keys(paths[template] ?? {})).toContain(method.toLowerCase()));
});
