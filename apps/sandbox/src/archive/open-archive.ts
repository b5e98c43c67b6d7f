import { SettingsError } from '../settings/settings-error.ts';
import { NoArchive, type Archive } from './archive.ts';
import { SqliteArchive } from './sqlite-archive.ts';

const SQLITE_BUSY = 5;

/**
 * Opens the file that keeps players and sessions, and creates it if there is none; without a name nothing is kept.
 * @throws SettingsError if the file cannot be used, above all if another sandbox uses it
 */
export async function openArchive(file: string | undefined): Promise<Archive> {
  if (file === undefined) return new NoArchive();
  // only now: if nothing is kept, Node.js need not warn that its SQLite is experimental
  const { DatabaseSync } = await import('node:sqlite');
  let database: InstanceType<typeof DatabaseSync> | undefined;
  try {
    database = new DatabaseSync(file);
    return new SqliteArchive(database);
  } catch (error) {
    database?.close();
    const { errcode, message } = error as { errcode?: number; message: string };
    const reason =
      errcode === SQLITE_BUSY ? 'is in use, perhaps by another sandbox' : `cannot be used (${message})`;
    throw new SettingsError([`SANDBOX_FILE: names a file that ${reason}`]);
  }
}
