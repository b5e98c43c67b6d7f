import { describe, expect, it } from '@jest/globals';

import { CALLER_CODES } from '#caller';
import { ERROR_CODES } from '#contracts';
import { SETTINGS, type SettingName } from '#settings';

import { WORKER } from '../../scripts/build/programs.ts';
import { variables as composeVariables } from '../deploy/compose-file.ts';
import { code, codeSpansOf, documents, itemsOf, read, tablesWith } from './markdown.ts';

interface Definition {
  readonly read: (text: string) => unknown;
  readonly default: string | undefined;
  readonly isRequired?: boolean;
  readonly isSecret?: boolean;
}

const definitions = Object.entries(SETTINGS) as [SettingName, Definition][];
const text = read('docs/settings.md');
const rows = tablesWith(text, 'Variable').flatMap((table) => table.rows);
const BOUNDS = /^(\d+) to (\d+)$/;
const WORDS = /^`\w[\w-]*`(, `\w[\w-]*`)+$/;
const CONSTANT = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;
/** Of Node.js, of the platform, of RabbitMQ. */
const FOREIGN = [
  'NODE_EXTRA_CA_CERTS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'UV_THREADPOOL_SIZE',
  'ROLE_ADMIN',
  'ACCESS_REFUSED',
];
/** Read by OpenTelemetry's SDK. */
const OF_OPENTELEMETRY = [
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_EXPORTER_OTLP_COMPRESSION',
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_CLIENT_KEY',
  'OTEL_RESOURCE_ATTRIBUTES',
];
const UNDELIVERED_REASONS = [
  'REPLY_QUEUE_GONE',
  'REPLY_QUEUE_FULL',
  'REPLY_QUEUE_UNREACHABLE',
  'EVENT_REFUSED',
];

describe('docs/settings.md', () => {
  it('lists every variable once, with its default', () => {
    const documented = rows.map(([name, fallback = '']) => [code(name), fallback.replaceAll('`', '')]);
    const actual = definitions.map(([name, definition]) => [name, fallbackOf(definition)]);
    expect(documented.toSorted()).toEqual(actual.toSorted());
  });

  it('lists the variables that may come from a file', () => {
    const secrets = itemsOf(text).find((item) => item.text.startsWith('Secrets: '));
    const [sentence = ''] = (secrets?.text ?? '').split(' are never logged.');
    const actual = definitions.filter(([, { isSecret }]) => isSecret).map(([name]) => name);
    expect(codeSpansOf(sentence).toSorted()).toEqual(actual.toSorted());
  });

  it('gives each variable its values and its meaning', () => {
    expect(rows.filter((cells) => cells.length !== 4 || cells.includes(''))).toEqual([]);
  });

  const bounded = rows.filter(([, , values = '']) => BOUNDS.test(values));
  it.each(bounded.map(([name, , values = '']) => [code(name), values]))(
    'gives the bounds of %s: %s',
    (name, values) => {
      const [, min, max] = BOUNDS.exec(values)!.map(Number) as [number, number, number];
      const taken = [min - 1, min, max, max + 1].map((value) => takes(name, String(value)));
      expect(taken).toEqual([false, true, true, false]);
    },
  );

  it('gives the bounds of every variable that has them', () => {
    const unbounded = definitions
      .filter(([name]) => !bounded.some(([cell]) => code(cell) === name))
      .filter(([, { read: reader }]) => /must be an integer from/.test(reasonFor(reader, '1.5')));
    expect(unbounded.map(([name]) => name)).toEqual(['REPORTS_RETRY_DELAYS_MS']);
  });

  const worded = rows.filter(([, , values = '']) => WORDS.test(values));
  it.each(worded.map(([name, , values = '']) => [code(name), codeSpansOf(values)] as const))(
    'gives the words of %s',
    (name, words) => {
      const { read: reader } = SETTINGS[name as SettingName] as Definition;
      expect(reasonFor(reader, 'nonsense')).toBe(`must be one of ${words.join(', ')}`);
    },
  );

  it('gives the words of every variable that has them', () => {
    const wordless = definitions
      .filter(([name]) => !worded.some(([cell]) => code(cell) === name))
      .filter(([, { read: reader }]) => /must be one of/.test(reasonFor(reader, 'nonsense')));
    expect(wordless.map(([name]) => name)).toEqual(['LANES']);
  });
});

describe('README.md', () => {
  it('gives the defaults of the settings that it shows', () => {
    const [table] = tablesWith(read('README.md'), 'Variable');
    for (const [names = '', fallbacks = ''] of table?.rows ?? []) {
      const shown = codeSpansOf(names).filter((name) => !name.endsWith('_FILE') || name in SETTINGS);
      const given = codeSpansOf(fallbacks);
      for (const [index, name] of shown.entries()) {
        const definition = SETTINGS[name as SettingName] as Definition | undefined;
        const expected = definition?.default ?? (definition?.isRequired ? '' : 'none');
        expect([name, given[index] ?? fallbacks]).toEqual([name, expected]);
      }
    }
  });
});

describe('every document', () => {
  const known = new Set<string>([
    ...definitions.flatMap(([name, { isSecret }]) => (isSecret ? [name, `${name}_FILE`] : [name])),
    ...Object.keys(ERROR_CODES),
    ...Object.keys(CALLER_CODES),
    ...UNDELIVERED_REASONS,
    ...FOREIGN,
    ...OF_OPENTELEMETRY,
    ...Object.keys(composeVariables),
    ...Object.keys(WORKER.environment),
  ]);

  // The limits have constants of the code as well, which their own spec knows.
  it.each(documents())('%s names variables and codes that exist', (path) => {
    const named = codeSpansOf(read(path)).flatMap((span) => span.match(CONSTANT) ?? []);
    const isUnknown = (name: string) => !known.has(name) && !name.startsWith('SANDBOX_');
    const ofContracts = path.startsWith('libs/contracts/')
      ? /^(COMMAND_TYPES|LANE_OF_COMMAND|ERROR_CODES)$/
      : /^$/;
    expect(named.filter((name) => isUnknown(name) && !ofContracts.test(name))).toEqual([]);
  });
});

function fallbackOf({ default: fallback, isRequired }: Definition): string {
  return fallback ?? (isRequired ? 'required' : 'none');
}

function takes(name: string, value: string): boolean {
  return reasonFor((SETTINGS[name as SettingName] as Definition).read, value) === '';
}

/** Why a reader refuses a value; '' if it takes it. */
function reasonFor(reader: Definition['read'], value: string): string {
  try {
    reader(value);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
