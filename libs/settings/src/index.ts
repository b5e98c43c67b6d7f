export { JsonFile } from './json-file.ts';
export { type CallerRules, readCallers } from './read-callers.ts';
export { type NearMiss, nearMissesIn } from './near-misses.ts';
export { readTls, type TlsFamily } from './read-tls.ts';
export { httpRoot, integer } from './readers.ts';
export {
  readSecret,
  readSettings,
  readSomeSettings,
  type ReadText,
  readTextFile,
  type SettingName,
  SETTINGS,
  type Settings,
} from './settings.ts';
export { EXIT_CONFIG, type SettingFault, SettingsError } from './settings-error.ts';
