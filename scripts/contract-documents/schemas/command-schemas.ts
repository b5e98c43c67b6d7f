import { getMetadataStorage, type MetadataStorage, ValidationTypes } from 'class-validator';

import { AdHocReportFetch, type CommandType, GameOpen, RakeReportFetch, SessionCreate } from '#contracts';

import { type Definitions, type JsonSchema, reference } from './json-schema.ts';
import { LAUNCH_DEFINITIONS } from './launch-options-schema.ts';
import { noteOf } from './member-notes.ts';
import { schemaOfRule } from './rule-schemas.ts';

type Rule = ReturnType<MetadataStorage['getTargetValidationMetadatas']>[number];
type Shape = new () => object;

const { IS_DEFINED, CUSTOM_VALIDATION, NESTED_VALIDATION } = ValidationTypes;

const SHAPES: Readonly<Record<CommandType, Shape>> = {
  'session.create': SessionCreate,
  'game.open': GameOpen,
  'report.ad-hoc.fetch': AdHocReportFetch,
  'report.rake.fetch': RakeReportFetch,
};

const TITLES: Readonly<Record<CommandType, string>> = {
  'session.create': 'A session for a player, with the URL that opens the lobby.',
  'game.open': 'The lobby for a player, or with session.tableId a table.',
  'report.ad-hoc.fetch': 'Figures of all players over a period, or of one; dateFrom lies before dateTo.',
  'report.rake.fetch': 'The rake of players over a period; dateFrom lies before dateTo.',
};

/**
 * A schema for the data of each command, and for the objects in it, read from the decorators of its class.
 *
 * @throws TypeError where a rule has no words in JSON Schema yet
 */
export function commandSchemas(): Definitions {
  const nested = new Map<string, Shape>();
  const schemas: Record<string, JsonSchema> = {};
  for (const [type, shape] of Object.entries(SHAPES)) {
    schemas[type] = { description: TITLES[type as CommandType], ...objectSchema(shape, nested) };
  }
  for (const [name, shape] of nested) schemas[name] = objectSchema(shape, nested);
  return { ...schemas, ...LAUNCH_DEFINITIONS };
}

function objectSchema(shape: Shape, nested: Map<string, Shape>): JsonSchema {
  const storage = getMetadataStorage();
  const rules = storage.getTargetValidationMetadatas(shape, '', false, false);
  const members = Object.entries(storage.groupByPropertyName(rules));
  const properties = members.map(([name, own]) => [name, memberSchema(shape, name, own, nested)] as const);
  const required = members.filter(([, own]) => own.some(({ type }) => type === IS_DEFINED));
  return {
    type: 'object',
    required: required.map(([name]) => name),
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

function memberSchema(
  shape: Shape,
  name: string,
  rules: readonly Rule[],
  nested: Map<string, Shape>,
): JsonSchema {
  const within = rules.find(({ type }) => type === NESTED_VALIDATION)?.context as Shape | undefined;
  if (within !== undefined) {
    nested.set(within.name, within);
    return reference(within.name);
  }
  const own = rules.filter(({ type }) => type === CUSTOM_VALIDATION).map((rule) => schemaOfRule(rule));
  const description = noteOf(shape.name, name);
  return Object.assign({}, ...own, description !== undefined && { description }) as JsonSchema;
}
