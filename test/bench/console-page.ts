import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { residentVariables, SERVICE_FLAGS } from '../../infra/dev/runtime-variables.ts';
import { startProvider } from '../sdk/auth/test-provider.ts';
import { createBrowser } from '../support/start-console.ts';
import { startMongo } from '../support/start-mongo.ts';
import { median } from './parts/median.ts';
import { processCpu } from './parts/process-cpu.ts';

/**
 * CPU time of the console for a page, against that of the builder for the replies that the page shows, while the same pages
 * are loaded: each is a process of its own, and the browser a third. The pages are those that people have open: the
 * overview, the list of services, and one service with its builds. The database is another process, and is not counted. On
 * the embedded stand-in unless FAIRLEAD_TEST_MONGODB_URI names a real server.
 */
export const needsStack = false;

const PAGES = ['/', '/services', '/services/bench1'];
const AT_ONCE = 4;
const LOADS = 100;
const WARM_UPS = 1;
const ROUNDS = 3;

const mongo = await startMongo();
const provider = await startProvider();
const token = await provider.sign({ sub: 'usr_bench', identityId: 'usr_bench', orgSlug: 'acme', orgRoles: ['admin'] });
const builder = await start('builder-process.ts', [provider.url], { MONGODB_URI: mongo.uri });
const console_ = await start('console-process.ts', [builder.address, token]);
const browser = createBrowser(console_.address);
await browser.signIn();

const figures = new Map<string, number[]>(PAGES.map((page) => [page, []]));
for (let round = -WARM_UPS; round < ROUNDS; round += 1) {
  for (const page of PAGES) {
    const before = { builder: await processCpu(builder.pid), console: await processCpu(console_.pid) };
    await load(page);
    const ofBuilder = (await processCpu(builder.pid)) - before.builder;
    const ofConsole = (await processCpu(console_.pid)) - before.console;
    if (round < 0) continue;
    figures.get(page)?.push(ofConsole / ofBuilder);
    console.log(
      `${page}: console ${(ofConsole / LOADS / 1_000).toFixed(2)} ms, builder ${(ofBuilder / LOADS / 1_000).toFixed(2)} ms`,
    );
  }
}
for (const { child } of [console_, builder]) child.kill();
await provider.stop();
await mongo.stop();
const ratios = [...figures].map(([page, values]) => [page, median(values)] as const);
for (const [page, ratio] of ratios) console.log(`${page}: ${ratio.toFixed(2)}`);
console.log(`console-page: ${Math.max(...ratios.map(([, ratio]) => ratio)).toFixed(2)}`);
process.exit();

async function load(page: string): Promise<void> {
  let left = LOADS;
  const visitor = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { status, text } = await browser.get(page);
      if (status !== 200 || !text.includes('</html>')) throw new Error(`${page}: ${status}\n${text}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, visitor));
}

async function start(
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ readonly child: ChildProcess; readonly pid: number; readonly address: string }> {
  const path = fileURLToPath(new URL(`parts/${script}`, import.meta.url));
  const child = fork(path, args, {
    execArgv: [...SERVICE_FLAGS],
    env: { ...process.env, ...residentVariables(process.env), ...env },
  });
  const [address] = await once(child, 'message', { signal: AbortSignal.timeout(60_000) });
  if (child.pid === undefined) throw new Error(`${script} did not start`);
  return { child, pid: child.pid, address: String(address) };
}
