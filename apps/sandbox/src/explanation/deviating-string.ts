import {
  byBytes,
  isSigned,
  isSignedBelow,
  writeScalar,
  type CanonicalConventions,
  type Parameters,
} from '../signature/canonical-string.ts';
import { decode } from '../signature/decode.ts';
import { isContainer, topLevel } from '../signature/top-level.ts';
import type { Deviation } from './deviation.ts';

/**
 * The string that a client with this mistake would sign. Without a mistake it is the canonical string; the code that
 * verifies signatures is separate, and as plain as the rule.
 */
export function deviatingString(
  parameters: Parameters,
  conventions: CanonicalConventions,
  deviation: Omit<Deviation, 'reason' | 'seal'>,
): string {
  const level = topLevel(deviation.parameters ?? parameters, conventions);
  const included = new Set(deviation.included);
  return join([...level.keys()], isSigned, 0, (name) => {
    const { value, strings } = level.get(name) ?? {};
    return write(value, 1, strings === 'decode');
  });

  function join(
    names: readonly string[],
    isPart: typeof isSigned,
    depth: number,
    writeMember: (name: string) => string,
  ): string {
    const { order = sorted, piece = (_, written) => written, separator = '' } = deviation;
    const signed = names.filter((name) => included.has(name) || isPart(name, conventions));
    return order(signed, depth)
      .map((name) => piece(name, writeMember(name)))
      .join(separator);
  }

  function write(value: unknown, depth: number, decodes: boolean): string {
    const { nested, separator = '', text = (written) => written } = deviation;
    if (typeof value === 'string') {
      const decoded = decodes ? decode(value, conventions.jsonStrings) : undefined;
      return decoded ? write(decoded.value, depth, false) : text(value);
    }
    if (!isContainer(value)) return text(writeScalar(value, conventions.scalars));
    if (nested && depth >= nested.fromDepth) return text(nested.write(value));
    if (Array.isArray(value)) return value.map((item) => write(item, depth + 1, decodes)).join(separator);
    const members = value as Parameters;
    return join(Object.keys(members), isSignedBelow, depth, (name) =>
      write(members[name], depth + 1, decodes),
    );
  }
}

function sorted(names: readonly string[]): readonly string[] {
  return [...names].sort(byBytes);
}
