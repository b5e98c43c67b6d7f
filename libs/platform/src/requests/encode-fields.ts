/** Names and values of a form or a query; `undefined` is absent. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** Encodes fields as `name=value&…`, for forms and queries; a space is `%20` and a plus `%2B`, which every decoder reads alike. */
export function encodeFields(fields: Fields): string {
  let text = '';
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined) continue;
    if (text !== '') text += '&';
    text += `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  }
  return text;
}
