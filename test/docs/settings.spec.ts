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
const CONSTANT = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;
/**
 * Names of the sandbox, of tests of a service, of Nest, of Node.js, of the platform, of RabbitMQ and of
 * OpenTelemetry's SDK.
 */
const FOREIGN =
  /^(APP_FILTER|SANDBOX_.*|POKER_BRIDGE_CHECKOUT|NODE_.*|UV_.*|ROLE_ADMIN|ACCESS_REFUSED|OTEL_RESOURCE_.*|OTEL_EXPORTER_OTLP_(TIMEOUT|COMPRESSION|.*CERTIFICATE|.*KEY))$/;
const UNDELIVERED_REASONS = 'REPLY_QUEUE_GONE REPLY_QUEUE_UNREACHABLE EVENT_REFUSED'.split(' ');

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

  const readers = definitions.map(([name, { read: reader }]) => [name, reader] as const);
  it.each(readers)('gives the bounds or words of %s, if it has any', (name, reader) => {
    const [, , values = ''] = rows.find(([cell]) => code(cell) === name) ?? [];
    const [, bounds] = /must be an integer from (\d+ to \d+)/.exec(reasonFor(reader, '1.5')) ?? [];
    expect(values).toContain(bounds ?? '');
    const [, words] = /must be one of (.+)$/.exec(reasonFor(reader, 'nonsense')) ?? [];
    // Many words are in the item below the table.
    const item = itemsOf(text).find((each) => each.text.startsWith(`\`${name}\`: `))?.text ?? '';
    const given = codeSpansOf(values === 'below' ? item : values).filter((span) => span !== name);
    expect(given).toEqual(words?.split(', ') ?? given);
  });
});

describe('every document', () => {
  const known = new Set<string>([
    ...definitions.flatMap(([name, { isSecret }]) => (isSecret ? [name, `${name}_FILE`] : [name])),
    ...Object.keys(ERROR_CODES),
    ...Object.keys(CALLER_CODES),
    ...UNDELIVERED_REASONS,
    ...Object.keys(composeVariables),
    ...Object.keys(WORKER.environment),
  ]);

  // The limits have constants of the code as well, which their own spec knows.
  it.each(documents())('%s names variables and codes that exist', (path) => {
    const named = codeSpansOf(read(path)).flatMap((span) => span.match(CONSTANT) ?? []);
    const isUnknown = (name: string) => !known.has(name) && !FOREIGN.test(name);
    const ofContracts = path.startsWith('libs/contracts/')
      ? /^(COMMAND_TYPES|LANE_OF_COMMAND|ERROR_CODES)$/
      : /^$/;
    expect(named.filter((name) => isUnknown(name) && !ofContracts.test(name))).toEqual([]);
  });
});

function fallbackOf({ default: fallback, isRequired }: Definition): string {
  return fallback ?? (isRequired ? 'required' : 'none');
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
