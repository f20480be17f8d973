import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_ROWS, type ServiceName } from '../../domain/services.ts';
import { freePorts } from '../../infra/dev/free-ports.ts';
import { MONGO_HOST, mongoAddress } from '../../infra/dev/mongo-uri.ts';
import { type Stack, startStack } from '../../infra/dev/stack.ts';
import { PORTS } from '../../infra/dev/stack-ports.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { TEST_SETTINGS } from '../../infra/dev/test-stack.ts';
import { stackDatabaseUri } from '../support/stack-database.ts';
import { useStack } from '../support/use-stack.ts';
import { APART } from './kill-points.ts';
import { type Interrupt, startKillingProxy } from './killing-proxy.ts';
import { type StepMark, startStepMarks } from './step-marks.ts';
import { startSystemsOfOthers, type Told } from './systems-of-others.ts';

/**
 * A stack whose processes call every service but the builder, the systems of others that deploys tell, and the database, by
 * proxies that may keep answers from them.
 */
export interface ProxiedStack extends AsyncDisposable {
  readonly stack: Stack;
  /** Where a service is called without the proxy. */
  readonly directly: (name: ServiceName) => string;
  /** What systems of others were told. */
  readonly told: Told;
}

/** What keeps answers back. */
export interface Proxies {
  readonly called: Interrupt;
  /** As `kept` of {@link startStepMarks}. */
  readonly marked: (mark: StepMark) => Promise<boolean>;
}

/**
 * Starts it; it is the stack of this process's end-to-end calls until it is disposed of.
 * @param variables over those of every stack of tests
 */
export async function startProxiedStack(
  { called, marked }: Proxies,
  variables: Readonly<Record<string, string>>,
): Promise<ProxiedStack> {
  await using undo = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-kills-'));
  undo.defer(() => rm(dataDir, { recursive: true, force: true }));
  const rows = Object.values(PORTS);
  const free = await freePorts(rows.length);
  const env: Record<string, string> = {};
  for (const [index, { variable }] of rows.entries()) env[variable] = String(free[index]);
  for (const { name, portVariable, baseUrlVariable } of SERVICE_ROWS) {
    if (name === 'builder') continue;
    const proxy = await startKillingProxy({ port: Number(env[portVariable]), service: name }, called);
    undo.defer(proxy.stop);
    env[baseUrlVariable] = proxy.url;
  }
  const others = await startSystemsOfOthers();
  undo.defer(others.stop);
  const addresses: Record<string, string> = {};
  for (const [variable, port] of Object.entries(others.ports)) {
    const proxy = await startKillingProxy({ port, service: variable }, called);
    undo.defer(proxy.stop);
    addresses[variable] = proxy.url;
  }
  const marks = await startStepMarks({ host: MONGO_HOST, port: Number(env[PORTS.mongo.variable]) }, marked);
  undo.defer(marks.stop);
  const stack = await startStack({
    dataDir,
    ports: 'fixed',
    env: { ...process.env, ...env },
    report: silentReporter,
    disposable: true,
    apart: APART,
    longestBackoffMs: SOON_MS,
    variables: {
      ...TEST_SETTINGS,
      ...addresses,
      SITE_REGISTRY_HOOKS: 'true',
      MONGODB_URI: await stackDatabaseUri(dataDir, mongoAddress(marks.port)),
      ...variables,
    },
  });
  undo.defer(() => stack.stop());
  undo.defer(useStack(dataDir));
  const running = undo.move();
  return {
    stack,
    told: others.told,
    directly: (name) => `http://127.0.0.1:${stack.ports[name]}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** A process is started again so soon, however often it was killed. */
const SOON_MS = 200;
