import { decodeJsonString } from './decode-json-string.ts';
import { isExcluded, isExcludedWithin } from './is-excluded.ts';
import { joinDecoded } from './join-decoded.ts';
import type { SignatureSettings, SignedParameters } from './signature-settings.ts';
import { sortedNames } from './sorted-names.ts';
import { writeScalar } from './write-scalar.ts';

/**
 * The string that is hashed with the secret key: every value that takes part, in the order of its key by byte, nested
 * values depth first, lists in their own order, without separators.
 * Source: interface document, "Signature", steps 1 to 4; bus contract, section 6.
 */
export function canonicalize(parameters: SignedParameters, settings: SignatureSettings): string {
  const { members, joined } = joinDecoded(parameters, settings);
  let canonical = '';
  for (const name of sortedNames(members)) {
    if (isExcluded(name, settings)) continue;
    canonical += joined.has(name) ? writeAsIs(members[name], settings) : write(members[name], settings);
  }
  return canonical;
}

function write(value: unknown, settings: SignatureSettings): string {
  if (typeof value !== 'string') return writeDecoded(value, settings, write);
  const decoded = decodeJsonString(value, settings.jsonStrings);
  return decoded === value ? value : writeDecoded(decoded, settings, writeAsIs);
}

/** A value of a decoded string: its strings are not decoded again. */
function writeAsIs(value: unknown, settings: SignatureSettings): string {
  return writeDecoded(value, settings, writeAsIs);
}

function writeDecoded(value: unknown, settings: SignatureSettings, writeMember: typeof write): string {
  if (value === undefined) return '';
  if (typeof value !== 'object' || value === null) return writeScalar(value, settings.scalars);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += writeMember(item, settings);
  } else {
    const members = value as SignedParameters;
    for (const name of sortedNames(members)) {
      if (!isExcludedWithin(name, settings)) text += writeMember(members[name], settings);
    }
  }
  return text;
}
