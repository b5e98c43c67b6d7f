import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import spawn from 'nano-spawn';
import { parse } from 'yaml';

import { CONTRACT_FOLDER } from '../../../scripts/contract-documents/contract-files.ts';
import { EXAMPLES } from '../../../scripts/contract-documents/message-examples.ts';
import { MESSAGE_NAMES, schemaName } from '../../../scripts/contract-documents/schemas/schemas.ts';
import { installMissing } from '../../../scripts/debian.ts';
import { Program } from '../../../scripts/processes/program.ts';
import { root } from '../../../scripts/root.ts';
import { installFromNpm } from '../../support/npm-project.ts';
import { folderForAll } from '../../support/suite-service.ts';
import { DATEUTIL, LANGUAGES } from './languages.ts';

/** Generators, which are installed into `.run` because they are larger than all other packages together. */
const GENERATORS = {
  quicktype: '26.0.0',
  'json-schema-to-typescript': '16.0.0',
  'openapi-typescript': '7.13.0',
  '@asyncapi/modelina': '5.10.1',
  '@stoplight/spectral-cli': '6.16.3',
};
const TSC = join(root, 'node_modules/typescript/bin/tsc');
const SCHEMAS = join(root, CONTRACT_FOLDER, 'schemas');

jest.setTimeout(300_000);

/** Golden messages as type and text, because a floating-point number cannot represent 64-bit amounts. */
const GOLDEN = MESSAGE_NAMES.flatMap((name) =>
  (EXAMPLES[name] ?? []).map(({ name: example, payload }) => ({
    title: `${name}, ${example}`,
    type: schemaName(name),
    text: JSON.stringify(payload),
    isFaulty: JSON.stringify(payload).includes('"faults":['),
  })),
);
/**
 * An amount that no double can represent. It has fewer than 19 digits, which Jackson of Debian 12 rejects.
 */
const LARGE = '123456789012345679';
const LARGE_PAGES = GOLDEN.filter(({ type, isFaulty }) => type === 'ReportPage' && !isFaulty).map(
  (message) => ({
    ...message,
    title: `${message.title}, 64 bits`,
    text: message.text.replace(/(?<="(bets|value)":)\d+/, LARGE),
  }),
);

/** Converts integers to strings with all digits, and normalizes times. */
function comparable(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) => {
    if (typeof value === 'number') return `number ${context?.source}`;
    if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/.test(value))
      return value;
    return new Date(/(^[\d-]+|Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`).toISOString();
  }) as unknown;
}

async function run(command: string, cwd: string): Promise<string> {
  const env = { NODE: process.execPath, TSC, TYPE_ROOTS: join(root, 'node_modules/@types'), HOME: cwd };
  const { code, stdout, stderr } = await new Program('/bin/sh', ['-c', `cd "$0" && ${command}`, cwd], env)
    .result;
  if (code !== 0) throw new Error(`ended with ${code}:\n${stdout.slice(-4_000)}${stderr.slice(-4_000)}`);
  return stdout;
}

/** Returns the files of the schemas; quicktype names a type by its file. */
function writeSchemas(folder: string, adapt = (schema: string) => schema): readonly string[] {
  mkdirSync(folder);
  return MESSAGE_NAMES.map((name) => {
    const file = join(folder, `${schemaName(name)}.json`);
    writeFileSync(file, adapt(readFileSync(join(SCHEMAS, `${name}.schema.json`), 'utf8')));
    return file;
  });
}

describe('code generators', () => {
  const folder = folderForAll();
  const inFolder = (...parts: readonly string[]) => join(folder.path, ...parts);
  /** The `node_modules` of the generators. */
  let modules: string;
  const tool = (name: string, ...args: readonly string[]) =>
    spawn(process.execPath, [join(modules, '.bin', name), ...args], { cwd: modules, stdin: 'ignore' });

  beforeAll(async () => {
    await installMissing({ 'python3-dateutil': DATEUTIL });
    const wanted = Object.entries(GENERATORS).map((each) => each.join('@'));
    modules = await installFromNpm('generators', wanted);
    writeSchemas(inFolder('schemas'));
  });

  describe.each(LANGUAGES)(
    'quicktype for $name',
    ({ name, needs, options = [], adapt, types, program, run: command }) => {
      const isAvailable = needs.every((path) => existsSync(path));

      (isAvailable ? it : it.skip)('keeps every member of every golden message', async () => {
        const place = inFolder(name);
        mkdirSync(place);
        const [file, text] = program;
        const names = MESSAGE_NAMES.map(schemaName);
        const sources = writeSchemas(inFolder(`${name}-schemas`), adapt);
        const common = ['--src-lang', 'schema', '--lang', name, '--out', join(place, types)];
        await tool('quicktype', ...common, ...options, ...sources);
        writeFileSync(join(place, file), text(names));
        const golden = [...GOLDEN, ...(name === 'typescript' ? [] : LARGE_PAGES)];
        const lines = golden.map((message) => `${message.type} ${message.text}\n`);
        writeFileSync(join(place, 'golden.txt'), lines.join(''));
        const printed = (await run(command, place)).trimEnd().split('\n');
        expect(printed).toHaveLength(golden.length);
        for (const [number, { title, isFaulty, text: sent }] of golden.entries()) {
          const line = printed[number] ?? '';
          // An amount of another type is reported, not dropped.
          if (isFaulty && line === 'error') continue;
          if (line === 'error') throw new Error(`${title} cannot be decoded`);
          expect({ title, message: comparable(line) }).toMatchObject({
            title,
            message: comparable(sent) as object,
          });
        }
      });
    },
  );

  it('json-schema-to-typescript names every type, records included', async () => {
    const place = inFolder('json2ts');
    await tool('json2ts', '--input', inFolder('schemas'), '--output', place, '--additionalProperties=false');
    const page = readFileSync(join(place, 'ReportPage.d.ts'), 'utf8');
    expect(page).toContain(
      'export type ReportPage = AdHocReportPage | RakeReportPage | ReportPageWithFaults;',
    );
    expect(page).toMatch(/interface AdHocReportPage \{.*?records: AdHocRecord\[\];/s);
    expect(page).toMatch(/interface RakeRecord \{.*value: number;/s);
    const files = readdirSync(place).map((file) => `"${join(place, file)}"`);
    await run(`"$NODE" "$TSC" --noEmit --strict ${files.join(' ')}`, place);
  });

  it('openapi-typescript types the interface of the platform', async () => {
    const file = inFolder('platform.ts');
    await tool('openapi-typescript', join(root, CONTRACT_FOLDER, 'openapi.yaml'), '--output', file);
    await run(`"$NODE" "$TSC" --noEmit --strict "${file}"`, folder.path);
    expect(readFileSync(file, 'utf8')).toContain('export interface paths');
  });

  it('modelina names every type of the AsyncAPI document', async () => {
    const { TypeScriptGenerator } = (await import(join(modules, '@asyncapi/modelina/lib/cjs/index.js'))) as {
      TypeScriptGenerator: new (options: object) => { generate(document: unknown): Promise<Model[]> };
    };
    const document = parse(readFileSync(join(root, CONTRACT_FOLDER, 'asyncapi.yaml'), 'utf8')) as unknown;
    const models = await new TypeScriptGenerator({ modelType: 'interface' }).generate(document);
    const names = models.map(({ modelName }) => modelName);
    expect(names.filter((name) => /Anonymous|Dot|Minus/.test(name))).toEqual([]);
    for (const name of MESSAGE_NAMES) expect(names).toContain(schemaName(name));
    const page = models.find(({ modelName }) => modelName === 'AdHocReportPage');
    expect(page?.result).toContain('records: AdHocRecord[];');
  });

  it('Spectral finds no error in the AsyncAPI document', async () => {
    const ruleset = folder.write('spectral.yaml', 'extends: ["spectral:asyncapi"]\n');
    const args = ['--ruleset', ruleset, '--fail-severity', 'error', '--format', 'json'];
    const linted = tool('spectral', 'lint', join(root, CONTRACT_FOLDER, 'asyncapi.yaml'), ...args);
    await expect(linted).resolves.toBeDefined();
  });
});

interface Model {
  readonly modelName: string;
  readonly result: string;
}
