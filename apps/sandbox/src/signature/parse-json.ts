const MAX_DEPTH = 512;

/**
 * Parses JSON as a platform written in PHP would: nothing nested deeper than 512 levels, and integers of any size
 * keep their digits (as bigint beyond 2^53).
 * @returns the value in an object, since `null` is a value, or undefined if the text is not such JSON
 */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  if (text.length > MAX_DEPTH && depthOf(text) > MAX_DEPTH) return undefined;
  try {
    return { value: /\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return deepest;
}

// TypeScript's library does not know the third parameter yet (ES2026)
function keepDigits(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return context?.source && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}
