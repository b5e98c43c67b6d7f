/** A request as it was sent. */
export interface HttpRequest {
  readonly method: string;
  /** Absolute, or its path and query alone. */
  readonly url: string;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | undefined;
}

const REQUEST_LINE = /^([A-Z]+) (\S+)(?: HTTP\/[\d.]+)?$/;

/** Whether a text begins like a request of HTTP. */
export function isRawRequest(text: string): boolean {
  return REQUEST_LINE.test(text.trimStart().split(/\r?\n/, 1)[0] ?? '');
}

/**
 * Reads a request as it is on the wire: a line of method and path, headers, a blank line, the body.
 *
 * @throws Error with the reason, if it is none
 */
export function readRawRequest(text: string): HttpRequest {
  const start = text.trimStart();
  const [, blank = ''] = /(\r?\n\r?\n)/.exec(start) ?? [];
  const end = blank === '' ? start.length : start.indexOf(blank);
  const [first = '', ...lines] = start.slice(0, end).split(/\r?\n/);
  const [, method, url] = REQUEST_LINE.exec(first.trimEnd()) ?? [];
  if (method === undefined || url === undefined) {
    throw new Error(
      'does not begin with a request line, such as POST /v2/app/users/u-1/session?clientId=op1 HTTP/1.1',
    );
  }
  const headers = headersOf(lines);
  const length = Number(headers.get('content-length'));
  const rest = Buffer.from(start.slice(end + blank.length));
  // Editors add a line break at the end of a file.
  const body = headers.has('content-length') && length < rest.length ? rest.subarray(0, length) : rest;
  const content = headers.has('content-length') ? body.toString() : body.toString().replace(/\r?\n$/, '');
  return { method, url, headers, body: content === '' ? undefined : content };
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
