import { isObject } from '#contracts/validation';

import { type ReadText, readTextFile, stripEdges } from './settings.ts';
import { SettingsError } from './settings-error.ts';

/**
 * The JSON tokens needed to find repeated names: brackets, and strings with the colon that follows a name.
 */
const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g;

/** Reads the JSON file that a variable names. Its errors name that variable, and never quote the file. */
export class JsonFile {
  constructor(private readonly variable: string) {}

  /** @throws SettingsError for a file that cannot be read or does not contain an object */
  read(path: string, readText: ReadText = readTextFile): Record<string, unknown> {
    let text: string;
    try {
      text = stripEdges(readText(path));
    } catch (error) {
      throw this.fault(`cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // The message of a syntax error quotes the file, which may contain secrets.
      throw this.fault('is not JSON');
    }
    const repeated = repeatedName(text);
    if (repeated !== undefined) throw this.fault(`names ${JSON.stringify(repeated)} twice in one object`);
    return this.object(value, 'the file');
  }

  /** @throws SettingsError unless the value is an object */
  object(value: unknown, what: string): Record<string, unknown> {
    if (!isObject(value)) throw this.fault(`${what} must be an object`);
    return value;
  }

  /** @throws SettingsError if an object has an unknown member */
  refuseUnknown(given: object, known: readonly string[], where: string): void {
    const unknown = JSON.stringify(Object.keys(given).find((member) => !known.includes(member)));
    if (unknown) throw this.fault(`${where} has an unknown member ${unknown}; use ${known.join(', ')}`);
  }

  fault(reason: string): SettingsError {
    return new SettingsError([{ variable: this.variable, reason }]);
  }
}

/**
 * Returns the first name that occurs twice in one object; `JSON.parse` would silently keep the last value.
 */
function repeatedName(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (string !== undefined && colon !== undefined) {
      const name = JSON.parse(string) as string;
      if (open.at(-1)?.has(name)) return name;
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}
