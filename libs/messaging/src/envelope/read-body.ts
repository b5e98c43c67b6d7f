import { isUtf8 } from 'node:buffer';

import { CommandError } from '#contracts';
import { excessIn, isObject, MAX_COMMAND_VALUES, nameInPointer } from '#contracts/validation';

/**
 * The format of a command, which its replies share. A packet is the `{pattern, data, id}` of Nest's own
 * RabbitMQ client.
 */
export type CommandForm = 'typed' | 'packet';

/** The content of a body; `pattern` and `id` belong to a packet. */
export interface Body {
  readonly form: CommandForm;
  readonly data?: unknown;
  readonly pattern?: unknown;
  readonly id?: unknown;
  readonly fault?: CommandError;
}

/** The beginning of a packet of Nest's client: the only sign of its format in a body that cannot be read. */
const PACKET_START = '{"pattern":';
/**
 * Some editors and libraries write it before UTF-8. JSON does not allow it, but a reader may skip it (RFC
 * 8259, section 8.1).
 */
const BYTE_ORDER_MARK = /^\ufeff/;
const TOO_MANY_VALUES =
  `must contain less than ${MAX_COMMAND_VALUES} values, which is more than a valid command has; ` +
  'send only the members that docs/contract names';

/**
 * Reads a body once. Never throws: an error is returned as `fault`.
 *
 * @param bytes length of the body; `content` may be only the beginning of one that is too large
 * @param mayBePacket true if the message has no property `type`; only then is `{pattern, data, id}` a packet
 */
export function readBody(content: Buffer, bytes: number, maxBytes: number, mayBePacket: boolean): Body {
  const guess = (): CommandForm =>
    mayBePacket && content.toString('latin1', 0, PACKET_START.length) === PACKET_START ? 'packet' : 'typed';
  if (bytes > maxBytes) {
    const details = { bytes, maxBytes };
    return { form: guess(), fault: new CommandError('MESSAGE_TOO_LARGE', { details }) };
  }
  // A packet is parsed in any case because it contains the id for which its caller waits.
  const excess = guess() === 'typed' ? excessIn(content, MAX_COMMAND_VALUES) : undefined;
  if (excess !== undefined && isLikeObject(content)) return { form: 'typed', fault: tooManyValues(excess) };
  const body = parseObject(content);
  if (!body) return { form: guess(), fault: new CommandError('MALFORMED_MESSAGE') };
  if (mayBePacket && Object.hasOwn(body, 'pattern')) {
    return { form: 'packet', pattern: body['pattern'], data: body['data'], id: body['id'] };
  }
  return { form: 'typed', data: body };
}

/** @param member the name as written in the body */
function tooManyValues(member: string): CommandError {
  const name = Object.keys(parseObject(Buffer.from(`{${member}:0}`)) ?? {})[0] ?? '';
  const pointer = name === '' ? '' : `/${nameInPointer(name)}`;
  return new CommandError('VALIDATION_FAILED', { violations: [{ pointer, message: TOO_MANY_VALUES }] });
}

/** True if the content is UTF-8 that begins and ends like an object. */
function isLikeObject(content: Buffer): boolean {
  const text = isUtf8(content) ? content.toString('utf8').trim() : '';
  return text.startsWith('{') && text.endsWith('}');
}

/** Returns the object that a body contains; undefined if it contains none. */
export function parseObject(content: Buffer): Record<string, unknown> | undefined {
  if (!isUtf8(content)) return undefined;
  try {
    const value: unknown = JSON.parse(content.toString('utf8').replace(BYTE_ORDER_MARK, ''));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
