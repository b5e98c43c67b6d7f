import { ERROR_CODES } from '#contracts';
import { COMMANDS, REPLIES } from '#contracts/validation';

import { filled, MOST_COLUMNS } from './messages-document.ts';
import type { JsonSchema } from './schemas/json-schema.ts';
import { SCHEMAS } from './schemas/schemas.ts';

/** Where the Python client has its messages, relative to the repository. */
export const PYTHON_MESSAGES = 'libs/caller-python/src/poker_bridge/messages.py';
const HEAD = `"""The messages of the contract, written by \`npm run contract\`."""

from __future__ import annotations

from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar

Record = TypeVar("Record")
`;
const CODES = Object.keys(ERROR_CODES);
/** Not written as a class: any JSON object, or a string that holds one. */
const LAUNCH_OPTIONS = 'LaunchOptions';
const PAGE = 'report.page';

/** A module with a \`TypedDict\` for the data of each command and reply, and for the objects in it. */
export function pythonMessages(): string {
  const messages = [...COMMANDS, ...REPLIES.values()];
  const nameOf = new Map<string, string>(messages.map(({ type, data }) => [type, data.name]));
  const names = Object.keys(SCHEMAS).filter((name) => nameOf.has(name) || isShape(name));
  const classes = names.map((name) => classOf(nameOf.get(name) ?? name, name));
  // The first line is indented, too.
  const codes = filled(['   ', ...CODES.map((code) => `"${code}",`)], '    ');
  return [HEAD, `ErrorCode = Literal[\n${codes}\n]\n`, ...classes].join('\n');
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
    return member(`    ${name}: ${isRequired ? type : `NotRequired[${type}]`}`, schema['description']);
  });
  const head = `class ${className}(${bases}):\n`;
  return `\n${head}${docstring(description, '    ')}${members.join('')}`;
}

function docstring(text: unknown, indent: string): string {
  if (typeof text !== 'string') return '';
  const line = `${indent}"""${text}"""`;
  if (line.length > MOST_COLUMNS || /"$|\\/.test(text))
    throw new TypeError(`a description that cannot be a docstring of one line: ${text}`);
  return `${line}\n`;
}

/** A member, its description beside it or, if that is too long, above it. */
function member(line: string, text: unknown): string {
  if (typeof text !== 'string') return `${line}\n`;
  const beside = `${line}  # ${text.replace(/\.$/, '')}`;
  return beside.length > MOST_COLUMNS ? `    # ${text}\n${line}\n` : `${beside}\n`;
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
