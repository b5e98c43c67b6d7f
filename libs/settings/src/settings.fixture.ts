import { SettingsError } from './settings-error.ts';

export const REQUIRED = {
  PLATFORM_BASE_URL: 'https://api.example.com/api/web',
  PLATFORM_API_URL: 'https://api.example.com',
  PLATFORM_CLIENT_ID: 'client',
};

/** Returns the lines of the SettingsError that the function throws; none if it throws nothing. */
export function faultsOf(act: () => unknown): string[] {
  try {
    act();
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.message.split('\n');
    throw error;
  }
}

/** Returns a reader of these files; any other file is missing. */
export const reading =
  (files: Readonly<Record<string, string | undefined>>) =>
  (path: string): string => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error(`no file CANARY ${path}`), { code: 'ENOENT' });
    return text;
  };
