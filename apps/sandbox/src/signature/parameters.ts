/** Parameters of a request by name; values are strings or any JSON. */
export type Parameters = Readonly<Record<string, unknown>>;

/** Parameters by name, all of them text. */
export type TextParameters = Readonly<Record<string, string | undefined>>;

/** The parameters in a query string; if a name is repeated, the last value counts. */
export function queryParameters(url: string): TextParameters {
  const start = url.indexOf('?');
  return start < 0 ? {} : formParameters(url.slice(start + 1));
}

/** The parameters in an `application/x-www-form-urlencoded` text. */
export function formParameters(text: string): TextParameters {
  const parameters = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(text)) parameters[name] = value;
  return parameters;
}

/** Whether a request's body is of this media type, whatever its parameters. */
export function hasMediaType(contentType: string | undefined, mediaType: string): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === mediaType;
}
