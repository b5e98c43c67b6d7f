import {
  EXCLUDED_NAMES,
  writeScalar,
  decode,
  type CanonicalConventions,
  type Parameters,
} from '../signature/canonical-string.ts';
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
  const members = deviation.parameters ?? parameters;
  const isSigned = (name: string) =>
    (deviation.included ?? []).includes(name) ||
    (!EXCLUDED_NAMES.has(name) && !(name === 'client' && conventions.openGameClient === 'drop'));
  const names = Object.keys(members).filter(isSigned);
  return join(members, names, 0, true);

  function join(of: Parameters, signed: readonly string[], depth: number, decodes: boolean): string {
    const { order = sorted, piece = (_, written) => written, separator = '' } = deviation;
    return order(signed, depth)
      .map((name) => piece(name, write(of[name], depth + 1, decodes)))
      .join(separator);
  }

  function write(value: unknown, depth: number, decodes: boolean): string {
    const { nested, separator = '', text = (written) => written } = deviation;
    if (typeof value === 'string') {
      const decoded = decodes ? decode(value, conventions.jsonStrings) : undefined;
      return decoded ? write(decoded.value, depth, false) : text(value);
    }
    if (typeof value !== 'object' || value === null) return text(writeScalar(value, conventions.scalars));
    if (nested && depth >= nested.fromDepth) return text(nested.write(value));
    if (Array.isArray(value)) return value.map((item) => write(item, depth + 1, decodes)).join(separator);
    return join(value as Parameters, Object.keys(value), depth, decodes);
  }
}

function sorted(names: readonly string[]): readonly string[] {
  return [...names].sort();
}
