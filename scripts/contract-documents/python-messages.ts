import { ERROR_CODES } from '#contracts';

import { filled, MOST_COLUMNS } from './messages-document.ts';
import type { JsonSchema } from './schemas/json-schema.ts';
import { DATA_SCHEMAS, RECORD_SCHEMAS, schemaName } from './schemas/schemas.ts';

/** The file with the messages of the Python client, relative to the repository. */
export const PYTHON_MESSAGES = 'libs/caller-python/src/poker_bridge/messages.py';
const HEAD = `"""The messages of the contract, written by \`npm run contract\`."""

from __future__ import annotations

from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar

__all__ = [
EXPORTS
]

Record = TypeVar("Record")
`;
const CODES = Object.keys(ERROR_CODES);
const PAGE = schemaName('report.page');

/**
 * Returns a module with a \`TypedDict\` for the data of each command and reply, and for the objects in it.
 */
export function pythonMessages(): string {
  const schemas = Object.entries({ ...DATA_SCHEMAS, ...RECORD_SCHEMAS });
  const classes = schemas.map(([name, schema]) => classOf(name, schema, name === PAGE));
  const exported = ['ErrorCode', ...schemas.map(([name]) => name)].toSorted();
  const exports = filled(['   ', ...exported.map((name) => `"${name}",`)], '    ');
  // The first line is indented as well.
  const codes = filled(['   ', ...CODES.map((code) => `"${code}",`)], '    ');
  return [HEAD.replace('EXPORTS', exports), `ErrorCode = Literal[\n${codes}\n]\n`, ...classes].join('\n');
}

/** @param isPage true if the caller chooses the type of its records */
function classOf(
  name: string,
  { description = '', properties = {}, required = [] }: JsonSchema,
  isPage: boolean,
): string {
  const docstring = description && `    """${description}"""\n`;
  if (docstring.length > MOST_COLUMNS + 1 || /"$|\\/.test(description))
    throw new TypeError(`a description that cannot be a docstring of one line: ${description}`);
  const members = Object.entries(properties).map(([member, schema]) => {
    const type = isPage && member === 'records' ? 'list[Record]' : typeOf(schema);
    const line = `    ${member}: ${required.includes(member) ? type : `NotRequired[${type}]`}`;
    // The comment follows the member on its line, or precedes it if the line would be too long.
    const beside = `${line}  # ${schema.description?.replace(/\.$/, '')}`;
    return beside.length > MOST_COLUMNS ? `    # ${schema.description}\n${line}\n` : `${beside}\n`;
  });
  return `\nclass ${name}(TypedDict${isPage ? ', Generic[Record]' : ''}):\n${docstring}${members.join('')}`;
}

/** The Python type of a member. @throws TypeError for a schema that has none yet */
function typeOf(schema: JsonSchema): string {
  const { $ref, type, enum: values, items = {}, additionalProperties: others } = schema;
  if ($ref !== undefined) return $ref.replace('#/$defs/', '');
  if (values?.join() === CODES.join()) return 'ErrorCode';
  if (values) return `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
  if (typeof type === 'object') return type.map((one) => typeOf({ type: one })).join(' | ');
  if (type === 'array') return `list[${typeOf(items)}]`;
  if (type === 'object')
    return `dict[str, ${typeof others === 'object' ? typeOf(others as JsonSchema) : 'Any'}]`;
  const scalar = { string: 'str', integer: 'int', boolean: 'bool', null: 'None' }[String(type)];
  if (scalar === undefined) throw new TypeError(`no Python type for ${JSON.stringify(schema)}`);
  return scalar;
}
