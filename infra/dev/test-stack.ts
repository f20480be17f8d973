import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from './project.ts';
import { type Stack, startStack } from './stack.ts';
import type { EngineConsent } from './start-engine.ts';
import type { Reporter } from './terminal.ts';

// Tests must never reach what these name, and must not take the ports or data of a running stack.
const PRODUCTION = [
  ...['MONGODB_URI', 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'DOCKER_REGISTRY', 'DOCKER_REGISTRY_USER'],
  ...['DOCKER_REGISTRY_TOKEN', 'INTERNAL_SERVICE_KEY', 'CONFIG_ENCRYPTION_KEY', 'WORKSPACE_DIR', 'PLATFORM_DOMAIN'],
  ...['IDP_URL', 'IDP_MONGODB_URI', 'IDP_ENCRYPTION_KEY', 'IDP_INTERNAL_KEY', 'SMTP_URL', 'MAIL_FROM'],
  ...['AUDIT_URL', 'AUDIT_MONGODB_URI', 'AUDIT_SIGNING_KEY', 'AUDIT_EMIT_RATE_LIMIT'],
  ...['AUDIT_CHAINS', 'AUDIT_SIGNER_KEY', 'AUDIT_MAX_FEE_GWEI'],
  ...['STACK_ID', 'WORKFLOW_BUNDLE', 'GIT_TOKEN', 'GITHUB_TOKEN', 'FAIRLEAD_URL', 'FAIRLEAD_KEY'],
];

/** Takes production addresses and keys out of this process's environment, and so out of its children's. */
export function forgetProduction(env: NodeJS.ProcessEnv): void {
  for (const name of PRODUCTION) delete env[name];
}

const TEST_SETTINGS = {
  // Releases that never become healthy are given up sooner than in production.
  READINESS_TIMEOUT_SECONDS: '15',
  // All tests call with one key, and several wait for builds at once.
  REQUESTS_PER_MINUTE: '100000',
};

/** Starts a stack on free ports with a data folder of its own. `end(keep)` stops it and removes the folder unless kept. */
export async function startTestStack(
  env: Env,
  report: Reporter,
  { engine, signal }: { engine: EngineConsent; signal: AbortSignal },
): Promise<{ stack: Stack; end: (keep: boolean) => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-test-'));
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  try {
    const options = { dataDir, ports: 'free', env, report, signal, engine, disposable: true } as const;
    const stack = await startStack({ ...options, variables: TEST_SETTINGS });
    const end = async (keep: boolean): Promise<void> => {
      await stack.stop();
      if (keep) report.line(`the logs of the test stack are kept in ${join(dataDir, 'logs')}`);
      else await remove();
    };
    return { stack, end };
  } catch (error) {
    report.line(`the logs of the test stack are kept in ${join(dataDir, 'logs')}`);
    throw error;
  }
}
