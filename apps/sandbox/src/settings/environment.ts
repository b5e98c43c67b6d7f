import { readFileSync } from 'node:fs';

/** The type of `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads typed values from environment variables and collects what is wrong with them, so that one start reports
 * every fault. An empty variable counts as unset. A fault names the variable and the reason, never the value.
 */
export class Environment {
  /** One line for each fault, `NAME: reason`. */
  readonly faults: string[] = [];

  constructor(private readonly variables: Variables) {}

  text(name: string, fallback: string): string {
    return this.variables[name] || fallback;
  }

  integer(name: string, fallback: number, range: { min: number; max: number }): number {
    const text = this.variables[name];
    if (!text) return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= range.min && value <= range.max) return value;
    this.fault(name, `must be an integer from ${range.min} to ${range.max}`);
    return fallback;
  }

  /** One of `values`; the first is the default. */
  choice<const T extends string>(name: string, values: readonly [T, ...T[]]): T {
    const text = this.variables[name];
    if (!text) return values[0];
    const value = values.find((candidate) => candidate === text);
    if (value === undefined) this.fault(name, `must be one of ${values.join(', ')}`);
    return value ?? values[0];
  }

  /** Values separated by commas; each must match `pattern`. */
  list(name: string, fallback: readonly string[], pattern: RegExp, reason: string): readonly string[] {
    const text = this.variables[name];
    if (!text) return fallback;
    const values = text.split(',').map((value) => value.trim());
    if (values.every((value) => pattern.test(value)) && new Set(values).size === values.length) return values;
    this.fault(name, reason);
    return fallback;
  }

  /** The absolute http(s) address of an origin, without a trailing slash. */
  origin(name: string): string | undefined {
    const text = this.variables[name];
    if (!text) return undefined;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash)
      return url.origin;
    this.fault(name, 'must be an http or https address without a path');
    return undefined;
  }

  /** The variable itself, or the content of the file that `<name>_FILE` names, without its last line break. */
  secret(name: string, fallback: string): string {
    const direct = this.variables[name];
    const file = this.variables[`${name}_FILE`];
    if (direct && file) this.fault(name, `is given twice, here and as ${name}_FILE`);
    if (!file) return direct || fallback;
    const content = this.file(`${name}_FILE`);
    if (content === undefined) return fallback;
    const secret = content.replace(/\r?\n$/, '');
    if (secret === '') this.fault(`${name}_FILE`, 'names an empty file');
    return secret;
  }

  /** The content of the file that the variable names, or undefined if it is unset or cannot be read. */
  file(name: string): string | undefined {
    const path = this.variables[name];
    if (!path) return undefined;
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      this.fault(name, `names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
      return undefined;
    }
  }

  fault(name: string, reason: string): void {
    this.faults.push(`${name}: ${reason}`);
  }
}

/** The environment does not hold usable settings; the process should end with code 78 (EX_CONFIG). */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  /** @param faults one line for each fault: the variable's name and the reason, never its value */
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}
