import { type ReadText, readTextFile } from './settings.ts';
import { SettingsError } from './settings-error.ts';

/** Reads the JSON file that a variable names. What is wrong is a fault of that variable, and never quotes the file. */
export class JsonFile {
  readonly #variable: string;

  constructor(variable: string) {
    this.#variable = variable;
  }

  /** @throws SettingsError for a file that cannot be read, or is no object */
  read(path: string, readText: ReadText = readTextFile): Record<string, unknown> {
    let text: string;
    try {
      text = readText(path);
    } catch (error) {
      throw this.fault(`cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
    }
    return this.object(this.#parse(text), 'the file');
  }

  /** @throws SettingsError unless the value is an object */
  object(value: unknown, what: string): Record<string, unknown> {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
    throw this.fault(`${what} must be an object`);
  }

  fault(reason: string): SettingsError {
    return new SettingsError([{ variable: this.#variable, reason }]);
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      // The message of a syntax error quotes the file, which may hold secrets.
      throw this.fault('is not JSON');
    }
  }
}
