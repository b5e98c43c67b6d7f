import { readSettings, type Settings } from '#settings';

import type { SimulatedSetting } from './scenario.ts';

/** Where no call ever arrives: the platform is simulated. */
const PLATFORM = {
  PLATFORM_BASE_URL: 'https://platform.example/api/web',
  PLATFORM_API_URL: 'https://platform.example',
  PLATFORM_CLIENT_ID: 'simulation',
  PLATFORM_SECRET_KEY: 'simulation',
};

/** The worker's settings: its defaults, but for some. @throws SettingsError as the worker does */
export function settingsOf(given: Readonly<Partial<Record<SimulatedSetting, string>>>): Settings {
  return readSettings({ ...PLATFORM, ...given });
}
