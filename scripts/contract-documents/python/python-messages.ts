import { COMMANDS, ERROR_CODES, REPLIES } from '#contracts';

import type { JsonSchema } from '../schemas/json-schema.ts';
import { SCHEMAS } from '../schemas/schemas.ts';

const HEAD = `"""The messages of the contract, written by \`npm run contract\`."""

from __future__ import annotations

from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar

Record = TypeVar("Record")
`;
const CODES = Object.keys(ERROR_CODES);
/** Not written as a class: any JSON object, or a string that holds one. */
const LAUNCH_OPTIONS = 'LaunchOptions';
const PAGE = 'report.page';
/** Longer lines would not be Black's. */
const MAX_LINE = 110;

/** A module with a \`TypedDict\` for the data of each command and reply, and for the objects in it. */
export function pythonMessages(): string {
  const messages = [...COMMANDS, ...REPLIES.values()];
  const nameOf = new Map<string, string>(messages.map(({ type, data }) => [type, data.name]));
  const names = Object.keys(SCHEMAS).filter((name) => nameOf.has(name) || isShape(name));
  const classes = names.map((name) => classOf(nameOf.get(name) ?? name, name));
  const codes = `ErrorCode = Literal[\n${CODES.map((code) => `    "${code}",\n`).join('')}]\n`;
  return [HEAD, codes, ...classes].join('\n');
}

function isShape(name: string): boolean {
  return !name.includes('.') && SCHEMAS[name]?.['properties'] !== undefined;
}

function classOf(className: string, schemaName: string): string {
  const { description, properties, required } = SCHEMAS[schemaName] as JsonSchema;
  const bases = schemaName === PAGE ? 'TypedDict, Generic[Record]' : 'TypedDict';
  const members = Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => {
    const type = schemaName === PAGE && name === 'records' ? 'list[Record]' : typeOf(schema);
    const isRequired = (required as readonly string[]).includes(name);
    const line = `    ${name}: ${isRequired ? type : `NotRequired[${type}]`}\n`;
    return line + docstring(schema['description'], '    ');
  });
  const head = `class ${className}(${bases}):\n`;
  return `\n${head}${docstring(description, '    ', '\n')}${members.join('')}`;
}

function docstring(text: unknown, indent: string, after = ''): string {
  if (typeof text !== 'string') return '';
  const line = `${indent}"""${text}"""`;
  if (line.length > MAX_LINE || /"$|\\/.test(text))
    throw new TypeError(`a description that cannot be a docstring of one line: ${text}`);
  return `${line}\n${after}`;
}

/** The Python type of a member. @throws TypeError for a schema that has none yet */
function typeOf(schema: JsonSchema): string {
  const { $ref, type, enum: values, items, additionalProperties } = schema;
  if (typeof $ref === 'string') {
    const name = $ref.replace('#/$defs/', '');
    return name === LAUNCH_OPTIONS ? 'dict[str, Any] | str' : name;
  }
  if (Array.isArray(values)) return values.join() === CODES.join() ? 'ErrorCode' : literal(values);
  if (Array.isArray(type)) return type.map((one) => typeOf({ type: one as string })).join(' | ');
  if (type === 'array') return `list[${typeOf(items as JsonSchema)}]`;
  if (type === 'object')
    return `dict[str, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties as JsonSchema) : 'Any'}]`;
  const scalar = { string: 'str', integer: 'int', boolean: 'bool', null: 'None' }[String(type)];
  if (scalar === undefined) throw new TypeError(`no Python type for ${JSON.stringify(schema)}`);
  return scalar;
}

function literal(values: readonly unknown[]): string {
  return `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
}
