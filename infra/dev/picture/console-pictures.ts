import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Page, chromium as playwright } from 'playwright-core';
import { z } from 'zod';
import { projectRoot } from '../project.ts';
import { runOnStack } from '../run-on-stack.ts';
import { silentReporter } from '../terminal.ts';
import { CHROMIUM_FLAGS, chromium } from '../tools/chromium.ts';
import { resolveTool } from '../tools/resolve-tool.ts';

/**
 * `node infra/dev/picture/console-pictures.ts`: starts a stack of its own, deploys a few samples on it, and draws the
 * console as docs/console-overview.png, docs/console-build.png (a build that runs) and docs/console-phone.png (360 px wide).
 * Needs pngquant on the PATH.
 */
const STACK = process.env.FAIRLEAD_TEST_STACK;
const WINDOWS = {
  build: { width: 1080, height: 490 },
  overview: { width: 1080, height: 490 },
  phone: { width: 360, height: 720 },
};
/** Few colours and no dithering keep a picture of flat areas small. */
const COLOURS = [16, 12, 8];
const MOST_BYTES = 20 * 1024;
const WITHIN_MS = 180_000;

/** What is deployed, in this order: the last one runs while it is drawn. */
const SERVICES = [
  { name: 'shop', build: null, start: 'node server.js' },
  { name: 'search', build: null, start: 'node server.js' },
  { name: 'mailer', build: null, start: 'node mail.js' },
  { name: 'docs', build: 'node pages.js', start: 'node server.js' },
] as const;

const MAIL = `console.error('MAIL_URL is not set'); process.exit(1);
`;

/** A step that takes a while, and says what it does. */
const PAGES = `let page = 0;
const next = () => {
  page += 1;
  console.log('page ' + page + ' of 400');
  if (page < 400) setTimeout(next, 100);
};
next();
`;

const connectionSchema = z.object({ api: z.url(), key: z.string() });
const stateSchema = z.record(z.string(), z.object({ address: z.string().nullish() }));
const inviteSchema = z.object({ data: z.object({ inviteUrl: z.url() }) });
const buildsSchema = z.object({
  data: z.object({ items: z.array(z.object({ id: z.string(), service: z.string(), status: z.string() })) }),
});

if (STACK === undefined) {
  process.exit(await runOnStack(import.meta.filename, [], { command: 'node infra/dev/picture/console-pictures.ts' }));
}
await drawAll(STACK);

async function drawAll(dataDir: string): Promise<void> {
  const stack = connectionSchema.parse(JSON.parse(await readFile(join(dataDir, 'connection.json'), 'utf8')));
  const state = stateSchema.parse(JSON.parse(await readFile(join(dataDir, 'state.json'), 'utf8')));
  const address = (name: string): string => state[name]?.address ?? '';
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-pictures-'));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const builds = async () => {
    const response = await fetch(`${stack.api}/builds?limit=20`, { headers: { 'x-internal-key': stack.key } });
    return buildsSchema.parse(await response.json()).data.items;
  };
  for (const service of SERVICES) await deploy(service);
  const { path } = await resolveTool(chromium, { env: process.env, report: silentReporter });
  const browser = await playwright.launch({ executablePath: path, args: CHROMIUM_FLAGS });
  undo.defer(() => browser.close());
  const context = await browser.newContext({
    colorScheme: 'light',
    locale: 'en',
    viewport: WINDOWS.build,
  });
  const page = await context.newPage();
  await signIn(page);
  const running = (await builds()).find(({ service }) => service === 'docs')?.id ?? '';
  await page.goto(`${address('console')}/builds/${running}`);
  await page.getByText('page 3 of 400').first().waitFor({ timeout: WITHIN_MS });
  await draw(page, 'console-build');
  await page.setViewportSize(WINDOWS.overview);
  await page.goto(address('console'));
  await page.getByText('mailer').first().waitFor();
  await draw(page, 'console-overview');
  await page.setViewportSize(WINDOWS.phone);
  await draw(page, 'console-phone');

  /** Deploys, and waits for its end unless it takes a while. */
  async function deploy({ name, build, start }: (typeof SERVICES)[number]): Promise<void> {
    const source = join(folder, name);
    await mkdir(source);
    await cp(join(projectRoot, 'infra/dev/demo'), source, { recursive: true });
    const replaced = async (file: string, change: (text: string) => string) =>
      await writeFile(join(source, file), change(await readFile(join(source, file), 'utf8')));
    await replaced('catalog-info.yaml', (text) => text.replace('name: hello', `name: ${name}`));
    await replaced('package.json', (text) =>
      JSON.stringify({ ...JSON.parse(text), name, scripts: { start, ...(build === null ? {} : { build }) } }),
    );
    await replaced('package-lock.json', (text) => text.replaceAll('"name": "hello"', `"name": "${name}"`));
    await writeFile(join(source, 'pages.js'), PAGES);
    await writeFile(join(source, 'mail.js'), MAIL);
    const env = { ...process.env, FAIRLEAD_URL: stack.api, FAIRLEAD_KEY: stack.key };
    const command = spawn(process.execPath, [join(projectRoot, 'cli/fairlead.mjs'), 'deploy', source], {
      ...{ env, stdio: 'ignore' },
    });
    command.on('error', () => undefined);
    undo.defer(() => void command.kill());
    const deadline = performance.now() + WITHIN_MS;
    const isReached = (status: string | undefined) =>
      build === null ? status === 'completed' || status === 'failed' : status === 'building';
    for (;;) {
      if (isReached((await builds()).find(({ service }) => service === name)?.status)) return;
      if (performance.now() > deadline) throw new Error(`${name} did not get so far within ${WITHIN_MS / 1000} s`);
      await delay(200);
    }
  }

  /** As the first person of the installation, by the link of an invitation. */
  async function signIn(on: Page): Promise<void> {
    const response = await fetch(`${address('idp')}/api/v2/orgs/platform/invites`, {
      method: 'POST',
      headers: { 'x-internal-key': stack.key, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'lin@acme.example', role: 'admin', sendEmail: false }),
    });
    await on.goto(inviteSchema.parse(await response.json()).data.inviteUrl);
    await on.fill('input[name=firstName]', 'Lin');
    await on.fill('input[name=lastName]', 'Clark');
    await on.fill('input[name=password]', 'correct horse battery');
    await on.click('main form:has(input[name=password]) button');
    await on.waitForURL(/\/account/);
  }
}

/** What the window shows, with as many colours as fit into the bytes that a picture may have. */
async function draw(page: Page, name: string): Promise<void> {
  const path = join(projectRoot, 'docs', `${name}.png`);
  await page.evaluate('document.fonts.ready');
  const whole = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  for (const colours of COLOURS) {
    await writeFile(path, whole);
    const options = ['--force', '--nofs', '--strip', '--ext', '.png', String(colours)];
    await promisify(execFile)('pngquant', [...options, path]);
    const { size } = await stat(path);
    if (size > MOST_BYTES) continue;
    console.log(`${path}: ${size} bytes, ${colours} colours`);
    return;
  }
  throw new Error(`${path}: more than ${MOST_BYTES} bytes with ${COLOURS.at(-1)} colours; draw less`);
}
