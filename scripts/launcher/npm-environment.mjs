/** Settings that decide what `npm ci` installs and where; registry, proxy, cache and credentials stay. */
const REMOVED = new Set(
  `also bin_links dev dry_run engine_strict force global ignore_scripts include include_workspace_root install_links
  install_strategy legacy_peer_deps location omit only optional package_lock package_lock_only prefix production
  save strict_peer_deps workspace workspaces`.split(/\s+/),
);

/**
 * The environment for an `npm ci` that a person's shell cannot turn into another kind of install: without
 * `NODE_ENV`, and without those `npm_config_*` variables (in any case of letters) that choose what is installed.
 *
 * @param {Record<string, string | undefined>} env
 * @returns {Record<string, string | undefined>} a copy
 */
export function npmEnvironment(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isRemoved(name)));
}

function isRemoved(name) {
  if (name === 'NODE_ENV') return true;
  const match = /^npm_config_(.*)$/i.exec(name);
  return match !== null && REMOVED.has(match[1].toLowerCase().replaceAll('-', '_'));
}
