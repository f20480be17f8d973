/** Variables of the platform's own environment that a child process may see. Everything else stays with us. */
export const INHERITED_VARIABLES = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'LC_ALL',
  'DOCKER_HOST',
  'DOCKER_CONFIG',
  'XDG_CACHE_HOME',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'NODE_EXTRA_CA_CERTS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
] as const;

/** Environment of a child process: names to values, given whole. */
export type ProcessEnv = Readonly<Record<string, string>>;

/**
 * The environment every child process starts from: what {@link INHERITED_VARIABLES} names and `source` has. Secrets of
 * the platform never reach a child, because nothing else is copied.
 */
export function baseEnv(source: Readonly<Record<string, string | undefined>>): ProcessEnv {
  const entries = INHERITED_VARIABLES.flatMap((name) => {
    const value = source[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(entries) };
}
