import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_ROWS, type ServiceName } from '../../domain/services.ts';
import { freePorts } from '../../infra/dev/free-ports.ts';
import { type Stack, startStack } from '../../infra/dev/stack.ts';
import { PORTS } from '../../infra/dev/stack-ports.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { TEST_SETTINGS } from '../../infra/dev/test-stack.ts';
import { useStack } from '../support/use-stack.ts';
import { type Interrupt, startKillingProxy } from './killing-proxy.ts';

/** A stack whose processes call every service but the builder by a proxy that may keep answers from them. */
export interface ProxiedStack extends AsyncDisposable {
  readonly stack: Stack;
  /** Where a service is called without the proxy. */
  readonly directly: (name: ServiceName) => string;
}

/** Starts it; it is the stack of this process's end-to-end calls until it is disposed of. */
export async function startProxiedStack(interrupt: Interrupt): Promise<ProxiedStack> {
  await using undo = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-kills-'));
  undo.defer(() => rm(dataDir, { recursive: true, force: true }));
  const rows = Object.values(PORTS);
  const free = await freePorts(rows.length);
  const env: Record<string, string> = {};
  for (const [index, { variable }] of rows.entries()) env[variable] = String(free[index]);
  for (const { name, portVariable, baseUrlVariable } of SERVICE_ROWS) {
    if (name === 'builder') continue;
    const proxy = await startKillingProxy(Number(env[portVariable]), interrupt);
    undo.defer(proxy.stop);
    env[baseUrlVariable] = proxy.url;
  }
  const stack = await startStack({
    dataDir,
    ports: 'fixed',
    env: { ...process.env, ...env },
    report: silentReporter,
    disposable: true,
    variables: TEST_SETTINGS,
  });
  undo.defer(() => stack.stop());
  undo.defer(useStack(dataDir));
  const running = undo.move();
  return {
    stack,
    directly: (name) => `http://127.0.0.1:${stack.ports[name]}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
