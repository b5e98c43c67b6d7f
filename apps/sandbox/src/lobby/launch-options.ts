import { exactJson } from '../json-api/exact-json.ts';
import { parseJson } from '../signature/parse-json.ts';

/** Launch options by name, each as text: a string unchanged, anything else as JSON. */
export function launchOptionTexts(
  launchOptions: unknown,
): readonly (readonly [name: string, text: string])[] {
  return Object.entries(asObject(launchOptions)).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : exactJson(value),
  ]);
}

/** Where a player logs in again once the session has expired; undefined unless it is an http or https URL. */
export function restoreSessionUrl(launchOptions: unknown): URL | undefined {
  const { restoreSessionUrl: text } = asObject(launchOptions);
  const url = typeof text === 'string' ? URL.parse(text) : null;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}

/** Launch options are an object, or a string that holds one. */
function asObject(launchOptions: unknown): Record<string, unknown> {
  const value = typeof launchOptions === 'string' ? parseJson(launchOptions)?.value : launchOptions;
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
