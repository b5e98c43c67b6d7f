/** A request as it was sent. */
export interface HttpRequest {
  readonly method: string;
  /** Absolute, or its path and query alone. */
  readonly url: string;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | undefined;
}

/** Headers by names in lower case, from lines such as `Name: value`. */
export function headersOf(lines: readonly string[]): Map<string, string> {
  return new Map(
    lines.flatMap((line) => {
      const [, name, value = ''] = /^([^:\s]+)\s*[:;](.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name.toLowerCase(), value.trim()] as const];
    }),
  );
}
