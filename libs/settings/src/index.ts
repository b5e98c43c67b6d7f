export { isLoopback, refuseCleartext } from './cleartext.ts';
export { type CallerRules, readCallers } from './read-callers.ts';
export { tracingOf, type TracingSettings } from './otel.ts';
export { internalKeyOf, readInternalKey, readOperators } from './operators.ts';
export { JsonFile } from './json-file.ts';
export { integer, list, oneOf, optional, precisions, type Reader, secret, setting } from './readers.ts';
export { readTls, type TlsFamily } from './read-tls.ts';
export {
  readSettings,
  readSomeSettings,
  type ReadText,
  readTextFile,
  type SettingName,
  SETTINGS,
  type Settings,
  VariableReader,
} from './settings.ts';
export { EXIT_CONFIG, type SettingFault, SettingsError } from './settings-error.ts';
export { warningsOf } from './warnings.ts';
