/** All parameters of a request, from query, path and form or body, by name; `undefined` is absent. */
export type SignedParameters = Readonly<Record<string, unknown>>;
