import type { ProcessEnv } from '../process/base-env.ts';
import { runProcess } from '../process/run-process.ts';

/** The registries of usual package managers, and where Node's headers are, which native modules are compiled with. */
export const PUBLIC_REGISTRIES: readonly string[] = [
  ...['registry.npmjs.org', 'registry.yarnpkg.com', 'repo.yarnpkg.com', 'npm.jsr.io', 'nodejs.org'],
  ...['deb.debian.org', 'security.debian.org', 'archive.ubuntu.com', 'security.ubuntu.com', 'ports.ubuntu.com'],
  ...['dl-cdn.alpinelinux.org', 'pypi.org', 'files.pythonhosted.org', 'proxy.golang.org', 'sum.golang.org'],
  ...['index.crates.io', 'static.crates.io', 'repo.maven.apache.org', 'repo1.maven.org', 'plugins.gradle.org'],
  ...['rubygems.org', 'index.rubygems.org', 'repo.packagist.org', 'api.nuget.org'],
];

/**
 * The registry that this machine's npm is set to, as `host` or `host:port`: stand-in images use it, so builds must reach
 * it. Null when there is no npm, or it names none.
 */
export async function npmRegistry(env: ProcessEnv): Promise<string | null> {
  const asked = { cwd: '/', env, signal: AbortSignal.timeout(30_000) };
  const { exitCode, stdout } = await runProcess('npm', ['config', 'get', 'registry'], asked).catch(() => NO_ANSWER);
  const address = stdout.trim();
  return exitCode === 0 && URL.canParse(address) ? new URL(address).host : null;
}

const NO_ANSWER = { exitCode: null, stdout: '' } as const;
